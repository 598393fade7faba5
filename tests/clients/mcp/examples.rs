//! Seed 004, sentence by sentence: every example it gives, and what it says of each tool.

use serde_json::{Value, json};

use super::{Agent, keys};
use crate::support::World;

fn child(title: &str) -> Value {
    json!({"title": title, "description": "Add cache layer", "design": "LRU map", "acceptance": "Cache hit/miss verified"})
}

fn texts(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .map(|items| items.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}

#[test]
fn every_example_of_the_seed_runs() {
    let world = World::with_store();
    for id in ["bd-101", "bd-102", "bd-103", "bd-122"] {
        let first = world.create(&[id]);
        world.bd(&["rename", &first, id]).ok();
    }
    let epic = world.create(&["An epic", "-t", "epic"]);
    world.bd(&["rename", &epic, "bd-123"]).ok();
    let mut agent = Agent::new(&world);

    assert_eq!(agent.call("task_status", json!({}))["kind"], "empty");
    assert_eq!(
        agent.call("task_status", json!({"id": "bd-123", "view": "meta"}))["kind"],
        "issue"
    );
    let bare = agent.call("task_start", json!({"user_request": "Add caching"}));
    assert_eq!(bare["issue"]["is_new"], true);
    let full = json!({"user_request": "Add caching", "description": "Add cache layer", "design": "LRU in front of DB",
        "acceptance": "Cache hits/misses tracked"});
    assert_eq!(agent.call("task_start", full)["kind"], "issue");
    assert_eq!(
        agent.call("task_start", json!({"id": "bd-123"}))["issue"]["is_new"],
        false
    );
    assert_eq!(
        agent.call(
            "task_progress",
            json!({"id": "bd-123", "decisions": ["Use LRU cache"]})
        )["kind"],
        "progress"
    );
    assert_eq!(
        agent.call(
            "task_update_meta",
            json!({"id": "bd-123", "design": "LRU in front of DB"})
        )["kind"],
        "issue"
    );
    let one = agent.call(
        "task_decompose",
        json!({"epic_id": "bd-123", "sub_issues": [child("Add cache")]}),
    );
    assert_eq!(
        one,
        json!({"kind": "created", "next": "continue", "ids": ["bd-123.1"], "epic_id": "bd-123",
        "started_child_id": "bd-123.1"})
    );
    let mut wired = child("Wire cache");
    wired["depends_on"] = json!(["bd-122"]);
    wired["dep_type"] = json!("blocks");
    let two = agent.call(
        "task_decompose",
        json!({"epic_id": "bd-123", "sub_issues": [wired]}),
    );
    assert_eq!(two["ids"], json!(["bd-123.2"]));
    let created = agent.call("task_create", child("Add cache"));
    assert_eq!(
        (&created["kind"], &created["next"]),
        (&json!("created"), &json!("continue"))
    );
    let mut waits = child("Wire cache");
    waits["depends_on"] = json!(["bd-101", "bd-102"]);
    assert_eq!(agent.call("task_create", waits)["kind"], "created");
    let linked = agent.call(
        "task_link",
        json!({"id": "bd-103", "depends_on": ["bd-101", "bd-102"]}),
    );
    assert_eq!(
        linked,
        json!({"kind": "updated", "next": "continue", "id": "bd-103",
        "added_depends_on": ["bd-101", "bd-102"], "dep_type": "blocks"})
    );
    assert_eq!(
        agent.call("task_done", json!({"id": "bd-123", "reason": "Completed"}))["closed"],
        "bd-123"
    );
    let again = agent.call(
        "task_reopen",
        json!({"id": "bd-123", "reason": "Regression found"}),
    );
    assert_eq!(
        (&again["kind"], &again["issue"]["status"]),
        (&json!("issue"), &json!("open"))
    );
}

#[test]
fn status_lists_all_that_is_in_progress() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let (text, _) = agent.raw("task_status", &json!({}));
    assert_eq!(keys(&text), ["kind", "next", "you", "hint"]);
    let mut ids: Vec<String> = (0..30)
        .map(|i| agent.create(&format!("Task {i}"), json!({})))
        .collect();
    for id in &ids {
        agent.call("task_start", json!({"id": id}));
    }
    let all = agent.call("task_status", json!({}));
    assert_eq!(
        (&all["kind"], &all["next"]),
        (&json!("summary"), &json!("continue"))
    );
    assert!(all.get("repo").is_none(), "the current directory says it");
    let mut listed: Vec<&str> = all["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["id"].as_str().unwrap())
        .collect();
    listed.sort_unstable();
    ids.sort();
    assert_eq!(
        listed, ids,
        "all of them, also over the threshold of other lists"
    );
    assert_eq!(
        keys(&all["issues"][0].to_string()).len(),
        6,
        "core fields only: {}",
        all["issues"][0]
    );
}

#[test]
fn an_epic_tells_its_children() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let epic = agent.call(
        "task_start",
        json!({"user_request": "Add caching\n\nof everything"}),
    );
    let id = epic["issue"]["id"].as_str().unwrap().to_owned();
    assert_eq!(epic["next"], "continue");
    assert_eq!(
        (&epic["issue"]["title"], &epic["issue"]["type"]),
        (&json!("Add caching"), &json!("epic"))
    );
    let meta = agent.call("task_status", json!({"id": id, "view": "meta"}));
    assert_eq!(
        meta["issue"]["description"],
        "USER REQUEST: Add caching\n\nof everything"
    );
    assert_eq!(
        (&meta["issue"]["design"], &meta["issue"]["acceptance"]),
        (&json!("PENDING"), &json!("PENDING"))
    );
    let mut second = child("Second");
    second["depends_on"] = json!([0]);
    second["priority"] = json!("P0");
    let made = agent.call(
        "task_decompose",
        json!({"epic_id": id, "sub_issues": [child("First"), second, child("Third")]}),
    );
    assert_eq!(
        made["ids"],
        json!([format!("{id}.1"), format!("{id}.2"), format!("{id}.3")])
    );
    assert!(
        made.get("started_child_id").is_none(),
        "only a single child is started"
    );
    let told = agent.call("task_status", json!({"id": id}));
    let children: Vec<Value> = told["issue"]["children"].as_array().unwrap().clone();
    assert_eq!(
        children
            .iter()
            .map(|c| c["title"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["First", "Second", "Third"]
    );
    assert_eq!(children[1]["priority"], 0);
    assert_eq!(
        told["issue"]["ready_children"],
        json!([{"id": format!("{id}.1")}, {"id": format!("{id}.3")}]),
        "their titles are among the children"
    );
    assert_eq!(
        told["children_blocked_by"],
        json!({format!("{id}.2"): [format!("{id}.1")]})
    );
    let started = agent.call("task_start", json!({"id": id}));
    let ready = started["issue"]["ready_children"].as_array().unwrap();
    assert_eq!(
        ready,
        &[
            json!({"id": format!("{id}.1"), "title": "First"}),
            json!({"id": format!("{id}.3"), "title": "Third"})
        ]
    );
    assert!(
        told["issue"].get("description").is_none(),
        "meta fields only in the meta view"
    );
    // One operation is one commit.
    let log = world.bd(&["log", "--json"]).json();
    assert_eq!(log["operations"].as_array().unwrap().len(), 3);
}

#[test]
fn work_ends_with_what_is_next() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let other = agent.create("Elsewhere", json!({"priority": "P0"}));
    let epic = agent.call("task_start", json!({"user_request": "Epic"}))["issue"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    agent.call(
        "task_decompose",
        json!({"epic_id": epic, "sub_issues": [child("A"), child("B")]}),
    );
    let (a, b) = (format!("{epic}.1"), format!("{epic}.2"));
    let first = agent.call(
        "task_done",
        json!({"id": a, "reason": "ok", "findings": ["it was slow"], "decisions": ["KEY DECISION: keep it"]}),
    );
    assert_eq!(
        (&first["kind"], &first["next"], &first["closed"]),
        (&json!("closed"), &json!("start_next_ready"), &json!(a))
    );
    assert_eq!(
        first["next_ready"]["id"],
        b.as_str(),
        "a sibling before anything else"
    );
    assert_eq!(
        first["epic_status"],
        json!({"completed": 1, "remaining": 1})
    );
    assert_eq!(first["parent_id"], epic.as_str());
    let mut memory =
        agent.call("task_status", json!({"id": a, "memory_limit": 5}))["memory"].clone();
    memory.as_object_mut().unwrap().remove("sources");
    assert_eq!(
        memory,
        json!({"findings": ["it was slow"], "decisions": ["keep it"]})
    );
    let last = agent.call("task_done", json!({"id": b, "reason": "ok"}));
    assert_eq!(last["epic_status"], json!({"completed": 2, "remaining": 0}));
    assert!(
        last.get("next_ready") == Some(&serde_json::Value::Null),
        "no other epic is begun unasked"
    );
    assert_eq!(
        (&last["next"], &last["ready_count"]),
        (&json!("await_user"), &json!(1))
    );
    let closed = agent.call("task_status", json!({"id": epic}));
    assert_eq!(
        closed["issue"]["status"], "closed",
        "the last open child closes its epic"
    );
    assert_eq!(
        world.bd(&["show", &epic, "--json"]).json()["issue"]["reason"],
        "Auto-closed: all child issues closed"
    );
    let none = agent.call("task_done", json!({"id": other, "reason": "ok"}));
    assert_eq!(none["next"], "await_user");
    assert!(none["next_ready"].is_null() && none.get("parent_id").is_none());
    // Reopening a child opens the epic that was closed with it.
    agent.call("task_reopen", json!({"id": b, "reason": "Regression"}));
    assert_eq!(
        agent.call("task_status", json!({"id": epic}))["issue"]["status"],
        "open"
    );
}

#[test]
fn pinned_and_hooked_epics_stay_open() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    for status in ["pinned", "hooked"] {
        let epic = agent.create("Epic", json!({"type": "epic"}));
        let child = agent.create("Only", json!({"parent": epic}));
        agent.call("task_progress", json!({"id": epic, "status": status}));
        agent.call("task_done", json!({"id": child, "reason": "ok"}));
        assert_eq!(
            agent.call("task_status", json!({"id": epic}))["issue"]["status"],
            status
        );
    }
}

#[test]
fn only_blocks_affects_readiness() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let a = agent.create("A", json!({}));
    let b = agent.create("B", json!({"depends_on": a}));
    let c = agent.create("C", json!({"depends_on": [a], "dep_type": "related"}));
    let d = agent.create("D", json!({}));
    agent.call(
        "task_link",
        json!({"id": d, "depends_on": a, "dep_type": "discovered-from"}),
    );
    let ready = |agent: &mut Agent| -> Vec<String> {
        let list = agent.call("task_list", json!({}));
        list["issues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|issue| issue["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let now = ready(&mut agent);
    assert!(
        now.contains(&a) && now.contains(&c) && now.contains(&d) && !now.contains(&b),
        "{now:?}"
    );
    let blocked = agent.call("task_list", json!({"mode": "blocked"}));
    assert_eq!(texts(&json!([blocked["issues"][0]["id"]])), [b.as_str()]);
    agent.call("task_done", json!({"id": a, "reason": "ok"}));
    assert!(ready(&mut agent).contains(&b));
    agent.call("task_progress", json!({"id": c, "status": "deferred"}));
    agent.call("task_progress", json!({"id": d, "status": "blocked"}));
    assert_eq!(ready(&mut agent), [b]);
    // What is blocked may be started all the same; the answer says what it waits for.
    let e = agent.create("E", json!({}));
    let f = agent.create("F", json!({"depends_on": [e]}));
    assert_eq!(
        agent.call("task_start", json!({"id": f}))["open_blockers"],
        json!([e])
    );
}

#[test]
fn progress_can_start_an_issue() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &[]);
    let id = agent.create("A", json!({}));
    let told = agent.call("task_progress", json!({"id": id, "status": "in_progress"}));
    assert_eq!(
        (&told["issue"]["status"], &told["issue"]["assignee"]),
        (&json!("in_progress"), &json!("Ann"))
    );
    world.bd_as("bob", &["start", &id, "--force"]).ok();
    let error = agent.refused("task_progress", json!({"id": id, "status": "in_progress"}));
    assert_eq!(error["code"], "claimed");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("is in progress by bob")
    );
    assert_eq!(
        agent.refused("task_start", json!({"id": id}))["hint"],
        format!(
            "task_start(id=\"next\") takes another one; task_start(id=\"{id}\", force=true) takes it over"
        )
    );
}

#[test]
fn nested_epics_close_upwards_and_ids_nest_three_levels() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let top = agent.create("Top", json!({"type": "epic"}));
    let middle = agent.create("Middle", json!({"type": "epic", "parent": top}));
    let low = agent.create("Low", json!({"type": "epic", "parent": middle}));
    let leaf = agent.create("Leaf", json!({"parent": low}));
    assert_eq!(leaf, format!("{top}.1.1.1"));
    let mut deeper = child("Deeper");
    deeper["parent"] = json!(leaf);
    assert!(agent.message("task_create", deeper).contains("3 levels"));
    let done = agent.call("task_done", json!({"id": leaf, "reason": "ok"}));
    assert_eq!(done["auto_closed"], json!([low, middle, top]));
}
