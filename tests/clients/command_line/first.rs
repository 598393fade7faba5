//! The way of a newcomer.

use insta::assert_snapshot;

use crate::support::World;

#[test]
fn from_nothing_to_done() {
    let world = World::new();
    assert_snapshot!(world.bd(&["init"]).all(), @r#"
    Tracking issues in WORLD/repo (prefix: bd)
    next: git beads create "What is to be done"
    "#);
    let id = world.create(&["Fix the login", "-t", "bug", "-p", "P1"]);
    assert_eq!(world.bd(&["ready", "-q"]).ok().trim(), id);
    assert_eq!(world.bd(&["ready", "--json"]).json()["total_count"], 1);
    world.bd(&["start", &id]).ok();
    world.bd(&["done", &id, "-r", "it was the cookie"]).ok();
    assert!(world.bd(&["ready"]).ok().starts_with("nothing is ready"));
}

#[test]
fn without_a_store_the_way_is_told() {
    let world = World::new();
    assert!(
        world
            .bd(&["list"])
            .fails(4)
            .contains("hint: git beads init")
    );
    assert!(
        World::empty()
            .bd_in("home", &["list"])
            .fails(128)
            .contains("not a git repository")
    );
}
