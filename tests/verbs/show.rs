//! `show`: everything about an issue.

use insta::assert_snapshot;

use crate::support::World;
use crate::support::look::{ids, issue, memory, named, quiet};

fn world() -> World {
    let world = World::with_store();
    named(&world, "bd-base", &["Base"]);
    named(
        &world,
        "bd-epic",
        &[
            "The epic", "-t", "epic", "-d", "What", "-D", "How", "-A", "When", "-l", "ui",
        ],
    );
    world.create(&["One", "--parent", "bd-epic"]);
    world.create(&["Two", "--parent", "bd-epic", "-p", "0"]);
    world.bd(&["dep", "add", "bd-epic", "--on", "bd-base"]).ok();
    world.bd(&["done", "bd-epic.1", "-r", "as planned"]).ok();
    world
        .bd(&[
            "note",
            "bd-epic",
            "--finding",
            "slow",
            "--decision",
            "a cache",
            "hello",
        ])
        .ok();
    world
}

#[test]
fn a_status_of_two_lines_is_shown_on_one() {
    let world = World::with_store();
    let lines = concat!(
        r#"{"id":"x-1","title":"t","status":"s\nreason: forged"}"#,
        "\n",
        r#"{"id":"x-2","title":"t","dependencies":[{"issue_id":"x-2","depends_on_id":"x-1","type":"blocks"}]}"#,
    );
    world.bd_with(lines, &["import", "-"]).ok();
    for args in [
        &["show", "x-1"][..],
        &["show", "x-2"],
        &["dep", "tree", "x-2"],
    ] {
        let shown = world.bd(args).ok();
        let forged = shown.lines().find(|line| line.starts_with("reason:"));
        assert_eq!(forged, None, "{shown}");
        assert!(shown.contains("s reason: forged"), "{shown}");
    }
}

