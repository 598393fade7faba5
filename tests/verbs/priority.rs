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

#[test]
fn a_priority_answers_with_the_field_and_no_other_word_is_one() {
    let world = world();
    let answer = world.bd(&["priority", "bd-a", "1", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["changed"][0]),
        (&"updated".into(), &"priority".into())
    );
    for bad in ["P5", "-1", "high", ""] {
        let error = world.bd(&["priority", "--", "bd-a", bad]).fails(1);
        assert!(
            error.contains("is not a priority") && error.contains("hint: "),
            "{bad:?}: {error}"
        );
    }
    assert_eq!(issue(&world, "bd-a")["priority"], 1);
}
