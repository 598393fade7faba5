//! `types`: the types of issues, with counts.

use serde_json::json;

use crate::support::World;
use crate::support::look::named;

#[test]
fn types_are_listed_with_open_and_total_issues_most_used_first() {
    let world = World::with_store();
    assert_eq!(
        world.bd(&["types"]).ok(),
        "no issues yet\n(not used: task, bug, feature, epic, chore, story, question, docs)\n"
    );
    assert_eq!(world.bd(&["types", "--json"]).json()["kind"], "empty");
    named(&world, "bd-a", &["A", "-t", "bug"]);
    named(&world, "bd-b", &["B", "-t", "bug"]);
    named(&world, "bd-c", &["C"]);
    named(&world, "bd-d", &["D", "-t", "chore"]);
    world.bd(&["done", "bd-b"]).ok();
    world.bd(&["delete", "bd-d"]).ok();
    // One that an import brought.
    let line = "{\"id\":\"x-1\",\"title\":\"Spike\",\"issue_type\":\"spike\"}\n";
    world.bd_with(line, &["import", "-"]).ok();
    insta::assert_snapshot!(world.bd(&["types"]).ok(), @r"
    type open total
    bug 1 2
    spike 1 1
    task 1 1
    (not used: feature, epic, chore, story, question, docs)
    ");
    let answer = world.bd(&["types", "--json"]).json();
    assert_eq!(
        answer["types"][0],
        json!({"name": "bug", "open": 1, "total": 2})
    );
    assert_eq!(answer["unused"][0], "feature");
    assert_eq!(world.bd(&["types", "-q"]).ok(), "bug\nspike\ntask\n");
}
