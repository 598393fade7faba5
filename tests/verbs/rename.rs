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
    assert_snapshot!(world.bd(&["rename", "bd-a", "bd-$(x)*y"]).fails(1), @r"
    error: `bd-$(x)*y` can't be given to an issue: a command would need quotes around it; an id has letters, digits, `-`, `_`, `.`, `:`, `=`, `@` and `,`
    hint: git beads rename bd-a bd--x-y
    ");
    assert_eq!(commits(&world), before);
    world.bd(&["rename", "bd-a", "bd-a"]).ok();
    assert_eq!(commits(&world), before);
}

#[test]
fn an_id_that_only_a_remote_has_is_taken_until_a_sync_brings_it() {
    use crate::support::clones;
    let world = clones::two_clones();
    let id = clones::create(&world, "a", &["From a"]);
    clones::sync(&world, &["a"]);
    let mine = clones::create(&world, "b", &["Mine"]);
    world.bd_in("b", &["fetch"]).ok();
    let said = world.bd_in("b", &["rename", &mine, &id]).stderr;
    let right = format!("{id} is taken\nhint: git beads sync\n");
    assert!(said.contains(&right), "{said}");
}
