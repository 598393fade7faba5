//! Agents by name: where a name comes from, and where it goes.

use serde_json::{Value, json};

use super::mcp::Agent;
use crate::support::tools::copy_program;
use crate::support::{World, binary};

/// Returns a world in which a client has set its variables.
fn within(vars: &Value) -> World {
    let mut world = World::with_store();
    for (name, value) in vars.as_object().into_iter().flatten() {
        world.set(name, value.as_str().unwrap());
    }
    world
}

/// Returns what `where_am_i` says to a request of a client.
fn asked(world: &World, server: &Value) -> Value {
    let mut agent = Agent::silent(world.command("repo", binary(), &["mcp", "--profile", "full"]));
    let info = server["info"].as_str().unwrap_or("t");
    agent.rpc("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": info, "version": "1"}}));
    agent.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    let mut request = json!({"name": "where_am_i", "arguments": {}});
    if !server["meta"].is_null() {
        request["_meta"] = server["meta"].clone();
    }
    let answer = agent.rpc("tools/call", request);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_client_is_known_by_what_it_gives() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../fixtures/clients.json")).unwrap();
    for row in rows {
        let world = within(&row["vars"]);
        let place = world.bd(&["where", "--json"]).json();
        let name = place["agent"].as_str().unwrap_or_default();
        assert_eq!(
            place["agent_source"].as_str().unwrap_or_default(),
            row["source"],
            "{row}"
        );
        assert_eq!(
            name.split('-').next(),
            row["client"].as_str(),
            "{row}: {name}"
        );
        assert!(name.is_empty() || name.len() == row["client"].as_str().unwrap().len() + 6);
        // The server and the shells of one session have one name.
        if !row["server"].is_null() {
            let here = asked(&world, &row["server"]);
            assert_eq!(here["agent"], place["agent"], "{row}: {here}");
        }
    }
}

#[test]
fn of_two_clients_the_variable_of_the_inner_one_counts() {
    let vars = json!({"CODEX_THREAD_ID": "a", "CLAUDE_CODE_SESSION_ID": "b"});
    let world = within(&vars);
    // A shell by the name of a client takes its place: the name of its process is what counts.
    copy_program("/bin/sh", world.path("claude"));
    let script = format!("{} where --json; true", binary());
    let program = world.path("claude").display().to_string();
    let answer = world.run(world.command("repo", &program, &["-c", &script]), None);
    assert_eq!(answer.json()["agent_source"], "CLAUDE_CODE_SESSION_ID");
    let place = world.bd(&["where", "--json"]).json();
    assert_eq!(place["agent_source"], "CODEX_THREAD_ID");
}

#[test]
fn a_given_name_comes_first_and_an_empty_one_is_a_person() {
    let mut world = within(&json!({"CLAUDE_CODE_SESSION_ID": "s-1"}));
    let own = world.bd(&["where", "--json"]).json()["agent"].clone();
    let named = world
        .bd(&["--agent", "tests two", "where", "--json"])
        .json();
    assert_eq!(
        (&named["agent"], &named["agent_source"]),
        (&json!("tests-two-v90hd"), &json!("--agent"))
    );
    let here = asked(&world, &json!({}));
    assert_eq!(here["agent"], own);
    world.set("GIT_BEADS_AGENT", "");
    assert_eq!(world.bd(&["where", "--json"]).json()["agent"], Value::Null);
    // The server is no person, also where the variable says so.
    assert_eq!(asked(&world, &json!({}))["agent"], own);
    world.git(&["config", "beads.agents", "false"]).ok();
    assert_eq!(asked(&world, &json!({}))["agent"], Value::Null);
}

