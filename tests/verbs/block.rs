//! `block`: what waits for something outside.

use insta::assert_snapshot;

use crate::support::look::{commits, issue, quiet, status};
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
