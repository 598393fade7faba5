//! `restore`: a deleted issue comes back as it was.

use crate::support::look::{commits, status};
use crate::support::samples::two as world;

#[test]
fn a_restored_issue_is_still_closed() {
    let world = world();
    world.bd(&["done", "bd-a"]).ok();
    world.bd(&["delete", "bd-a"]).ok();
    world.bd(&["restore", "bd-a"]).ok();
    assert_eq!(status(&world, "bd-a"), "closed");
}

#[test]
fn an_export_of_a_deleted_issue_does_not_open_it() {
    let world = world();
    world.bd(&["done", "bd-a", "-r", "it works"]).ok();
    world.bd(&["delete", "bd-a"]).ok();
    for _ in 0..2 {
        world.bd(&["export", "all.jsonl"]).ok();
        world.bd(&["import", "all.jsonl"]).ok();
    }
    world.bd(&["restore", "bd-a"]).ok();
    let shown = world.bd(&["show", "bd-a", "--json"]).json();
    assert_eq!(
        (&shown["issue"]["status"], &shown["issue"]["reason"]),
        (&"closed".into(), &"it works".into()),
        "{shown}"
    );
    assert!(shown.get("conflicts").is_none(), "{shown}");
}

#[test]
fn deleting_again_is_no_commit_and_restoring_what_is_there_a_conflict() {
    let world = world();
    world.bd(&["delete", "bd-a"]).ok();
    let before = commits(&world);
    world.bd(&["delete", "bd-a"]).ok();
    assert_eq!(commits(&world), before);
    assert!(
        world
            .bd(&["restore", "bd-b"])
            .fails(3)
            .contains("bd-b is not deleted")
    );
}

#[test]
fn restoring_answers_with_the_issue() {
    let world = world();
    world.bd(&["delete", "bd-a"]).ok();
    let answer = world.bd(&["restore", "bd-a", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["issues"][0]["status"]),
        (&"updated".into(), &"open".into())
    );
    let error = world.bd(&["restore", "bd-a"]).fails(3);
    assert!(error.contains("hint: git beads show bd-a"), "{error}");
}
