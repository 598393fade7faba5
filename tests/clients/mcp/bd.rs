//! Seed 000's names and shapes, as `beads-mcp` has them.

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;

fn agent(world: &World) -> Agent {
    Agent::with(world, &["--profile", "full"])
}

#[test]
fn an_issue_is_created_changed_and_closed() {
    let world = World::with_store();
    let mut agent = agent(&world);
    let made = agent.call("create", json!({"title": "Fix auth bug", "description": "It fails", "design": "d", "acceptance": "a",
        "external_ref": "gh-1", "priority": 1, "issue_type": "bug", "assignee": "alice", "labels": ["backend"], "id": "bd-auth"}));
    assert_eq!(
        made,
        json!({"id": "bd-auth", "action": "created", "message": "created bd-auth"})
    );
    let dep = agent.call(
        "create",
        json!({"title": "Later", "deps": ["bd-auth"], "brief": false}),
    );
    assert_eq!(
        dep["dependencies"][0],
        json!({"id": "bd-auth", "title": "Fix auth bug", "status": "open", "dependency_type": "blocks"})
    );
    let later = dep["id"].as_str().unwrap().to_owned();
    let found = agent
        .call("create", json!({"title": "Found", "deps": ["discovered-from:bd-auth", "related:".to_owned() + &later]}));
    let found = agent.call("show", json!({"issue_id": found["id"]}));
    assert_eq!(found["dependencies"].as_array().unwrap().len(), 2);
    let shown = agent.call("show", json!({"issue_id": "bd-auth"}));
    let keys: Vec<&String> = shown.as_object().unwrap().keys().collect();
    insta::assert_snapshot!(keys.iter().map(|key| key.as_str()).collect::<Vec<_>>().join(" "), @"acceptance_criteria assignee children close_reason closed_at comments created_at dependencies dependency_count dependent_count dependents description design external_ref id issue_type labels notes parent priority status title updated_at");
    assert_eq!(
        (&shown["external_ref"], &shown["closed_at"], &shown["notes"]),
        (&json!("gh-1"), &Value::Null, &Value::Null)
    );
    assert_eq!(
        (&shown["dependent_count"], &shown["labels"]),
        (&json!(1), &json!(["backend"]))
    );
    let brief = agent.call("show", json!({"issue_id": "bd-auth", "brief": true}));
    assert_eq!(
        brief,
        json!({"id": "bd-auth", "title": "Fix auth bug", "status": "open", "priority": 1})
    );
    let some = agent
        .call("show", json!({"issue_id": "bd-auth", "fields": ["id", "description"], "max_description_length": 2}));
    assert_eq!(some, json!({"id": "bd-auth", "description": "It..."}));
    let updated = agent.call(
        "update",
        json!({"issue_id": "bd-auth", "priority": "P0", "acceptance_criteria": "b", "notes": "n"}),
    );
    assert_eq!(updated["action"], "updated");
    let shown = agent.call(
        "update",
        json!({"issue_id": "bd-auth", "title": "Fix it", "brief": false}),
    );
    assert_eq!(
        (
            &shown["title"],
            &shown["acceptance_criteria"],
            &shown["priority"]
        ),
        (&json!("Fix it"), &json!("b"), &json!(0))
    );
    let closed = agent.call("close", json!({"issue_id": "bd-auth"}));
    assert_eq!(
        closed,
        json!([{"id": "bd-auth", "action": "closed", "message": "closed bd-auth"}])
    );
    assert_eq!(
        world.bd(&["show", "bd-auth", "--json"]).json()["issue"]["reason"],
        "Completed"
    );
    let again = agent.call(
        "reopen",
        json!({"issue_ids": ["bd-auth"], "reason": "not yet"}),
    );
    assert_eq!(again[0]["action"], "reopened");
    agent.call(
        "update",
        json!({"issue_id": "bd-auth", "status": "closed", "priority": 3}),
    );
    let shown = world.bd(&["show", "bd-auth", "--json"]).json();
    assert_eq!(
        (&shown["issue"]["reason"], &shown["issue"]["priority"]),
        (&json!("Closed via update"), &json!(3))
    );
}

