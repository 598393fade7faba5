//! `note`: what is learnt by work.

use crate::support::World;
use crate::support::look::{commits, status, texts};
use crate::support::samples::one as world;

#[test]
fn a_note_keeps_findings_decisions_and_comments_in_order() {
    let world = world();
    let before = commits(&world);
    world
        .bd(&[
            "note",
            "bd-a",
            "--finding",
            "f1",
            "--finding",
            "f2",
            "--decision",
            "d1",
            "--comment",
            "c1",
            "a",
            "word",
        ])
        .ok();
    assert_eq!(commits(&world), before + 1);
    assert_eq!(texts(&world, "findings"), ["f1", "f2"]);
    assert_eq!(texts(&world, "decisions"), ["d1"]);
    assert_eq!(texts(&world, "comments"), ["c1", "a word"]);
}

#[test]
fn comment_and_progress_are_note() {
    let world = world();
    world.bd(&["comment", "bd-a", "one"]).ok();
    world.bd(&["progress", "bd-a", "--comment", "two"]).ok();
    assert_eq!(texts(&world, "comments"), ["one", "two"]);
}

#[test]
fn findings_and_decisions_are_kept_once_comments_each_time() {
    let world = world();
    let note = &[
        "note",
        "bd-a",
        "--finding",
        "f",
        "--decision",
        "d",
        "--comment",
        "c",
    ];
    world.bd(note).ok();
    world.bd(note).ok();
    assert_eq!(
        (
            texts(&world, "findings").len(),
            texts(&world, "decisions").len()
        ),
        (1, 1)
    );
    assert_eq!(texts(&world, "comments").len(), 2);
    world
        .bd(&[
            "note",
            "bd-a",
            "--decision",
            "f",
            "--finding",
            " f ",
            "--finding",
            "F",
        ])
        .ok();
    assert_eq!(texts(&world, "findings"), ["f", "F"]);
    assert_eq!(texts(&world, "decisions"), ["d", "f"]);
}

#[test]
fn a_note_of_what_is_known_is_no_commit() {
    let world = world();
    world.bd(&["note", "bd-a", "--finding", "f"]).ok();
    let before = commits(&world);
    let text = world.bd(&["note", "bd-a", "--finding", "f"]).ok();
    assert!(text.starts_with("bd-a open: nothing new"), "{text}");
    assert_eq!(commits(&world), before);
}

#[test]
fn the_same_text_twice_in_one_note_is_kept_once() {
    let world = world();
    world
        .bd(&["note", "bd-a", "--finding", "f", "--finding", "f"])
        .ok();
    assert_eq!(texts(&world, "findings"), ["f"]);
}

#[test]
fn a_marker_at_the_beginning_is_dropped() {
    let world = world();
    world
        .bd(&[
            "note",
            "bd-a",
            "--finding",
            "FINDING: slow",
            "--decision",
            "KEY DECISION: cache",
        ])
        .ok();
    assert_eq!(texts(&world, "findings"), ["slow"]);
    assert_eq!(texts(&world, "decisions"), ["cache"]);
}

#[test]
fn a_note_may_set_the_status() {
    let world = world();
    world
        .bd(&[
            "note",
            "bd-a",
            "--finding",
            "no access",
            "--status",
            "blocked",
        ])
        .ok();
    assert_eq!(status(&world, "bd-a"), "blocked");
    world.bd(&["note", "bd-a", "-s", "open"]).ok();
    assert_eq!(status(&world, "bd-a"), "open");
}

#[test]
fn a_note_neither_closes_nor_deletes() {
    let world = world();
    let before = commits(&world);
    let closed = world
        .bd(&["note", "bd-a", "--finding", "f", "-s", "closed"])
        .fails(1);
    assert!(closed.contains("hint: git beads done bd-a"), "{closed}");
    let deleted = world.bd(&["note", "bd-a", "-s", "tombstone"]).fails(1);
    assert!(deleted.contains("hint: git beads delete bd-a"), "{deleted}");
    assert_eq!(commits(&world), before);
}

