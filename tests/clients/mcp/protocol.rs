//! Both eras on one pipe, and everything a client may do wrong.

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;
use crate::support::events::{CANCELLED, GAVE_UP, WAITS_FOR_LOCK, until};

fn server(world: &World) -> Agent {
    Agent::silent(world.command("repo", env!("CARGO_BIN_EXE_git-beads"), &["mcp"]))
}

fn hello(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
}

fn modern() -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}})
}

#[test]
fn every_version_of_the_handshake_is_spoken() {
    let world = World::with_store();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut agent = server(&world);
        let greeting = agent.rpc("initialize", hello(version));
        assert_eq!(greeting["result"]["protocolVersion"], version);
        assert_eq!(
            greeting["result"]["serverInfo"],
            json!({"name": "git-beads", "version": env!("CARGO_PKG_VERSION")})
        );
        assert_eq!(
            greeting["result"]["capabilities"],
            json!({"prompts": {}, "resources": {}, "tools": {}}),
            "only what is offered"
        );
        assert!(greeting["result"]["instructions"].as_str().unwrap().len() <= 600);
        // Some clients never say that they are ready.
        assert_eq!(agent.call("task_status", json!({}))["kind"], "empty");
    }
    for unknown in ["1999-01-01", "2026-07-28", "2099-01-01"] {
        assert_eq!(
            server(&world).rpc("initialize", hello(unknown))["result"]["protocolVersion"],
            "2025-11-25"
        );
    }
}

#[test]
fn discovery_needs_no_handshake() {
    let world = World::with_store();
    let mut agent = server(&world);
    let found = agent.rpc("server/discover", json!({"_meta": modern()}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")));
    assert_eq!(
        found["result"]["capabilities"],
        json!({"prompts": {}, "resources": {}, "tools": {}})
    );
    let tools = agent.rpc("tools/list", json!({"_meta": modern()}));
    assert_eq!(tools["result"]["ttlMs"], 3_600_000);
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 11);
    let answer = agent.rpc(
        "tools/call",
        json!({"name": "task_status", "arguments": {}, "_meta": modern()}),
    );
    assert!(
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("{\"kind\":\"empty\"")
    );
    assert_eq!(
        agent.rpc("ping", json!({"_meta": modern()}))["error"]["code"],
        -32601
    );
    let unknown = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {}}});
    assert_eq!(agent.rpc("tools/list", unknown)["error"]["code"], -32022);
    assert_eq!(agent.end(), (0, String::new()));
    let mut first = server(&world);
    let answer = first.rpc(
        "tools/call",
        json!({"name": "task_status", "arguments": {}, "_meta": modern()}),
    );
    assert_eq!(
        answer["result"]["isError"], false,
        "a call may be the first thing that is said: {answer}"
    );
}

#[test]
fn what_is_not_offered_is_not_found() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "two"]);
    assert_eq!(
        agent.greeting["result"]["capabilities"],
        json!({"tools": {}})
    );
    let complete =
        json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}});
    for (method, params) in [
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "x"})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "beads://quickstart"})),
        ("resources/subscribe", json!({"uri": "x"})),
        ("completion/complete", complete),
        ("logging/setLevel", json!({"level": "info"})),
        ("no/such/method", json!({})),
    ] {
        assert_eq!(
            agent.rpc(method, params)["error"]["code"],
            -32601,
            "{method}"
        );
    }
    let unknown = agent.rpc(
        "tools/call",
        json!({"name": "task_nothing\u{1b}[31m", "arguments": {}}),
    );
    assert_eq!(
        unknown["error"],
        json!({"code": -32602, "message": "Unknown tool: task_nothing[31m"})
    );
    assert_eq!(agent.rpc("ping", json!({}))["result"], json!({}));
    assert_eq!(agent.end(), (0, String::new()), "silent");
}

