//! `create` with the text that a person writes in the editor.

use crate::support::World;

/// A world whose editor runs a script.
fn with_editor(script: &str) -> World {
    let mut world = World::with_store();
    let editor = world.file("editor.sh", format!("#!/bin/sh\n{script}\n"));
    world.set("GIT_EDITOR", &format!("sh '{editor}'"));
    world
}

#[test]
fn an_issue_is_written_in_the_editor() {
    let world = with_editor(
        "printf 'Fix the login\\n\\n# Steps\\nLog in\\n' | cat - \"$1\" > \"$1.new\" && mv \"$1.new\" \"$1\"",
    );
    let id = world.bd(&["create", "--edit", "-t", "bug", "-q"]).ok();
    let issue = world.bd(&["show", id.trim(), "--json"]).json();
    assert_eq!(issue["issue"]["title"], "Fix the login");
    assert_eq!(issue["issue"]["description"], "# Steps\nLog in");
    assert_eq!(issue["issue"]["type"], "bug");
    if let Some(created) = world.on_terminal(80, &["create"]) {
        assert!(created.ok().contains("Fix the login"));
    }
    // An agent on a terminal is not asked.
    if let Some(refused) = world.on_terminal(80, &["--agent", "x", "create"]) {
        refused.fails(1);
    }
    world.bd(&["create"]).fails(1);
}

#[test]
fn an_empty_text_of_the_editor_creates_nothing() {
    let world = with_editor("true");
    let refused = world.bd(&["create", "-e"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(!refused.stderr.contains("your text"), "{refused:?}");
    let world = with_editor("printf '\\nbody' > \"$1\"");
    let world_of_text = world.bd(&["create", "Title", "-e", "--parent", "bd-none"]);
    assert!(
        world_of_text.stderr.contains("your text is in "),
        "{world_of_text:?}"
    );
    assert_eq!(world.bd(&["list", "-q"]).ok(), "");
}
