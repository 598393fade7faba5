//! Seed 001: two tools, schemas on request, every change with its reason.

mod reasons;

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;
use crate::support::events::{CANCELLED, GAVE_UP, WAITS_FOR_LOCK, until};

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
    sync: [sync,collect,carry,conflicts,resolve]

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
        json!({"agent": "task", "tool": "task_nothing", "error": "Unknown tool: task_nothing"})
    );
    assert_eq!(
        tools[2]["error"],
        "task_start belongs to agent task, not query"
    );
    assert_eq!(tools[3]["inputSchema"]["additionalProperties"], false);
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
    let mut world = World::with_store();
    let events = world.events();
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
    events.wait(WAITS_FOR_LOCK, 1);
    let params = json!({"requestId": id, "reason": "enough"});
    agent.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
            .to_string(),
    );
    events.wait(CANCELLED, 1);
    until("each writer has given up", || {
        events.count(GAVE_UP) == events.count(WAITS_FOR_LOCK)
    });
    drop(lock);
    world.create(&["After"]);
    let listed = world.bd(&["list", "--json"]).json();
    assert_eq!(listed["total_count"], 1, "{listed}");
}
