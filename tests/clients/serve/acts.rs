//! Acts that a page sends: each does what its verb does, and one that may not be done changes nothing.

use serde_json::{Value, json};

use super::Serving;
use crate::support::{World, samples};

/// A world with a question, and an issue that an agent has closed.
fn world() -> World {
    let world = samples::mixed();
    world
        .bd(&["ask", "bd-base", "Which?", "--option", "one"])
        .ok();
    world
        .bd(&["--agent", "c-1", "done", "bd-mine", "--force"])
        .ok();
    world
}

#[track_caller]
fn act(serving: &Serving, status: u16, act: Value) -> Value {
    let mut act = act;
    act["repo"] = json!("repo");
    let answered = serving.post("/api/act", &act.to_string());
    assert_eq!(answered.status, status, "{act}: {}", answered.body);
    serde_json::from_str(&answered.body).unwrap()
}

fn tip(world: &World) -> String {
    world.git(&["rev-parse", "refs/beads/main"]).ok()
}

/// Returns an issue without what differs between two runs: times, and ids of what is in it.
fn plain(world: &World, id: &str) -> Value {
    let shown = world.bd(&["show", id, "--json"]).json();
    fn strip(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.retain(|name, _| {
                    !(name == "at"
                        || name.ends_with("_at")
                        || ["id", "since", "commits"].contains(&name.as_str()))
                });
                members.values_mut().for_each(strip);
            }
            Value::Array(all) => all.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut shown = shown;
    strip(&mut shown);
    shown
}

#[test]
fn an_act_does_what_its_verb_does() {
    let base = "bd-base";
    let all: [(&str, Value, &[&str]); 16] = [
        (
            base,
            json!({"act": "answer", "id": base, "text": "1"}),
            &["answer", base, "1"],
        ),
        (
            base,
            json!({"act": "ask", "id": base, "text": "Why?", "option": ["a"]}),
            &["ask", base, "Why?", "--option", "a"],
        ),
        (
            base,
            json!({"act": "note", "id": base, "comment": ["so"]}),
            &["note", base, "--comment", "so"],
        ),
        (
            "bd-mine",
            json!({"act": "accept", "ids": ["bd-mine"]}),
            &["accept", "bd-mine"],
        ),
        (
            "bd-mine",
            json!({"act": "reopen", "ids": ["bd-mine"], "reason": "no"}),
            &["reopen", "bd-mine", "-r", "no"],
        ),
        (base, json!({"act": "start", "id": base}), &["start", base]),
        (
            base,
            json!({"act": "done", "ids": [base], "reason": "yes"}),
            &["done", base, "-r", "yes"],
        ),
        (
            base,
            json!({"act": "block", "ids": [base], "reason": "wet"}),
            &["block", base, "-r", "wet"],
        ),
        (
            base,
            json!({"act": "defer", "ids": [base], "until": "2030-01-31"}),
            &["defer", base, "--until", "2030-01-31"],
        ),
        (
            base,
            json!({"act": "update", "ids": [base, "bd-waits"], "priority": "3", "title": "New"}),
            &["update", base, "bd-waits", "-p", "3", "--title", "New"],
        ),
        (
            base,
            json!({"act": "label", "ids": [base], "labels": ["ui"]}),
            &["update", base, "--add-label", "ui"],
        ),
        (
            base,
            json!({"act": "dep_add", "id": base, "on": ["bd-done"], "type": "related"}),
            &["dep", "add", base, "--on", "bd-done", "--type", "related"],
        ),
        (
            "bd-waits",
            json!({"act": "dep_rm", "id": "bd-waits", "on": [base]}),
            &["dep", "rm", "bd-waits", "--on", base],
        ),
        (
            base,
            json!({"act": "create", "title": "Part", "parent": base}),
            &["create", "Part", "--parent", base],
        ),
        (
            base,
            json!({"act": "split", "id": base, "plan": "- One\n- Two"}),
            &["split", base, "- One\n- Two"],
        ),
        (
            base,
            json!({"act": "delete", "ids": [base]}),
            &["delete", base],
        ),
    ];
    for (id, asked, words) in all {
        let (page, line) = (world(), world());
        let serving = Serving::start(&page, "repo", &[]);
        let said = act(&serving, 200, asked.clone());
        assert_eq!(said["commit"], tip(&page).trim(), "{asked}: {said}");
        let typed = match words {
            ["split", id, plan] => line.bd_with(plan, &["split", id, "-F", "-"]),
            _ => line.bd(words),
        };
        typed.ok();
        assert_eq!(plain(&page, id), plain(&line, id), "{asked}");
        // What was done is taken back and brought back.
        let before = plain(&page, id);
        let undone = act(
            &serving,
            200,
            json!({"act": "undo", "commit": said["commit"]}),
        );
        assert!(
            undone["said"].as_str().unwrap().starts_with("undone: "),
            "{undone}"
        );
        assert_ne!(plain(&page, id), before, "{asked}");
        act(&serving, 200, json!({"act": "redo"}));
        assert_eq!(plain(&page, id), before, "{asked}");
    }
}

