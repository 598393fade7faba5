//! The pager and the editor: on a terminal, as git would start them.

use crate::support::World;

/// A pager that shows that it ran.
const PAGER: &str = "sed s/^/PAGED:/";

fn world() -> World {
    let mut world = World::with_store();
    for title in ["One", "Two"] {
        world.create(&[title]);
    }
    world.set("TERM", "xterm-256color");
    world
}

/// Whether `list` ran through a pager on a terminal; none without a pty.
#[track_caller]
fn paged(world: &World, args: &[&str]) -> Option<bool> {
    let output = world.on_terminal(80, args)?;
    let text = output.ok();
    assert!(text.contains("One"), "{text}");
    Some(text.contains("PAGED:"))
}

#[track_caller]
fn is(seen: Option<bool>, wanted: bool) {
    assert!(seen.is_none_or(|seen| seen == wanted), "paged: {seen:?}");
}

#[test]
fn git_pager_is_started_for_long_answers() {
    let mut world = world();
    world.set("GIT_PAGER", PAGER);
    for args in [&["list"][..], &["search", "one"], &["log"]] {
        is(paged(&world, args), true);
    }
    let id = world
        .bd(&["list", "-q"])
        .ok()
        .lines()
        .next()
        .unwrap()
        .to_owned();
    is(paged(&world, &["show", &id]), true);
}

#[test]
fn no_pager_means_none() {
    let mut world = world();
    world.set("GIT_PAGER", PAGER);
    is(paged(&world, &["--no-pager", "list"]), false);
    is(paged(&world, &["list", "--no-pager"]), false);
    is(paged(&world, &["list", "--json"]), false);
    assert!(
        !world.bd(&["list"]).ok().contains("PAGED"),
        "a pipe has no pager"
    );
}

#[test]
fn git_no_pager_means_none() {
    let mut world = world();
    world.set("PAGER", PAGER);
    is(
        world
            .program_on_terminal(80, &["git", "--no-pager", "beads", "list"])
            .map(|o| o.ok().contains("PAGED")),
        false,
    );
}

#[test]
fn the_order_of_pagers_is_gits() {
    let mut world = world();
    world.set("PAGER", PAGER);
    is(paged(&world, &["list"]), true);
    world.git(&["config", "core.pager", "cat"]).ok();
    is(paged(&world, &["list"]), false);
    world.set("GIT_PAGER", PAGER);
    is(paged(&world, &["list"]), true);
    world.set("GIT_PAGER", "");
    is(paged(&world, &["list"]), false);
}

#[test]
fn pager_beads_is_heard() {
    let mut world = world();
    world.set("PAGER", PAGER);
    world.git(&["config", "pager.beads", "false"]).ok();
    is(paged(&world, &["list"]), false);
}

#[test]
fn a_pager_that_is_missing_hides_nothing() {
    let mut world = world();
    world.set("GIT_PAGER", "no-such-pager");
    let Some(output) = world.on_terminal(80, &["list"]) else {
        return;
    };
    assert!(!output.stdout.contains("panicked"), "{output:?}");
}

#[test]
fn a_pager_that_leaves_early_is_no_error() {
    let mut world = world();
    world.set("GIT_PAGER", "head -1");
    let Some(output) = world.on_terminal(80, &["list"]) else {
        return;
    };
    assert_eq!(output.ok().lines().count(), 1);
}

/// A world whose editor is a script, and an issue.
fn with_editor(script: &str) -> (World, String) {
    let mut world = world();
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
