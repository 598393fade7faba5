//! Names from other trackers are taken, and a hint is a call that is offered and does not fail.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::Agent;
use crate::support::World;

/// Reads the calls that a hint names, as `tool(name=value, ...)`.
pub fn calls(hint: &str) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut rest = hint;
    while let Some(open) = rest.find('(') {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let start = rest[..open].rfind(|c| !word(c)).map_or(0, |at| at + 1);
        let (tool, mut args) = (&rest[start..open], &rest[open + 1..]);
        let mut arguments = Map::new();
        if !tool.is_empty() {
            while !args.starts_with(')') {
                let (name, value) = args.split_once('=').unwrap();
                let (read, after) = value_of(value);
                arguments.insert(name.to_owned(), read);
                args = after.trim_start_matches([',', ' ']);
            }
            found.push((tool.to_owned(), Value::Object(arguments)));
        }
        rest = args;
    }
    found
}

/// Reads the value that a text begins with.
fn value_of(text: &str) -> (Value, &str) {
    if let Some(rest) = text.strip_prefix("true") {
        return (json!(true), rest);
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let read = values
        .next()
        .unwrap()
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    (read, &text[values.byte_offset()..])
}

/// Follows the calls of a refusal: each is offered, and works as it is written.
#[track_caller]
fn follow(agent: &mut Agent, tool: &str, arguments: Value, expected: &str) {
    let error = agent.refused(tool, arguments);
    let hint = error["hint"].as_str().unwrap_or_default();
    let calls = calls(hint);
    let named: Vec<&str> = calls.iter().map(|(tool, _)| tool.as_str()).collect();
    assert!(named.contains(&expected), "{tool} -> {expected}: {error}");
    for (tool, arguments) in calls {
        agent.call(&tool, arguments);
    }
}

fn near(id: &str) -> String {
    format!("{id}x")
}

#[test]
fn each_hint_works_as_it_is_written() {
    let world = World::with_store();
    for profile in ["task", "full"] {
        let mut agent = Agent::with(&world, &["--profile", profile]);
        let agent = &mut agent;
        let (a, b) = (agent.create("A", json!({})), agent.create("B", json!({})));
        follow(
            agent,
            "task_status",
            json!({"user_request": "x"}),
            "task_start",
        );
        follow(agent, "task_status", json!({"status": "open"}), "task_list");
        follow(agent, "task_status", json!({"id": near(&a)}), "task_status");
        follow(agent, "task_list", json!({"id": a}), "task_status");
        follow(
            agent,
            "task_start",
            json!({"id": a, "design": "x"}),
            "task_progress",
        );
        follow(
            agent,
            "task_start",
            json!({"id": a, "decisions": ["x"]}),
            "task_progress",
        );
        follow(
            agent,
            "task_progress",
            json!({"id": a, "title": "New"}),
            "task_update_meta",
        );
        follow(
            agent,
            "task_progress",
            json!({"id": a, "priority": "P0"}),
            "task_update_meta",
        );
        follow(
            agent,
            "task_update_meta",
            json!({"id": a, "findings": ["x"]}),
            "task_progress",
        );
        follow(
            agent,
            "task_update_meta",
            json!({"id": a, "status": "blocked"}),
            "task_progress",
        );
        follow(
            agent,
            "task_update_meta",
            json!({"id": a, "depends_on": [b]}),
            "task_link",
        );
        follow(
            agent,
            "task_link",
            json!({"id": b, "depends_on": a}),
            "task_link",
        );
        let word = json!({"id": b, "depends_on": a, "dep_type": "related_to"});
        follow(agent, "task_link", word, "task_link");
        agent.call("task_done", json!({"id": b, "reason": "ok"}));
        follow(agent, "task_start", json!({"id": b}), "task_reopen");
        // No other tool takes this status, whichever is called with it.
        for tool in ["task_start", "task_update_meta", "task_link"] {
            let error = agent.refused(tool, json!({"id": a, "status": "closed"}));
            let call = format!("task_done(id=\"{a}\", reason=\"...\")");
            assert_eq!(error["hint"], json!(call), "{error}");
        }
        follow(
            agent,
            "task_progress",
            json!({"id": a, "status": "closed"}),
            "task_done",
        );
        world.bd_as("lea", &["start", &b]).ok();
        follow(agent, "task_start", json!({"id": b}), "task_start");
    }
}

#[test]
fn no_hint_ends_closes_or_overwrites_what_was_not_asked_for() {
    let world = World::with_store();
    for profile in ["task", "full"] {
        let mut agent = Agent::with(&world, &["--profile", profile]);
        let texts = json!({"labels": ["kept"], "assignee": "lea"});
        let id = agent.create("Kept", texts);
        let shown = |agent: &mut Agent| {
            let shown = world.bd(&["show", &id, "--json"]).json();
            let _ = agent;
            let issue = &shown["issue"];
            [
                "title",
                "status",
                "description",
                "design",
                "acceptance_criteria",
                "labels",
                "assignee",
                "priority",
            ]
            .map(|name| issue[name].clone())
        };
        let before = shown(&mut agent);
        let strays = [
            ("reason", json!("waits for X")),
            ("acceptance", json!("done")),
            ("description", json!("new")),
            ("design", json!("new")),
            ("labels", json!(["other"])),
            ("commit", json!("abc1234")),
            ("pr", json!("12")),
            ("file", json!("a.rs")),
        ];
        let tools = [
            ("task_start", json!({})),
            ("task_progress", json!({"findings": ["x"]})),
            ("task_link", json!({"depends_on": [id]})),
            ("task_undo", json!({})),
            ("task_status", json!({})),
            ("task_done", json!({"reason": "ok"})),
            ("task_reopen", json!({"reason": "no"})),
        ];
        for (tool, call) in tools {
            for (field, value) in &strays {
                let mut arguments = call.clone();
                arguments["id"] = json!(id);
                if call.get(*field).is_some() || (tool, *field) == ("task_progress", "reason") {
                    continue;
                }
                if tool == "task_done" && ["commit", "pr", "file"].contains(field)
                    || (tool, *field) == ("task_status", "labels")
                {
                    continue;
                }
                arguments[*field] = value.clone();
                let error = agent.refused(tool, arguments);
                let hint = error["hint"].as_str().unwrap_or_default();
                for (tool, arguments) in calls(hint) {
                    agent.call(&tool, arguments);
                }
                assert_eq!(shown(&mut agent), before, "{tool}({field}): {error}");
            }
        }
        // Nor is the reason replaced for which it was closed.
        agent.call(
            "task_done",
            json!({"id": id, "reason": "as planned", "force": true}),
        );
        let again = json!({"id": id, "reason": "something else"});
        let error = agent.refused("task_done", again);
        let (tool, arguments) = calls(error["hint"].as_str().unwrap()).remove(0);
        agent.call(&tool, arguments);
        let shown = world.bd(&["show", &id, "--json"]).json();
        assert_eq!(shown["issue"]["reason"], "as planned", "{error}");
    }
}

#[test]
fn no_hint_names_a_tool_that_is_not_offered() {
    let world = World::with_store();
    let id = world.create(&["A"]);
    for profile in ["task", "read", "full", "lazy", "two"] {
        let mut agent = Agent::with(&world, &["--profile", profile]);
        let mut offered: BTreeSet<String> = agent
            .tools()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect();
        // These lead to every tool.
        let call = |tool: &str, arguments: Value| match profile {
            "lazy" => ("call_tool", json!({"name": tool, "arguments": arguments})),
            "two" => (
                "useTools",
                json!({"context": {"workspaceId": "default", "sessionId": "s", "memory": "m",
                "goal": "g"}, "calls": [{"tool": tool, "params": arguments}]}),
            ),
            _ => ("", Value::Null),
        };
        if ["lazy", "two"].contains(&profile) {
            let mut full = Agent::with(&world, &["--profile", "full"]);
            offered.extend(
                full.tools()
                    .iter()
                    .map(|tool| tool["name"].as_str().unwrap().to_owned()),
            );
        }
        for (tool, arguments) in [
            ("task_status", json!({"user_request": "x"})),
            ("task_status", json!({"id": near(&id)})),
            ("task_list", json!({"id": id})),
            ("task_list", json!({"findings": ["x"]})),
        ] {
            let text = match call(tool, arguments.clone()) {
                ("", _) => agent.refused(tool, arguments)["hint"].to_string(),
                (outer, inner) => agent.raw(outer, &inner).0,
            };
            let text = text.replace("\\\"", "\"");
            for name in text.split('(').filter_map(|part| {
                let word = part
                    .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .next()?;
                word.starts_with("task_").then_some(word)
            }) {
                assert!(offered.contains(name), "{profile}: {text}");
            }
        }
    }
}

#[test]
fn what_only_a_person_can_do_is_said_so() {
    let world = World::new();
    let error = Agent::with(&world, &["--profile", "read"]).refused("task_status", json!({}));
    assert_eq!(error["hint"], "a person can run: git beads init");
    let mut full = Agent::with(&world, &["--profile", "full"]);
    assert_eq!(full.refused("task_status", json!({}))["hint"], "init()");
    let world = World::with_store();
    let id = world.create(&["A"]);
    world.bd(&["delete", &id]).ok();
    let error = Agent::new(&world).refused("task_start", json!({"id": id}));
    assert_eq!(
        error["hint"],
        format!("a person can run: git beads restore {id}")
    );
}

#[test]
fn names_of_other_trackers_are_taken_and_never_listed() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let a = agent.call(
        "task_create",
        json!({"summary": "A", "description": "d", "design": "h", "acceptance_criteria": "a", "issue_type": "bug",
            "prio": "P1"}),
    )["id"]
        .clone();
    let b = agent.create("B", json!({"deps": [a]}));
    let told = agent.call("task_status", json!({"issue_id": a}));
    assert_eq!(told["issue"]["type"], "bug");
    agent.call(
        "task_progress",
        json!({"issue_ids": [a], "note": "it hangs"}),
    );
    let memory = agent.call("task_status", json!({"id": a, "memory_limit": 1}))["memory"].clone();
    assert_eq!(memory["findings"], json!(["it hangs"]));
    assert_eq!(
        agent.call("show", json!({"id": b}))["dependencies"][0]["id"],
        a
    );
    let both = agent.message("task_status", json!({"id": a, "issue_id": b}));
    assert_eq!(both, "id and issue_id name the same: give one of them");
    for tool in agent
        .tools()
        .iter()
        .filter(|tool| tool["name"].as_str().unwrap().starts_with("task_"))
    {
        let text = tool["inputSchema"].to_string();
        for alias in [
            "issue_id",
            "issue_type",
            "acceptance_criteria",
            "prio\"",
            "deps",
            "notes",
        ] {
            assert!(!text.contains(alias), "{alias}: {text}");
        }
    }
}

