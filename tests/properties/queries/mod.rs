//! The query language: what each query finds, everywhere alike, and what is said of those that are none.

mod everywhere;
mod meant;
mod saved;

use std::path::Path;

use serde_json::Value;

use crate::properties::faults::is_tried;
use crate::support::World;
use crate::support::look::quiet;

/// The table of queries, which the page is tested with, too.
pub fn table() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/queries.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The store that the table is about.
pub fn store() -> World {
    let mut world = World::new();
    world.set("GIT_BEADS_ACTOR", "ann");
    world.bd(&["init", "--prefix", "q"]).ok();
    let table = table();
    let records = table["issues"].as_array().unwrap().iter();
    let lines: String = records.map(|record| format!("{record}\n")).collect();
    let file = world.file("issues.jsonl", lines);
    world.bd(&["import", &file]).ok();
    // As `start --branch` notes it.
    world.git(&["config", "branch.work.bead", "q-count"]).ok();
    world
}

/// The ids that a verb lists, without the prefix.
#[track_caller]
pub fn found(world: &World, args: &[&str]) -> Vec<String> {
    let ids = quiet(world, args).into_iter();
    ids.map(|id| id.trim_start_matches("q-").to_owned())
        .collect()
}

#[test]
fn each_query_finds_its_issues_in_its_order() {
    let (world, table) = (store(), table());
    let queries = table["queries"].as_array().unwrap();
    assert!(queries.len() >= 120);
    for query in queries {
        let (text, ids) = (query[0].as_str().unwrap(), &query[1]);
        let wanted: Vec<String> = serde_json::from_value(ids.clone()).unwrap();
        let found = quiet(&world, &["list", "-n", "0", "-w", text]);
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn each_fault_is_pointed_at() {
    let (world, table) = (store(), table());
    let faults = table["faults"].as_array().unwrap();
    assert!(faults.len() >= 30);
    for fault in faults {
        let text = fault[0].as_str().unwrap();
        let answer = world.bd(&["list", "-w", text]);
        let lines: Vec<&str> = answer.stderr.lines().collect();
        assert_eq!(answer.code, 1, "{text}: {answer:?}");
        assert_eq!(lines[0], format!("error: {}", fault[1].as_str().unwrap()));
        assert_eq!(lines[1], format!("  {text}"), "{answer:?}");
        assert_eq!(lines[2], format!("  {}", fault[2].as_str().unwrap()));
    }
}

#[test]
fn a_query_and_its_negation_divide_the_issues() {
    let (world, table) = (store(), table());
    let all = found(&world, &["list", "-w", "is:any", "-n", "0"]).len();
    for (n, query) in table["queries"].as_array().unwrap().iter().enumerate() {
        let text = query[0].as_str().unwrap();
        if !is_tried(n, 5) || text.contains("sort:") || text.contains("group:") || text == "+++" {
            continue;
        }
        let count = |text: &str| {
            let text = format!("is:any {text}");
            found(&world, &["list", "-n", "0", "-w", &text]).len()
        };
        let (with, without) = (count(&format!("({text})")), count(&format!("-({text})")));
        assert_eq!(with + without, all, "{text}");
    }
}

#[test]
fn hostile_queries_are_bounded_and_bound() {
    let world = store();
    for text in [
        "'); DROP TABLE issue; --",
        "label:'||'x",
        "\"a\\\" OR fts MATCH \\\"b\"",
        "title:\"x : y* NEAR(a b)\"",
        "label:%*",
        "id:\u{10ffff}*",
    ] {
        let answer = world.bd(&["list", "-w", text]);
        assert!(answer.code <= 1, "{text}: {answer:?}");
    }
    let many: Vec<String> = (0..250).map(|n| format!("w{n} OR")).collect();
    world
        .bd(&["list", "-w", &format!("{} w", many.join(" "))])
        .ok();
    let many: Vec<String> = (0..250).map(|n| format!("-label:w{n}")).collect();
    world.bd(&["list", "-w", &many.join(" ")]).ok();
    let deep = format!("{}p:1{}", "-(".repeat(15), ")".repeat(15));
    world.bd(&["list", "-w", &deep]).ok();
    for long in ["(".repeat(5000), "a ".repeat(3000), "é".repeat(5000)] {
        assert_eq!(world.bd(&["list", "-w", &long]).code, 1);
        world.bd(&["search", "--", &long]).ok();
    }
}