#[test]
fn callers_of_one_session_name_themselves() {
    let mut world = within(&json!({"GIT_BEADS_AGENT": "claude-3f2ak"}));
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let here = agent.call("where_am_i", json!({"as": "tests"}));
    assert_eq!(here["agent"], "claude-3f2ak.tests");
    let here = agent.call("where_am_i", json!({"as": "codex-91xq0"}));
    assert_eq!(here["agent"], "codex-91xq0");
    assert_eq!(agent.call("where_am_i", json!({}))["agent"], "claude-3f2ak");
    let id = agent.create("T", json!({"as": "tests"}));
    agent.call(
        "task_progress",
        json!({"id": id, "findings": ["seen"], "as": "tests"}),
    );
    let message = world
        .git(&["log", "-1", "--format=%B", "refs/beads/main"])
        .ok();
    assert!(
        message.contains("\nActor: Ann\nAgent: claude-3f2ak.tests\n"),
        "{message}"
    );
    world.set("GIT_BEADS_AGENT", "");
    world.bd(&["note", &id, "mine"]).ok();
    let message = world
        .git(&["log", "-1", "--format=%B", "refs/beads/main"])
        .ok();
    assert!(!message.contains("Agent:"), "{message}");
}

#[test]
fn a_call_within_a_call_has_its_name_or_one_of_its_own() {
    let world = within(&json!({"GIT_BEADS_AGENT": "claude-3f2ak"}));
    let who = |text: &str| {
        let place = text
            .find("claude-3f2ak")
            .unwrap_or_else(|| panic!("{text}"));
        let rest = text[place..].trim_end_matches('"');
        let end = rest.find(['"', '\\']).unwrap_or(rest.len());
        rest[..end].to_owned()
    };
    let mut agent = Agent::with(&world, &["--profile", "lazy"]);
    for (arguments, name) in [
        (
            json!({"name": "where_am_i", "as": "outer"}),
            "claude-3f2ak.outer",
        ),
        (
            json!({"name": "where_am_i", "as": "outer", "arguments": {"as": "inner"}}),
            "claude-3f2ak.inner",
        ),
        (json!({"name": "where_am_i", "as": null}), "claude-3f2ak"),
        (json!({"name": "where_am_i", "as": 7}), "claude-3f2ak.7"),
    ] {
        for tool in ["call_tool", "read_tool"] {
            let (text, failed) = agent.raw(tool, &arguments);
            assert!(!failed, "{text}");
            assert_eq!(who(&text), name);
        }
    }
    for arguments in [
        json!({"name": "where_am_i", "as": ["x"]}),
        json!({"name": "where_am_i", "arguments": {"as": {"x": 1}}}),
    ] {
        let (text, failed) = agent.raw("call_tool", &arguments);
        assert!(failed && text.contains("`as` must be a string"), "{text}");
    }
}

#[test]
fn force_is_read_as_other_yes_and_no_are() {
    let world = within(&json!({"GIT_BEADS_AGENT": "claude-3f2ak"}));
    let id = world.create(&["T"]);
    world.bd_as("bob", &["start", &id]).ok();
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    for (force, why) in [
        (json!("false"), "\"code\":"),
        (json!(null), "\"code\":"),
        (json!("maybe"), "`force` must be true or false"),
    ] {
        let (text, failed) = agent.raw("task_start", &json!({"id": id, "force": force}));
        assert!(failed && text.contains(why), "{text}");
    }
    let (text, failed) = agent.raw("task_start", &json!({"id": id, "force": "True"}));
    assert!(!failed, "{text}");
}

#[test]
fn nothing_of_the_machine_is_written() {
    let world = within(&json!({"CLAUDE_CODE_SESSION_ID": "3b241101-e2bb-4255-8caf-4136c566a962"}));
    let id = world.create(&["T"]);
    world.bd(&["start", &id]).ok();
    world.bd(&["note", &id, "--finding", "seen"]).ok();
    world.bd(&["done", &id]).ok();
    let all = world
        .git(&["log", "-p", "--format=fuller%n%B", "refs/beads/main"])
        .ok();
    assert!(all.contains("Agent: claude-"), "{all}");
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let host = host.trim();
    for secret in ["3b241101", "4136c566a962", "WORLD", host] {
        assert!(secret.is_empty() || !all.contains(secret), "{secret}");
    }
}