#[test]
fn garbage_does_not_end_a_session() {
    let world = World::with_store();
    let mut agent = server(&world);
    agent.send("");
    agent.send("{not json");
    agent.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    agent.send(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
    assert_eq!(
        agent.rpc("initialize", hello("2025-06-18"))["result"]["protocolVersion"],
        "2025-06-18"
    );
    agent.send("{\"jsonrpc\":\"2.0\",\"id\":");
    agent.send("\u{feff}");
    agent.send("[]");
    assert_eq!(agent.receive()["error"]["code"], -32600);
    agent.send(
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
    );
    assert_eq!(
        agent.receive()["error"]["code"],
        -32600,
        "batches are gone from the protocol"
    );
    agent.send(r#"{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":5}}"#);
    assert_eq!(
        agent.receive()["error"]["message"],
        "params.name must be the name of a tool"
    );
    assert_eq!(agent.call("task_status", json!({}))["kind"], "empty");
    assert_eq!(agent.end(), (0, String::new()));
}

#[test]
fn a_line_of_four_megabytes_is_read() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("Long", json!({}));
    let error = agent.refused(
        "task_progress",
        json!({"id": id, "findings": ["x".repeat(4 << 20)]}),
    );
    assert_eq!(
        error["message"],
        "finding has 4194304 bytes; the limit is 262144"
    );
    let texts: Vec<String> = (0..16)
        .map(|i| format!("{i} {}", "y".repeat(250_000)))
        .collect();
    agent.call("task_progress", json!({"id": id, "findings": texts}));
    let told = agent.call(
        "task_status",
        json!({"id": id, "memory_limit": 100, "view": "meta", "meta_max_chars": 0}),
    );
    assert!(told.to_string().chars().count() <= 40_000);
    assert_eq!(
        told["memory"]["truncated"], true,
        "{}",
        told["memory"]["more"]
    );
}

#[test]
fn the_end_of_the_input_is_a_clean_end() {
    let world = World::with_store();
    let silent = server(&world);
    assert_eq!(silent.end(), (0, String::new()), "before anything was said");
    let mut asked = server(&world);
    asked.request("initialize", hello("2025-11-25"));
    for i in 0..5 {
        let note =
            json!({"title": format!("{i}"), "description": "a", "design": "b", "acceptance": "c"});
        asked.request(
            "tools/call",
            json!({"name": "task_create", "arguments": note}),
        );
    }
    asked.close();
    let mut answered: Vec<u64> = (0..6)
        .map(|_| asked.receive()["id"].as_u64().unwrap())
        .collect();
    answered.sort_unstable();
    assert_eq!(
        answered,
        [1, 2, 3, 4, 5, 6],
        "what was asked is answered first"
    );
    assert_eq!(asked.end().0, 0);
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 5);
}

#[test]
fn requests_may_overlap() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("Busy", json!({}));
    for i in 0..40 {
        let call = json!({"name": "task_progress", "arguments": {"id": id, "findings": [format!("fact {i}")]}});
        agent.request("tools/call", call);
        agent.request(
            "tools/call",
            json!({"name": "task_status", "arguments": {"id": id}}),
        );
    }
    for _ in 0..80 {
        let answer = agent.receive();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    let told = agent.call("task_status", json!({"id": id, "memory_limit": 100}));
    assert_eq!(told["memory"]["findings"].as_array().unwrap().len(), 40);
}

#[test]
fn a_call_that_waits_holds_up_no_other_and_can_be_cancelled() {
    let mut world = World::with_store();
    world.git(&["config", "beads.lockTimeout", "600"]).ok();
    let events = world.events();
    let mut agent = Agent::new(&world);
    let id = agent.create("Held", json!({}));
    let lock = std::fs::File::open(world.path("repo/.git/beads/lock")).unwrap();
    lock.lock().unwrap();
    let start_it = json!({"name": "task_start", "arguments": {"id": id}});
    let waiting: Vec<u64> = (0..6)
        .map(|_| agent.request("tools/call", start_it.clone()))
        .collect();
    events.wait(WAITS_FOR_LOCK, 1);
    for _ in 0..20 {
        assert_eq!(
            agent.call("task_status", json!({"id": id}))["issue"]["status"],
            "open"
        );
        agent.rpc("ping", json!({}));
    }
    for id in waiting {
        let params = json!({"requestId": id, "reason": "enough"});
        agent.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
                .to_string(),
        );
    }
    assert_eq!(
        agent.call("task_status", json!({}))["kind"],
        "empty",
        "no answer to what was cancelled"
    );
    events.wait(CANCELLED, 6);
    until("each writer has given up", || {
        events.count(GAVE_UP) == events.count(WAITS_FOR_LOCK)
    });
    drop(lock);
    assert_eq!(
        agent.call("task_start", json!({"user_request": "Free again"}))["kind"],
        "issue"
    );
    assert_eq!(
        agent.call("task_status", json!({"id": id}))["issue"]["status"],
        "open",
        "what was cancelled is not done"
    );
    assert_eq!(agent.end().0, 0);
}