#[test]
fn each_alias_is_taken_over_the_pipe() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let (a, b) = (agent.create("A", json!({})), agent.create("B", json!({})));
    let texts = json!({"description": "d", "design": "h", "acceptance": "a"});
    let mut made = 0;
    for (tool, mut arguments, alias, value) in [
        ("task_status", json!({}), "issue_id", json!(a)),
        ("task_status", json!({}), "issue_ids", json!([a])),
        ("task_create", texts.clone(), "summary", json!("Tulip")),
        ("task_create", texts.clone(), "name", json!("Tulip")),
        (
            "task_create",
            json!({"title": "Tulip"}),
            "issue_type",
            json!("bug"),
        ),
        (
            "task_create",
            json!({"title": "Tulip"}),
            "prio",
            json!("P1"),
        ),
        (
            "task_update_meta",
            json!({"id": a}),
            "acceptance_criteria",
            json!("x"),
        ),
        ("task_link", json!({"id": b}), "depends_on_id", json!(a)),
        ("task_link", json!({"id": b}), "deps", json!([a])),
        ("task_link", json!({"id": b}), "blocked_by", json!(a)),
        ("task_progress", json!({"id": a}), "comment", json!("c")),
        ("task_progress", json!({"id": a}), "note", json!("n")),
        ("task_progress", json!({"id": a}), "notes", json!("ns")),
        ("task_progress", json!({"id": a}), "text", json!("t")),
        ("task_progress", json!({"id": a}), "evidence", json!("e")),
    ] {
        if tool == "task_create" {
            arguments
                .as_object_mut()
                .unwrap()
                .extend(texts.as_object().unwrap().clone());
            made += 1;
        }
        arguments[alias] = value;
        agent.call(tool, arguments);
    }
    let told = agent.call(
        "task_status",
        json!({"id": a, "view": "meta", "memory_limit": 9}),
    );
    assert_eq!(
        told["memory"]["findings"],
        json!(["c", "n", "ns", "t", "e"])
    );
    assert_eq!(told["issue"]["acceptance"], "x");
    let bugs = agent.call("task_list", json!({"mode": "list", "type": "bug"}));
    let urgent = agent.call("task_list", json!({"mode": "list", "priority": "P1"}));
    let titles = agent.call("task_list", json!({"query": "tulip"}));
    let count = |answer: &Value| answer["issues"].as_array().unwrap().len();
    assert_eq!((count(&bugs), count(&urgent), count(&titles)), (1, 1, made));
    let waits = agent.call("task_status", json!({"id": b}));
    assert_eq!(waits["blocked_by"][0]["id"], a);
}