#[test]
fn it_tells_everything() {
    let world = world();
    let text = world.bd(&["show", "bd-epic"]).ok();
    let memory = memory(&world, "bd-epic");
    let mut text = text;
    for kind in ["findings", "decisions", "comments"] {
        let id = memory[kind][0]["id"].as_str().unwrap();
        text = text.replace(&id[id.len() - 6..], "ENDING");
    }
    assert_snapshot!(text, @"
    bd-epic The epic
    P2 epic open, created 2026-11-20 by Ann, changed just now
    labels: ui
    blocked by: bd-base [open] Base

    children (1 of 2 done)
    bd-epic.1 P2 closed task One
    bd-epic.2 P0 open task Two

    description
    What

    design
    How

    acceptance
    When

    findings
    - slow (Ann, 2026-11-20, ENDING)

    decisions
    - a cache (Ann, 2026-11-20, ENDING)

    comments
    Ann, 2026-11-20 11:20 +0000 (ENDING)
      hello
    ");
}

#[test]
fn dependencies_are_shown_on_both_sides() {
    let world = world();
    let (epic, base) = (issue(&world, "bd-epic"), issue(&world, "bd-base"));
    assert_eq!(ids(&epic["dependencies"]), ["bd-base"]);
    assert_eq!(ids(&base["dependents"]), ["bd-epic"]);
    for (link, title) in [
        (&epic["dependencies"][0], "Base"),
        (&base["dependents"][0], "The epic"),
    ] {
        assert_eq!(
            (&link["type"], &link["title"], &link["status"]),
            (&"blocks".into(), &title.into(), &"open".into())
        );
    }
}

#[test]
fn children_come_with_their_state() {
    let epic = issue(&world(), "bd-epic");
    assert_eq!(ids(&epic["children"]), ["bd-epic.1", "bd-epic.2"]);
    assert_eq!(
        (
            &epic["children"][0]["status"],
            &epic["children"][1]["priority"]
        ),
        (&"closed".into(), &0.into())
    );
}

#[test]
fn ready_children_are_those_of_the_ready_queue() {
    let world = world();
    let later = world.create(&["Later", "--parent", "bd-epic"]);
    world.bd(&["update", &later, "--defer", "2027-01-02"]).ok();
    let below = world.create(&["Below", "-t", "epic", "--parent", "bd-epic"]);
    world.create(&["Leaf", "--parent", &below]);
    let ready = quiet(&world, &["ready", "--parent", "bd-epic"]);
    assert_eq!(ready, ["bd-epic.2"]);
    assert_eq!(ids(&issue(&world, "bd-epic")["ready_children"]), ready);
}

#[test]
fn a_closed_issue_says_why_and_when() {
    let child = issue(&world(), "bd-epic.1");
    assert_eq!(
        (&child["reason"], &child["parent"]),
        (&"as planned".into(), &"bd-epic".into())
    );
    assert!(child["closed_at"].is_string());
}

#[test]
fn several_issues_come_in_the_order_asked_for() {
    let world = world();
    let answer = world.bd(&["show", "bd-epic.2", "bd-base", "--json"]).json();
    let shown: Vec<&str> = answer["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|shown| shown["issue"]["id"].as_str().unwrap())
        .collect();
    assert_eq!(shown, ["bd-epic.2", "bd-base"]);
    let text = world.bd(&["show", "bd-epic.2", "bd-base"]).ok();
    assert!(
        text.starts_with("bd-epic.2 Two\n") && text.contains("\n\nbd-base Base\n"),
        "{text}"
    );
    let _ = world.bd(&["show", "bd-base", "bd-nothing"]).fails(1);
    let _ = world.bd(&["show"]).fails(2);
}

#[test]
fn memory_has_entries_with_author_and_time() {
    let memory = memory(&world(), "bd-epic");
    assert_eq!(memory["findings"][0]["text"], "slow");
    assert_eq!(memory["decisions"][0]["text"], "a cache");
    assert_eq!(memory["comments"][0]["text"], "hello");
    assert_eq!(memory["comments"][0]["by"], "Ann");
    assert!(
        memory["comments"][0]["at"]
            .as_str()
            .unwrap()
            .starts_with("2026-11-20T11:2")
    );
}

#[test]
fn memory_can_be_cut_to_the_newest() {
    let world = world();
    for text in ["b", "c", "d"] {
        world.bd(&["note", "bd-epic", "--finding", text]).ok();
    }
    let shown = world
        .bd(&["show", "bd-epic", "--memory", "2", "--json"])
        .json();
    let texts: Vec<&str> = shown["memory"]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["c", "d"]);
    assert!(
        world
            .bd(&["show", "bd-epic", "--memory", "2"])
            .ok()
            .contains("(2 older entries")
    );
    let none = world
        .bd(&["show", "bd-epic", "--memory", "0", "--json"])
        .json();
    assert!(none["memory"].get("findings").is_none(), "{none}");
}

#[test]
fn nothing_that_is_empty_is_sent() {
    let shown = world().bd(&["show", "bd-base", "--json"]).json();
    assert!(shown.get("memory").is_none());
    for absent in [
        "description",
        "labels",
        "assignee",
        "parent",
        "children",
        "reason",
        "conflicts",
    ] {
        assert!(shown["issue"].get(absent).is_none(), "{absent}");
    }
}

#[test]
fn a_deleted_issue_can_be_shown() {
    let world = world();
    world.bd(&["delete", "bd-base"]).ok();
    assert_eq!(issue(&world, "bd-base")["status"], "tombstone");
}

#[test]
fn an_entry_names_the_agent_that_wrote_it() {
    let world = World::with_store();
    let id = world.create(&["T"]);
    world
        .bd(&["--agent", "claude-3f2ak", "note", &id, "--finding", "seen"])
        .ok();
    world.bd(&["--agent", "claude-3f2ak", "start", &id]).ok();
    let shown = world.bd(&["show", &id, "--json"]).json();
    assert_eq!(shown["memory"]["findings"][0]["agent"], "claude-3f2ak");
    assert_eq!(shown["issue"]["claim"]["by"], "Ann/claude-3f2ak");
    let text = world.bd(&["show", &id]).ok();
    assert!(text.contains("- seen (Ann/claude-3f2ak, 20"), "{text}");
    let status = world.bd(&["status", "--json"]).json();
    assert_eq!(
        status["in_progress"][0]["last_note"]["agent"],
        "claude-3f2ak"
    );
    let text = world.bd(&["status"]).ok();
    assert!(text.contains("finding: seen (Ann/claude-3f2ak, "), "{text}");
}
