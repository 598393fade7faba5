//! What others would refuse is not written in the first place, and the limit is named.

use serde_json::{Value, json};

use crate::support::World;

fn imported(world: &World, records: &[Value]) -> crate::support::Output {
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let file = world.file("limits.jsonl", lines);
    world.bd(&["import", &file, "--json"])
}

#[test]
fn a_line_past_a_limit_is_named_and_the_rest_is_taken() {
    let world = World::with_store();
    let labels: Vec<String> = (0..140_000).map(|n| format!("l{n}")).collect();
    let nested = (0..110).fold(json!(0), |value, _| json!([value]));
    let comment =
        json!({"author": "x".repeat(251), "text": "t", "created_at": "2026-01-01T00:00:00Z"});
    let records = [
        json!({"id": "x-1", "title": "sound"}),
        json!({"id": "x-2", "title": "t", "unknown": "x".repeat(2 << 20)}),
        json!({"id": "x-3", "title": "t", "labels": labels}),
        json!({"id": "x-4", "title": "t", "unknown": nested}),
        json!({"id": "x-5", "title": "t", "comments": [comment]}),
        json!({"_type": "memory", "key": "k", "value": "x".repeat(300_000)}),
    ];
    let answer: Value = serde_json::from_str(&imported(&world, &records).stdout).unwrap();
    let errors: Vec<String> = answer["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect();
    let words = [
        "the limit is 1048576",
        "the limit is 131072",
        "nested too deep; the limit is 100",
        "the limit is 250",
        "the limit is 262144",
    ];
    assert_eq!(errors.len(), words.len(), "{errors:?}");
    for (line, (error, word)) in errors.iter().zip(words).enumerate() {
        assert!(
            error.contains(&format!("\"line\":{}", line + 2)) && error.contains(word),
            "{error}, not {word}"
        );
    }
    assert_eq!(world.bd(&["list", "--all", "-q"]).ok().trim(), "x-1");
    assert!(
        !world.bd(&["status", "--json"]).ok().contains(".json"),
        "nothing unreadable was written"
    );
}

/// As wide as real files may be: what makes no member is kept aside and comes back.
#[test]
fn an_edge_to_a_very_long_id_comes_back_from_an_import() {
    let world = World::with_store();
    let edge = json!({"issue_id": "x-1", "depends_on_id": "y".repeat(2000), "type": "blocks"});
    imported(
        &world,
        &[json!({"id": "x-1", "title": "t", "status": "open", "dependencies": [edge]})],
    )
    .ok();
    assert!(world.bd(&["export"]).ok().contains(&"y".repeat(2000)));
    world.bd(&["show", "x-1"]).ok();
}

#[test]
fn a_write_into_a_full_issue_is_refused_before_it_is_made() {
    let world = World::with_store();
    let labels: Vec<String> = (0..65_000).map(|n| format!("l{n}")).collect();
    imported(
        &world,
        &[json!({"id": "x-1", "title": "t", "labels": labels})],
    )
    .ok();
    let tip = world.git(&["rev-parse", "refs/beads/main"]).ok();
    let more: Vec<String> = (0..1000).map(|n| format!("more-{n}")).collect();
    let mut args = vec!["label", "add", "x-1"];
    args.extend(more.iter().map(String::as_str));
    let said = world.bd(&args).fails(1);
    assert!(
        said.contains("the limit is 131072") && said.contains("hint: go on in another issue"),
        "{said}"
    );
    assert_eq!(world.git(&["rev-parse", "refs/beads/main"]).ok(), tip);
    world.bd(&["label", "add", "x-1", "one-more"]).ok();
}
