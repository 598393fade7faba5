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
    let world = World::with_store();
    let id = world.create(&["X"]);
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
    let kept = std::fs::read_to_string(place).unwrap();
    std::fs::remove_file(place).unwrap();
    assert_eq!(kept, "an hour of work\n");
}
