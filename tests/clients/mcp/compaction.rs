//! Long lists: a preview, the true total, and pages for who asks for them.

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;

fn filled(world: &World, count: usize) {
    let lines: Vec<String> = (0..count)
        .map(|i| {
            json!({"id": format!("bd-{i:03}"), "title": format!("Issue {i}"), "status": "open", "priority": i % 5,
            "issue_type": "task", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"})
            .to_string()
        })
        .collect();
    let file = world.file("many.jsonl", lines.join("\n"));
    world.bd(&["import", &file]).ok();
}

#[test]
fn a_long_list_is_a_preview_with_the_true_total() {
    let world = World::with_store();
    filled(&world, 47);
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let compacted = agent.call("list", json!({"status": "open"}));
    let keys: Vec<&String> = compacted.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "compacted",
            "hint",
            "preview",
            "preview_count",
            "total_count"
        ]
    );
    assert_eq!(
        (
            &compacted["compacted"],
            &compacted["total_count"],
            &compacted["preview_count"]
        ),
        (&json!(true), &json!(47), &json!(5))
    );
    assert_eq!(
        compacted["hint"],
        "Use show(issue_id) for full details or add filters"
    );
    let nine = [
        "assignee",
        "dependency_count",
        "dependent_count",
        "id",
        "issue_type",
        "labels",
        "priority",
        "status",
        "title",
    ];
    for issue in compacted["preview"].as_array().unwrap() {
        assert_eq!(
            issue.as_object().unwrap().keys().collect::<Vec<_>>(),
            nine,
            "always all nine"
        );
        assert_eq!(
            (&issue["assignee"], &issue["labels"]),
            (&Value::Null, &json!([]))
        );
    }
    assert_eq!(agent.call("ready", json!({}))["total_count"], 47);
    assert_eq!(
        agent
            .call("ready", json!({"limit": 10}))
            .as_array()
            .unwrap()
            .len(),
        10,
        "a page that was asked for"
    );
    assert_eq!(
        agent
            .call("ready", json!({"limit": 20}))
            .as_array()
            .unwrap()
            .len(),
        20
    );
    assert_eq!(
        agent.call("ready", json!({"limit": 21}))["compacted"],
        true,
        "a limit over the threshold"
    );
    assert_eq!(
        agent
            .call("list", json!({"priority": 1}))
            .as_array()
            .unwrap()
            .len(),
        10,
        "a filter makes it short"
    );
    assert_eq!(
        agent
            .call("list", json!({"offset": 40}))
            .as_array()
            .unwrap()
            .len(),
        7
    );
    assert_eq!(
        agent.call("search", json!({"query": "Issue"}))["total_count"],
        47
    );

    let listed = agent.call("task_list", json!({}));
    assert_eq!(
        (&listed["kind"], &listed["next"]),
        (&json!("summary"), &json!("start_next_ready"))
    );
    assert_eq!(
        (
            &listed["compacted"],
            &listed["total_count"],
            &listed["preview_count"]
        ),
        (&json!(true), &json!(47), &json!(5))
    );
    let page = agent.call("task_list", json!({"limit": 20, "offset": 40}));
    assert_eq!(page["issues"].as_array().unwrap().len(), 7);
    assert_eq!(
        (&page["total_count"], &page["truncated"]),
        (&json!(47), &Value::Null)
    );
    let first = agent.call("task_list", json!({"limit": 20}));
    assert_eq!(
        (&first["truncated"], &first["hint"]),
        (&json!(true), &json!("offset=20 shows the next"))
    );
    assert_eq!(first["issues"].as_array().unwrap().len(), 20);
    let whole = agent.call("task_list", json!({"limit": 50}));
    assert_eq!(whole["total_count"], 47, "a preview of more than 20");
    let few = agent.call("task_list", json!({"query": "46"}));
    assert!(few.get("total_count").is_none() && few.get("truncated").is_none());
    let beyond = agent.call("task_list", json!({"limit": 5, "offset": 100}));
    assert_eq!(
        (&beyond["kind"], &beyond["total_count"]),
        (&json!("empty"), &json!(47))
    );
}

