//! `unblock`: open again what was blocked or deferred.

use crate::support::samples::two as world;

#[test]
fn only_what_is_held_can_be_unblocked() {
    let world = world();
    let error = world.bd(&["unblock", "bd-a"]).fails(3);
    assert!(error.contains("hint: git beads dep tree bd-a"), "{error}");
    world.bd(&["start", "bd-a"]).ok();
    let _ = world.bd(&["unblock", "bd-a"]).fails(3);
}
