//! `delete`: hidden, and never gone.

use insta::assert_snapshot;

use crate::support::look::{ids, issue, memory, quiet, status};
use crate::support::samples::two as world;

#[test]
fn delete_hides_and_restore_brings_back_as_it_was() {
    let world = world();
    world
        .bd(&[
            "update",
            "bd-a",
            "-d",
            "text",
            "-p",
            "0",
            "--add-label",
            "x",
        ])
        .ok();
    world.bd(&["start", "bd-a"]).ok();
    world.bd(&["note", "bd-a", "--finding", "f"]).ok();
    let before = issue(&world, "bd-a");
    assert_snapshot!(world.bd(&["delete", "bd-a", "-r", "twice"]).all(), @"
    bd-a deleted: A
    next: git beads restore bd-a
    ");
    assert_eq!(quiet(&world, &["list"]), ["bd-b"]);
    assert_eq!(status(&world, "bd-a"), "tombstone");
    world.bd(&["restore", "bd-a"]).ok();
    let mut after = issue(&world, "bd-a");
    after["updated_at"] = before["updated_at"].clone();
    assert_eq!(after, before);
    assert_eq!(memory(&world, "bd-a")["findings"][0]["text"], "f");
}

#[test]
fn deleting_a_parent_leaves_its_children() {
    let world = world();
    world.create(&["Child", "--parent", "bd-a"]);
    world.bd(&["delete", "bd-a"]).ok();
    assert_eq!(quiet(&world, &["list"]), ["bd-b", "bd-a.1"]);
    assert_eq!(quiet(&world, &["ready"]), ["bd-b", "bd-a.1"]);
    world.bd(&["restore", "bd-a"]).ok();
    assert_eq!(ids(&issue(&world, "bd-a")["children"]), ["bd-a.1"]);
}

#[test]
fn the_id_of_a_deleted_issue_stays_taken() {
    let world = world();
    world.bd(&["delete", "bd-a"]).ok();
    assert!(
        world
            .bd(&["rename", "bd-b", "bd-a"])
            .fails(3)
            .contains("bd-a is taken")
    );
}
