//! Every error text of the tools, provoked.

use serde_json::{Value, json};

use crate::clients::mcp::Agent;
use crate::support::World;

fn whole() -> Value {
    json!({"title": "T", "description": "d", "design": "h", "acceptance": "a"})
}

#[test]
fn what_is_missing_is_named() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let epic = agent.create("Epic", json!({"type": "epic"}));
    let cases = [
        (
            "task_create",
            json!({"title": "T"}),
            "Missing required fields: description, design, acceptance",
        ),
        (
            "task_create",
            json!({"title": "T", "description": "d", "design": " ", "acceptance": "\n"}),
            "Missing required fields: design, acceptance",
        ),
        (
            "task_create",
            json!({}),
            "Missing required fields: title, description, design, acceptance",
        ),
        (
            "task_decompose",
            json!({"epic_id": epic, "sub_issues": [whole(), {"title": "x", "design": "y"}]}),
            "sub_issues[1] missing required fields: description, acceptance",
        ),
        (
            "task_decompose",
            json!({"epic_id": epic, "sub_issues": []}),
            "Missing required fields: sub_issues",
        ),
        (
            "task_decompose",
            json!({"sub_issues": [whole()]}),
            "Missing required fields: epic_id",
        ),
        (
            "task_update_meta",
            json!({"id": epic}),
            "At least one of description, design, acceptance is required",
        ),
        (
            "task_update_meta",
            json!({"id": epic, "design": "  "}),
            "At least one of description, design, acceptance is required",
        ),
        (
            "task_start",
            json!({}),
            "task_start requires id or user_request",
        ),
        (
            "task_start",
            json!({"user_request": "  ", "id": ""}),
            "task_start requires id or user_request",
        ),
        (
            "task_start",
            json!({"user_request": "a", "id": "b"}),
            "task_start takes id or user_request, not both",
        ),
        ("task_link", json!({"id": epic}), "depends_on required"),
        (
            "task_link",
            json!({"id": epic, "depends_on": []}),
            "depends_on required",
        ),
        (
            "task_link",
            json!({"id": epic, "depends_on": [""]}),
            "depends_on entries must be non-empty strings",
        ),
        (
            "task_link",
            json!({"id": epic, "depends_on": epic}),
            "depends_on cannot include the issue id itself",
        ),
        (
            "task_link",
            json!({"depends_on": epic}),
            "Missing required fields: id",
        ),
        ("task_done", json!({"id": epic}), "reason required"),
        (
            "task_done",
            json!({"reason": "x"}),
            "Missing required fields: id",
        ),
        (
            "task_reopen",
            json!({"id": epic}),
            "reason required for reopen",
        ),
        (
            "task_progress",
            json!({"id": epic}),
            "At least one of findings, decisions, discovered, question, status is required",
        ),
        (
            "task_progress",
            json!({"findings": ["x"]}),
            "Missing required fields: id",
        ),
        (
            "task_progress",
            json!({"id": epic, "findings": [" "]}),
            "an empty finding",
        ),
        (
            "task_status",
            json!({"id": epic, "view": "everything"}),
            "Invalid view: everything",
        ),
        (
            "task_start",
            json!({"id": epic, "view": "x"}),
            "Invalid view: x",
        ),
        (
            "task_list",
            json!({"mode": "search"}),
            "there is nothing to search for",
        ),
        (
            "task_list",
            json!({"mode": "blocked", "query": "at:3d"}),
            "at: is for list, ready, board and export",
        ),
        (
            "task_list",
            json!({"mode": "some"}),
            "`some` is not a mode: ready, list, blocked, search",
        ),
    ];
    for (tool, arguments, message) in cases {
        assert_eq!(
            agent.message(tool, arguments.clone()),
            message,
            "{tool}({arguments})"
        );
    }
    assert_eq!(
        world.bd(&["log", "--json"]).json()["operations"]
            .as_array()
            .unwrap()
            .len(),
        2,
        "nothing was written"
    );
}

