//! Seed 001: two tools, schemas on request, every change with its reason.

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;

fn context() -> Value {
    json!({"workspaceId": "default", "sessionId": "research", "memory": "The user asked for a cache", "goal": "Make zebras fast",
        "constraints": "Keep memory bounded"})
}

fn call(tool: &str, params: Value) -> Value {
    json!({"agent": "task", "tool": tool, "params": params})
}

fn issue(title: &str) -> Value {
    call(
        "task_create",
        json!({"title": title, "description": "d", "design": "h", "acceptance": "a"}),
    )
}

fn two(world: &World) -> Agent {
    Agent::with(world, &["--profile", "two"])
}

#[test]
fn the_index_stands_in_the_description() {
    let world = World::with_store();
    let tools = two(&world).tools();
    insta::assert_snapshot!(tools[0]["description"].as_str().unwrap(), @"
    Get parameter schemas for specific tools.

    Agents:
    task: [task_status,task_list,task_start,task_progress,task_update_meta,task_decompose,task_create,task_link,task_done,task_reopen,task_undo]
    query: [ready,list,show,search,comments,blocked,stats,log,wait]
    edit: [create,claim,comment,note,update,close,reopen,dep]
    context: [set_context,context,admin,where_am_i,session_context,init]
    sync: [sync,conflicts,resolve]

    Workspaces: [default]
    ");
    assert_eq!(
        tools[1]["inputSchema"]["properties"]["context"]["required"],
        json!(["workspaceId", "sessionId", "memory", "goal"])
    );
}

#[test]
fn only_the_schemas_asked_for_are_told() {
    let world = World::with_store();
    let mut agent = two(&world);
    let told = agent.call("getTools", json!({"context": context(), "request": [
        {"agent": "task", "tools": ["task_start", "task_nothing"]}, {"agent": "query", "tools": ["task_start", "ready"]}]}));
    assert_eq!(told["success"], true);
    let tools = told["data"]["tools"].as_array().unwrap();
    assert_eq!(tools[0]["tool"], "task_start");
    assert_eq!(
        tools[0]["inputSchema"]["properties"]["id"],
        json!({"type": "string", "description": "\"next\": first ready, of parent"})
    );
    assert!(
        tools[0]["description"]
            .as_str()
            .unwrap()
            .starts_with("Claim an issue")
    );
    assert_eq!(
        tools[1],
        json!({"agent": "task", "tool": "task_nothing", "error": "Unknown tool: task_nothing; did you mean task_undo?"})
    );
    assert_eq!(
        tools[2]["error"],
        "task_start belongs to agent task, not query"
    );
    assert_eq!(tools[3]["inputSchema"].get("additionalProperties"), None);
    let (text, failed) = agent.raw("getTools", &json!({"context": context(), "request": []}));
    assert!(
        failed && text.starts_with("{\"error\":\"request names no tools"),
        "{text}"
    );
}

#[test]
fn the_context_is_checked_first() {
    let world = World::with_store();
    let mut agent = two(&world);
    let refused = |agent: &mut Agent, arguments: Value| -> String {
        let (text, failed) = agent.raw("useTools", &arguments);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(failed && value["success"] == false, "{text}");
        value["error"].as_str().unwrap().to_owned()
    };
    let calls = json!([issue("A")]);
    assert_eq!(
        refused(&mut agent, json!({"calls": calls})),
        "Invalid context: workspaceId is required, sessionId is required, memory is required, goal is required"
    );
    let mut lacking = context();
    lacking["goal"] = json!(" ");
    assert_eq!(
        refused(&mut agent, json!({"context": lacking, "calls": calls})),
        "Invalid context: goal is required"
    );
    let mut elsewhere = context();
    elsewhere["workspaceId"] = json!("elsewhere");
    assert_eq!(
        refused(&mut agent, json!({"context": elsewhere, "calls": calls})),
        "Invalid context: unknown workspaceId elsewhere; known: default"
    );
    assert_eq!(
        refused(
            &mut agent,
            json!({"context": context(), "strategy": "random", "calls": calls})
        ),
        "Invalid strategy: random; serial or parallel"
    );
    assert!(
        refused(&mut agent, json!({"context": context(), "calls": []}))
            .starts_with("calls must hold 1 to 50 calls")
    );
    assert_eq!(
        refused(&mut agent, json!({"calls": "x"}))
            .split(", ")
            .next(),
        Some("Invalid context: workspaceId is required")
    );
    let mut stray = context();
    stray["mood"] = json!("good");
    assert!(
        refused(&mut agent, json!({"context": stray, "calls": 5}))
            .starts_with("Invalid context: unknown field `mood`")
    );
    assert!(
        refused(&mut agent, json!({"context": context(), "call": []}))
            .starts_with("unknown field `call`")
    );
    assert_eq!(
        world.bd(&["list", "--json"]).json()["total_count"],
        0,
        "nothing was done"
    );
}

#[test]
fn serial_calls_stop_at_the_first_failure() {
    let world = World::with_store();
    let mut agent = two(&world);
    let calls = json!([
        issue("A"),
        call("task_done", json!({"id": "bd-none", "reason": "x"})),
        issue("B"),
        issue("C")
    ]);
    let (text, failed) = agent.raw("useTools", &json!({"context": context(), "calls": calls}));
    assert!(failed);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["success"], false);
    assert_eq!(
        answer["error"],
        "stopped at call 2 of 4 (task_done): 1 done, 2 not run"
    );
    let results = answer["data"]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    assert_eq!(
        (&results[0]["success"], &results[0]["data"]["kind"]),
        (&json!(true), &json!("created"))
    );
    assert!(
        results[1]["error"]
            .as_str()
            .unwrap()
            .starts_with("Issue bd-none not found")
    );
    assert_eq!(
        answer["data"]["not_run"],
        json!(["task_create", "task_create"])
    );
    let session = answer["data"]["sessionId"].as_str().unwrap().to_owned();
    assert!(session.starts_with("session-"), "assigned: {session}");
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 1);
}