#[test]
fn all_pages_together_are_the_list() {
    let world = World::with_store();
    filled(&world, 47);
    let mut agent = Agent::new(&world);
    let mut seen = Vec::new();
    for offset in (0..60).step_by(10) {
        let page = agent.call(
            "task_list",
            json!({"mode": "list", "limit": 10, "offset": offset}),
        );
        seen.extend(
            page["issues"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|issue| issue["id"].as_str().unwrap().to_owned()),
        );
    }
    let all = world.bd(&["list", "-q", "-n", "0"]).ok();
    assert_eq!(seen, all.lines().collect::<Vec<_>>());
}

#[test]
fn the_variables_set_threshold_and_preview() {
    let mut world = World::with_store();
    filled(&world, 47);
    world
        .set("BEADS_MCP_COMPACTION_THRESHOLD", "50")
        .set("BEADS_MCP_PREVIEW_COUNT", "10");
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    assert_eq!(agent.call("list", json!({})).as_array().unwrap().len(), 47);
    world
        .set("BEADS_MCP_COMPACTION_THRESHOLD", "10")
        .set("BEADS_MCP_PREVIEW_COUNT", "3");
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    assert_eq!(
        agent.call("list", json!({}))["preview"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    world
        .set("BEADS_MCP_COMPACTION_THRESHOLD", "3")
        .set("BEADS_MCP_PREVIEW_COUNT", "");
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    assert_eq!(
        agent.call("list", json!({}))["preview_count"],
        3,
        "the default preview is never over the threshold"
    );
    for (threshold, preview, said) in [
        (
            "0",
            "",
            "BEADS_MCP_COMPACTION_THRESHOLD must be 1 or more, not `0`",
        ),
        (
            "many",
            "",
            "BEADS_MCP_COMPACTION_THRESHOLD must be 1 or more, not `many`",
        ),
        (
            "",
            "0",
            "BEADS_MCP_PREVIEW_COUNT must be 1 to 20, the threshold, not `0`",
        ),
        (
            "10",
            "11",
            "BEADS_MCP_PREVIEW_COUNT must be 1 to 10, the threshold, not `11`",
        ),
        (
            "",
            "-1",
            "BEADS_MCP_PREVIEW_COUNT must be 1 to 20, the threshold, not `-1`",
        ),
    ] {
        world
            .set("BEADS_MCP_COMPACTION_THRESHOLD", threshold)
            .set("BEADS_MCP_PREVIEW_COUNT", preview);
        let error = world.bd(&["mcp"]).fails(1);
        assert!(error.starts_with(&format!("error: {said}\n")), "{error}");
    }
}

#[test]
fn lists_and_errors_have_bounds_too() {
    let mut world = World::with_store();
    filled(&world, 400);
    world.set("BEADS_MCP_COMPACTION_THRESHOLD", "100000");
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let (text, _) = agent.raw("list", &json!({}));
    assert!(
        text.len() <= 40_000 && text.len() > 30_000,
        "{}",
        text.len()
    );
    let list: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&list["compacted"], &list["total_count"]),
        (&json!(true), &json!(400))
    );
    assert_eq!(
        list["preview_count"].as_u64().unwrap() as usize,
        list["preview"].as_array().unwrap().len()
    );
    world.bd(&["list", "-q"]).ok();
    let lines: Vec<String> = (0..300)
        .map(|i| {
            json!({"id": format!("bd-long{i}"), "title": "t".repeat(300), "status": "open", "priority": 0,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"})
            .to_string()
        })
        .collect();
    let file = world.file("long.jsonl", lines.join("\n"));
    world.bd(&["import", &file]).ok();
    let page = agent.call(
        "task_list",
        json!({"mode": "list", "limit": 300, "offset": 10}),
    );
    assert_eq!(
        page["hint"], "the page was cut: ask for a smaller limit",
        "no page is skipped"
    );
    for arguments in [
        json!({"view": "v".repeat(100_000), "id": "bd-001"}),
        json!({"id": "i".repeat(100_000)}),
    ] {
        assert!(agent.refused("task_status", arguments).to_string().len() < 5_000);
    }
}