#[test]
fn lists_take_the_filters_of_beads_mcp() {
    let world = World::with_store();
    let mut agent = agent(&world);
    for (title, labels, assignee, priority) in [
        ("Cache the proxy", json!(["a"]), "ann", 1),
        ("Proxy login", json!(["b"]), "bob", 2),
        ("Upload", json!(["a", "b"]), "", 2),
    ] {
        // A session's clock is fixed; a new one is a second later.
        agent = self::agent(&world);
        agent.call(
            "create",
            json!({"title": title, "labels": labels, "assignee": assignee, "priority": priority}),
        );
    }
    let titles = |answer: Value| -> Vec<String> {
        answer
            .as_array()
            .unwrap()
            .iter()
            .map(|issue| issue["title"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        titles(agent.call("list", json!({"query": "PROXY"}))),
        ["Cache the proxy", "Proxy login"]
    );
    assert_eq!(
        titles(agent.call("list", json!({"labels": ["a", "b"]}))),
        ["Upload"]
    );
    assert_eq!(
        titles(agent.call("list", json!({"labels_any": ["a", "b"]}))).len(),
        3
    );
    assert_eq!(
        titles(agent.call("ready", json!({"unassigned": true}))),
        ["Upload"]
    );
    assert_eq!(
        titles(agent.call("ready", json!({"assignee": "bob"}))),
        ["Proxy login"]
    );
    assert_eq!(
        titles(agent.call("ready", json!({"sort_policy": "oldest"}))),
        ["Cache the proxy", "Proxy login", "Upload"]
    );
    assert_eq!(
        titles(agent.call("list", json!({"priority": 2, "issue_type": "task"}))),
        ["Proxy login", "Upload"]
    );
    let fields = agent.call("list", json!({"fields": ["id", "created_at"], "limit": 1}));
    assert_eq!(fields[0].as_object().unwrap().len(), 2);
    assert!(
        agent
            .message("list", json!({"fields": ["colour"]}))
            .starts_with("`colour` is not a field: id, title")
    );
    assert_eq!(
        titles(agent.call("search", json!({"query": "login"}))),
        ["Proxy login"]
    );
    let (a, b) = (
        agent.call("list", json!({"query": "cache"}))[0]["id"].clone(),
        agent.call("list", json!({"query": "login"}))[0]["id"].clone(),
    );
    let linked = agent.call("dep", json!({"issue_id": b, "depends_on_id": a}));
    assert_eq!(
        linked["message"],
        format!(
            "{} depends on {} (blocks)",
            b.as_str().unwrap(),
            a.as_str().unwrap()
        )
    );
    let blocked = agent.call("blocked", json!({}));
    assert_eq!(
        (&blocked[0]["blocked_by_count"], &blocked[0]["blocked_by"]),
        (&json!(1), &json!([a]))
    );
    let stats = agent.call("stats", json!({}));
    assert_eq!(
        stats["summary"],
        json!({"total_issues": 3, "open_issues": 3, "in_progress_issues": 0, "closed_issues": 0,
        "blocked_issues": 1, "deferred_issues": 0, "pinned_issues": 0, "tombstone_issues": 0, "ready_issues": 2})
    );
    let log = agent.call("log", json!({"issue_id": b, "limit": 1}));
    assert_eq!(log["operations"].as_array().unwrap().len(), 1);
    assert_eq!(
        agent.message("show", json!({})),
        "Missing required fields: issue_id"
    );
    assert_eq!(
        agent.message("create", json!({"title": "x", "id": a})),
        format!("{} is taken", a.as_str().unwrap())
    );
}

#[test]
fn a_store_is_begun_exchanged_and_settled() {
    let world = World::new();
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    world.git(&["remote", "add", "origin", "../hub.git"]).ok();
    let mut ours = agent(&world);
    assert_eq!(ours.refused("ready", json!({}))["code"], "no_store");
    assert_eq!(ours.call("init", json!({"prefix": "app"}))["prefix"], "app");
    let id = ours.call("create", json!({"title": "Shared"}))["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(ours.call("sync", json!({}))["sent"], 2);
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "theirs"])
        .ok();
    let mut theirs = Agent::in_folder(&world, "theirs", &["--profile", "full"]);
    assert_eq!(theirs.call("init", json!({}))["joined"], "origin");
    theirs.call("update", json!({"issue_id": id, "design": "their way"}));
    ours.call("update", json!({"issue_id": id, "design": "our way"}));
    theirs.call("sync", json!({}));
    assert_eq!(ours.call("sync", json!({}))["conflicts"], 1);
    let conflicts = ours.call("conflicts", json!({"id": id}));
    assert_eq!(
        (
            &conflicts["conflicts"][0]["field"],
            &conflicts["conflicts"][0]["n"]
        ),
        (&json!("design"), &json!(1))
    );
    ours.call(
        "resolve",
        json!({"id": id, "field": "design", "value": "both"}),
    );
    assert_eq!(ours.call("conflicts", json!({}))["conflicts"], json!([]));
    assert_eq!(ours.call("show", json!({"issue_id": id}))["design"], "both");
}

#[test]
fn show_tells_everything() {
    let world = World::with_store();
    let mut agent = agent(&world);
    let epic = agent.create("Epic", json!({"type": "epic"}));
    let child = agent.create("Child", json!({"parent": epic}));
    world
        .bd(&[
            "note",
            &child,
            "--decision",
            "keep it",
            "--finding",
            "it is slow",
        ])
        .ok();
    world.bd(&["note", &child, "just saying"]).ok();
    agent.call("close", json!({"issue_id": child, "reason": "why closed"}));
    let shown = agent.call("show", json!({"issue_id": child}));
    let mut texts: Vec<&str> = shown["comments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["text"].as_str().unwrap())
        .collect();
    texts.sort_unstable();
    assert_eq!(
        texts,
        [
            "FINDING: it is slow",
            "KEY DECISION: keep it",
            "just saying"
        ]
    );
    assert_eq!(
        (&shown["close_reason"], &shown["parent"]),
        (&json!("why closed"), &json!(epic))
    );
    let shown = agent.call("show", json!({"issue_id": epic, "brief_deps": true}));
    assert_eq!(
        shown["children"],
        json!([{"id": child, "title": "Child", "status": "closed"}])
    );
}

#[test]
fn a_store_keeps_its_prefix() {
    let world = World::with_store();
    let mut agent = agent(&world);
    assert_eq!(
        agent.message("init", json!({"prefix": "zz"})),
        "already tracking issues here, with the prefix bd"
    );
    assert_eq!(
        agent.call("init", json!({"prefix": "bd"}))["existing"],
        true
    );
    assert_eq!(agent.call("init", json!({}))["prefix"], "bd");
}

#[test]
fn the_names_of_later_versions_are_there_too() {
    let world = World::with_store();
    let mut agent = agent(&world);
    let id = agent.call("create", json!({"title": "T"}))["id"].clone();
    let claimed = agent.call("claim", json!({"issue_id": id}));
    assert_eq!(
        (&claimed["action"], &claimed["id"]),
        (&json!("claimed"), &id)
    );
    let started = agent.call("claim", json!({"issue_id": id, "brief": false}));
    assert_eq!(started["status"], "in_progress");
    let held = world
        .bd_as("lea", &["create", "Hers", "--start", "-q"])
        .ok();
    let held = held.trim();
    assert_eq!(
        agent.refused("claim", json!({"issue_id": held}))["code"],
        "claimed"
    );
    agent.call("claim", json!({"issue_id": held, "force": true}));
    agent.call(
        "comment",
        json!({"issue_id": id, "text": "Fails on Windows"}),
    );
    agent.call(
        "task_progress",
        json!({"id": id, "findings": ["LRU evicts"]}),
    );
    let all = agent.call("comments", json!({"issue_id": id}));
    let texts: Vec<&Value> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["text"])
        .collect();
    assert_eq!(texts, ["Fails on Windows", "FINDING: LRU evicts"]);
    let keys: Vec<&String> = all[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["author", "created_at", "issue_id", "text"]);
    assert_eq!(all[0]["issue_id"], id);
    for text in ["See the log", "and the trace"] {
        agent.call("note", json!({"issue_id": id, "text": text}));
    }
    let shown = agent.call("show", json!({"issue_id": id}));
    assert_eq!(shown["notes"], "See the log\nand the trace");
    for (tool, arguments, message) in [
        (
            "comment",
            json!({"issue_id": id}),
            "Missing required fields: text",
        ),
        (
            "note",
            json!({"text": "x"}),
            "Missing required fields: issue_id",
        ),
        ("comments", json!({}), "Missing required fields: issue_id"),
        ("claim", json!({}), "Missing required fields: issue_id"),
        ("admin", json!({}), "Missing required fields: action"),
    ] {
        assert_eq!(agent.message(tool, arguments), message);
    }
}

#[test]
fn context_and_admin_do_what_their_actions_say() {
    let world = World::empty();
    let (a, b) = (
        super::routing::store(&world, "a"),
        super::routing::store(&world, "b"),
    );
    let mut agent = Agent::in_folder(&world, "a", &["--profile", "full"]);
    let place = |agent: &mut Agent| agent.call("context", json!({}))["workspace_root"].clone();
    assert_eq!(place(&mut agent), a);
    let set = agent.call("context", json!({"action": "set", "workspace_root": b}));
    assert_eq!(set["workspace_root"], b);
    assert_eq!(place(&mut agent), b);
    agent.call("context", json!({"workspace_root": a}));
    assert_eq!(place(&mut agent), a, "a root alone is one to set");
    world.git_in(".", &["init", "--quiet", "new"]).ok();
    let new = world.path("new").canonicalize().unwrap();
    agent.call("context", json!({"workspace_root": new}));
    let begun = agent.call("context", json!({"action": "init", "prefix": "app"}));
    assert_eq!(begun["prefix"], "app");
    assert!(
        agent
            .message("context", json!({"action": "drop"}))
            .contains("drop")
    );
    let well = agent.call("admin", json!({"action": "validate"}));
    assert_eq!((&well["ok"], &well["commits"]), (&json!(true), &json!(1)));
    assert_eq!(agent.call("admin", json!({"action": "repair"}))["ok"], true);
    let told = agent.call("admin", json!({"action": "debug"}));
    assert_eq!(told["ref"], "refs/beads/main");
    assert!(
        agent
            .message("admin", json!({"action": "clean"}))
            .contains("clean")
    );
}

#[test]
fn what_shows_that_an_issue_is_done_is_shown() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let id = agent.create("Okapi", json!({}));
    let open = agent.call("show", json!({"issue_id": id}));
    assert!(open.get("evidence").is_none(), "{open}");
    agent.call("task_done", json!({"id": id, "reason": "ok", "pr": "214"}));
    let evidence = json!({"pr": "214"});
    let shown = agent.call("show", json!({"issue_id": id}));
    assert_eq!(shown["evidence"], evidence);
    let only = agent.call("show", json!({"issue_id": id, "fields": ["evidence"]}));
    assert_eq!(only, json!({"evidence": evidence}));
    let read = agent.rpc(
        "resources/read",
        json!({"uri": format!("beads://issue/{id}")}),
    );
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("\"evidence\":{\"pr\":\"214\"}"), "{text}");
    let status = |agent: &mut Agent, view: &str| {
        agent.call("task_status", json!({"id": id, "view": view}))["evidence"].clone()
    };
    assert_eq!(status(&mut agent, "meta"), evidence);
    assert_eq!(status(&mut agent, "summary"), Value::Null);
    agent.call("task_reopen", json!({"id": id, "reason": "no"}));
    assert_eq!(status(&mut agent, "meta"), Value::Null);
}
