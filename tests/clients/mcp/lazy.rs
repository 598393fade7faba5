//! Seed 000: discovery on demand.

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;

#[test]
fn tools_are_discovered_and_called() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "lazy"]);
    let found = agent.call("discover_tools", json!({}));
    let names: Vec<&String> = found["tools"].as_object().unwrap().keys().collect();
    assert_eq!(found["count"].as_u64().unwrap() as usize, names.len());
    assert!(names.len() >= 15, "{names:?}");
    assert_eq!(found["tools"]["ready"], "Find ready issues");
    let info = agent.call("get_tool_info", json!({"tool_name": "ready"}));
    assert_eq!(
        info.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["example", "name", "parameters"]
    );
    assert_eq!(info["parameters"]["limit"], "integer");
    assert_eq!(info["parameters"]["labels"], "[string]");
    assert_eq!(info["parameters"]["sort_policy"], "hybrid|priority|oldest");
    let info = agent.call("get_tool_info", json!({"tool_name": "task_decompose"}));
    assert_eq!(info["parameters"]["epic_id"], "string, required");
    let child = &info["parameters"]["sub_issues"][0];
    assert_eq!(child["title"], "string, required", "{info}");
    let made = agent.call(
        "call_tool",
        json!({"name": "create", "arguments": {"title": "Fix auth bug", "issue_type": "bug", "priority": 1}}),
    );
    assert_eq!(made["action"], "created");
    let list = agent.call(
        "call_tool",
        json!({"name": "ready", "arguments": {"limit": 10, "priority": 1}}),
    );
    assert_eq!(list[0]["title"], "Fix auth bug");
    let task = agent.call("call_tool", json!({"name": "task_status"}));
    assert_eq!(task["kind"], "empty");
    let text = agent.call(
        "call_tool",
        json!({"name": "task_start", "arguments": format!("{{\"id\": \"{}\"}}", made["id"].as_str().unwrap())}),
    );
    assert_eq!(
        text["issue"]["status"], "in_progress",
        "arguments as text are taken"
    );
}

#[test]
fn every_tool_that_is_named_can_be_asked_about_and_called() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "lazy"]);
    let tools = agent.call("discover_tools", json!({}))["tools"]
        .as_object()
        .unwrap()
        .clone();
    for (name, about) in &tools {
        assert!(
            !about.as_str().unwrap().is_empty() && about.as_str().unwrap().len() <= 80,
            "{name}: {about}"
        );
        let info = agent.call("get_tool_info", json!({"tool_name": name}));
        let example = info["example"].as_str().unwrap();
        assert!(example.starts_with(&format!("{name}(")), "{example}");
        let known = info["parameters"].as_object().unwrap();
        for part in example[name.len() + 1..]
            .split(", ")
            .filter_map(|part| part.split_once('='))
        {
            assert!(
                known.contains_key(part.0) || part.0.contains(['"', ' ']),
                "{example} has {}",
                part.0
            );
        }
        let answer = agent.rpc(
            "tools/call",
            json!({"name": "call_tool", "arguments": {"name": name, "arguments": {}}}),
        );
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(!text.contains("unknown_tool"), "{name}");
        assert!(
            name == "session_context" || serde_json::from_str::<Value>(text).is_ok(),
            "{name}"
        );
    }
}

#[test]
fn what_there_is_not_is_answered_with_what_there_is() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "lazy"]);
    let error = agent.refused("get_tool_info", json!({"tool_name": "redy"}));
    assert_eq!(error["message"], "Unknown tool: redy");
    assert!(
        error["hint"]
            .as_str()
            .unwrap()
            .starts_with("did you mean ready? tools: task_status")
    );
    assert_eq!(
        agent.refused("call_tool", json!({"name": "call_tool"}))["code"],
        "unknown_tool",
        "no way round"
    );
    assert_eq!(
        agent.refused("call_tool", json!({}))["message"],
        "Missing required fields: name"
    );
    let error = agent.refused(
        "call_tool",
        json!({"name": "show", "arguments": {"key": "x"}}),
    );
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .starts_with("unknown field `key`; allowed: as, brief, brief_deps, fields, issue_id")
    );
    let direct = agent.rpc("tools/call", json!({"name": "show", "arguments": {}}));
    assert_eq!(
        direct["error"]["code"], -32602,
        "only what is listed can be called directly"
    );
}

#[test]
fn what_only_reads_can_be_called_by_a_tool_that_only_reads() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "lazy"]);
    let listed = agent.tools();
    let reader = listed
        .iter()
        .find(|tool| tool["name"] == "read_tool")
        .unwrap();
    assert_eq!(reader["annotations"]["readOnlyHint"], true);
    assert_eq!(
        agent.call("read_tool", json!({"name": "task_status"}))["kind"],
        "empty"
    );
    for writes in ["task_start", "sync", "set_context", "create"] {
        let message = agent.message("read_tool", json!({"name": writes}));
        assert_eq!(
            message,
            format!("{writes} does not only read: use call_tool")
        );
    }
}

#[test]
fn discovery_is_as_short_as_its_content_allows() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "lazy"]);
    let (text, _) = agent.raw("discover_tools", &json!({}));
    let found: Value = serde_json::from_str(&text).unwrap();
    let tools = found["tools"].as_object().unwrap();
    // Seed 000 has 500 bytes for 15 tools.
    let each = text.len() / tools.len();
    assert!(
        each <= 40 && text.len() <= 1_600,
        "{} bytes, {each} a tool",
        text.len()
    );
    let sizes: Vec<usize> = tools
        .keys()
        .map(|name| {
            agent
                .raw("get_tool_info", &json!({"tool_name": name}))
                .0
                .len()
        })
        .collect();
    let mean = sizes.iter().sum::<usize>() / sizes.len();
    assert!(mean <= 240, "{mean} bytes on average");
    let (ready, _) = agent.raw("get_tool_info", &json!({"tool_name": "ready"}));
    assert!(ready.len() <= 370, "{} bytes: {ready}", ready.len());
}
