//! `diff` of two states.

use crate::support::World;
use crate::support::history::{field, two_clones};
use crate::support::look::named;

#[test]
fn it_tells_what_came_changed_and_ended() {
    let world = World::with_store();
    named(&world, "bd-a", &["First"]);
    named(&world, "bd-b", &["Second"]);
    named(&world, "bd-c", &["Third"]);
    let before = world
        .git(&["rev-parse", "refs/beads/main"])
        .ok()
        .trim()
        .to_owned();
    named(&world, "bd-d", &["Fourth"]);
    world.bd(&["update", "bd-a", "-p", "0"]).ok();
    world.bd(&["done", "bd-b", "-r", "did it"]).ok();
    world.bd(&["delete", "bd-c"]).ok();
    let text = world.bd(&["diff", &before]).ok();
    let (heading, rest) = text.split_once('\n').unwrap();
    assert_eq!(
        heading.split_once(' ').unwrap().1,
        "1 changed, 1 closed, 1 deleted, 1 created"
    );
    insta::assert_snapshot!(rest, @r"
      changed bd-a First
        priority: 2 -> 0
      closed bd-b Second
        status: open -> closed
        reason: +did it
      deleted bd-c Third
        deleted: +true
      created bd-d Fourth
    ");
    assert_eq!(world.bd(&["diff", &format!("{before}..@")]).ok(), text);
    assert_eq!(
        world.bd(&["diff", &format!("{}..", &before[..8])]).ok(),
        text
    );
    assert_eq!(
        world.bd(&["diff", "@~5", "-q"]).ok(),
        "bd-a\nbd-b\nbd-c\nbd-d\n"
    );
    let back = world
        .bd(&["diff", &format!("@..{before}"), "--json"])
        .json();
    let whats: Vec<&str> = back["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["what"].as_str().unwrap())
        .collect();
    assert_eq!(whats, ["changed", "reopened", "restored", "absent"]);
    assert_eq!(field(&back["issues"][0]["changes"], "priority")["new"], 2);
}

#[test]
fn equal_states_do_not_differ() {
    let world = World::with_store();
    named(&world, "bd-a", &["First"]);
    let text = world.bd(&["diff", "@..@"]).ok();
    assert!(
        text.ends_with(" no issue differs\n") && text.lines().count() == 1,
        "{text}"
    );
    assert!(world.bd(&["diff", "@", "--json"]).json()["issues"].is_null());
}

#[test]
fn a_remote_and_a_date_are_states() {
    let world = two_clones();
    named(&world, "bd-a", &["First"]);
    assert!(
        world
            .bd(&["diff", "origin"])
            .ok()
            .contains("created bd-a First")
    );
    // Before the first commit there was no issue.
    let all = world.bd(&["diff", "1h..@"]).ok();
    assert!(all.contains("created bd-a First"), "{all}");
    assert!(
        world
            .bd(&["diff", "nonsense"])
            .fails(1)
            .contains("hint: git beads log")
    );
    assert!(
        world
            .bd(&["diff", "@~1...@"])
            .fails(1)
            .contains("hint: git beads diff '@~1..@'")
    );
}
