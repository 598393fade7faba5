//! Text of other people is shown on a terminal, and never sent.

use crate::support::World;

/// Escape, a C1 control, a change of direction, a zero width, a bell, a return, a delete, an escape behind a
/// character for private use.
const HOSTILE: &str = "a\u{1b}[31mb\u{1b}]0;title\u{7}c\u{9b}31md\u{202e}e\u{200b}f\u{feff}g\u{7f}h\u{2066}i\u{f0b0d}\u{1b}[35mj";

/// Fails if a text holds anything but lines, tabs, our own colours and harmless characters.
#[track_caller]
fn harmless(text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let sequence = &rest[at..];
        let end = sequence.find('m').unwrap_or_else(|| panic!("{text:?}"));
        let codes = sequence[1..end]
            .strip_prefix('[')
            .unwrap_or_else(|| panic!("{text:?}"));
        assert!(
            codes.chars().all(|c| c.is_ascii_digit() || c == ';'),
            "{text:?}"
        );
        rest = &sequence[end..];
    }
    for c in text.chars().filter(|c| !"\n\t\r\u{1b}".contains(*c)) {
        let hidden = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        assert!(!c.is_control() && !hidden, "U+{:04X} in {text:?}", c as u32);
    }
}

fn world() -> (World, String) {
    let mut world = World::with_store();
    world.set("TERM", "xterm-256color");
    let line = serde_json::json!({
        "id": "x-1", "title": HOSTILE, "description": HOSTILE, "design": HOSTILE, "notes": HOSTILE,
        "acceptance_criteria": HOSTILE, "labels": [HOSTILE], "assignee": HOSTILE, "created_by": HOSTILE,
        "issue_type": HOSTILE, "external_ref": HOSTILE, "status": "open",
        "comments": [
            {"id": 1, "issue_id": "x-1", "author": HOSTILE, "text": HOSTILE, "created_at": "2026-01-01T00:00:00Z"},
            {"id": 2, "issue_id": "x-1", "author": "a", "text": format!("FINDING: {HOSTILE}"), "created_at": "2026-01-01T00:00:00Z"},
        ],
        "dependencies": [{"issue_id": "x-1", "depends_on_id": format!("external:{HOSTILE}"), "type": "blocks"}],
    });
    let other = serde_json::json!({
        "id": "x-2", "title": "t", "status": format!("s{HOSTILE}"), "parent": "x-1",
        "dependencies": [{"issue_id": "x-2", "depends_on_id": "x-1", "type": HOSTILE}],
    });
    world
        .bd_with(format!("{line}\n{other}\n"), &["import", "-"])
        .ok();
    (world, "x-1".to_owned())
}

#[track_caller]
fn shown(world: &World, args: &[&str]) {
    let mut all = vec!["--no-pager", "--color", "never"];
    all.extend(args);
    let Some(output) = world.on_terminal(200, &all) else {
        return;
    };
    harmless(&output.stdout);
    assert!(
        !output.stdout.contains('\u{1b}'),
        "no colours were wanted: {output:?}"
    );
    let coloured = world
        .on_terminal(200, &[&["--no-pager", "--color", "always"], args].concat())
        .unwrap();
    harmless(&coloured.stdout);
}

#[test]
fn a_pipe_gets_every_character() {
    let world = World::with_store();
    let title = "a\u{f0b0d}b";
    let id = world.create(&[title]);
    for args in [&["list"][..], &["show", &id], &["list", "--json"]] {
        let shown = world.bd(args).ok();
        assert!(shown.contains(title), "{shown:?}");
    }
}

#[test]
fn lists_are_harmless() {
    let (world, _) = world();
    shown(&world, &["list"]);
    shown(&world, &["list", "--tree"]);
    shown(&world, &["search", "a"]);
    shown(&world, &["blocked"]);
    for args in [
        &["graph"][..],
        &["graph", "--all"],
        &["graph", "--all", "--mermaid"],
        &["graph", "--all", "--dot"],
    ] {
        shown(&world, args);
    }
    shown(&world, &["ready", "--explain"]);
}

/// A file that is printed, instead of written.
#[test]
fn files_are_harmless() {
    let (world, _) = world();
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", "x"])
        .ok();
    for args in [
        &["export"][..],
        &["export", "--csv"],
        &["export", "--html"],
        &["carry", "--full"],
        &["carry", "--stdout"],
    ] {
        shown(&world, args);
    }
    let (Some(shown), plain) = (
        world.on_terminal(200, &["--no-pager", "export"]),
        world.bd(&["export"]).ok(),
    ) else {
        return;
    };
    // The same records: JSON has a form for each character.
    let records = |text: &str| -> Vec<serde_json::Value> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    assert_eq!(records(&shown.stdout), records(&plain));
}