#[test]
fn a_note_of_nothing_is_an_error() {
    let world = world();
    for args in [
        &["note", "bd-a"][..],
        &["note", "bd-a", "--finding", " "],
        &["note", "bd-a", ""],
    ] {
        assert!(world.bd(args).fails(1).starts_with("error: "), "{args:?}");
    }
    assert!(
        world
            .bd(&["note", "bd-zzzz", "x"])
            .fails(1)
            .contains("bd-zzzz not found")
    );
}

#[test]
fn a_note_on_a_closed_issue_is_kept() {
    let world = world();
    world.bd(&["done", "bd-a"]).ok();
    world.bd(&["note", "bd-a", "--finding", "afterwards"]).ok();
    assert_eq!(texts(&world, "findings"), ["afterwards"]);
    assert_eq!(status(&world, "bd-a"), "closed");
}

#[test]
fn the_deleted_are_not_edited_and_a_status_is_that_of_a_claim() {
    let world = World::with_store();
    let (gone, theirs, closed) = (
        world.create(&["Gone"]),
        world.create(&["Theirs"]),
        world.create(&["Closed"]),
    );
    world.bd(&["delete", &gone]).ok();
    world.bd_as("bob", &["start", &theirs]).ok();
    world.bd(&["done", &closed]).ok();
    for args in [
        &["note", &gone, "--finding", "x"][..],
        &["update", &gone, "-d", "x"],
        &["dep", "add", &gone, "--on", &theirs],
    ] {
        let said = world.bd(args).fails(1);
        assert_eq!(
            said,
            format!("error: {gone} is deleted\nhint: git beads restore {gone}\n"),
            "{args:?}"
        );
    }
    assert!(
        world
            .bd(&["note", &theirs, "--status", "open"])
            .ok()
            .contains("was claimed by bob"),
        "a person may release it, and is told"
    );
    assert!(
        world
            .bd(&["note", &closed, "--status", "open"])
            .fails(3)
            .contains("hint: git beads reopen")
    );
    world
        .bd_as("bob", &["note", &theirs, "--status", "blocked"])
        .ok();
    let mine = world.create(&["Mine"]);
    world.bd(&["note", &mine, "--status", "in_progress"]).ok();
    assert_eq!(
        world.bd(&["show", &mine, "--json"]).json()["issue"]["assignee"],
        "Ann",
        "which claims it"
    );
}

#[test]
fn a_comment_is_written_in_the_editor() {
    let mut world = World::with_store();
    let id = world.create(&["T"]);
    let script = "sed -i '1s/.*/FINDING: seen in the editor/' \"$1\"";
    let editor = world.file("editor.sh", script);
    world.set("GIT_EDITOR", &format!("sh '{editor}'"));
    world.bd(&["note", &id, "--edit"]).ok();
    let shown = world.bd(&["show", &id]).ok();
    assert!(shown.contains("- seen in the editor ("), "{shown}");
    if let Some(noted) = world.on_terminal(80, &["note", &id]) {
        assert!(noted.ok().contains("nothing new"), "said twice");
    }
    // No terminal is there, and no one to ask.
    world.bd(&["note", &id]).fails(1);
    std::fs::write(&editor, "true").unwrap();
    world.bd(&["note", &id, "-e"]).fails(1);
}

#[test]
fn the_subject_names_the_new_status() {
    let world = World::with_store();
    let id = world.create(&["A"]);
    let subject = |args: &[&str]| {
        world.bd(&[&["note", &id], args].concat()).ok();
        let log = world.bd(&["log", "-n", "1", "--json"]).json();
        log["operations"][0]["subject"].as_str().unwrap().to_owned()
    };
    assert_eq!(subject(&["-s", "deferred"]), format!("note {id}: deferred"));
    let both = subject(&["-s", "open", "--finding", "f"]);
    assert_eq!(both, format!("note {id}: 1 added, open"));
    assert_eq!(subject(&["text"]), format!("note {id}: 1 added"));
}
