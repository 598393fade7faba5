//! `q`: an issue in a few keys, and its id alone.

use crate::support::World;
use crate::support::look::issue;

#[test]
fn q_and_quiet_print_the_id_only() {
    let world = World::with_store();
    for args in [
        &["q", "One"][..],
        &["create", "-q", "Two"],
        &["-q", "create", "Three"],
    ] {
        let id = world.bd(args).ok();
        assert_eq!(id.lines().count(), 1);
        assert_eq!(issue(&world, id.trim())["id"], id.trim());
    }
}

#[test]
fn q_takes_the_short_fields() {
    let world = World::with_store();
    let id = world
        .bd(&["q", "One", "-t", "bug", "-p", "P0", "-l", "ui", "-a", "Bob"])
        .ok();
    let made = issue(&world, id.trim());
    assert_eq!(
        (&made["type"], &made["priority"], &made["assignee"]),
        (&"bug".into(), &0.into(), &"Bob".into())
    );
}

#[test]
fn it_needs_a_title() {
    let world = World::with_store();
    let error = world.bd(&["q"]).fails(2);
    assert!(error.contains("hint: git beads help q"), "{error}");
    let answer = world.bd(&["q", "One", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["title"]),
        (&"created".into(), &"One".into())
    );
}
