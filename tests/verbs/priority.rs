//! `priority`: P0 to P4.

use crate::support::look::issue;
use crate::support::samples::two as world;

#[test]
fn priority_sets_the_priority() {
    let world = world();
    world.bd(&["priority", "bd-a", "P0"]).ok();
    assert_eq!(issue(&world, "bd-a")["priority"], 0);
    let _ = world.bd(&["priority", "bd-a", "5"]).fails(1);
}
