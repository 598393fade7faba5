//! `unblock`: open again what was blocked or deferred.

use crate::support::look::quiet;
use crate::support::samples::two as world;

#[test]
fn only_what_is_held_can_be_unblocked() {
    let world = world();
    let error = world.bd(&["unblock", "bd-a"]).fails(3);
    assert!(error.contains("hint: git beads dep tree bd-a"), "{error}");
    world.bd(&["start", "bd-a"]).ok();
    let _ = world.bd(&["unblock", "bd-a"]).fails(3);
}

#[test]
fn what_was_blocked_is_open_again_and_ready() {
    let world = world();
    world.bd(&["block", "bd-a", "-r", "no access"]).ok();
    let answer = world.bd(&["unblock", "bd-a", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["issues"][0]["status"]),
        (&"updated".into(), &"open".into())
    );
    assert_eq!(quiet(&world, &["ready"]), ["bd-a", "bd-b"]);
}