#[test]
fn what_may_not_be_done_changes_nothing() {
    let world = world();
    let serving = Serving::start(&world, "repo", &[]);
    let before = tip(&world);
    for asked in [
        json!({}),
        json!([]),
        json!({"act": "purge", "ids": ["bd-base"]}),
        json!({"act": "export"}),
        json!({"act": "update", "ids": ["bd-base"], "status": "closed"}),
        json!({"act": "update", "ids": ["bd-base"], "priority": "9"}),
        json!({"act": "start", "id": "bd-base", "branch": "x"}),
        json!({"act": "done", "ids": "bd-base"}),
        json!({"act": "undo", "commit": "0".repeat(40)}),
        json!({"act": "undo"}),
        json!({"act": "undo", "commit": 5}),
        json!({"act": "redo"}),
        json!({"act": "note", "id": "bd-nothing", "comment": ["x"]}),
        json!({"act": "accept", "ids": ["bd-base"]}),
    ] {
        let body = match &asked {
            Value::Object(members) => {
                let mut members = members.clone();
                members.insert("repo".to_owned(), json!("repo"));
                Value::Object(members)
            }
            other => other.clone(),
        };
        let answered = serving.post("/api/act", &body.to_string());
        assert!(
            (400..500).contains(&answered.status),
            "{asked}: {answered:?}"
        );
        let said: Value = serde_json::from_str(&answered.body).unwrap();
        assert_eq!(said["kind"], "error", "{said}");
        assert!(!said["message"].as_str().unwrap().is_empty(), "{said}");
    }
    let elsewhere = json!({"act": "start", "id": "bd-base", "repo": "/etc"});
    assert_eq!(serving.post("/api/act", &elsewhere.to_string()).status, 404);
    assert_eq!(tip(&world), before);
}

#[test]
fn what_another_has_set_meanwhile_stays() {
    let world = world();
    let serving = Serving::start(&world, "repo", &[]);
    let seen = tip(&world).trim().to_owned();
    world
        .bd_as("bob", &["update", "bd-base", "--title", "His"])
        .ok();
    let asked = json!({"act": "update", "ids": ["bd-base"], "title": "Mine", "seen": seen});
    let said = act(&serving, 409, asked);
    assert_eq!(said["code"], "changed", "{said}");
    let message = said["message"].as_str().unwrap();
    assert!(message.contains("His") && message.contains("bob"), "{said}");
    // Another field was not touched.
    let priority = |to: &str, mine: &[&str]| json!({"act": "update", "ids": ["bd-base"], "priority": to, "seen": seen, "mine": mine});
    let said = act(&serving, 200, priority("4", &[]));
    // Another tab has not seen that; the same one has set it itself.
    act(&serving, 409, priority("3", &[]));
    let own = said["commit"].as_str().unwrap();
    act(&serving, 200, priority("3", &[own]));
    let undone = act(&serving, 200, json!({"act": "undo"}));
    assert_eq!(undone["said"], "undone: bd-base: priority 3", "{undone}");
}

#[test]
fn where_only_reading_is_allowed_an_act_is_refused_at_the_gate() {
    let world = world();
    let serving = Serving::start(&world, "repo", &["--read-only"]);
    let before = tip(&world);
    for asked in ["start", "undo", "sync", "looked"] {
        let said = act(&serving, 403, json!({"act": asked, "id": "bd-base"}));
        assert!(
            said["message"].as_str().unwrap().contains("--read-only"),
            "{said}"
        );
    }
    assert_eq!(tip(&world), before);
    assert_eq!(
        serving.post("/api/scene", r#"{"scene": "inbox"}"#).status,
        200
    );
}