#[test]
fn a_plan_is_checked_before_anything_is_written() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let epic = agent.create("Epic", json!({"type": "epic"}));
    let before = world.git(&["rev-parse", "refs/beads/main"]).ok();
    let with = |on: Value| {
        let mut child = whole();
        child["depends_on"] = on;
        child
    };
    let cases = [
        (
            vec![whole(), with(json!([5]))],
            "Invalid depends_on[5] in sub_issue[1]: must reference 0 to 0",
        ),
        (
            vec![whole(), whole(), with(json!(["2"]))],
            "Invalid depends_on[2] in sub_issue[2]: must reference 0 to 1",
        ),
        (
            vec![with(json!([0]))],
            "Invalid depends_on[0] in sub_issue[0]: there is no earlier sub-issue",
        ),
        (
            vec![whole(), with(json!([-1]))],
            "Invalid depends_on[-1] in sub_issue[1]: must reference 0 to 0",
        ),
        (
            vec![whole(), with(json!(["bd-none"]))],
            "sub_issues[1]: Issue bd-none not found",
        ),
    ];
    for (plan, message) in cases {
        assert_eq!(
            agent.message(
                "task_decompose",
                json!({"epic_id": epic, "sub_issues": plan})
            ),
            message
        );
    }
    let mut urgent = whole();
    urgent["priority"] = json!("P9");
    let message = agent.message(
        "task_decompose",
        json!({"epic_id": epic, "sub_issues": [whole(), urgent]}),
    );
    assert!(
        message.starts_with("sub_issues[1]: `P9` is not a priority"),
        "{message}"
    );
    assert_eq!(
        agent.message(
            "task_decompose",
            json!({"epic_id": "bd-none", "sub_issues": [whole()]})
        ),
        "Issue bd-none not found"
    );
    assert_eq!(world.git(&["rev-parse", "refs/beads/main"]).ok(), before);
}

#[test]
fn refusals_say_what_to_call_next() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let a = agent.create("A", json!({}));
    let b = agent.create("B", json!({"depends_on": [a]}));
    let error = agent.refused("task_status", json!({"id": format!("{a}x")}));
    assert_eq!(error["message"], format!("Issue {a}x not found"));
    assert!(
        error["hint"]
            .as_str()
            .unwrap()
            .ends_with(&format!("task_status(id=\"{a}\")")),
        "{error}"
    );
    let cycle = agent.refused("task_link", json!({"id": a, "depends_on": [b]}));
    assert_eq!(cycle["code"], "cycle");
    for status in ["closed", "tombstone", "CLOSED"] {
        let error = agent.refused("task_progress", json!({"id": a, "status": status}));
        assert_eq!(
            error["message"],
            "task_progress does not close an issue; use task_done(id, reason)"
        );
        assert_eq!(
            error["hint"],
            format!("task_done(id=\"{a}\", reason=\"REASON\")")
        );
    }
    agent.call("task_done", json!({"id": a, "reason": "ok"}));
    let error = agent.refused("task_start", json!({"id": a}));
    assert_eq!(
        (&error["code"], &error["hint"]),
        (
            &json!("closed"),
            &json!(format!(
                "task_start(id=\"next\") takes another one; task_reopen(id=\"{a}\", reason=\"REASON\")"
            ))
        )
    );
    assert_eq!(
        agent.refused("task_reopen", json!({"id": b, "reason": "x"}))["code"],
        "not_closed"
    );
    let error = agent.refused("task_progress", json!({"id": b, "status": "waiting"}));
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .starts_with("`waiting` is not a status: open, in_progress")
    );
}

#[test]
fn a_repository_without_issues_says_so() {
    let world = World::new();
    let mut agent = Agent::new(&world);
    for (tool, arguments) in [
        ("task_status", json!({})),
        ("task_list", json!({})),
        ("task_create", whole()),
    ] {
        let error = agent.refused(tool, arguments);
        assert_eq!(
            (&error["code"], &error["hint"]),
            (&json!("no_store"), &json!("init()"))
        );
    }
    assert!(
        world.git(&["for-each-ref", "refs/beads"]).ok().is_empty(),
        "nothing is begun unasked"
    );
}

