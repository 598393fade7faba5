//! `redact`: a wrong entry is hidden.

use crate::support::look::{commits, memory, texts};
use crate::support::samples::one as world;

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
