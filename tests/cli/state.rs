//! `block`, `unblock`, `defer`, `delete`, `restore`, `rename`.

use insta::assert_snapshot;

use crate::support::World;
use crate::support::look::{commits, ids, issue, memory, named, quiet, status};

fn world() -> World {
    let world = World::with_store();
    named(&world, "bd-a", &["A"]);
    named(&world, "bd-b", &["B"]);
    world
}

#[test]
fn block_says_why_and_unblock_opens() {
    let world = world();
    assert_snapshot!(world.bd(&["block", "bd-a", "-r", "no access"]).all(), @"
    bd-a blocked: A
    next: git beads show bd-a
    ");
    assert_eq!(
        (
            status(&world, "bd-a"),
            issue(&world, "bd-a")["reason"].clone()
        ),
        ("blocked".into(), "no access".into())
    );
    assert_eq!(quiet(&world, &["blocked"]), ["bd-a"]);
    world.bd(&["unblock", "bd-a"]).ok();
    assert_eq!(status(&world, "bd-a"), "open");
    assert!(issue(&world, "bd-a").get("reason").is_none());
}

#[test]
fn several_are_blocked_at_once() {
    let world = world();
    let before = commits(&world);
    world.bd(&["block", "bd-a", "bd-b"]).ok();
    assert_eq!(commits(&world), before + 1);
    assert_eq!(quiet(&world, &["blocked"]), ["bd-a", "bd-b"]);
}

#[test]
fn only_what_is_held_can_be_unblocked() {
    let world = world();
    let error = world.bd(&["unblock", "bd-a"]).fails(3);
    assert!(error.contains("hint: git beads dep tree bd-a"), "{error}");
    world.bd(&["start", "bd-a"]).ok();
    let _ = world.bd(&["unblock", "bd-a"]).fails(3);
}

#[test]
fn defer_pauses_until_a_date_or_until_unblocked() {
    let world = world();
    world.bd(&["defer", "bd-a", "--until", "2027-01-02"]).ok();
    world.bd(&["defer", "bd-b"]).ok();
    assert_eq!(
        (status(&world, "bd-a"), status(&world, "bd-b")),
        ("deferred".into(), "deferred".into())
    );
    assert!(
        issue(&world, "bd-a")["defer"]
            .as_str()
            .unwrap()
            .starts_with("2027-01-02")
    );
    world.bd(&["unblock", "bd-a", "bd-b"]).ok();
    assert!(issue(&world, "bd-a").get("defer").is_none());
    assert_eq!(quiet(&world, &["ready"]), ["bd-a", "bd-b"]);
}

#[test]
fn a_bad_date_defers_nothing() {
    let world = world();
    assert!(
        world
            .bd(&["defer", "bd-a", "--until", "someday"])
            .fails(1)
            .contains("`someday` is not a date")
    );
    assert_eq!(status(&world, "bd-a"), "open");
}

#[test]
fn the_closed_is_neither_blocked_nor_deferred() {
    let world = world();
    world.bd(&["done", "bd-a"]).ok();
    for verb in ["block", "unblock", "defer"] {
        assert!(
            world
                .bd(&[verb, "bd-a"])
                .fails(3)
                .contains("hint: git beads reopen bd-a"),
            "{verb}"
        );
    }
}

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
    next: git beads show bd-a
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
fn a_restored_issue_is_still_closed() {
    let world = world();
    world.bd(&["done", "bd-a"]).ok();
    world.bd(&["delete", "bd-a"]).ok();
    world.bd(&["restore", "bd-a"]).ok();
    assert_eq!(status(&world, "bd-a"), "closed");
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

#[test]
fn rename_leaves_every_reference_right() {
    let world = world();
    world.bd(&["dep", "add", "bd-b", "--on", "bd-a"]).ok();
    world.create(&["Child", "--parent", "bd-a"]);
    world.bd(&["note", "bd-a", "--finding", "f"]).ok();
    assert_snapshot!(world.bd(&["rename", "bd-a", "bd-new"]).all(), @"
    bd-new renamed: A
    next: git beads show bd-new
    ");
    assert_eq!(ids(&issue(&world, "bd-b")["dependencies"]), ["bd-new"]);
    assert_eq!(issue(&world, "bd-a.1")["parent"], "bd-new");
    assert_eq!(ids(&issue(&world, "bd-new")["children"]), ["bd-a.1"]);
    assert_eq!(memory(&world, "bd-new")["findings"][0]["text"], "f");
    world.bd(&["done", "bd-new"]).ok();
    assert!(quiet(&world, &["ready"]).contains(&"bd-b".to_owned()));
}

#[test]
fn the_old_id_names_the_issue_after_a_rename() {
    let world = world();
    world.bd(&["rename", "bd-a", "bd-new"]).ok();
    assert_eq!(issue(&world, "bd-a")["id"], "bd-new");
    assert_eq!(quiet(&world, &["list"]), ["bd-new", "bd-b"]);
}

#[test]
fn a_new_id_must_be_free_and_well_formed() {
    let world = world();
    let before = commits(&world);
    assert!(
        world
            .bd(&["rename", "bd-a", "bd-b"])
            .fails(3)
            .contains("bd-b is taken")
    );
    for bad in ["", "a b", "a/b", "a~b", "a\u{7}b", "a\u{200b}b"] {
        let error = world.bd(&["rename", "bd-a", bad]).fails(1);
        assert!(error.contains("is not an id"), "{bad:?}: {error}");
    }
    assert_eq!(commits(&world), before);
    world.bd(&["rename", "bd-a", "bd-a"]).ok();
    assert_eq!(commits(&world), before);
}
