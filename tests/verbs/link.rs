//! `link`: one issue waits for others, as by `dep add`.

use crate::support::look::{ids, issue, quiet};
use crate::support::samples::three;

#[test]
fn the_first_issue_waits_for_the_others() {
    let world = three();
    let said = world.bd(&["link", "bd-a", "bd-b", "bd-c"]).ok();
    assert!(said.starts_with("bd-a is blocked by bd-b, bd-c"), "{said}");
    assert_eq!(
        ids(&issue(&world, "bd-a")["dependencies"]),
        ["bd-b", "bd-c"]
    );
    assert_eq!(quiet(&world, &["ready"]), ["bd-b", "bd-c"]);
}

#[test]
fn its_answer_is_that_of_dep_add() {
    let world = three();
    let answer = world
        .bd(&["link", "bd-a", "bd-b", "-t", "related", "--json"])
        .json();
    assert_eq!(
        (&answer["kind"], &answer["id"], &answer["dep_type"]),
        (&"updated".into(), &"bd-a".into(), &"related".into())
    );
    assert_eq!(ids(&answer["added_depends_on"]), ["bd-b"]);
    assert_eq!(quiet(&world, &["ready"]), ["bd-a", "bd-b", "bd-c"]);
}

#[test]
fn a_cycle_and_an_issue_alone_are_refused_with_the_next_command() {
    let world = three();
    world.bd(&["link", "bd-a", "bd-b"]).ok();
    let cycle = world.bd(&["link", "bd-b", "bd-a"]).fails(3);
    assert!(
        cycle.contains("bd-b -> bd-a -> bd-b")
            && cycle.contains("hint: git beads dep rm bd-a --on bd-b"),
        "{cycle}"
    );
    let alone = world.bd(&["link", "bd-a"]).fails(1);
    assert!(
        alone.contains("hint: git beads dep add bd-a --on ID"),
        "{alone}"
    );
}
