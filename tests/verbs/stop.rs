//! `stop`: gives back what was started.

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
