//! Answers of verbs that read.

use super::held;
use crate::support::World;

#[test]
fn lists_answer_summary() {
    let world = World::with_store();
    let id = world.create(&["One", "-l", "a", "-a", "Bob"]);
    world.create(&["Two", "--on", &id]);
    for verb in ["list", "ready", "blocked"] {
        let answer = held(&world, verb, &[verb]);
        assert_eq!(answer["kind"], "summary");
        assert_eq!(
            answer["returned"],
            answer["issues"].as_array().unwrap().len()
        );
        assert_eq!(answer["truncated"], false);
    }
    assert_eq!(
        held(&world, "search", &["search", "one"])["kind"],
        "summary"
    );
}

#[test]
fn a_list_tells_the_true_number() {
    let world = World::with_store();
    for title in ["One", "Two", "Three"] {
        world.create(&[title]);
    }
    let answer = held(&world, "list", &["list", "-n", "2"]);
    assert_eq!(
        (&answer["total_count"], &answer["returned"]),
        (&3.into(), &2.into())
    );
    assert_eq!(answer["truncated"], true);
    assert!(answer["hint"].is_string());
    let answer = held(&world, "list", &["list", "-n", "2", "--offset", "2"]);
    assert_eq!(
        (&answer["total_count"], &answer["returned"]),
        (&3.into(), &1.into())
    );
}

#[test]
fn a_list_of_nothing_is_empty() {
    let world = World::with_store();
    for verb in ["list", "ready", "blocked"] {
        let answer = held(&world, verb, &[verb]);
        assert_eq!(answer["kind"], "empty");
        assert_eq!(answer["issues"], serde_json::json!([]));
        assert_eq!(answer["total_count"], 0);
    }
    assert_eq!(held(&world, "search", &["search", "none"])["kind"], "empty");
}

#[test]
fn show_answers_an_issue_with_its_memory() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let id = world.create(&[
        "One", "--parent", &epic, "-d", "what", "-D", "how", "-A", "when",
    ]);
    let other = world.create(&["Two", "--on", &id, "-l", "a,b"]);
    world
        .bd(&[
            "note",
            &id,
            "--finding",
            "f",
            "--decision",
            "d",
            "--comment",
            "c",
        ])
        .ok();
    let answer = held(&world, "show", &["show", &id]);
    assert_eq!(answer["kind"], "issue");
    assert_eq!(answer["issue"]["parent"], epic.as_str());
    assert_eq!(answer["issue"]["dependents"][0]["id"], other.as_str());
    for kind in ["findings", "decisions", "comments"] {
        let entry = &answer["memory"][kind][0];
        for key in ["id", "text", "by", "at"] {
            assert!(entry[key].is_string(), "{kind}: {entry}");
        }
    }
    let epic = held(&world, "show", &["show", &epic]);
    assert_eq!(epic["issue"]["ready_children"][0]["title"], "One");
    assert_eq!(
        held(&world, "show", &["show", &id, &other])["issues"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    held(&world, "show", &["show", &id, "--memory", "0"]);
}

#[test]
fn no_cycles_is_an_answer_without_empty_lists() {
    held(&World::with_store(), "dep cycles", &["dep", "cycles"]);
    held(&World::with_store(), "graph", &["graph"]);
}

#[test]
fn cycles_that_were_imported_are_named() {
    let world = World::with_store();
    let issue = |id: &str, on: &str| {
        format!(
            "{{\"id\":\"{id}\",\"title\":\"t\",\"dependencies\":[{{\"issue_id\":\"{id}\",\"depends_on_id\":\"{on}\",\"type\":\"blocks\"}}]}}\n"
        )
    };
    let file = world.file("in.jsonl", issue("x-1", "x-2") + &issue("x-2", "x-1"));
    held(&world, "import", &["import", &file]);
    let cycles = held(&world, "dep cycles", &["dep", "cycles"]);
    assert_eq!(cycles["cycles"][0].as_array().unwrap().len(), 2);
}

#[test]
fn explanations_answer() {
    let world = World::with_store();
    let id = world.create(&["A"]);
    world.create(&["B", "--on", &id]);
    held(&world, "ready --explain", &["ready", "--explain"]);
}

#[test]
fn an_explanation_of_nothing_has_no_empty_lists() {
    held(
        &World::with_store(),
        "ready --explain",
        &["ready", "--explain"],
    );
}

#[test]
fn reports_answer() {
    let world = World::with_store();
    held(&world, "where", &["where"]);
    let id = world.create(&["A"]);
    world.bd(&["start", &id]).ok();
    held(&world, "status", &["status"]);
    held(&world, "status", &[]);
    held(&world, "board", &["board", "-n", "0"]);
    held(&world, "log", &["log"]);
    held(&world, "log", &["log", &id]);
    held(&world, "stats", &["stats"]);
    held(&world, "labels", &["labels"]);
    held(&world, "types", &["types"]);
    held(&world, "people", &["people"]);
    held(
        &world,
        "whats-new",
        &["whats-new", "--agent", "c-1", "-n", "1"],
    );
    held(&world, "whats-new", &["whats-new"]);
    world.bd(&["done", &id]).ok();
    held(&world, "stats", &["stats", "--since", "2w"]);
    held(&world, "log", &["log", "-p", "-n", "0"]);
    held(&world, "blame", &["blame", &id]);
    held(&world, "diff", &["diff", "@~1"]);
    held(&world, "undo", &["undo", "--dry-run"]);
    held(&world, "undo", &["undo"]);
}

#[test]
fn the_state_of_nothing_has_no_empty_counts() {
    held(&World::with_store(), "status", &["status"]);
    held(&World::with_store(), "stats", &["stats"]);
}

#[test]
fn man_answers_a_report() {
    let world = World::new();
    assert_eq!(held(&world, "man", &["man", "../share"])["kind"], "report");
    assert_eq!(
        held(&world, "man", &["man", "--remove", "../share"])["removed"],
        true
    );
    assert!(held(&world, "man", &["man", "--remove", "../share"])["folder"].is_null());
}
