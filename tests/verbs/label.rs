//! `label`: labels come and go.

use crate::support::World;
use crate::support::look::{commits, ids, issue};
use crate::support::samples::two as world;

#[test]
fn label_adds_and_removes() {
    let world = world();
    world.bd(&["label", "bd-a", "x", "y"]).ok();
    assert_eq!(ids(&issue(&world, "bd-a")["labels"]), ["x", "y"]);
    world.bd(&["label", "bd-a", "z", "--rm", "x"]).ok();
    assert_eq!(ids(&issue(&world, "bd-a")["labels"]), ["y", "z"]);
    world.bd(&["label", "bd-a", "--rm", "y", "z"]).ok();
    assert!(issue(&world, "bd-a").get("labels").is_none());
    let _ = world.bd(&["label", "bd-a"]).fails(2);
}

#[test]
fn label_add_and_label_rm_are_understood() {
    let world = world();
    world.bd(&["label", "add", "bd-a", "x"]).ok();
    assert_eq!(ids(&issue(&world, "bd-a")["labels"]), ["x"]);
    world.bd(&["label", "rm", "bd-a", "x"]).ok();
    assert!(issue(&world, "bd-a").get("labels").is_none());
    world.bd(&["label", "bd-a", "x", "y"]).ok();
    world.bd(&["label", "rm", "bd-a", "x", "--rm", "y"]).ok();
    assert!(issue(&world, "bd-a").get("labels").is_none());
}

#[test]
fn a_verb_behind_the_id_is_no_label() {
    let world = world();
    for (words, right) in [
        (&["add", "ui"][..], "label add bd-a ui"),
        (&["add", "a b", "c"], "label add bd-a 'a b' c"),
        (&["rm", "ui"], "label rm bd-a ui"),
        (&["remove", "ui"], "label rm bd-a ui"),
        (&["add"], "label add bd-a LABEL"),
        (&["list"], "show bd-a"),
    ] {
        let said = world.bd(&[&["label", "bd-a"], words].concat()).fails(2);
        assert!(
            said.contains(&format!("hint: git beads {right}\n")),
            "{said}"
        );
    }
    assert!(issue(&world, "bd-a").get("labels").is_none());
    // Who means such a label can have it.
    world.bd(&["label", "add", "bd-a", "add"]).ok();
    assert_eq!(ids(&issue(&world, "bd-a")["labels"]), ["add"]);
}

#[test]
fn removing_what_is_not_there_writes_nothing() {
    let world = World::with_store();
    let (id, other) = (world.create(&["A"]), world.create(&["B"]));
    let before = commits(&world);
    world.bd(&["label", &id, "--rm", "x"]).ok();
    drop(world.bd(&["dep", "rm", &id, "--on", &other]));
    assert_eq!(commits(&world), before);
}

#[test]
fn labelling_answers_with_the_field_and_refuses_an_empty_label() {
    let world = world();
    let answer = world.bd(&["label", "bd-a", "x", "--json"]).json();
    assert_eq!(
        (&answer["kind"], ids(&answer["changed"])),
        (&"updated".into(), vec!["labels"])
    );
    let error = world.bd(&["label", "bd-a", ""]).fails(1);
    assert!(error.contains("a label is empty"), "{error}");
    assert!(error.contains("hint: "), "{error}");
}
