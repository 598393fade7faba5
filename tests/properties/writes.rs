//! What all writing verbs have in common.

use std::fmt::Write as _;

use serde_json::json;

use crate::support::World;
use crate::support::look::{commits, memory};

/// A world in which every command of `WRITES` does something.
fn world() -> World {
    let world = World::new();
    let mut file = String::new();
    for (n, (id, status)) in [
        ("a", "open"),
        ("b", "open"),
        ("c", "open"),
        ("closed", "closed"),
        ("gone", "tombstone"),
        ("held", "blocked"),
    ]
    .iter()
    .enumerate()
    {
        let at = format!("2026-01-0{}T00:00:00Z", n + 1);
        let mut line = json!({"id": format!("bd-{id}"), "title": id, "status": status, "priority": 2,
            "issue_type": "task", "created_at": at, "updated_at": at});
        if *id == "c" {
            line["dependencies"] =
                json!([{"issue_id": "bd-c", "depends_on_id": "bd-b", "type": "blocks"}]);
        }
        let _ = writeln!(file, "{line}");
    }
    world.bd_with(file, &["init", "--import", "-"]).ok();
    world
}

/// Commands, each with the ids that `-q` prints.
const WRITES: [(&[&str], &str); 18] = [
    (&["update", "bd-a", "bd-b", "-p", "0"], "bd-a\nbd-b\n"),
    (&["start", "bd-a"], "bd-a\n"),
    (&["done", "bd-a"], "bd-a\n"),
    (&["done", "bd-a", "bd-b"], "bd-a\nbd-b\n"),
    (&["reopen", "bd-closed"], "bd-closed\n"),
    (&["block", "bd-a"], "bd-a\n"),
    (&["unblock", "bd-held"], "bd-held\n"),
    (&["defer", "bd-a"], "bd-a\n"),
    (&["delete", "bd-a"], "bd-a\n"),
    (&["restore", "bd-gone"], "bd-gone\n"),
    (&["rename", "bd-a", "bd-new"], "bd-new\n"),
    (&["dep", "add", "bd-a", "bd-b"], "bd-a\n"),
    (&["dep", "rm", "bd-c", "bd-b"], "bd-c\n"),
    (&["link", "bd-a", "bd-b"], "bd-a\n"),
    (&["label", "bd-a", "x"], "bd-a\n"),
    (&["assign", "bd-a", "Bob"], "bd-a\n"),
    (&["priority", "bd-a", "0"], "bd-a\n"),
    (&["ready", "--claim"], "bd-a\n"),
];

#[test]
fn quiet_prints_ids_only() {
    for (args, ids) in WRITES {
        let output = world().bd(&[args, &["-q"]].concat());
        assert_eq!(
            (output.stdout.as_str(), output.stderr.as_str()),
            (ids, ""),
            "{args:?}"
        );
    }
}

#[test]
fn every_write_says_what_to_do_next() {
    for (args, _) in WRITES {
        let text = world().bd(args).ok();
        // Its title follows on a line of its own.
        let mut lines = text.lines().rev().skip_while(|line| line.starts_with("  "));
        assert!(
            lines.next().unwrap().starts_with("next: "),
            "{args:?}: {text}"
        );
    }
}

#[test]
fn redact_says_what_to_do_next() {
    let world = world();
    world.bd(&["note", "bd-a", "--finding", "f"]).ok();
    let id = memory(&world, "bd-a")["findings"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let text = world.bd(&["redact", "bd-a", &id]).ok();
    assert!(text.contains("\nnext: git beads "), "{text}");
}

#[test]
fn every_write_is_one_commit_that_names_actor_and_issues() {
    for (args, _) in WRITES {
        let world = world();
        let before = commits(&world);
        world.bd_as("Zed", args).ok();
        assert_eq!(commits(&world), before + 1, "{args:?}");
        let message = world
            .git(&["log", "-1", "--format=%B", "refs/beads/main"])
            .ok();
        assert!(
            message.contains("\nIssues: 01") && message.contains("\nActor: Zed\n"),
            "{args:?}: {message}"
        );
    }
}

#[test]
fn a_write_touches_neither_work_tree_nor_branch_nor_index() {
    let world = world();
    world.file("repo/file", "mine");
    world.git(&["add", "file"]).ok();
    world.git(&["commit", "-qm", "first"]).ok();
    let state = |world: &World| {
        let status = world.git(&["status", "--porcelain", "--ignored"]).ok();
        (
            status,
            world.git(&["for-each-ref", "refs/heads", "refs/tags"]).ok(),
            world.git(&["rev-parse", "HEAD"]).ok(),
        )
    };
    let before = state(&world);
    for args in [
        &["create", "T"][..],
        &["start", "bd-a"],
        &["note", "bd-a", "x"],
        &["done", "bd-a"],
    ] {
        world.bd(args).ok();
    }
    assert_eq!(state(&world), before);
}

#[test]
fn every_id_that_is_unknown_fails_and_writes_nothing() {
    let world = world();
    let before = commits(&world);
    for (args, _) in WRITES {
        if args[0] == "ready" {
            continue;
        }
        let unknown: Vec<&str> = args
            .iter()
            .map(|arg| {
                if arg.starts_with("bd-") && *arg != "bd-new" {
                    "xx-9999"
                } else {
                    arg
                }
            })
            .collect();
        let error = world.bd(&unknown).fails(1);
        assert!(
            error.contains("Issue xx-9999 not found") && error.contains("hint: "),
            "{unknown:?}: {error}"
        );
    }
    assert_eq!(commits(&world), before);
}

#[test]
fn a_reason_is_shown_whatever_it_is_for() {
    for args in [
        ["done", "bd-a"],
        ["block", "bd-a"],
        ["reopen", "bd-closed"],
        ["delete", "bd-a"],
    ] {
        let world = world();
        world.bd(&[args[0], args[1], "-r", "because"]).ok();
        let shown = world.bd(&["show", args[1]]).ok();
        assert!(shown.contains("because"), "{args:?}: {shown}");
    }
}

#[test]
fn an_id_named_twice_counts_once() {
    for args in [
        &["done", "bd-a", "bd-a"][..],
        &["update", "bd-a", "a", "-p", "0"],
        &["delete", "bd-a", "bd-a"],
    ] {
        assert_eq!(
            world().bd(&[args, &["-q"]].concat()).ok(),
            "bd-a\n",
            "{args:?}"
        );
    }
}

#[test]
fn removing_a_dependency_of_another_type_says_how() {
    let world = world();
    world
        .bd(&["dep", "add", "bd-a", "bd-b", "-t", "related"])
        .ok();
    let error = world.bd(&["dep", "rm", "bd-a", "bd-b"]).fails(1);
    assert!(
        error.contains("hint: git beads dep rm bd-a --on bd-b -t related"),
        "{error}"
    );
}
