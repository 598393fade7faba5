//! Names that are near: the answer has the right one, and those with one meaning are taken.

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;

#[test]
fn unknown_fields_are_answered_with_the_right_ones() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let error = agent.refused("task_status", json!({"bogus": 1}));
    assert_eq!(error["code"], "unknown_field");
    assert_eq!(
        error["message"],
        "unknown field `bogus`; allowed: as, id, memory_limit, meta_max_chars, view, wait"
    );
    let error = agent.refused("task_create", json!({"titel": "x"}));
    assert_eq!(error["hint"], "did you mean `title`?");
    let message = agent.message("task_status", json!({"user_request": "x"}));
    assert!(
        message.starts_with("task_status does not accept user_request; use task_start"),
        "{message}"
    );
    let message = agent.message(
        "task_decompose",
        json!({"epic_id": "x", "sub_issues": [{"colour": "x"}]}),
    );
    assert!(
        message
            .starts_with("unknown field `colour` in sub_issues[0]; allowed: acceptance, assignee"),
        "{message}"
    );
    assert_eq!(
        agent.message("task_status", json!({"id": {"a": 1}})),
        "`id` must be a string"
    );
    assert_eq!(
        agent.message("task_status", json!({"memory_limit": "many"})),
        "`memory_limit` must be an integer"
    );
}

#[test]
fn spellings_with_one_meaning_are_taken() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    for (written, kept) in [
        (json!(0), 0),
        (json!("1"), 1),
        (json!("P2"), 2),
        (json!("p3"), 3),
        (Value::Null, 2),
    ] {
        let id = agent.create(
            "T",
            json!({"priority": written, "parent": null, "labels": "a"}),
        );
        assert_eq!(
            agent.call("task_status", json!({"id": id}))["issue"]["priority"],
            kept
        );
    }
    let a = agent.create("A", json!({}));
    let b = agent.create("B", json!({"depends_on": a}));
    assert_eq!(
        agent.call("task_link", json!({"id": b, "depends_on": a}))["kind"],
        "updated"
    );
    let listed = agent.call(
        "task_list",
        json!({"limit": "1", "offset": null, "priority": "p0"}),
    );
    assert_eq!(listed["issues"].as_array().unwrap().len(), 1);
    let stringly =
        json!({"id": a, "findings": "[\"one\", \"two\"]", "memory_limit": "1", "status": ""});
    assert_eq!(
        agent.call("task_progress", stringly)["memory"]["findings"],
        json!(["two"])
    );
    assert_eq!(
        agent.call("task_status", json!({"id": a, "view": "META"}))["issue"]["design"],
        "how"
    );
    let short = a.trim_start_matches("bd-");
    assert_eq!(
        agent.call("task_status", json!({"id": short}))["issue"]["id"],
        a.as_str(),
        "a unique beginning is enough"
    );
}

#[test]
fn a_status_that_is_taken_for_a_mode_is_answered_with_its_call() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("Okapi", json!({}));
    agent.call("task_done", json!({"id": id, "reason": "ok"}));
    for (mode, status) in [
        ("closed", "closed"),
        ("open", "open"),
        ("in-progress", "in_progress"),
        ("Deferred", "deferred"),
        ("pinned", "pinned"),
    ] {
        let error = agent.refused("task_list", json!({"mode": mode}));
        let hint = format!("task_list(mode=\"list\", status=\"{status}\")");
        assert_eq!(error["hint"], hint, "{error}");
    }
    let error = agent.refused("task_list", json!({"mode": "closed", "query": "okapi"}));
    let hint = "task_list(mode=\"search\", query=\"okapi\", status=\"closed\")";
    assert_eq!(error["hint"], hint);
    let (tool, arguments) = super::hints::calls(hint).remove(0);
    assert_eq!(agent.call(&tool, arguments)["issues"][0]["id"], id.as_str());
    let near = agent.refused("task_list", json!({"mode": "reddy"}));
    assert_eq!(near["hint"], "did you mean `ready`?");
    // What is less like a mode may mean something else.
    for word in ["done", "block", "all"] {
        let error = agent.refused("task_list", json!({"mode": word}));
        assert!(error.get("hint").is_none(), "{error}");
    }
}
