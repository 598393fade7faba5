//! `defer`: a pause on purpose.

use crate::support::look::{issue, quiet, status};
use crate::support::samples::two as world;

#[test]
fn defer_pauses_until_a_date_or_until_unblocked() {
    let world = world();
    world.bd(&["defer", "bd-a", "--until", "2027-01-02"]).ok();
    world.bd(&["defer", "bd-b"]).ok();
    assert_eq!(
        (status(&world, "bd-a"), status(&world, "bd-b")),
        ("deferred".into(), "deferred".into())
    );
    assert!(
        issue(&world, "bd-a")["defer"]
            .as_str()
            .unwrap()
            .starts_with("2027-01-02")
    );
    world.bd(&["unblock", "bd-a", "bd-b"]).ok();
    assert!(issue(&world, "bd-a").get("defer").is_none());
    assert_eq!(quiet(&world, &["ready"]), ["bd-a", "bd-b"]);
}

#[test]
fn a_bad_date_defers_nothing() {
    let world = world();
    assert!(
        world
            .bd(&["defer", "bd-a", "--until", "someday"])
            .fails(1)
            .contains("`someday` is not a date")
    );
    assert_eq!(status(&world, "bd-a"), "open");
}

#[test]
fn deferring_answers_with_the_fields_it_changed() {
    let world = world();
    let answer = world
        .bd(&["defer", "bd-a", "--until", "2027-01-02", "--json"])
        .json();
    assert_eq!(
        (&answer["kind"], &answer["issues"][0]["status"]),
        (&"updated".into(), &"deferred".into())
    );
    assert_eq!(quiet(&world, &["ready"]), ["bd-b"]);
}
