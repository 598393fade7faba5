//! Sessions of clients: what their hooks say, and which name shells, server and subagents have by that.

use serde_json::{Value, json};

use super::mcp::Agent;
use crate::support::tools::copy_program;
use crate::support::{World, binary};

/// Returns a program that is called like a client, and runs command lines.
fn client(world: &World) -> String {
    let shell = world.path("claude");
    if !shell.exists() {
        copy_program("/bin/bash", &shell);
    }
    shell.display().to_string()
}

/// A command line that begins a session, as the hook of a client does.
fn begin(session: &str) -> String {
    format!(
        "echo '{{\"session_id\": \"{session}\"}}' | {} prime --hook-json >>primed",
        binary()
    )
}

/// Runs command lines within one client whose environment says that its session is `s-1`, and returns the agent that
/// each one acts as, with its source.
fn agents(world: &World, lines: &[&str]) -> Vec<(String, String)> {
    let ask = format!("{} where --json", binary());
    let line: Vec<String> = lines
        .iter()
        .map(|line| format!("{line}; {ask}; echo"))
        .collect();
    let mut client = world.command("repo", &client(world), &["-c", &line.join("; ")]);
    client.env("CLAUDE_CODE_SESSION_ID", "s-1");
    client.env("CLAUDECODE", "1");
    let said = world.run(client, None).ok();
    let places = said.lines().filter(|line| line.starts_with('{'));
    let place = |line| serde_json::from_str::<Value>(line).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    places
        .map(place)
        .map(|place| (text(&place["agent"]), text(&place["agent_source"])))
        .collect()
}

#[test]
fn shells_and_server_have_the_name_of_the_session_that_began_last() {
    let world = World::with_store();
    let (one, two) = (begin("s-1"), begin("s-2"));
    let found = agents(&world, &["true", &one, &two, "sh -c :", &two, &one]);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let [first, second] = [names[0], names[2]];
    assert_ne!(first, second);
    assert_eq!(names, [first, first, second, second, second, first]);
    let sources: Vec<&str> = found.iter().map(|(_, source)| source.as_str()).collect();
    assert_eq!(sources[0], "CLAUDE_CODE_SESSION_ID");
    assert_eq!(sources[1..], ["start of a session, by its process"; 5]);
    // A session that is resumed in another process, whose server has the environment of the first one.
    let line = format!("{two}; {} mcp --profile full; true", binary());
    let mut server = world.command("repo", &client(&world), &["-c", &line]);
    server.env("CLAUDE_CODE_SESSION_ID", "s-1");
    let mut server = Agent::start(server);
    let place = server.call("where_am_i", json!({}));
    assert_eq!(place["agent"], second);
    let place = server.call("where_am_i", json!({"as": "tests"}));
    assert_eq!(place["agent"], format!("{second}.tests"));
    // Another process knows nothing of it; a name that is given counts before it, and so does a person.
    assert_eq!(agents(&world, &["true"])[0].0, first);
    let named = agents(
        &world,
        &[
            &two,
            "export GIT_BEADS_AGENT=codex-91xq0",
            "export GIT_BEADS_AGENT=",
        ],
    );
    let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, [second, "codex-91xq0", ""]);
}

#[test]
fn a_hook_that_is_told_nothing_primes_all_the_same() {
    let world = World::with_store();
    world.create(&["T"]);
    for said in [
        "",
        "no json",
        "[]",
        "{\"session_id\": 7}",
        "{\"session_id\": \"\"}",
    ] {
        let command = world.command("repo", binary(), &["prime", "--hook-json=codex"]);
        let primed = world.run(command, Some(said.as_bytes())).json();
        let text = primed["hookSpecificOutput"]["additionalContext"].as_str();
        assert!(
            text.is_some_and(|text| text.contains("1 ready")),
            "{said}: {primed}"
        );
    }
}

/// What the hook before the use of a tool answers.
fn named(world: &World, said: &Value) -> Value {
    let command = world.command("repo", binary(), &["hook", "as", "claude"]);
    let answer = world.run(command, Some(said.to_string().as_bytes())).ok();
    serde_json::from_str(&answer).unwrap_or_default()
}

#[test]
fn a_subagent_is_named_in_its_calls_and_nothing_is_allowed() {
    let world = World::with_store();
    let said = |tool: &str, input: Value| {
        json!({
            "session_id": "s-1", "hook_event_name": "PreToolUse", "agent_id": "a4d2-77", "agent_type": "reviewer",
            "tool_name": tool, "tool_input": input
        })
    };
    let expected = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "updatedInput": {"id": "next", "as": "reviewer-v3bac"}
    }});
    for server in ["mcp__beads__", "mcp__plugin_git-beads_beads__"] {
        let tool = format!("{server}task_start");
        let answer = named(&world, &said(&tool, json!({"id": "next"})));
        assert_eq!(answer, expected, "{tool}");
    }
    let bash = |line: &str| {
        let answer = named(
            &world,
            &said("Bash", json!({"command": line, "timeout": 9})),
        );
        let input = &answer["hookSpecificOutput"]["updatedInput"];
        assert!(input.is_null() || input["timeout"] == 9, "{answer}");
        input["command"].as_str().unwrap_or_default().to_owned()
    };
    let mut shell = world.command("repo", binary(), &["where", "--json"]);
    shell.env("CLAUDE_CODE_SESSION_ID", "s-1");
    let agent = world.run(shell, None).json()["agent"]
        .as_str()
        .unwrap()
        .to_owned();
    let agent = format!("GIT_BEADS_AGENT={agent}.reviewer-v3bac");
    assert_eq!(bash("git beads ready"), format!("{agent} git beads ready"));
    let two = "git-beads list && git beads start bd-x";
    assert_eq!(bash(two), format!("export {agent}; {two}"));
    for line in [
        "cd D && git beads ready --claim",
        "ID=$(git beads ready --claim -q); git beads start $ID",
        "env A=b git beads start x",
        "for id in a b; do git beads start $id; done",
    ] {
        assert_eq!(bash(line), format!("export {agent}; {line}"));
    }
    for line in ["/opt/git-beads start x", "git -C D beads start x"] {
        assert_eq!(bash(line), format!("{agent} {line}"));
    }
    for other in [
        "git status",
        "git-beads-x",
        "echo git beads",
        "GIT_BEADS_AGENT=x git beads list",
        "",
    ] {
        assert_eq!(bash(other), "", "{other}");
    }
    // The session itself, other tools, a name that the model gives, input that is none.
    let mut own = said("mcp__beads__task_start", json!({}));
    own.as_object_mut().unwrap().remove("agent_id");
    let others = [
        own,
        said("mcp__other__x", json!({})),
        said("mcp__beads__task_start", json!({"as": "mine"})),
        said("mcp__beads__task_start", json!("text")),
        json!({}),
    ];
    for other in others {
        assert_eq!(named(&world, &other), Value::Null, "{other}");
    }
    world.git(&["config", "beads.agents", "false"]).ok();
    assert_eq!(bash("git beads ready"), "");
}
