//! Seed 002 with several callers in one process: a choice of the repository belongs to the one who made it.

use std::path::Path;

use serde_json::{Value, json};

use super::Agent;
use super::hints::calls;
use super::routing::{store, titles};
use crate::support::World;

/// A session in store `a`, beside store `b`, with the tools that choose between them.
struct Pair {
    world: World,
    agent: Agent,
    a: String,
    b: String,
}

fn pair(strict: bool) -> Pair {
    let mut world = World::empty();
    let (a, b) = (store(&world, "a"), store(&world, "b"));
    if strict {
        world.set("BEADS_REQUIRE_CONTEXT", "1");
    }
    let agent = Agent::in_folder(&world, "a", &["--profile", "full"]);
    Pair { world, agent, a, b }
}

impl Pair {
    /// Chooses a store as a caller, who is nobody in particular where nothing is given.
    fn choose(&mut self, root: &str, caller: Value) {
        let mut arguments = caller;
        arguments["workspace_root"] = json!(root);
        self.agent.call("set_context", arguments);
    }

    fn issue(&mut self, title: &str, root: &str) -> String {
        let more = json!({"workspace_root": root, "title": title});
        self.agent.create(title, more)
    }
}

pub fn issue(title: &str, more: Value) -> Value {
    let mut issue = json!({"title": title, "description": "d", "design": "h", "acceptance": "a"});
    let members = more.as_object().unwrap().clone();
    issue.as_object_mut().unwrap().extend(members);
    issue
}

