//! Words that an import brought and no command would make: statuses, types and labels of other trackers.

use serde_json::{Value, json};

use super::{ids, line, show, with};
use crate::support::World;

const DAY: &str = "2026-01-02T00:00:00Z";

fn status(world: &World, id: &str) -> Value {
    show(world, id)["issue"]["status"].clone()
}

#[test]
fn a_status_that_an_issue_has_or_had_can_be_set() {
    let world = with(line("cu-1", DAY, r#","status":"in_review""#) + &line("cu-2", DAY, ""));
    world.bd(&["start", "cu-1"]).ok();
    for (given, id) in [
        ("in_review", "cu-1"),
        ("in-review", "cu-2"),
        ("In_Review", "cu-1"),
    ] {
        world.bd(&["update", id, "-s", given]).ok();
        assert_eq!(status(&world, id), "in_review", "{given}");
    }
    assert_eq!(ids(&world, &["list", "-s", "in-review", "-q"]).len(), 2);
    world.bd(&["done", "cu-1"]).ok();
    world.bd(&["start", "cu-2"]).ok();
    assert!(ids(&world, &["list", "-s", "in_review", "-q", "-n", "0"]).is_empty());
    world
        .bd(&["note", "cu-2", "--comment", "c", "--status", "in_review"])
        .ok();
    assert_eq!(status(&world, "cu-2"), "in_review");
    let claims = show(&world, "cu-2")["issue"]["claim"].clone();
    assert_eq!(claims, Value::Null, "work on it has ended");
    world.bd(&["update", "cu-2", "-s", "in_revue"]).fails(1);
}

#[test]
fn a_type_that_an_issue_has_can_be_set() {
    let world = with(line("cu-1", DAY, r#","issue_type":"Story-X""#) + &line("cu-2", DAY, ""));
    let set = world.bd(&["update", "cu-2", "-t", "Story-X"]);
    assert_eq!((set.code, set.stderr.as_str()), (0, ""));
    assert_eq!(ids(&world, &["list", "-t", "Story-X", "-q"]).len(), 2);
}

#[test]
fn each_of_these_statuses_is_a_column() {
    let world = with(
        line("cu-1", DAY, r#","status":"in_review""#)
            + &line("cu-2", DAY, r#","status":"done""#)
            + &line(
                "cu-3",
                DAY,
                r#","status":"deferred","defer_until":"2099-01-01T00:00:00Z""#,
            ),
    );
    let board = world.bd(&["board", "--json"]).json();
    let columns: Vec<(&Value, &Value)> = (board["columns"].as_array().unwrap().iter())
        .map(|column| (&column["name"], &column["issues"][0]["id"]))
        .collect();
    let expected = [
        (json!("ready"), Value::Null),
        (json!("in_progress"), Value::Null),
        (json!("blocked"), Value::Null),
        (json!("deferred"), json!("cu-3")),
        (json!("status:done"), json!("cu-2")),
        (json!("in_review"), json!("cu-1")),
        (json!("done"), Value::Null),
    ];
    assert_eq!(
        columns,
        Vec::from_iter(expected.iter().map(|(name, id)| (name, id)))
    );
    assert!(world.bd(&["board"]).ok().contains("in review 1\ncu-1 "));
    let none = world.bd(&["board", "-l", "x", "--json"]).json();
    assert_eq!(
        none["columns"].as_array().unwrap().len(),
        4,
        "none without an issue"
    );
}

#[test]
fn labels_with_commas_and_spaces_are_found_and_removed() {
    let all = r#","labels":[" lead","a, b","a,b,c","plain"]"#;
    for (given, found) in [
        (" lead", " lead"),
        ("a, b", "a, b"),
        ("a,b,c", "a,b,c"),
        ("plain", "plain"),
    ] {
        let world = with(line("lb-1", DAY, all) + &line("lb-2", DAY, r#","labels":["b","c"]"#));
        let list = world.bd(&["list", "-l", given, "-q"]);
        assert_eq!(
            (list.stdout.trim(), list.stderr.as_str()),
            ("lb-1", ""),
            "{given}"
        );
        world.bd(&["label", "lb-1", "--rm", given]).ok();
        let left = show(&world, "lb-1")["issue"]["labels"].clone();
        let left = left.as_array().unwrap();
        assert_eq!(left.len(), 3, "{given}: {left:?}");
        assert!(!left.contains(&found.into()), "{given}: {left:?}");
    }
    // Several at once, and beside plain ones.
    let world = with(line("lb-1", DAY, all));
    assert_eq!(ids(&world, &["list", "-l", "plain,a, b", "-q"]), ["lb-1"]);
    world
        .bd(&["label", "lb-1", "--rm", "plain,a, b", " lead"])
        .ok();
    assert_eq!(show(&world, "lb-1")["issue"]["labels"], json!(["a,b,c"]));
    // One that is there is not made two by naming it again.
    world.bd(&["label", "lb-1", "a,b,c", " new "]).ok();
    assert_eq!(
        show(&world, "lb-1")["issue"]["labels"],
        json!(["a,b,c", "new"])
    );
}