#[test]
fn an_issue_is_harmless() {
    let (world, id) = world();
    shown(&world, &["show", &id, "x-2"]);
    shown(&world, &["dep", "tree", &id]);
    shown(&world, &["dep", "tree", "x-2"]);
    if let Some(output) = world.on_terminal(200, &["--no-pager", "show", &id]) {
        assert!(
            output.stdout.contains("\\u{1b}") && output.stdout.contains("\\u{202e}"),
            "shown by number: {output:?}"
        );
    }
}

#[test]
fn the_state_is_harmless() {
    let (world, id) = world();
    shown(&world, &["status"]);
    shown(&world, &["stats"]);
    world.bd_as(HOSTILE, &["start", &id, "--force"]).ok();
    shown(&world, &["status"]);
    shown(&world, &["labels"]);
    shown(&world, &["types"]);
    shown(&world, &["people"]);
    world.bd_as(HOSTILE, &["done", &id]).ok();
    shown(&world, &["stats"]);
}

#[test]
fn the_log_is_harmless() {
    let (world, id) = world();
    world
        .bd_as(HOSTILE, &["update", &id, "--title", HOSTILE])
        .ok();
    world
        .bd_as(HOSTILE, &["note", &id, "--finding", HOSTILE])
        .ok();
    shown(&world, &["log"]);
    shown(&world, &["log", "-p"]);
    shown(&world, &["log", "-p", "--oneline", "x-1"]);
    shown(&world, &["blame", "x-1"]);
    shown(&world, &["whats-new", "--agent", "c-1"]);
    shown(&world, &["diff", "@~1"]);
    world
        .bd(&["update", "x-1", "--title", "short", "-d", ""])
        .ok();
    shown(&world, &["undo", "--dry-run"]);
    shown(&world, &["undo"]);
}

#[test]
fn answers_to_changes_are_harmless() {
    let (world, id) = world();
    shown(&world, &["create", HOSTILE]);
    shown(&world, &["update", &id, "-p", "1"]);
    shown(&world, &["label", &id, HOSTILE]);
    shown(&world, &["start", &id, "--force"]);
    shown(&world, &["done", &id]);
}

#[test]
fn errors_are_harmless() {
    let (world, id) = world();
    for args in [
        &["show", HOSTILE][..],
        &["update", &id, "-s", HOSTILE],
        &["list", "--sort", HOSTILE],
        &[HOSTILE],
        &["list", &format!("--{HOSTILE}")],
        &["import", HOSTILE],
        &["-C", HOSTILE, "list"],
        &["list", "-n", HOSTILE],
    ] {
        shown(&world, args);
    }
    world.bd_as(HOSTILE, &["start", &id, "--force"]).ok();
    shown(&world, &["start", &id]);
}

#[test]
fn the_name_of_a_folder_is_harmless() {
    let mut world = World::with_store();
    world.set("TERM", "xterm-256color");
    let folder = world.path("repo/a\u{1b}[31mb\u{202e}c");
    let Ok(()) = std::fs::create_dir(&folder) else {
        return;
    };
    let folder = folder.to_str().unwrap();
    world.git(&["init", "--quiet", folder]).ok();
    shown(&world, &["-C", folder, "list"]);
    shown(&world, &["-C", folder, "init"]);
    shown(&world, &["-C", folder, "where"]);
    shown(&world, &["-C", folder, "status"]);
}

#[test]
fn ids_are_harmless_where_only_ids_are_printed() {
    let world = World::with_store();
    let line = serde_json::json!({"id": format!("x{HOSTILE}"), "title": "t"});
    let _ = world.bd_with(format!("{line}\n"), &["import", "-"]);
    for args in [
        &["list", "-q"][..],
        &["list"],
        &["status"],
        &["ready"],
        &["log"],
    ] {
        shown(&world, args);
    }
}

#[test]
fn json_on_a_terminal_is_harmless() {
    let (world, id) = world();
    shown(&world, &["show", &id, "--json"]);
    shown(&world, &["list", "--json=pretty"]);
}

#[test]
fn in_a_pipe_the_text_is_as_it_is() {
    let (world, id) = world();
    assert!(world.bd(&["show", &id]).ok().contains(HOSTILE));
}

#[test]
fn letters_that_join_and_pictures_are_drawn() {
    let mut world = World::with_store();
    world.set("TERM", "xterm-256color");
    let text = "می\u{200c}خواهم 👩\u{200d}💻";
    let id = world.create(&[text]);
    for args in [&["list"][..], &["--no-pager", "show", &id], &["log"]] {
        if let Some(shown) = world.on_terminal(80, args) {
            assert!(shown.stdout.contains(text), "{shown:?}");
        }
    }
}
