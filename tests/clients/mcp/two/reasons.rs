//! The reason of each change: it is shown, found, and kept also where nothing is written.

use serde_json::{Value, json};

use super::{call, context, issue, two};
use crate::clients::mcp::Agent;
use crate::support::World;

#[test]
fn why_a_change_was_made_is_shown_and_found() {
    let world = World::with_store();
    let mut agent = two(&world);
    let made = agent.call(
        "useTools",
        json!({"context": context(), "calls": [issue("A plain title")]}),
    );
    let id = made["data"]["results"][0]["data"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let log = world.bd(&["log", &id, "--json"]).json();
    assert_eq!(
        log["operations"][0]["context"],
        json!({"session": "research", "memory": "The user asked for a cache",
        "goal": "Make zebras fast", "constraints": "Keep memory bounded"})
    );
    assert!(
        world
            .bd(&["log", &id])
            .ok()
            .contains("\n           goal: Make zebras fast\n")
    );
    let message = world
        .git(&["log", "-1", "--format=%(trailers)", "refs/beads/main"])
        .ok();
    assert!(
        message.contains("Goal: Make zebras fast\nMemory: The user asked for a cache\n"),
        "{message}"
    );
    assert_eq!(world.bd(&["search", "zebras", "-q"]).ok().trim(), id);
    assert_eq!(world.bd(&["search", "cache bounded", "-q"]).ok().trim(), id);
    // Another call of the same process has its own reason, and none without one.
    let mut plain = Agent::new(&world);
    plain.create("Unasked", json!({}));
    let log = world.bd(&["log", "--json"]).json();
    assert!(log["operations"][0].get("context").is_none());
    world.bd(&["purge", "--yes", &id]).ok();
    assert_eq!(
        world.bd(&["search", "zebras", "-q"]).ok().trim(),
        "",
        "a purge forgets it"
    );
    assert!(
        world.bd(&["log", &id, "--json"]).json()["operations"]
            .as_array()
            .unwrap()
            .iter()
            .all(|op| op.get("context").is_none())
    );
}

#[test]
fn a_context_can_not_forge_a_commit() {
    let world = World::with_store();
    let mut agent = two(&world);
    let mut evil = context();
    evil["goal"] = json!("line one\n\nIssues: 01K8G5S2F0000000000000003M\nActor: root");
    evil["memory"] = json!("m".repeat(5000));
    agent.call("useTools", json!({"context": evil, "calls": [issue("A")]}));
    let trailers = world
        .git(&["log", "-1", "--format=%(trailers:only)", "refs/beads/main"])
        .ok();
    assert_eq!(trailers.matches("Actor:").count(), 2, "{trailers}");
    assert!(
        trailers.contains("\nActor: Ann\n")
            && trailers.contains("Goal: line one Issues: 01K8G5S2F0000000000000003M Actor: root\n")
    );
    assert!(trailers.lines().all(|line| line.len() < 1100));
    assert_eq!(
        world.bd(&["log", "--json"]).json()["operations"][0]["actor"],
        "Ann"
    );
}

/// Calls tools in one session.
fn use_tools(agent: &mut Agent, context: &Value, calls: Value) -> Value {
    let request = json!({"context": context, "calls": calls});
    let (text, _) = agent.raw("useTools", &request);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_search_shows_what_matched_of_a_reason() {
    let world = World::with_store();
    let mut agent = two(&world);
    let made = use_tools(&mut agent, &context(), json!([issue("A plain title")]));
    let id = made["data"]["results"][0]["data"]["id"].as_str().unwrap();
    let found = world.bd(&["search", "zebras", "--json"]).json();
    assert_eq!(found["issues"][0]["id"], id);
    let reason = &found["reasons"][0];
    assert_eq!(
        (&reason["goal"], &reason["issues"]),
        (&json!("Make zebras fast"), &json!([id]))
    );
    assert!(
        reason.get("memory").is_none() && reason.get("calls").is_none(),
        "{reason}"
    );
    insta::assert_snapshot!(world.bd(&["search", "zebr", "memo"]).ok().replace(id, "ID"), @"
    ID P2 open task A plain title
    2026-11-20 11:20 +0000 ID
      goal: Make zebras fast
      constraints: Keep memory bounded
    ");
    // Tools that list what they find say it too.
    let call = json!([call("task_list", json!({"query": "zebras"}))]);
    let told = use_tools(&mut agent, &context(), call);
    let told = &told["data"]["results"][0]["data"];
    assert_eq!(told["reasons"][0]["goal"], "Make zebras fast");
    assert!(
        told["issues"][0].get("goal").is_none(),
        "summaries have core fields only"
    );
    let plain = world.bd(&["search", "plain", "--json"]).json();
    assert!(plain.get("reasons").is_none(), "{plain}");
}

#[test]
fn the_context_of_a_call_that_writes_nothing_is_kept_here() {
    let world = World::with_store();
    let id = world.create(&["Cache"]);
    let tip = crate::support::plumbing::tip(&world);
    let mut agent = two(&world);
    let with = |goal: &str| {
        let mut context = context();
        context["goal"] = json!(goal);
        context
    };
    let status = json!([
        call("task_status", json!({"id": id})),
        call("task_list", json!({}))
    ]);
    use_tools(&mut agent, &with("Look at giraffes"), status);
    let refused = json!([call("task_done", json!({"id": "bd-none", "reason": "r"}))]);
    use_tools(&mut agent, &with("Close the okapi"), refused);
    let nothing = json!([call("task_progress", json!({"id": id, "memory_limit": 1}))]);
    use_tools(&mut agent, &with("Remember the tapir"), nothing);
    let asked = json!([{"agent": "task", "tools": ["task_start"]}]);
    agent.call(
        "getTools",
        json!({"context": with("Ask for gazelles"), "request": asked}),
    );
    use_tools(
        &mut agent,
        &with("Write about lions"),
        json!([issue("Written")]),
    );
    let calls = |word: &str| world.bd(&["search", word, "--json"]).json()["reasons"][0].clone();
    let found = calls("giraffes");
    assert_eq!(
        (&found["goal"], &found["calls"]),
        (
            &json!("Look at giraffes"),
            &json!([format!("task_status {id}"), "task_list"])
        )
    );
    assert_eq!(calls("okapi")["calls"], json!(["task_done bd-none"]));
    assert_eq!(
        calls("tapir")["calls"],
        json!([format!("task_progress {id}")])
    );
    assert_eq!(calls("gazelles")["calls"], json!(["getTools"]));
    assert!(calls("lions").get("calls").is_none(), "a commit has it");
    assert_eq!(
        world
            .bd(&["search", "research"])
            .ok()
            .matches("session: research")
            .count(),
        5
    );
    let told = use_tools(
        &mut agent,
        &context(),
        json!([call("task_list", json!({"query": "giraffes"}))]),
    );
    assert_eq!(
        told["data"]["results"][0]["data"]["kind"], "summary",
        "{told}"
    );
    // It is local: no commit, no ref, nothing that is sent.
    let count = world
        .git(&["rev-list", "--count", &format!("{tip}..refs/beads/main")])
        .ok();
    assert_eq!(count.trim(), "1", "only the change");
    let objects = world.git(&["grep", "-l", "giraffes", "refs/beads/main"]);
    assert_eq!(objects.code, 1, "{objects:?}");
    let file = world.path("repo/.git/beads/contexts");
    assert!(std::fs::read_to_string(&file).unwrap().contains("giraffes"));
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    // Whatever it is about, a purge removes it, and so does going away.
    let plan = world.bd(&["purge", "--dry-run", &id]).ok();
    assert!(plan.contains("beads/contexts: removed"), "{plan}");
    world.bd(&["purge", "--yes", &id]).ok();
    assert!(!file.exists());
    use_tools(
        &mut agent,
        &with("Look at giraffes"),
        json!([call("task_status", json!({}))]),
    );
    assert!(file.exists());
    drop(agent);
    world.bd(&["uninstall", "--yes"]).ok();
    assert!(!file.exists());
}

#[test]
fn a_search_says_what_matched_of_a_reason() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "two"]);
    let context = json!({"workspaceId": "default", "sessionId": "s", "memory": "The okapi hides", "goal": "Find it"});
    let mut used = |tool: &str, params: Value| {
        let calls = json!([{"tool": tool, "params": params}]);
        let (text, _) = agent.raw("useTools", &json!({"context": context, "calls": calls}));
        let answer: Value = serde_json::from_str(&text).unwrap();
        answer["data"]["results"][0]["data"].clone()
    };
    used("task_start", json!({"user_request": "Look around"}));
    let found = used("search", json!({"query": "okapi"}));
    assert!(found["issues"].is_array(), "{found}");
    let listed = used("task_list", json!({"mode": "search", "query": "okapi"}));
    assert!(
        found["reasons"].as_array().is_some_and(|it| !it.is_empty()),
        "{found}"
    );
    assert_eq!(found["reasons"][0], listed["reasons"][0]);
    // Without one it is the list that it always was.
    assert_eq!(used("search", json!({"query": "giraffe"})), json!([]));
}
