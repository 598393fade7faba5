//! `assign`: to somebody, or to nobody.

use crate::support::look::{issue, status};
use crate::support::samples::two as world;

#[test]
fn assign_names_somebody_or_nobody() {
    let world = world();
    for (word, name) in [("Bob", "Bob"), ("me", "Ann"), ("@Cy", "Cy")] {
        world.bd(&["assign", "bd-a", word]).ok();
        assert_eq!(issue(&world, "bd-a")["assignee"], name);
    }
    for nobody in ["none", ""] {
        world.bd(&["assign", "bd-a", "Bob"]).ok();
        world.bd(&["assign", "bd-a", nobody]).ok();
        assert!(issue(&world, "bd-a").get("assignee").is_none());
    }
    assert_eq!(status(&world, "bd-a"), "open");
}

#[test]
fn assigning_answers_with_the_issue_and_needs_a_name() {
    let world = world();
    let answer = world.bd(&["assign", "bd-a", "Bob", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["issues"][0]["assignee"]),
        (&"updated".into(), &"Bob".into())
    );
    let error = world.bd(&["assign", "bd-a"]).fails(2);
    assert!(error.contains("hint: git beads help assign"), "{error}");
}