#[test]
fn a_refusal_names_what_is_free_and_how_to_take_the_issue_over() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let (id, other) = (agent.create("A", json!({})), agent.create("B", json!({})));
    world
        .bd(&["--actor", "lea", "--agent", "codex-91xq0", "start", &id])
        .ok();
    let hint = |agent: &mut Agent, tool: &str, arguments: Value| {
        agent.refused(tool, arguments)["hint"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let free = "task_start(id=\"next\") takes another one";
    let force = format!("task_start(id=\"{id}\", force=true) takes it over");
    let start = hint(&mut agent, "task_start", json!({"id": id}));
    assert_eq!(start, format!("{free}; {force}"));
    // What was said is repeated, so that it is not lost.
    let kept = |text: &str| {
        format!("task_progress(id=\"{id}\", findings=[{text}]) keeps your result; {free}; {force}")
    };
    let done = json!({"id": id, "reason": "it \"works\"\nnow"});
    assert_eq!(
        hint(&mut agent, "task_done", done),
        kept("\"it \\\"works\\\" now\"")
    );
    let blocked = json!({"id": id, "status": "blocked", "findings": ["no key"]});
    assert_eq!(
        hint(&mut agent, "task_progress", blocked),
        kept("\"no key\"")
    );
    let silent = json!({"id": id, "status": "open"});
    assert_eq!(
        hint(&mut agent, "task_progress", silent),
        kept("\"FINDING\"")
    );
    let long = json!({"id": id, "reason": "x".repeat(900)});
    assert!(hint(&mut agent, "task_done", long).len() < 500);
    let refused = world.bd(&[
        "--actor", "ann", "--agent", "c-1", "done", &id, "-r", "it works",
    ]);
    let text = refused.fails(3);
    assert!(
        text.contains(&format!(" note {id} 'it works' keeps your result")),
        "{text}"
    );
    // Each works as it is written, in this order.
    let mut named = calls(&start);
    assert_eq!(named.len(), 2);
    let (tool, arguments) = named.remove(0);
    assert_eq!(agent.call(&tool, arguments)["issue"]["id"], other.as_str());
    let (tool, arguments) = named.remove(0);
    let taken = agent.call(&tool, arguments);
    assert_eq!(
        taken["remarks"][0],
        format!("{id} was claimed by lea/codex-91xq0")
    );
}

#[test]
fn hints_go_on_in_the_name_of_the_caller() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("A", json!({}));
    let other = agent.create("B", json!({}));
    agent.call("task_start", json!({"id": id, "as": "alpha"}));
    let refused = agent.refused("task_start", json!({"id": id, "as": "beta"}));
    let hint = refused["hint"].as_str().unwrap().to_owned();
    let named = calls(&hint);
    for (_, arguments) in &named {
        assert_eq!(arguments["as"], "beta", "{hint}");
    }
    let (tool, arguments) = named[0].clone();
    let next = agent.call(&tool, arguments);
    assert_eq!(next["issue"]["id"], other.as_str());
    let (tool, arguments) = named[1].clone();
    let taken = agent.call(&tool, arguments);
    assert!(
        taken["remarks"][0]
            .as_str()
            .unwrap()
            .contains("was claimed by"),
        "{taken}"
    );
    // What is closed already keeps its reason, and what is said now is kept beside it.
    agent.call(
        "task_done",
        json!({"id": id, "reason": "one", "as": "beta"}),
    );
    let again = agent.refused(
        "task_done",
        json!({"id": id, "reason": "two", "as": "beta"}),
    );
    let named = calls(again["hint"].as_str().unwrap());
    let (tool, arguments) = named[0].clone();
    assert_eq!(arguments["findings"], json!(["two"]), "{again}");
    assert_eq!(arguments["as"], "beta", "{again}");
    agent.call(&tool, arguments);
}
