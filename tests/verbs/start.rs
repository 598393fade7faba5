//! `start`: work in progress, and by whom.

mod branches;

use crate::support::World;
use insta::assert_snapshot;

use crate::support::look::{commits, issue, named, status};
use crate::support::samples::one as world;

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
        error.contains("bd-a is in progress by Bob")
            && error.contains("; git beads start bd-a --force takes it over"),
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
    assert!(text.contains("still blocked by bd-a"), "{text}");
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
fn an_epic_with_open_children_says_where_the_work_is() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let said = world.bd(&["start", &epic]).ok();
    assert!(!said.contains("note:"), "{said}");
    let child = world.create(&["Child", "--parent", &epic]);
    let expected = format!("note: {epic} has 1 open child: work happens on the children\n");
    for args in [
        &["start", &epic][..],
        &["note", &epic, "--finding", "It is large"],
    ] {
        let said = world.bd(args).ok();
        assert!(said.contains(&expected), "{said}");
    }
    world.bd(&["start", &child]).ok();
    world.bd(&["undo"]).ok();
    world.bd(&["done", &child]).ok();
    let plain = world.create(&["Parent that is no epic"]);
    world.create(&["Its child", "--parent", &plain]);
    assert!(!world.bd(&["start", &plain]).ok().contains("note:"));
}

#[test]
fn a_remote_that_is_missing_names_the_start_without_it() {
    let world = World::with_store();
    let id = world.create(&["A"]);
    let refused = world.bd(&["start", &id, "--strict"]);
    let text = refused.fails(5);
    assert!(
        text.contains(&format!("git beads start {id} --local")),
        "{text}"
    );
    assert_eq!(
        world.bd(&["show", &id, "--json"]).json()["issue"]["status"],
        "open"
    );
}

#[test]
fn who_starts_a_deferred_issue_has_brought_it_back() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    world.bd(&["defer", &id, "--until", "3w"]).ok();
    world.bd(&["start", &id]).ok();
    let shown = world.bd(&["show", &id]).ok();
    assert!(!shown.contains("deferred until"), "{shown}");
    world.bd(&["stop", &id]).ok();
    assert_eq!(world.bd(&["ready", "-q"]).ok().trim(), id);
}