#[test]
fn parallel_calls_all_run_and_answer_in_order() {
    let world = World::with_store();
    let mut agent = two(&world);
    let mut calls: Vec<Value> = (0..12).map(|i| issue(&format!("Issue {i}"))).collect();
    calls.insert(3, call("task_start", json!({})));
    calls.insert(
        7,
        json!({"agent": "query", "tool": "task_list", "params": {}}),
    );
    let (text, failed) = agent.raw(
        "useTools",
        &json!({"context": context(), "strategy": "parallel", "calls": calls}),
    );
    assert!(failed, "one that fails is said");
    let answer: Value = serde_json::from_str(&text).unwrap();
    let results = answer["data"]["results"].as_array().unwrap();
    assert_eq!(results.len(), 14);
    assert_eq!(
        results[3]["error"],
        "task_start requires id or user_request"
    );
    assert_eq!(
        results[7]["error"],
        "task_list belongs to agent task, not query"
    );
    assert_eq!(
        results
            .iter()
            .filter(|result| result["success"] == true)
            .count(),
        12
    );
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 12);
}

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

#[test]
fn every_result_stays_however_long_others_are() {
    let world = World::with_store();
    let mut agent = two(&world);
    let made = agent.call(
        "useTools",
        json!({"context": context(), "calls": [issue("A")]}),
    );
    let id = made["data"]["results"][0]["data"]["id"].clone();
    let texts: Vec<String> = (0..20)
        .map(|i| format!("{i} {}", "x".repeat(3000)))
        .collect();
    let mut calls = vec![call("task_progress", json!({"id": id, "findings": texts}))];
    calls.extend((0..6).map(|_| call("task_status", json!({"id": id, "memory_limit": 50}))));
    calls.push(issue("B"));
    let (text, failed) = agent.raw("useTools", &json!({"context": context(), "calls": calls}));
    assert!(!failed && text.chars().count() <= 40_000, "{}", text.len());
    let answer: Value = serde_json::from_str(&text).unwrap();
    let results = answer["data"]["results"].as_array().unwrap();
    assert_eq!(results.len(), 8);
    assert_eq!(results[3]["data"]["memory"]["truncated"], true);
    assert_eq!(results[7]["data"]["kind"], "created");
}

#[test]
fn what_a_call_repeats_of_its_names_is_cut() {
    let world = World::with_store();
    let mut agent = two(&world);
    let long = "n".repeat(30_000);
    let strange = json!({"agent": long, "tool": "ready", "params": {}});
    for (calls, strategy) in [
        (vec![strange, call(&long, json!({}))], "serial"),
        (vec![call(&long, json!({})); 50], "serial"),
        (vec![call(&long, json!({})); 50], "parallel"),
    ] {
        let request = json!({"context": context(), "calls": calls, "strategy": strategy});
        let (text, failed) = agent.raw("useTools", &request);
        assert!(failed && text.chars().count() <= 40_000, "{}", text.len());
    }
}

