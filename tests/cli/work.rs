//! `start`, `note`, `redact`: work in progress and what is learnt by it.

use insta::assert_snapshot;

use crate::support::World;
use crate::support::look::{commits, issue, memory, named, status};

fn world() -> World {
    let world = World::with_store();
    named(&world, "bd-a", &["A"]);
    world
}

/// The texts of a kind of memory.
fn texts(world: &World, kind: &str) -> Vec<String> {
    let memory = memory(world, "bd-a");
    let entries = memory[kind].as_array().cloned().unwrap_or_default();
    entries
        .iter()
        .map(|entry| entry["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn start_takes_an_issue() {
    let world = world();
    assert_snapshot!(world.bd(&["start", "bd-a"]).all(), @r#"
    bd-a in_progress by Ann: A
    next: git beads show bd-a, then git beads note bd-a --finding "..."
    "#);
    let taken = issue(&world, "bd-a");
    assert_eq!(
        (&taken["status"], &taken["assignee"]),
        (&"in_progress".into(), &"Ann".into())
    );
}

#[test]
fn claim_is_start() {
    let world = world();
    let answer = world.bd_as("Bob", &["claim", "bd-a", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["next"]),
        (&"issue".into(), &"continue".into())
    );
    assert_eq!(
        (&answer["issue"]["id"], &answer["issue"]["assignee"]),
        (&"bd-a".into(), &"Bob".into())
    );
}

#[test]
fn starting_again_changes_nothing() {
    let world = world();
    world.bd(&["start", "bd-a"]).ok();
    let before = commits(&world);
    world.bd(&["start", "bd-a"]).ok();
    assert_eq!(commits(&world), before);
}

#[test]
fn what_somebody_else_works_on_is_theirs_unless_forced() {
    let world = world();
    world.bd_as("Bob", &["start", "bd-a"]).ok();
    let before = commits(&world);
    let error = world.bd(&["start", "bd-a"]).fails(3);
    assert!(
        error.contains("bd-a is claimed by Bob")
            && error.contains("hint: git beads start bd-a --force"),
        "{error}"
    );
    assert_eq!(commits(&world), before);
    world.bd(&["start", "bd-a", "--force"]).ok();
    assert_eq!(issue(&world, "bd-a")["assignee"], "Ann");
}

#[test]
fn a_claimed_issue_is_a_conflict_in_json() {
    let world = world();
    world.bd_as("Bob", &["start", "bd-a"]).ok();
    let output = world.bd(&["start", "bd-a", "--json"]);
    assert_eq!(output.code, 3);
    let error: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(
        (&error["kind"], &error["code"]),
        (&"error".into(), &"claimed".into())
    );
}

#[test]
fn what_is_in_progress_for_nobody_can_be_taken() {
    let world = world();
    world.bd(&["update", "bd-a", "-s", "in_progress"]).ok();
    world.bd(&["start", "bd-a"]).ok();
    assert_eq!(issue(&world, "bd-a")["assignee"], "Ann");
}

#[test]
fn what_waits_can_be_started_and_that_is_said() {
    let world = world();
    named(&world, "bd-b", &["B", "--on", "bd-a"]);
    let text = world.bd(&["start", "bd-b"]).ok();
    assert!(text.contains("it still waits for bd-a"), "{text}");
}

#[test]
fn the_closed_and_the_deleted_are_not_started() {
    let world = world();
    world.bd(&["done", "bd-a"]).ok();
    let error = world.bd(&["start", "bd-a"]).fails(3);
    assert!(
        error.contains("bd-a is closed") && error.contains("hint: git beads reopen bd-a"),
        "{error}"
    );
    world.bd(&["delete", "bd-a"]).ok();
    assert!(
        world
            .bd(&["start", "bd-a", "--force"])
            .fails(1)
            .contains("hint: git beads restore bd-a")
    );
}

#[test]
fn start_ends_blocked_and_deferred() {
    let world = world();
    for verb in ["block", "defer"] {
        world.bd(&[verb, "bd-a"]).ok();
        world.bd(&["start", "bd-a"]).ok();
        assert_eq!(status(&world, "bd-a"), "in_progress");
    }
}

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
fn redact_hides_and_restore_shows_again() {
    let world = world();
    world
        .bd(&["note", "bd-a", "--finding", "wrong", "--finding", "right"])
        .ok();
    let id = memory(&world, "bd-a")["findings"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let ending = &id[id.len() - 6..];
    let answer = world.bd(&["redact", "bd-a", ending, "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["entry"]),
        (&"updated".into(), &id.as_str().into())
    );
    assert_eq!(texts(&world, "findings"), ["right"]);
    assert!(!world.bd(&["show", "bd-a"]).ok().contains("wrong"));
    world
        .bd(&["redact", "bd-a", &id.to_lowercase(), "--restore"])
        .ok();
    assert_eq!(texts(&world, "findings"), ["wrong", "right"]);
}

#[test]
fn redacting_twice_is_one_commit() {
    let world = world();
    world.bd(&["note", "bd-a", "--finding", "wrong"]).ok();
    let id = memory(&world, "bd-a")["findings"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    world.bd(&["redact", "bd-a", &id]).ok();
    let before = commits(&world);
    world.bd(&["redact", "bd-a", &id]).ok();
    assert_eq!(commits(&world), before);
}

#[test]
fn redact_needs_one_entry() {
    let world = world();
    world.bd(&["note", "bd-a", "--finding", "f"]).ok();
    for entry in ["ZZZZZZ", "", " "] {
        let error = world.bd(&["redact", "bd-a", entry]).fails(1);
        assert!(
            error.contains("has no entry") && error.contains("hint: git beads show bd-a"),
            "{error}"
        );
    }
}

#[test]
fn a_redacted_finding_can_be_noted_anew() {
    let world = world();
    world.bd(&["note", "bd-a", "--finding", "f"]).ok();
    let id = memory(&world, "bd-a")["findings"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    world.bd(&["redact", "bd-a", &id]).ok();
    world.bd(&["note", "bd-a", "--finding", "f"]).ok();
    assert_eq!(texts(&world, "findings"), ["f"]);
}

#[test]
fn the_deleted_are_not_edited_and_a_status_is_not_taken_from_others() {
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
            .fails(3)
            .contains("is claimed by bob")
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
