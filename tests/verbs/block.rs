//! `block`: what waits for something outside.

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::World;
use crate::support::clones::{create, sync, tip, two_clones};
use crate::support::look::{commits, issue, named, quiet, status};
use crate::support::samples::two as world;

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
    world.bd(&["block", "bd-a", "bd-b", "-r", "no access"]).ok();
    assert_eq!(commits(&world), before + 1);
    assert_eq!(quiet(&world, &["blocked"]), ["bd-a", "bd-b"]);
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
fn several_without_a_reason_are_meant_as_a_dependency() {
    let world = world();
    let before = commits(&world);
    let said = world.bd(&["block", "bd-a", "bd-b"]).fails(1);
    assert_eq!(commits(&world), before);
    assert_eq!(quiet(&world, &["blocked"]), [] as [&str; 0]);
    assert!(
        said.contains("hint: git beads dep add bd-a --on bd-b"),
        "{said}"
    );
    world.bd(&["dep", "add", "bd-a", "--on", "bd-b"]).ok();
    assert_eq!(quiet(&world, &["blocked"]), ["bd-a"]);
}

/// Returns the status of an issue in a clone.
fn status_in(world: &World, clone: &str, id: &str) -> Value {
    world.bd_in(clone, &["show", id, "--json"]).json()["issue"]["status"].clone()
}

#[test]
fn what_is_blocked_for_its_dependencies_is_open_with_the_last_of_them() {
    let world = World::with_store();
    for id in ["bd-a", "bd-b", "bd-c", "bd-x"] {
        named(&world, id, &[id]);
    }
    let ends: [&[&str]; 4] = [
        &["done", "bd-b"],
        &["delete", "bd-b"],
        &["update", "bd-b", "-s", "closed"],
        &["dep", "rm", "bd-x", "--on", "bd-b"],
    ];
    world
        .bd(&["dep", "add", "bd-x", "--on", "bd-a", "bd-b"])
        .ok();
    world.bd(&["done", "bd-a"]).ok();
    for end in ends {
        world.bd(&["block", "bd-x"]).ok();
        let before = tip(&world, "repo");
        let answer = world.bd(&[end, &["--json"]].concat()).json();
        assert_eq!(answer["unblocked"], serde_json::json!(["bd-x"]), "{answer}");
        assert_eq!(status_in(&world, "repo", "bd-x"), "open", "{end:?}");
        let parent = world.git(&["rev-parse", "refs/beads/main^"]).ok();
        assert_eq!(parent.trim(), before, "in the same commit: {end:?}");
        world.bd(&["undo"]).ok();
        assert_eq!(status_in(&world, "repo", "bd-x"), "blocked", "{end:?}");
        world.bd(&["unblock", "bd-x"]).ok();
    }
    world.bd(&["update", "bd-x", "-s", "blocked"]).ok();
    let said = world.bd(&["done", "bd-b"]).ok();
    assert!(said.contains("bd-x is open again"), "{said}");
}

#[test]
fn what_is_blocked_for_a_reason_or_without_a_dependency_stays_so() {
    let world = World::with_store();
    for id in ["bd-a", "bd-r", "bd-n"] {
        named(&world, id, &[id]);
    }
    world.bd(&["dep", "add", "bd-r", "--on", "bd-a"]).ok();
    world.bd(&["block", "bd-r"]).ok();
    world.bd(&["block", "bd-r", "-r", "no access"]).ok();
    world.bd(&["block", "bd-n"]).ok();
    world.bd(&["dep", "add", "bd-n", "--on", "bd-a"]).ok();
    let answer = world.bd(&["done", "bd-a", "--json"]).json();
    assert!(answer.get("unblocked").is_none(), "{answer}");
    for id in ["bd-r", "bd-n"] {
        assert_eq!(status_in(&world, "repo", id), "blocked");
    }
    let blocked = world.bd(&["blocked", "--json"]).json();
    assert!(blocked.to_string().contains("no access"), "{blocked}");
}

#[test]
fn an_end_that_comes_from_elsewhere_opens_it_with_the_next_write() {
    let world = two_clones();
    let [a, x] = ["A", "X"].map(|title| create(&world, "a", &[title]));
    world.bd_in("a", &["dep", "add", &x, "--on", &a]).ok();
    sync(&world, &["a", "b"]);
    // At the same time: neither clone knows of the other.
    world.bd_in("a", &["done", &a]).ok();
    world.bd_in("b", &["block", &x]).ok();
    sync(&world, &["b", "a", "b"]);
    for clone in ["a", "b"] {
        assert_eq!(status_in(&world, clone, &x), "blocked");
        let answer = world.bd_in(clone, &["create", "Anything", "--json"]).json();
        assert_eq!(answer["unblocked"], serde_json::json!([x]), "{answer}");
        assert_eq!(status_in(&world, clone, &x), "open");
    }
    sync(&world, &["a", "b", "a"]);
    assert_eq!(status_in(&world, "a", &x), "open");
    let conflicts = world.bd_in("a", &["conflicts", "-q"]);
    assert_eq!(conflicts.all().trim(), "");
}
