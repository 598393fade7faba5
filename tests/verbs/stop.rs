//! `stop`: gives back what was started.

use crate::support::World;
use crate::support::look::quiet;
use crate::support::samples::two as world;

#[test]
fn what_was_started_is_open_again_and_nobodys() {
    let world = world();
    world.bd(&["start", "bd-a"]).ok();
    let answer = world.bd(&["stop", "bd-a", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["issues"][0]["status"]),
        (&"updated".into(), &"open".into())
    );
    assert!(answer["issues"][0]["assignee"].is_null(), "{answer}");
    assert_eq!(quiet(&world, &["ready"]), ["bd-a", "bd-b"]);
}

#[test]
fn only_what_is_in_progress_can_be_given_back() {
    let world = world();
    let error = world.bd(&["release", "bd-a"]).fails(1);
    assert!(error.contains("bd-a is open, not in progress"), "{error}");
    assert!(error.contains("hint: git beads show bd-a"), "{error}");
}

#[test]
fn nothing_in_progress_is_said() {
    let world = world();
    let error = world.bd(&["stop"]).fails(1);
    assert!(error.contains("nothing is in progress by "), "{error}");
    assert!(error.contains("hint: git beads status"), "{error}");
}

/// Returns who has an issue.
fn assignee(world: &World, id: &str) -> serde_json::Value {
    world.bd(&["show", id, "--json"]).json()["issue"]["assignee"].clone()
}

#[test]
fn it_is_given_back_whatever_came_between() {
    for agent in ["", "a1"] {
        let mut world = world();
        world.set("GIT_BEADS_AGENT", agent);
        let between: [&[&[&str]]; 6] = [
            &[&["block", "bd-a", "-r", "x"], &["unblock", "bd-a"]],
            &[&["block", "bd-a"]],
            &[&["defer", "bd-a"], &["unblock", "bd-a"]],
            &[&["defer", "bd-a"], &["block", "bd-a", "-r", "x"]],
            &[&["done", "bd-a"], &["reopen", "bd-a"]],
            &[&["update", "bd-a", "-s", "deferred"]],
        ];
        for steps in between {
            world.bd(&["start", "bd-a"]).ok();
            for step in steps {
                world.bd(step).ok();
            }
            world.bd(&["start", "bd-a"]).ok();
            world.bd(&["stop", "bd-a"]).ok();
            assert!(assignee(&world, "bd-a").is_null(), "{agent} {steps:?}");
        }
        // Opened without another start.
        for status in ["blocked", "deferred", "closed"] {
            world.bd(&["start", "bd-a"]).ok();
            world.bd(&["update", "bd-a", "-s", status]).ok();
            world.bd(&["update", "bd-a", "-s", "open"]).ok();
            assert!(assignee(&world, "bd-a").is_null(), "{agent} {status}");
        }
        world.bd(&["start", "bd-a"]).ok();
        world.bd(&["done", "bd-a"]).ok();
        world.bd(&["reopen", "bd-a"]).ok();
        assert!(assignee(&world, "bd-a").is_null(), "{agent}");
    }
}

#[test]
fn who_had_it_before_it_was_started_keeps_it_whatever_came_between() {
    let world = world();
    world.bd(&["assign", "bd-a", "Ann"]).ok();
    for step in [
        &["block", "bd-a", "-r", "x"][..],
        &["defer", "bd-a"],
        &["done", "bd-a"],
    ] {
        world.bd(&["start", "bd-a"]).ok();
        world.bd(step).ok();
        world.bd(&["update", "bd-a", "-s", "open"]).ok();
        assert_eq!(assignee(&world, "bd-a"), "Ann", "{step:?}");
    }
    // Assigned to another while it was blocked.
    world.bd(&["start", "bd-b"]).ok();
    world.bd(&["block", "bd-b", "-r", "x"]).ok();
    world.bd(&["assign", "bd-b", "lea"]).ok();
    world.bd(&["update", "bd-b", "-s", "open"]).ok();
    assert_eq!(assignee(&world, "bd-b"), "lea");
    world.bd(&["assign", "bd-b", "Ann"]).ok();
    world.bd(&["start", "bd-b"]).ok();
    world.bd(&["stop", "bd-b"]).ok();
    assert_eq!(assignee(&world, "bd-b"), "Ann");
}
