//! `reopen`: closed issues open again, and the epics above them.

use crate::support::World;
use crate::support::look::{issue, memory, named, quiet, status};
use crate::support::samples::{epic as world, reopened};

#[test]
fn reopen_opens_and_keeps_the_reason_as_a_comment() {
    let world = world();
    world.bd(&["done", "bd-urgent", "-r", "thought so"]).ok();
    world.bd(&["reopen", "bd-urgent", "-r", "it is back"]).ok();
    let opened = issue(&world, "bd-urgent");
    assert_eq!(opened["status"], "open");
    assert!(opened.get("closed_at").is_none());
    assert_ne!(opened["reason"], "thought so");
    assert!(
        memory(&world, "bd-urgent")["comments"][0]["text"]
            .as_str()
            .unwrap()
            .contains("it is back")
    );
}

#[test]
fn reopening_a_child_opens_its_auto_closed_epic() {
    let world = world();
    world.bd(&["done", "bd-epic.1", "bd-epic.2"]).ok();
    assert_eq!(status(&world, "bd-epic"), "closed");
    world.bd(&["reopen", "bd-epic.2", "-r", "not yet"]).ok();
    assert_eq!(status(&world, "bd-epic"), "open");
    let text = world.bd(&["show", "bd-epic"]).ok();
    assert!(
        !text.contains("Auto-closed") && !text.contains(", closed 2026"),
        "{text}"
    );
    world.bd(&["done", "bd-epic.2"]).ok();
    assert_eq!(status(&world, "bd-epic"), "closed");
}

#[test]
fn an_epic_closed_by_hand_stays_closed() {
    let world = world();
    world.bd(&["done", "bd-epic.1", "bd-epic.2"]).ok();
    world.bd(&["done", "bd-epic", "-r", "released"]).ok();
    world.bd(&["reopen", "bd-epic.1"]).ok();
    assert_eq!(status(&world, "bd-epic"), "closed");
    assert_eq!(issue(&world, "bd-epic")["reason"], "released");
}

#[test]
fn an_auto_closed_epic_above_one_that_opens_opens_too() {
    let world = World::with_store();
    named(&world, "bd-e", &["Top", "-t", "epic"]);
    world.create(&["Mid", "-t", "epic", "--parent", "bd-e"]);
    world.create(&["Leaf", "--parent", "bd-e.1"]);
    world.bd(&["done", "bd-e.1.1"]).ok();
    world.bd(&["reopen", "bd-e.1.1"]).ok();
    assert_eq!(
        (status(&world, "bd-e.1"), status(&world, "bd-e")),
        ("open".into(), "open".into())
    );
}

#[test]
fn only_the_closed_can_be_reopened() {
    let world = world();
    let error = world.bd(&["reopen", "bd-urgent"]).fails(3);
    assert!(error.contains("bd-urgent is open, not closed"), "{error}");
    world.bd(&["delete", "bd-urgent"]).ok();
    assert!(
        world
            .bd(&["reopen", "bd-urgent"])
            .fails(1)
            .contains("hint: git beads restore bd-urgent")
    );
}

#[test]
fn an_epic_that_shows_open_is_listed_and_counted_as_open() {
    let world = reopened();
    assert_eq!(
        quiet(&world, &["list", "-s", "open"]),
        ["bd-urgent", "bd-epic", "bd-epic.2"]
    );
    assert_eq!(quiet(&world, &["list", "-s", "closed"]), ["bd-epic.1"]);
    assert_eq!(
        world.bd(&["status", "--json"]).json()["counts"],
        serde_json::json!({"closed": 1, "open": 3})
    );
}

#[test]
fn an_epic_that_shows_open_blocks_what_waits_for_it() {
    let world = reopened();
    world
        .bd(&["dep", "add", "bd-urgent", "--on", "bd-epic"])
        .ok();
    assert_eq!(quiet(&world, &["ready"]), ["bd-epic.2"]);
    assert!(
        world
            .bd(&["start", "bd-urgent"])
            .ok()
            .contains("still blocked by bd-epic")
    );
}

#[test]
fn an_epic_that_shows_open_takes_every_verb_of_an_open_one() {
    for verb in ["start", "block", "defer", "done"] {
        let world = reopened();
        world.bd(&[verb, "bd-epic"]).ok();
        assert_ne!(status(&world, "bd-epic"), "open", "{verb}");
    }
}

#[test]
fn an_epic_that_shows_open_holds_up_the_epic_above() {
    let world = World::with_store();
    named(&world, "bd-top", &["Top", "-t", "epic"]);
    named(
        &world,
        "bd-mid",
        &["Mid", "-t", "epic", "--parent", "bd-top"],
    );
    let leaf = world.create(&["Leaf", "--parent", "bd-mid"]);
    let other = world.create(&["Other", "--parent", "bd-top"]);
    world.bd(&["done", &leaf]).ok();
    world.bd(&["reopen", &leaf]).ok();
    world.bd(&["done", &other]).ok();
    assert_eq!(
        (status(&world, "bd-mid"), status(&world, "bd-top")),
        ("open".into(), "open".into())
    );
}

#[test]
fn an_epic_that_shows_open_is_exported_as_open() {
    let world = reopened();
    let file = world.bd(&["export"]).ok();
    let epic = file
        .lines()
        .find(|line| line.contains(r#""id":"bd-epic""#))
        .unwrap();
    let epic: serde_json::Value = serde_json::from_str(epic).unwrap();
    assert_eq!(epic["status"], "open");
    assert!(
        epic.get("closed_at").is_none() && epic.get("close_reason").is_none(),
        "{epic}"
    );
}