#[test]
fn each_call_sees_what_others_have_done() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let mut other = Agent::new(&world);
    for i in 0..20 {
        let id = world.create(&[&format!("Issue {i}")]);
        assert_eq!(
            agent.call("task_status", json!({"id": id}))["issue"]["title"],
            format!("Issue {i}")
        );
        other.call("task_start", json!({"id": id}));
        let all = agent.call("task_status", json!({}));
        assert_eq!(all["issues"].as_array().unwrap().len(), i + 1);
    }
    world.git(&["gc", "--quiet", "--prune=now"]).ok();
    let packed = world.create(&["After the pack"]);
    assert_eq!(
        agent.call("task_status", json!({"id": packed}))["issue"]["title"],
        "After the pack"
    );
    assert_eq!(
        agent.call(
            "task_list",
            json!({"mode": "list", "status": "in_progress", "limit": 20})
        )["issues"]
            .as_array()
            .unwrap()
            .len(),
        20
    );
}

#[test]
fn a_repository_that_is_replaced_is_seen() {
    let world = World::with_store();
    world.create(&["Old"]);
    let mut agent = Agent::new(&world);
    assert_eq!(agent.call("task_list", json!({}))["kind"], "summary");
    std::fs::rename(world.path("repo/.git"), world.path("away")).unwrap();
    assert_eq!(
        agent.refused("task_list", json!({}))["code"],
        "not_a_repository"
    );
    world.git_in("repo", &["init", "--quiet"]).ok();
    assert_eq!(agent.refused("task_list", json!({}))["code"], "no_store");
    world.bd(&["init"]).ok();
    assert_eq!(agent.call("task_list", json!({}))["kind"], "empty");
    world.git(&["config", "beads.actor", "somebody"]).ok();
    let id = agent.create("New", json!({}));
    assert_eq!(
        world.bd(&["show", &id, "--json"]).json()["issue"]["created_by"],
        "somebody"
    );
}

#[test]
fn greetings_touch_no_repository() {
    let world = World::with_store();
    // Whoever opens this waits for ever.
    std::fs::remove_file(world.path("repo/.git/config")).unwrap();
    let config = world.path("repo/.git/config").display().to_string();
    world
        .run(world.command(".", "mkfifo", &[&config]), None)
        .ok();
    let mut agent = Agent::with(&world, &["--profile", "task"]);
    assert_eq!(agent.greeting["result"]["serverInfo"]["name"], "git-beads");
    agent.rpc("ping", json!({}));
    let mut modern_one = server(&world);
    assert!(modern_one.rpc("server/discover", json!({"_meta": modern()}))["result"].is_object());
}

#[test]
fn a_request_that_can_not_be_read_is_answered() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("T", json!({}));
    // A client that cuts a text in the middle of an emoji sends half of it.
    let half = format!(
        r#"{{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{{"name":"task_progress","arguments":{{"id":"{id}","findings":["cut \ud83d"],"memory_limit":1}}}}}}"#
    );
    agent.send(&half);
    let answer = agent.receive();
    assert_eq!(answer["id"], 900);
    assert!(
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("cut \u{fffd}"),
        "{answer}"
    );
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    for (line, code) in [
        (r#"{"jsonrpc":"2.0","id":901,"method":"ping","params":{"n":1e400}}"#.to_owned(), -32700),
        (format!(r#"{{"jsonrpc":"2.0","id":901,"method":"ping","params":{{"x":{deep}}}}}"#), -32700),
        (r#"{"jsonrpc":"2.0","id":901,"method":"tools/call","params":{"name":5}}"#.to_owned(), -32602),
        (
            r#"{"jsonrpc":"2.0","id":901,"method":"tools/call","params":{"name":"task_status","arguments":[]}}"#
                .to_owned(),
            -32602,
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":901,"method":"ping","params":{{"x":"{}"}}}}"#, "y".repeat(17 << 20)),
            -32600,
        ),
    ] {
        agent.send(&line);
        let answer = agent.receive();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(901), &json!(code)), "{line:.80}");
    }
    assert_eq!(agent.end(), (0, String::new()));
}

#[test]
fn a_last_request_without_an_end_of_line_is_answered() {
    use std::io::Write;
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let input = agent.input.as_mut().unwrap();
    let request = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}).to_string();
    input.write_all(request.as_bytes()).unwrap();
    agent.close();
    assert_eq!(agent.receive()["id"], 7);
}