#[test]
fn named_callers_each_have_their_own_repository() {
    let mut pair = pair(false);
    let (a, b) = (pair.a.clone(), pair.b.clone());
    pair.choose(&a, json!({"as": "one"}));
    pair.choose(&b, json!({"as": "two"}));
    let agent = &mut pair.agent;
    let mut asked = Vec::new();
    for i in 0..200 {
        let name = ["one", "two"][i % 2];
        let new = issue(&format!("{name} {i:03}"), json!({"as": name}));
        let call = json!({"name": "task_create", "arguments": new});
        asked.push(agent.request("tools/call", call));
    }
    for _ in &asked {
        let answer = agent.receive();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    for (folder, name) in [("a", "one"), ("b", "two")] {
        let found = titles(&pair.world, folder);
        let own = found.iter().filter(|title| title.starts_with(name));
        assert_eq!((found.len(), own.count()), (100, 100), "{folder}");
    }
}

#[test]
fn a_session_of_the_request_is_a_caller() {
    let mut pair = pair(false);
    let (a, b) = (pair.a.clone(), pair.b.clone());
    let place = |agent: &mut Agent, meta: Value, arguments: Value| -> Value {
        let request = json!({"name": "where_am_i", "arguments": arguments, "_meta": meta});
        let answer = agent.rpc("tools/call", request);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        serde_json::from_str::<Value>(text).unwrap()["workspace_root"].clone()
    };
    let thread = |id: &str| json!({"threadId": id});
    let set =
        json!({"name": "set_context", "arguments": {"workspace_root": b}, "_meta": thread("t-1")});
    pair.agent.rpc("tools/call", set);
    let agent = &mut pair.agent;
    assert_eq!(place(agent, thread("t-1"), json!({})), b);
    assert_eq!(place(agent, thread("t-2"), json!({})), a, "another thread");
    assert_eq!(
        place(agent, json!({}), json!({})),
        a,
        "the process has none"
    );
    let part = json!({"as": "tests"});
    assert_eq!(place(agent, thread("t-1"), part.clone()), b, "its part");
    assert_eq!(place(agent, thread("t-2"), part), a, "a part of another");
    // Who has no choice of its own uses that of the process.
    agent.call("set_context", json!({"workspace_root": b}));
    assert_eq!(place(agent, thread("t-2"), json!({})), b);
    assert_eq!(place(agent, json!({}), json!({"as": "x"})), b);
}

#[test]
fn after_a_second_root_every_answer_of_an_unnamed_caller_says_its_repository() {
    let mut pair = pair(false);
    let (a, b) = (pair.a.clone(), pair.b.clone());
    let calls = |id: &str| {
        [
            ("task_status", json!({})),
            ("task_status", json!({"id": id})),
            ("task_list", json!({})),
            ("task_create", issue("New", json!({}))),
            ("task_progress", json!({"id": id, "findings": ["f"]})),
            ("show", json!({"issue_id": id})),
            ("ready", json!({})),
            ("session_context", json!({})),
            ("stats", json!({})),
            ("where_am_i", json!({})),
            // Refusals are answers too.
            ("task_start", json!({})),
            ("task_status", json!({"id": "bd-none"})),
        ]
    };
    let repo = |agent: &mut Agent, tool: &str, arguments: &Value| -> Value {
        let request = json!({"name": tool, "arguments": arguments});
        let answer = agent.rpc("tools/call", request);
        let texts = answer["result"]["content"].as_array().unwrap();
        let last = texts.last().unwrap()["text"].as_str().unwrap();
        let last: Value = serde_json::from_str(last).unwrap_or_default();
        last.get("repo").cloned().unwrap_or_default()
    };
    let id = pair.issue("In b", &a);
    pair.choose(&a, json!({}));
    for (tool, arguments) in calls(&id) {
        // The one answer that says where a choice led says so after the first already.
        let said = if arguments == json!({}) && tool == "task_status" {
            json!(a)
        } else {
            json!(null)
        };
        assert_eq!(repo(&mut pair.agent, tool, &arguments), said, "{tool}");
    }
    pair.choose(&a, json!({}));
    assert_eq!(
        repo(&mut pair.agent, "stats", &json!({})),
        json!(null),
        "the same root"
    );
    pair.choose(&b, json!({}));
    let id = pair.issue("In b", &b);
    for (tool, arguments) in calls(&id) {
        assert_eq!(repo(&mut pair.agent, tool, &arguments), json!(b), "{tool}");
        let mut named = arguments;
        named["as"] = json!("one");
        let said = if named == json!({"as": "one"}) && tool == "task_status" {
            json!(b)
        } else {
            json!(null)
        };
        assert_eq!(
            repo(&mut pair.agent, tool, &named),
            said,
            "{tool} of a named caller"
        );
    }
}

#[test]
fn an_id_of_another_root_is_answered_from_there() {
    let mut pair = pair(false);
    let (a, b) = (pair.a.clone(), pair.b.clone());
    let id = pair.issue("In a", &a);
    pair.choose(&a, json!({}));
    pair.choose(&b, json!({}));
    let told = pair.agent.call("task_status", json!({"id": id}));
    assert_eq!(
        (&told["repo"], &told["issue"]["title"]),
        (&json!(a), &json!("In a"))
    );
    let started = pair.agent.call("task_start", json!({"id": id}));
    assert_eq!(started["repo"], a);
    let child = pair
        .agent
        .call("task_create", issue("Below", json!({"parent": id})));
    assert_eq!(child["repo"], a, "the parent says where");
    let shown = pair
        .agent
        .call("show", json!({"issue_id": id, "as": "one"}));
    assert_eq!(
        shown["repo"], a,
        "said to a named caller where it is not its own"
    );
    assert_eq!(titles(&pair.world, "a"), ["Below", "In a"]);
    assert_eq!(titles(&pair.world, "b").len(), 0);
    // What is named for the call is where it happens.
    let there = json!({"id": id, "workspace_root": b});
    assert_eq!(
        pair.agent.refused("task_status", there)["code"],
        "not_found"
    );
}

#[test]
fn the_one_agent_of_a_server_may_choose_again() {
    let mut world = World::empty();
    let (a, b) = (store(&world, "a"), store(&world, "b"));
    world.set("BEADS_REQUIRE_CONTEXT", "1");
    world.set("GIT_BEADS_AGENT", "worker");
    let mut agent = Agent::in_folder(&world, "a", &["--profile", "full"]);
    for (root, title) in [(&a, "In a"), (&b, "In b"), (&a, "Again")] {
        agent.call("set_context", json!({"workspace_root": root}));
        agent.create(title, json!({}));
    }
    assert_eq!(titles(&world, "a"), ["Again", "In a"]);
    assert_eq!(titles(&world, "b"), ["In b"]);
}

#[test]
fn a_write_that_could_be_for_either_root_is_refused_with_both_calls() {
    let mut pair = pair(true);
    let (a, b) = (pair.a.clone(), pair.b.clone());
    pair.choose(&a, json!({}));
    let id = pair.agent.create("In a", json!({}));
    pair.choose(&b, json!({}));
    let agent = &mut pair.agent;
    for (tool, arguments) in [
        ("task_create", issue("Where?", json!({}))),
        ("task_start", json!({"id": "next"})),
        ("task_start", json!({"user_request": "An epic"})),
        ("create", json!({"title": "Where?"})),
        ("task_done", json!({"id": "bd-none", "reason": "r"})),
        ("task_create", issue(&"long ".repeat(300), json!({}))),
    ] {
        let error = agent.refused(tool, arguments);
        assert_eq!(
            (&error["code"], &error["next"]),
            (&json!("ambiguous_workspace"), &json!("retry"))
        );
        let hint = error["hint"].as_str().unwrap();
        for root in [&a, &b] {
            assert!(
                hint.contains(&format!("workspace_root=\"{root}\"")),
                "{error}"
            );
        }
    }
    // Both calls of the hint work as they are written, each in its repository.
    let error = agent.refused("task_create", issue("Where?", json!({"labels": ["x"]})));
    let hinted = calls(error["hint"].as_str().unwrap());
    assert_eq!(hinted.len(), 2, "{error}");
    for (tool, arguments) in hinted {
        agent.call(&tool, arguments);
    }
    // An id that is there, a name of the caller, a repository of the call: each is enough. Reading always is.
    agent.call("task_progress", json!({"id": id, "findings": ["f"]}));
    agent.call("task_create", issue("Named", json!({"as": "one"})));
    agent.call("task_create", issue("Placed", json!({"workspace_root": a})));
    agent.call("task_status", json!({}));
    agent.call("task_list", json!({"mode": "list"}));
    // Each argument that names issues tells the repository.
    agent.call(
        "wait",
        json!({"ids": [id], "until": "closed", "timeout": 0}),
    );
    assert_eq!(titles(&pair.world, "a"), ["In a", "Placed", "Where?"]);
    assert_eq!(titles(&pair.world, "b"), ["Named", "Where?"]);
}

#[test]
fn without_the_switch_the_last_choice_of_the_process_counts() {
    let mut pair = pair(false);
    let (a, b) = (pair.a.clone(), pair.b.clone());
    pair.choose(&a, json!({}));
    pair.choose(&b, json!({}));
    let made = pair.agent.call("task_create", issue("T", json!({})));
    assert_eq!(made["repo"], b);
    assert_eq!(titles(&pair.world, "b"), ["T"]);
}

#[test]
fn each_call_may_name_a_repository_near_that_of_the_server() {
    let mut pair = pair(false);
    let (a, b) = (pair.a.clone(), pair.b.clone());
    let world = &pair.world;
    world
        .git_in("b", &["commit", "--quiet", "--allow-empty", "-m", "first"])
        .ok();
    let allow = ["-c", "protocol.file.allow=always"];
    let add = ["submodule", "--quiet", "add", "../b", "sub"];
    world.git_in("a", &[&allow[..], &add[..]].concat()).ok();
    world
        .git_in("a", &["commit", "--quiet", "-m", "first"])
        .ok();
    world
        .git_in("a", &["worktree", "add", "--quiet", "../linked"])
        .ok();
    world.git_in("a", &["init", "--quiet", "nested"]).ok();
    let real = |path: &str| {
        Path::canonicalize(&world.path(path))
            .unwrap()
            .display()
            .to_string()
    };
    let (linked, sub, nested) = (real("linked"), real("a/sub"), real("a/nested"));
    world.bd_in("a/sub", &["init"]).ok();
    let agent = &mut pair.agent;
    for near in [&a, &linked, &sub] {
        let told = agent.call("task_status", json!({"workspace_root": near}));
        assert_eq!(told["repo"], near.as_str());
        agent.create("T", json!({"workspace_root": near}));
    }
    for far in [&b, &nested] {
        let error = agent.refused("task_status", json!({"workspace_root": far}));
        assert_eq!(error["code"], "outside_roots");
        let hint = format!(
            "set_context(workspace_root=\"{far}\"); a person can run: git beads mcp --multi-repo --root {far}"
        );
        assert_eq!(error["hint"], hint);
    }
    // What was chosen once may be named from then on.
    agent.call("set_context", json!({"workspace_root": b, "as": "one"}));
    agent.create("In b", json!({"workspace_root": b}));
    assert_eq!(titles(&pair.world, "b"), ["In b"]);
    let mut every = Agent::in_folder(&pair.world, "a", &["--profile", "full"]);
    for tool in every.tools() {
        let name = tool["name"].as_str().unwrap().to_owned();
        let properties = &tool["inputSchema"]["properties"];
        assert_eq!(
            properties.get("workspace_root").is_some(),
            ["set_context", "context"].contains(&name.as_str()),
            "{name}"
        );
        let (text, _) = every.raw(&name, &json!({"workspace_root": a}));
        assert!(!text.contains("unknown field"), "{name}: {text}");
    }
    for (profile, tool, arguments) in [
        (
            "lazy",
            "read_tool",
            json!({"name": "task_status", "arguments": {"workspace_root": sub}}),
        ),
        (
            "lazy",
            "read_tool",
            json!({"name": "task_status", "workspace_root": sub}),
        ),
    ] {
        let mut agent = Agent::in_folder(&pair.world, "a", &["--profile", profile]);
        assert_eq!(agent.call(tool, arguments)["repo"], sub);
    }
    let mut two = Agent::in_folder(&pair.world, "a", &["--profile", "two"]);
    for workspace in [
        json!({"workspaceId": sub}),
        json!({"workspaceId": "default"}),
    ] {
        let mut context = json!({"sessionId": "s", "memory": "m", "goal": "g"});
        context["workspaceId"] = workspace["workspaceId"].clone();
        let calls = json!([{"tool": "task_status", "params": {"workspace_root": sub}}]);
        let answer = two.call("useTools", json!({"context": context, "calls": calls}));
        assert_eq!(answer["data"]["results"][0]["data"]["repo"], sub);
    }
}

#[test]
fn a_session_of_the_two_tools_is_a_caller_too() {
    let mut world = World::empty();
    let (a, b) = (store(&world, "a"), store(&world, "b"));
    world.set("BEADS_REQUIRE_CONTEXT", "1");
    let mut agent = Agent::in_folder(&world, "a", &["--profile", "two"]);
    let mut call = |session: &str, tool: &str, params: Value| {
        let context =
            json!({"workspaceId": "default", "sessionId": session, "memory": "m", "goal": "g"});
        let calls = json!([{"tool": tool, "params": params}]);
        agent.call("useTools", json!({"context": context, "calls": calls}))
    };
    call("one", "set_context", json!({"workspace_root": a}));
    call("two", "set_context", json!({"workspace_root": b}));
    for _ in 0..3 {
        call("one", "task_create", issue("one", json!({})));
        call("two", "task_create", issue("two", json!({})));
    }
    assert_eq!(titles(&world, "a"), ["one"; 3]);
    assert_eq!(titles(&world, "b"), ["two"; 3]);
}

#[test]
fn who_has_named_itself_at_the_start_need_not_do_so_again() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let ids = ["A", "B"].map(|title| agent.create(title, json!({})));
    let [id, other] = &ids;
    let you = agent.call("task_start", json!({"id": id, "as": "tests"}))["you"].clone();
    let (_, part) = you.as_str().unwrap().split_once('/').unwrap();
    assert!(part.ends_with(".tests"), "{you}");
    agent.call("task_progress", json!({"id": id, "findings": ["it leaks"]}));
    agent.call(
        "task_progress",
        json!({"id": other, "findings": ["it does not"]}),
    );
    let writer = |id: &str| {
        let trailers = "--format=%(trailers:key=Agent,valueonly)";
        let log = world.git(&[
            "log",
            trailers,
            &format!("--grep={id}"),
            "-1",
            "refs/beads/main",
        ]);
        log.ok().trim().to_owned()
    };
    let session = part.trim_end_matches(".tests");
    assert_eq!(
        (writer(id), writer(other)),
        (part.to_owned(), session.to_owned())
    );
    let told = agent.call("task_status", json!({"id": id}));
    assert_eq!(told["claim"]["mine"], true, "{told}");
    // Perhaps it is another one, who has none of its own.
    let again = agent.call("task_start", json!({"id": id}));
    assert_eq!(again["already_in_progress"]["by"], you);
    assert_eq!(again["you"], you);
    assert_eq!(
        again["hint"],
        "If that was not you: task_start(id=\"next\", as=\"NAME\")"
    );
    // After the end too: who has closed it can take that back, with the id and without.
    for undo in [json!({"id": id}), json!({})] {
        agent.call("task_done", json!({"id": id, "reason": "ok"}));
        agent.call("task_undo", undo);
        let told = agent.call("task_status", json!({"id": id}));
        assert_eq!(told["issue"]["status"], "in_progress");
    }
    // Another server has read it from the claim.
    drop(agent);
    let mut agent = Agent::new(&world);
    let me = agent.call("task_status", json!({}))["you"].clone();
    let kept = agent.call("task_status", json!({"id": id}))["claim"]["mine"].clone();
    let is_same = you.as_str().unwrap().starts_with(me.as_str().unwrap());
    assert_eq!(kept == true, is_same, "{me} {you}");
}

#[test]
fn the_name_that_an_answer_says_is_taken_as_it_stands() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("A", json!({}));
    for name in ["claude-abcde", "Ann/claude-abcde", " Ann/claude-abcde "] {
        let told = agent.call("task_status", json!({"as": name}));
        assert_eq!(told["you"], "Ann/claude-abcde");
    }
    agent.call("task_start", json!({"id": id, "as": "Ann/tests"}));
    let by = agent.call("task_status", json!({"id": id}))["claim"]["by"].clone();
    assert!(by.as_str().unwrap().ends_with(".tests"), "{by}");
    // Another person's name is only a name.
    let other = agent.call("task_status", json!({"as": "bob/claude-abcde"}));
    assert_ne!(other["you"], "Ann/claude-abcde");
}
