//! `mcp`: serves the issues to agents; `clients/mcp` has what it serves.

use serde_json::{Value, json};

use crate::support::World;

/// What the server answers to messages, one a line, before its input ends.
fn answers(world: &World, args: &[&str], messages: &[Value]) -> Vec<Value> {
    let input = messages
        .iter()
        .fold(String::new(), |all, message| format!("{all}{message}\n"));
    let said = world.bd_with(input, &[&["mcp"], args].concat()).ok();
    said.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
}

#[test]
fn it_answers_on_standard_output_and_ends_with_its_input() {
    let world = World::with_store();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let said = answers(&world, &[], &[initialize(), initialized, list]);
    assert_eq!(said[0]["result"]["serverInfo"]["name"], "git-beads");
    let tools = said[1]["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "task_create"));
}

#[test]
fn a_profile_chooses_the_tools() {
    let world = World::with_store();
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let names = |profile: &str| {
        let messages = [initialize(), list.clone()];
        let said = answers(&world, &["--profile", profile], &messages);
        said[1]["result"]["tools"].as_array().unwrap().len()
    };
    assert!(names("read") < names("task") && names("task") < names("full"));
    assert!(names("two") == 2);
}

#[test]
fn a_profile_of_no_such_name_and_half_a_pair_of_options_are_refused() {
    let world = World::with_store();
    let error = world.bd(&["mcp", "--profile", "nope"]).fails(1);
    assert!(
        error.contains("hint: git beads mcp --profile task"),
        "{error}"
    );
    let error = world.bd(&["mcp", "--multi-repo"]);
    let hint = "hint: git beads mcp --multi-repo --root DIR";
    assert!(error.fails(1).contains(hint));
}