#[test]
fn the_context_is_asked_for_before_schemas_too_and_a_session_gets_an_id() {
    let world = World::with_store();
    let mut agent = two(&world);
    let request = json!([{"agent": "task", "tools": ["task_start"]}]);
    let (text, failed) = agent.raw("getTools", &json!({"request": request}));
    assert!(
        failed && text.contains("Invalid context: workspaceId is required"),
        "{text}"
    );
    let mut elsewhere = context();
    elsewhere["workspaceId"] = json!("nowhere");
    let asked = json!({"context": elsewhere, "request": request});
    let (text, failed) = agent.raw("getTools", &asked);
    assert!(
        failed && text.contains("unknown workspaceId nowhere"),
        "{text}"
    );
    let told = agent.call(
        "getTools",
        json!({"context": context(), "request": request}),
    );
    let id = told["data"]["sessionId"].clone();
    let calls = json!([{"tool": "task_create", "params": {"title": "T", "description": "d", "design": "h",
        "acceptance": "a"}}]);
    let mut by_id = context();
    by_id["sessionId"] = id.clone();
    for context in [context(), by_id] {
        let used = agent.call("useTools", json!({"context": context, "calls": calls}));
        assert_eq!(
            used["data"]["sessionId"], id,
            "one session under both names"
        );
        let log = world.bd(&["log", "--json", "-n", "1"]).json();
        assert_eq!(log["operations"][0]["context"]["session"], "research");
    }
}

#[test]
fn sessions_are_different_callers() {
    let world = World::with_store();
    let id = world.create(&["T"]);
    let call = |agent: &mut Agent, session: &str, tool: &str, params: Value| {
        let mut context = context();
        context["sessionId"] = json!(session);
        let calls = json!([{"tool": tool, "params": params}]);
        let request = json!({"context": context, "calls": calls});
        let (text, _) = agent.raw("useTools", &request);
        let answer: Value = serde_json::from_str(&text).unwrap();
        let result = answer["data"]["results"][0].clone();
        (
            answer["data"]["sessionId"].as_str().unwrap().to_owned(),
            result,
        )
    };
    let mut agent = two(&world);
    let (first, started) = call(&mut agent, "first", "task_start", json!({"id": id}));
    let you = started["data"]["you"].as_str().unwrap().to_owned();
    assert!(you.ends_with(&format!(".{first}")), "{you}");
    let done = json!({"id": id, "reason": "it works"});
    let (second, refused) = call(&mut agent, "second", "task_done", done.clone());
    assert_ne!(first, second);
    let said = format!("{id} is in progress by {you}");
    assert!(
        refused["error"].as_str().unwrap().starts_with(&said),
        "{refused}"
    );
    // A server that was started again knows the session by its name and by its id.
    drop(agent);
    let mut agent = two(&world);
    for session in ["first", first.as_str()] {
        let (answered, again) = call(&mut agent, session, "task_start", json!({"id": id}));
        assert_eq!(answered, first);
        assert_eq!(
            again["data"]["already_in_progress"]["by"],
            you.as_str(),
            "{again}"
        );
    }
    assert_eq!(
        call(&mut agent, "first", "task_done", done).1["success"],
        true
    );
}

#[test]
fn a_parallel_batch_ends_when_it_is_cancelled() {
    let world = World::with_store();
    let mut agent = two(&world);
    agent.tools();
    let lock = std::fs::File::open(world.path("repo/.git/beads/lock")).unwrap();
    lock.lock().unwrap();
    let one = json!({"tool": "create", "params": {"title": "T"}});
    let calls = vec![one; 20];
    let batch = json!({"context": context(), "strategy": "parallel", "calls": calls});
    let id = agent.request(
        "tools/call",
        json!({"name": "useTools", "arguments": batch}),
    );
    std::thread::sleep(std::time::Duration::from_millis(300));
    let params = json!({"requestId": id, "reason": "enough"});
    agent.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
            .to_string(),
    );
    agent.rpc("ping", json!({}));
    // The writers see it at their next look at the lock.
    std::thread::sleep(std::time::Duration::from_millis(700));
    drop(lock);
    world.create(&["After"]);
    let listed = world.bd(&["list", "--json"]).json();
    assert_eq!(listed["total_count"], 1, "{listed}");
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
    2026-11-20 11:20 ID
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
