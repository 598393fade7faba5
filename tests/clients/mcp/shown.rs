//! What the tools of `task` write can be read with them.

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;

fn sorted<const N: usize>(mut ids: [&str; N]) -> Value {
    ids.sort_unstable();
    json!(ids.to_vec())
}

fn links(agent: &mut Agent, id: &str) -> [Value; 2] {
    let told = agent.call("task_status", json!({"id": id}));
    ["links", "linked_by"].map(|member| told[member].clone())
}

#[test]
fn links_and_labels_can_be_read() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let a = agent.create("A", json!({"labels": ["web", "late"]}));
    let b = agent.create(
        "B",
        json!({"dep_type": "discovered-from", "depends_on": [a]}),
    );
    let c = agent.create("C", json!({}));
    agent.call(
        "task_link",
        json!({"id": c, "depends_on": [a, b], "dep_type": "related"}),
    );
    agent.call("task_link", json!({"id": c, "depends_on": [b]}));
    let found = agent.call("task_progress", json!({"id": a, "discovered": ["D"]}));
    let d = found["filed"][0].as_str().unwrap();
    let both = sorted([&a, &b]);
    let told = agent.call("task_status", json!({"id": a}));
    assert_eq!(told["labels"], json!(["late", "web"]));
    assert_eq!(told["issue"].get("labels"), None, "the nine keys");
    assert_eq!(
        links(&mut agent, &a),
        [
            Value::Null,
            json!({"discovered-from": sorted([b.as_str(), d]), "related": [c]})
        ]
    );
    assert_eq!(
        links(&mut agent, &b),
        [json!({"discovered-from": [a]}), json!({"related": [c]})]
    );
    let told = agent.call("task_status", json!({"id": c}));
    assert_eq!(told["links"], json!({"related": both}));
    assert_eq!(told["blocked_by"][0]["id"], json!(b));
    // What has ended blocks nothing, and is still a link.
    agent.call("task_done", json!({"id": b, "reason": "ok"}));
    let [to, _] = links(&mut agent, &c);
    assert_eq!(to, json!({"blocks": [b], "related": both}));
    for (kind, ids) in to.as_object().unwrap() {
        agent.call(
            "task_link",
            json!({"id": c, "depends_on": ids, "dep_type": kind, "remove": true}),
        );
    }
    assert_eq!(links(&mut agent, &c), [Value::Null, Value::Null]);
    agent.call("task_update_meta", json!({"id": a, "labels": ["x"]}));
    assert_eq!(
        agent.call("task_status", json!({"id": a}))["labels"],
        json!(["x"])
    );
}

#[test]
fn an_epic_says_who_has_its_children_and_what_they_wait_for() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let epic = agent.create("E", json!({"type": "epic"}));
    let other = agent.create("Elsewhere", json!({}));
    let children = ["P", "Q", "R", "S"].map(|title| agent.create(title, json!({"parent": epic})));
    let [p, q, r, s] = &children;
    agent.call("task_start", json!({"id": p, "as": "one"}));
    agent.call("task_link", json!({"id": q, "depends_on": [p, other]}));
    agent.call("task_done", json!({"id": s, "reason": "ok"}));
    let told = agent.call("task_status", json!({"id": epic}));
    assert_eq!(told["issue"]["children"].as_array().unwrap().len(), 4);
    let by = told["claims"][p]["by"].as_str().unwrap();
    assert!(by.ends_with(".one"), "{by}");
    assert_eq!(told["claims"].as_object().unwrap().len(), 1);
    assert_eq!(told["issue"]["ready_children"], json!([{"id": r}]));
    assert_eq!(told["children_blocked_by"], json!({q: sorted([p, &other])}));
}

#[test]
fn a_search_says_what_has_matched() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let a = agent.create("Parser", json!({"description": "Reads lines"}));
    let b = agent.create("CRLF everywhere", json!({}));
    let finding = "Files of Windows end in CRLF, and the parser counts both";
    agent.call("task_progress", json!({"id": a, "findings": [finding]}));
    let found = agent.call("task_list", json!({"mode": "search", "query": "crlf"}));
    assert_eq!(found["issues"].as_array().unwrap().len(), 2);
    assert_eq!(
        found["snippets"],
        json!([{"id": a, "field": "finding", "text": finding, "matched": ["CRLF"]}]),
        "the title of {b} shows it"
    );
    // A query without a mode is a search; a page has its own.
    let found = agent.call("task_list", json!({"query": "windows"}));
    assert_eq!(found["snippets"][0]["text"], finding);
    let found = agent.call(
        "task_list",
        json!({"query": "crlf", "limit": 1, "offset": 9}),
    );
    assert_eq!(found.get("snippets"), None);
}
