//! Every file that is written, read by a parser that is not ours: Python's for TOML and plain JSON, that of VS Code
//! for JSON with comments.

use serde_json::{Value, json};

use super::{AGENTS, documents, read, write};
use crate::clients::mcp::clients;
use crate::support::World;

/// The documents before and after, of every agent, as files of a world; with agent and container.
fn written(world: &World) -> Vec<(&'static str, &'static str, String, String)> {
    let mut all = Vec::new();
    for agent in &AGENTS {
        for (name, container) in agent.files {
            for (kind, text) in documents(container) {
                write(world, name, &text);
                world.bd(&["setup", agent.name, "--write"]).ok();
                let ending = name.rsplit('.').next().unwrap();
                let place = format!("docs/{} {container}, {kind}", agent.name);
                let old = world.file(&format!("{place}-old.{ending}"), text);
                let new = world.file(&format!("{place}-new.{ending}"), read(world, name));
                all.push((agent.name, *container, old, new));
                std::fs::remove_file(world.path(&format!("repo/{name}"))).unwrap();
            }
        }
    }
    all
}

/// The document with what belongs into it.
fn expected(agent: &str, container: &str, old: &Value) -> Value {
    let server = match agent {
        "claude" => json!({"command": "git-beads", "args": ["mcp"], "alwaysLoad": true}),
        "vscode" => json!({"type": "stdio", "command": "git-beads", "args": ["mcp"]}),
        "opencode" => json!({"type": "local", "command": ["git-beads", "mcp"]}),
        _ => json!({"command": "git-beads", "args": ["mcp"]}),
    };
    let mut new = if old.is_null() {
        json!({})
    } else {
        old.clone()
    };
    if container != "hooks" {
        let container = if container.is_empty() {
            "mcp_servers"
        } else {
            container
        };
        new[container]["beads"] = server;
    }
    let line = |command: &str| {
        format!("command -v git-beads >/dev/null 2>&1 && git-beads {command} || true")
    };
    let prime = match agent {
        "claude" => line("prime --hook-json --mcp"),
        _ => line(&format!("prime --hook-json={agent} --mcp")),
    };
    if container == "hooks" && agent == "cursor" {
        new["hooks"]["sessionStart"] = json!([{"command": prime}]);
        for (event, report) in [("postToolUse", "beat"), ("sessionEnd", "session-end")] {
            let command = line(&format!("hook {report} cursor"));
            new["hooks"][event] = json!([{"command": command}]);
        }
        return new;
    } else if container == "hooks" || agent == "gemini" {
        let mut group = json!({"hooks": [{"type": "command", "command": prime}]});
        if agent != "gemini" {
            group["matcher"] = json!("startup|resume|clear|compact");
        }
        match new["hooks"]["SessionStart"].as_array_mut() {
            Some(groups) => groups.push(group),
            None => new["hooks"]["SessionStart"] = json!([group]),
        }
    }
    let events: &[(&str, &str)] = match (container, agent) {
        ("hooks", "claude") => &[
            ("PreToolUse", "as"),
            ("PostToolUse", "beat"),
            ("Stop", "stop"),
            ("SessionEnd", "session-end"),
        ],
        ("hooks", "codex") => &[("PostToolUse", "beat"), ("Stop", "stop")],
        _ => &[],
    };
    for (event, report) in events {
        let command = line(&format!("hook {report} {agent}"));
        let mut group = json!({"hooks": [{"type": "command", "command": command}]});
        if *report == "as" {
            group["matcher"] = json!("Bash|mcp__(plugin_git-beads_)?beads__.*");
        }
        new["hooks"][*event] = json!([group]);
    }
    new
}

#[track_caller]
fn compare(said: &str, written: &[&(&str, &str, String, String)]) {
    let values: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(values.len(), written.len() * 2);
    for ((agent, container, old, _), pair) in written.iter().zip(values.chunks(2)) {
        assert!(pair[1]["errors"].is_null(), "{old}: {pair:?}");
        assert_eq!(
            pair[1]["value"],
            expected(agent, container, &pair[0]["value"]),
            "{old}"
        );
    }
}

fn paths<'a>(written: &[&'a (&str, &str, String, String)]) -> Vec<&'a str> {
    written
        .iter()
        .flat_map(|(_, _, old, new)| [old.as_str(), new.as_str()])
        .collect()
}

#[test]
fn vs_code_reads_in_every_json_file_what_was_there_and_the_entry() {
    let Some(clients) = clients::clients() else {
        return;
    };
    let world = World::new();
    let written = written(&world);
    let written: Vec<_> = written
        .iter()
        .filter(|(_, container, ..)| !container.is_empty())
        .collect();
    assert!(written.len() > 80);
    // Modules are found from the script's own folder upwards.
    let script = clients.join("parse.mjs");
    std::fs::write(&script, include_str!("parse.mjs")).unwrap();
    compare(
        &clients::node(&world, &clients, &script, &paths(&written)).ok(),
        &written,
    );
}

#[test]
fn python_reads_in_every_toml_and_plain_json_file_what_was_there_and_the_entry() {
    let world = World::new();
    if !world.lend("python3") {
        return;
    }
    let written = written(&world);
    let plain = |path: &str| {
        let text = std::fs::read_to_string(path).unwrap();
        path.ends_with(".toml") || serde_json::from_str::<Value>(&text).is_ok()
    };
    let written: Vec<_> = written.iter().filter(|(_, _, old, _)| plain(old)).collect();
    assert!(written.len() > 50);
    let script = world.file("parse.py", include_str!("parse.py"));
    let mut args = vec![script.as_str()];
    args.extend(paths(&written));
    compare(
        &world
            .run(world.command("repo", "python3", &args), None)
            .ok(),
        &written,
    );
}
