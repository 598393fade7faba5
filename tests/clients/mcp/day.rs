//! An agent's day: 200 calls over all task tools, on a store of real issues, each answer checked.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Agent;
use crate::support::plumbing::sound;
use crate::support::{World, data};

/// What the agent knows of an issue.
#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    status: String,
    findings: Vec<String>,
    decisions: Vec<String>,
    waits_for: Vec<String>,
    parent: Option<String>,
}

struct Day<'w> {
    agent: Agent,
    world: &'w World,
    calls: usize,
    known: BTreeMap<String, Known>,
}

impl Day<'_> {
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.calls += 1;
        self.agent.call(tool, arguments)
    }

    fn is_done(&self, id: &str) -> bool {
        self.known[id].status == "closed"
    }

    fn is_ready(&self, id: &str) -> bool {
        self.known[id].status == "open"
            && self.known[id]
                .waits_for
                .iter()
                .all(|other| self.is_done(other))
    }

    fn children(&self, epic: &str) -> Vec<String> {
        let of = |known: &Known| known.parent.as_deref() == Some(epic);
        self.known
            .iter()
            .filter(|(_, known)| of(known))
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// An epic of three children, the last of which waits for the first; on odd days by separate calls.
    fn plan(&mut self, n: usize) -> String {
        let epic = self.call(
            "task_start",
            json!({"user_request": format!("Epic {n}"), "description": "d"}),
        );
        let id = epic["issue"]["id"].as_str().unwrap().to_owned();
        assert_eq!(
            (&epic["issue"]["type"], &epic["issue"]["is_new"]),
            (&json!("epic"), &json!(true))
        );
        self.known.insert(
            id.clone(),
            Known {
                status: "in_progress".into(),
                ..Known::default()
            },
        );
        let child = |title: &str| json!({"title": title, "description": "d", "design": "h", "acceptance": "a"});
        let ids: Vec<String> = (1..=3).map(|i| format!("{id}.{i}")).collect();
        if n.is_multiple_of(2) {
            let mut last = child("Last");
            last["depends_on"] = json!([0]);
            let made = self.call(
                "task_decompose",
                json!({"epic_id": id, "sub_issues": [child("First"), child("Middle"), last]}),
            );
            assert_eq!(made["ids"], json!(ids));
        } else {
            for (title, expected) in ["First", "Middle", "Last"].iter().zip(&ids) {
                let mut issue = child(title);
                issue["parent"] = json!(id);
                assert_eq!(self.call("task_create", issue)["id"], expected.as_str());
            }
            let linked = self.call("task_link", json!({"id": ids[2], "depends_on": ids[0]}));
            assert_eq!(linked["added_depends_on"], json!([ids[0]]));
        }
        for (i, child) in ids.iter().enumerate() {
            let waits_for = if i == 2 {
                vec![ids[0].clone()]
            } else {
                Vec::new()
            };
            let known = Known {
                status: "open".into(),
                waits_for,
                parent: Some(id.clone()),
                ..Known::default()
            };
            self.known.insert(child.clone(), known);
        }
        let told = self.call("task_status", json!({"id": id}));
        assert_eq!(told["issue"]["children"].as_array().unwrap().len(), 3);
        let listed = self.call("task_list", json!({"parent": id}));
        let ready: Vec<&str> = listed["issues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|child| child["id"].as_str().unwrap())
            .collect();
        assert_eq!(ready, [ids[0].as_str(), ids[1].as_str()]);
        id
    }

    /// Works on a child: start, notes, perhaps a detour, done.
    fn work(&mut self, id: &str, n: usize) {
        let waits: Vec<String> = self.known[id]
            .waits_for
            .iter()
            .filter(|other| !self.is_done(other))
            .cloned()
            .collect();
        assert_eq!(self.is_ready(id), waits.is_empty());
        let started = self.call("task_start", json!({"id": id}));
        assert_eq!(
            (&started["next"], &started["issue"]["is_new"]),
            (&json!("continue"), &json!(false))
        );
        self.known.get_mut(id).unwrap().status = "in_progress".into();
        let note = json!({"id": id, "findings": [format!("finding {n}")], "decisions": [format!("decision {n}")], "memory_limit": 10});
        let told = self.call("task_progress", note);
        let known = self.known.get_mut(id).unwrap();
        known.findings.push(format!("finding {n}"));
        known.decisions.push(format!("decision {n}"));
        let memory = &told["memory"];
        assert_eq!(
            (&memory["findings"], &memory["decisions"]),
            (&json!(known.findings), &json!(known.decisions))
        );
        if n.is_multiple_of(3) {
            let told = self.call(
                "task_update_meta",
                json!({"id": id, "design": format!("design {n}"), "view": "meta"}),
            );
            assert_eq!(told["issue"]["design"], format!("design {n}"));
            self.call("task_progress", json!({"id": id, "status": "blocked"}));
            assert!(
                self.call(
                    "task_list",
                    json!({"mode": "blocked", "parent": self.known[id].parent})
                )["kind"]
                    == "summary"
            );
            self.call("task_progress", json!({"id": id, "status": "in_progress"}));
        }
        self.finish(id);
        if n.is_multiple_of(5) {
            let told = self.call(
                "task_reopen",
                json!({"id": id, "reason": "Regression found", "memory_limit": 1}),
            );
            assert_eq!(
                (&told["issue"]["status"], &told["memory"]["findings"]),
                (&json!("open"), &json!([format!("finding {n}")]))
            );
            self.known.get_mut(id).unwrap().status = "open".into();
            self.finish(id);
        }
    }

    fn finish(&mut self, id: &str) {
        let closed = self.call("task_done", json!({"id": id, "reason": "Completed"}));
        assert_eq!(closed["closed"], id);
        self.known.get_mut(id).unwrap().status = "closed".into();
        let parent = self.known[id].parent.clone().unwrap();
        let children = self.children(&parent);
        let left = children.iter().filter(|child| !self.is_done(child)).count();
        assert_eq!(closed["parent_id"], parent.as_str());
        assert_eq!(
            closed["epic_status"],
            json!({"completed": children.len() - left, "remaining": left})
        );
        let sibling = children.iter().find(|child| self.is_ready(child));
        match sibling {
            Some(sibling) => assert_eq!(closed["next_ready"]["id"], sibling.as_str()),
            None => assert!(closed["next_ready"].is_null(), "{closed}"),
        }
        let next = if !closed["next_ready"].is_null() {
            "start_next_ready"
        } else {
            "await_user"
        };
        assert_eq!(closed["next"], next);
        let status = if left == 0 { "closed" } else { "in_progress" };
        self.known.get_mut(&parent).unwrap().status = status.into();
    }

    /// All that was answered is what the command line shows.
    fn check(&self) {
        for (id, known) in &self.known {
            let shown = self.world.bd(&["show", id, "--json"]).json();
            let texts = |kind: &str| -> Vec<String> {
                let entries = shown["memory"][kind]
                    .as_array()
                    .cloned()
                    .unwrap_or_default();
                entries
                    .iter()
                    .map(|entry| entry["text"].as_str().unwrap().to_owned())
                    .collect()
            };
            assert_eq!(shown["issue"]["status"], known.status.as_str(), "{id}");
            assert_eq!(
                (texts("findings"), texts("decisions")),
                (known.findings.clone(), known.decisions.clone()),
                "{id}"
            );
        }
    }
}

#[test]
fn two_hundred_calls_on_two_thousand_real_issues() {
    let Some(folder) = data() else { return };
    let world = World::with_store();
    let file = folder.join("beads-0.47.jsonl");
    let _ = world.bd(&["import", file.to_str().unwrap()]);
    let total = world.bd(&["list", "--json", "--all", "-n", "1"]).json()["total_count"]
        .as_u64()
        .unwrap();
    assert!(total >= 2_000, "{total}");
    let mut day = Day {
        agent: Agent::new(&world),
        world: &world,
        calls: 0,
        known: BTreeMap::new(),
    };
    for mode in ["ready", "list", "blocked"] {
        let verb = world.bd(&[mode, "--json", "-n", "1"]).json();
        let listed = day.call("task_list", json!({"mode": mode}));
        // A list that is all here is its own count.
        let here = listed["issues"].as_array().map(Vec::len);
        let total = here.map_or_else(|| listed["total_count"].clone(), |n| json!(n));
        assert_eq!(total, verb["total_count"], "{mode}");
    }
    let found = day.call("task_list", json!({"query": "daemon", "limit": 20}));
    assert_eq!(
        found["total_count"],
        world.bd(&["search", "daemon", "--json"]).json()["total_count"]
    );
    let mut n = 0;
    while day.calls < 200 {
        let epic = day.plan(n);
        for child in day.children(&epic) {
            n += 1;
            day.work(&child, n);
        }
        assert_eq!(
            day.known[&epic].status, "closed",
            "the last child closes its epic"
        );
        assert_eq!(
            day.call("task_status", json!({"id": epic}))["issue"]["status"],
            "closed"
        );
    }
    day.check();
    let made = day.known.len() as u64;
    assert_eq!(
        world.bd(&["list", "--json", "--all", "-n", "1"]).json()["total_count"]
            .as_u64()
            .unwrap(),
        total + made
    );
    sound(&world);
    assert_eq!(day.agent.end(), (0, String::new()));
}
