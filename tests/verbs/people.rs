//! `people`: who created issues, is assigned to them, or has acted.

use serde_json::json;

use crate::support::World;
use crate::support::look::named;

#[test]
fn people_are_listed_with_their_issues_and_changes() {
    let world = World::with_store();
    named(&world, "bd-a", &["A", "-a", "bob"]);
    named(&world, "bd-b", &["B", "-a", "bob"]);
    named(&world, "bd-c", &["C"]);
    world.bd_as("bob", &["done", "bd-a"]).ok();
    world.bd_as("lea", &["note", "bd-b", "Seen"]).ok();
    // Who created an issue and is assigned to it counts it once.
    world.bd(&["assign", "bd-c", "me"]).ok();
    insta::assert_snapshot!(world.bd(&["people"]).ok(), @r"
    person open total changes
    Ann 2 3 8
    bob 1 2 1
    lea 0 0 1
    ");
    let answer = world.bd(&["people", "--json"]).json();
    let bob = &answer["people"][1];
    assert_eq!(
        (&bob["name"], &bob["open"], &bob["total"], &bob["changes"]),
        (&json!("bob"), &json!(1), &json!(2), &json!(1))
    );
    assert!(
        bob["last"].is_string() && bob.get("agents").is_none(),
        "{bob}"
    );
    assert_eq!(world.bd(&["people", "-q"]).ok(), "Ann\nbob\nlea\n");
}

#[test]
fn agents_are_below_their_person_the_latest_first() {
    let world = World::with_store();
    named(&world, "bd-a", &["A"]);
    for agent in ["c-1", "c-2", "c-3", "c-4"] {
        world.bd(&["--agent", agent, "note", "bd-a", "Seen"]).ok();
    }
    world
        .bd_as("lea", &["--agent", "c-1", "note", "bd-a", "Seen"])
        .ok();
    insta::assert_snapshot!(world.bd(&["people"]).ok(), @r"
    person open total changes
    Ann 1 1 7
    Ann/c-4 - - 1
    Ann/c-3 - - 1
    Ann/c-2 - - 1
    lea 0 0 1
    lea/c-1 - - 1
    (1 more agent: --all)
    ");
    insta::assert_snapshot!(world.bd(&["people", "--all"]).ok(), @r"
    person open total changes
    Ann 1 1 7
    Ann/c-4 - - 1
    Ann/c-3 - - 1
    Ann/c-2 - - 1
    Ann/c-1 - - 1
    lea 0 0 1
    lea/c-1 - - 1
    ");
    let people = world.bd(&["people", "--json"]).json()["people"].clone();
    assert_eq!(people[0]["agents"].as_array().unwrap().len(), 4);
    assert_eq!(people[1]["agents"][0]["name"], "lea/c-1");
    if let Some(shown) = world.on_terminal(80, &["--no-pager", "people"]) {
        let shown = shown.ok();
        assert!(shown.contains("\n  Ann/c-4 "), "{shown}");
    }
}

#[test]
fn who_is_not_named_in_an_import_is_no_person() {
    let world = World::with_store();
    let lines = "{\"id\":\"x-1\",\"title\":\"A\"}\n{\"id\":\"x-2\",\"title\":\"B\",\"created_by\":\"lea\"}\n";
    world.bd_with(lines, &["import", "-"]).ok();
    assert_eq!(world.bd(&["people", "-q"]).ok(), "lea\nAnn\n");
}
