//! `rename`: another id, and every reference right.

use insta::assert_snapshot;

use crate::support::look::{commits, ids, issue, memory, quiet};
use crate::support::samples::two as world;

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
