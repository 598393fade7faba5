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

#[test]
fn what_is_misspelt_is_answered_with_a_call_that_works() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let a = agent.create("First", json!({}));
    let b = agent.create("Second", json!({}));
    let hint = |agent: &mut Agent, tool: &str, arguments: Value| {
        agent.refused(tool, arguments)["hint"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    for (tool, arguments, expected) in [
        (
            "task_list",
            json!({"status": "ready"}),
            "task_list(mode=\"ready\")".to_owned(),
        ),
        (
            "task_list",
            json!({"mode": "mine"}),
            "task_status()".to_owned(),
        ),
        (
            "task_link",
            json!({"id": a, "blocks": b}),
            format!("task_link(id=\"{b}\", depends_on=[\"{a}\"])"),
        ),
        (
            "task_start",
            json!({"title": "Do it"}),
            "task_start(user_request=\"Do it\")".to_owned(),
        ),
    ] {
        assert_eq!(hint(&mut agent, tool, arguments), expected);
    }
    // Only what the tool takes is named.
    let message = agent.message("task_progress", json!({"id": a, "status": "bogus"}));
    assert!(
        message.contains("blocked")
            && !message.contains("closed")
            && !message.contains("tombstone"),
        "{message}"
    );
    // A file that an agent can name itself, and a folder.
    let found = hint(
        &mut agent,
        "task_done",
        json!({"id": a, "reason": "ok", "file": "nowhere"}),
    );
    assert!(!found.contains("a person"), "{found}");
    let home = world.path("home").display().to_string();
    for tool in ["set_context", "task_status"] {
        let error = agent.refused(tool, json!({"workspace_root": home}));
        assert_eq!(error["next"], "retry", "{error}");
        let hint = error["hint"].as_str().unwrap();
        assert!(!hint.contains("start the server"), "{hint}");
    }
}

#[test]
fn a_title_is_no_index() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let epic = agent.create("E", json!({"type": "epic"}));
    let child = |title: &str, on: Value| json!({"title": title, "description": "d", "design": "h", "acceptance": "a", "depends_on": on});
    for (on, expected) in [
        ("serde model in core", "its index names it: 0"),
        ("Core", "its index names it: 1"),
        ("Later", "put it before"),
        ("no such one", "the index of an earlier child"),
    ] {
        let subs = [
            child("Serde model in core", json!([])),
            child("Core", json!([])),
            child("Parser", json!([on])),
            child("Later", json!([])),
        ];
        let error = agent.refused(
            "task_decompose",
            json!({"epic_id": epic, "sub_issues": subs}),
        );
        let (message, hint) = (error["message"].as_str(), error["hint"].as_str().unwrap());
        assert!(message.unwrap().starts_with("sub_issues[2]: "), "{error}");
        assert!(hint.starts_with(expected), "{hint}");
    }
}

#[test]
fn a_wrong_agent_of_a_call_is_named_in_its_outcome() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "two"]);
    let context = json!({"workspaceId": "default", "sessionId": "s", "memory": "m", "goal": "g"});
    let calls = json!([{"agent": "nobody", "tool": "task_status", "params": {}}]);
    let (text, failed) = agent.raw("useTools", &json!({"context": context, "calls": calls}));
    let answer: Value = serde_json::from_str(&text).unwrap();
    let outcome = &answer["data"]["results"][0];
    assert_eq!(
        (&outcome["agent"], &outcome["success"]),
        (&json!("nobody"), &json!(false)),
        "{failed} {text}"
    );
}