#[test]
fn the_deleted_and_the_closed_and_the_claimed_are_left_alone() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let (gone, other, closed) = (
        agent.create("Gone", json!({})),
        agent.create("Other", json!({})),
        agent.create("Closed", json!({})),
    );
    world.bd(&["delete", &gone]).ok();
    world.bd_as("bob", &["start", &other]).ok();
    world.bd(&["done", &closed]).ok();
    let before = world.git(&["rev-parse", "refs/beads/main"]).ok();
    for (tool, arguments) in [
        ("task_progress", json!({"id": gone, "findings": ["x"]})),
        ("task_progress", json!({"id": gone, "status": "open"})),
        ("task_update_meta", json!({"id": gone, "design": "x"})),
        ("task_link", json!({"id": gone, "depends_on": other})),
        ("task_start", json!({"id": gone})),
        ("task_done", json!({"id": gone, "reason": "x"})),
    ] {
        assert_eq!(
            agent.message(tool, arguments),
            format!("{gone} is deleted"),
            "{tool}"
        );
    }
    for status in ["open", "blocked", "in_progress"] {
        assert_eq!(
            agent.refused("task_progress", json!({"id": other, "status": status}))["code"],
            "claimed"
        );
        let error = agent.refused("task_progress", json!({"id": closed, "status": status}));
        assert_eq!(
            error["hint"],
            format!("task_reopen(id=\"{closed}\", reason=\"REASON\")")
        );
    }
    let texts = agent.refused("task_start", json!({"id": closed, "design": "dropped"}));
    assert_eq!(
        texts["message"],
        "task_start(id) takes no description, design or acceptance; use task_update_meta"
    );
    assert_eq!(
        agent.refused(
            "task_decompose",
            json!({"epic_id": closed, "sub_issues": [whole()]})
        )["code"],
        "closed"
    );
    assert_eq!(
        world.git(&["rev-parse", "refs/beads/main"]).ok(),
        before,
        "nothing was written"
    );
}

#[test]
fn what_would_never_end_is_refused() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let epic = agent.create("Epic", json!({"type": "Epic"}));
    let mut waits = whole();
    waits["depends_on"] = json!([epic]);
    let error = agent.refused(
        "task_decompose",
        json!({"epic_id": epic, "sub_issues": [waits.clone()]}),
    );
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains(&format!("is part of {epic}, which ends with its parts")),
        "{error}"
    );
    waits["parent"] = json!(epic);
    assert_eq!(agent.refused("task_create", waits)["code"], "cycle");
    let child = agent.create("Child", json!({"parent": epic}));
    assert_eq!(
        agent.refused("task_link", json!({"id": child, "depends_on": epic}))["code"],
        "cycle"
    );
    let mut numbered = whole();
    numbered["depends_on"] = json!([0]);
    assert!(agent.refused("task_create", numbered)["kind"] == "error");
    // A word in another case is the same word.
    let other = agent.create("Other", json!({}));
    agent.call(
        "task_link",
        json!({"id": other, "depends_on": child, "dep_type": "Blocks"}),
    );
    assert_eq!(
        agent.call("task_list", json!({"mode": "blocked"}))["kind"],
        "summary"
    );
    assert_eq!(
        agent.call("task_list", json!({"mode": "list", "type": "EPIC"}))["kind"],
        "summary"
    );
    agent.call("task_done", json!({"id": child, "reason": "ok"}));
    assert_eq!(
        agent.call("task_status", json!({"id": epic}))["issue"]["status"],
        "closed"
    );
}

#[test]
fn a_single_child_of_somebody_else_is_not_started() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let epic = agent.create("Epic", json!({"type": "epic"}));
    let mut theirs = whole();
    theirs["assignee"] = json!("bob");
    let made = agent.call(
        "task_decompose",
        json!({"epic_id": epic, "sub_issues": [theirs]}),
    );
    assert!(made.get("started_child_id").is_none(), "{made}");
    assert_eq!(
        agent.message("task_start", json!({"user_request": "\u{200b}\u{200b}"})),
        "task_start requires id or user_request"
    );
}
