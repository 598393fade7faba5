//! `edit`: an issue in the editor that git would start.

use crate::support::World;

/// A world whose editor is a script, and an issue.
fn with_editor(script: &str) -> (World, String) {
    let mut world = World::with_store();
    world.set("TERM", "xterm-256color");
    let editor = world.file("editor.sh", format!("#!/bin/sh\n{script}\n"));
    world.set("GIT_EDITOR", &format!("sh '{editor}'"));
    let id = world.create(&["Old title", "-d", "Old text", "-A", "Old criteria"]);
    (world, id)
}

#[test]
fn the_editor_changes_what_it_changed() {
    let (world, id) =
        with_editor("sed -i -e 's/Old title/New title/' -e 's/Old text/New text/' \"$1\"");
    let Some(output) = world.on_terminal(80, &["edit", &id]) else {
        return;
    };
    assert!(output.ok().contains("New title"));
    let issue = &world.bd(&["show", &id, "--json"]).json()["issue"];
    assert_eq!(
        (issue["title"].as_str(), issue["description"].as_str()),
        (Some("New title"), Some("New text"))
    );
    assert_eq!(issue["acceptance"], "Old criteria");
}

#[track_caller]
fn unchanged(script: &str, code: i32) {
    let (world, id) = with_editor(script);
    let before = world.git(&["rev-parse", "refs/beads/main"]).ok();
    let Some(output) = world.on_terminal(80, &["edit", &id]) else {
        return;
    };
    if code != 0 {
        assert!(
            output.stdout.contains("error: ") && output.stdout.contains("hint: "),
            "{output:?}"
        );
    }
    assert_eq!(output.code, code, "{output:?}");
    assert_eq!(world.git(&["rev-parse", "refs/beads/main"]).ok(), before);
}

#[test]
fn an_editor_that_changes_nothing_changes_nothing() {
    unchanged("true", 0);
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    unchanged("sed -i 's/Old/New/' \"$1\"; exit 1", 6);
}

#[test]
fn an_editor_that_empties_the_title_changes_nothing() {
    unchanged("sed -i 's/Old title//' \"$1\"", 1);
}

#[test]
fn an_editor_that_loses_the_headings_changes_nothing() {
    unchanged("echo nonsense > \"$1\"", 1);
}

#[test]
fn emptying_the_file_changes_nothing() {
    unchanged(": > \"$1\"", 0);
}

#[test]
fn text_before_the_first_heading_is_not_lost_in_silence() {
    unchanged(
        "printf 'a thought\\n' | cat - \"$1\" > \"$1.new\" && mv \"$1.new\" \"$1\"",
        1,
    );
}

#[test]
fn an_editor_needs_a_terminal() {
    let mut world = World::with_store();
    let id = world.create(&["X"]);
    for name in ["GIT_EDITOR", "VISUAL", "EDITOR"] {
        world.set(name, "");
    }
    let output = world.bd(&["edit", &id, "--json"]);
    assert!(output.stdout.contains("\"kind\":\"error\""), "{output:?}");
    assert!(
        output
            .fails(2)
            .contains(&format!("hint: git beads update {id}"))
    );
}

#[test]
fn a_text_that_is_refused_is_kept() {
    let (world, id) = with_editor("echo 'an hour of work' > \"$1\"");
    let Some(output) = world.on_terminal(200, &["edit", &id]) else {
        return;
    };
    let (_, place) = output.stdout.split_once("your text is in ").unwrap();
    let place = place.split_whitespace().next().unwrap();
    let place = world.path(place.strip_prefix("WORLD/").unwrap());
    let kept = std::fs::read_to_string(place).unwrap();
    assert_eq!(kept, "an hour of work\n");
}

#[test]
fn a_chosen_editor_needs_no_terminal() {
    let (world, id) = with_editor("sed -i 's/Old title/New title/' \"$1\"");
    assert!(world.bd(&["edit", &id]).ok().contains("New title"));
}

#[test]
fn all_fields_can_be_changed() {
    let (world, id) = with_editor(
        "sed -i -e 's/^type: .*/type: bug/' -e 's/^priority: .*/priority: 0/' -e 's/^assignee:.*/assignee: bob/' \
        -e 's/^labels: .*/labels: b, c/' -e 's/^due:.*/due: 2026-12-01/' -e 's/^external_ref:.*/external_ref: T-1/' \"$1\"",
    );
    world
        .bd(&["update", &id, "--add-label", "a,b", "--defer", "2026-12-05"])
        .ok();
    world.bd(&["edit", &id]).ok();
    let issue = &world.bd(&["show", &id, "--json"]).json()["issue"];
    assert_eq!(issue["type"], "bug");
    assert_eq!(issue["priority"], 0);
    assert_eq!(issue["assignee"], "bob");
    assert_eq!(issue["labels"], serde_json::json!(["b", "c"]));
    assert_eq!(issue["due"], "2026-12-01T23:59:59.000Z");
    assert_eq!(issue["external_ref"], "T-1");
    assert_eq!(issue["defer"], "2026-12-05T00:00:00.000Z");
    assert_eq!(issue["description"], "Old text");
    let log = world.bd(&["log", "-1"]).ok();
    assert!(!log.contains("defer") && log.contains("labels"), "{log}");
}

#[test]
fn a_field_that_is_not_there_is_refused() {
    unchanged("sed -i 's/^type: .*//' \"$1\"", 1);
    unchanged("sed -i 's/^type: /kind: /' \"$1\"", 1);
    unchanged("sed -i 's/^type: .*/type: bug\\ntype: task/' \"$1\"", 1);
    unchanged("sed -i 's/^priority: .*/priority: high/' \"$1\"", 1);
}

#[test]
fn help_is_below_a_line_and_headings_above_it_stay() {
    let (world, id) =
        with_editor("cp \"$1\" \"$HOME/seen\"; sed -i 's/^Old text/# A heading/' \"$1\"");
    world.bd(&["edit", &id]).ok();
    let seen = std::fs::read_to_string(world.path("home/seen")).unwrap();
    let (_, help) = seen
        .split_once("\n# ------------------------ >8 ------------------------\n")
        .unwrap();
    assert!(help.lines().all(|line| line.starts_with("# ")), "{help}");
    world.git(&["config", "core.commentChar", ";"]).ok();
    world.bd(&["edit", &id]).ok();
    let seen = std::fs::read_to_string(world.path("home/seen")).unwrap();
    assert!(seen.contains("\n; ------------------------ >8"), "{seen}");
    assert!(seen.contains("\n# A heading\n"), "{seen}");
    let issue = &world.bd(&["show", &id, "--json"]).json()["issue"];
    assert_eq!(issue["description"], "# A heading");
    assert_eq!(issue["notes"], serde_json::Value::Null);
}
