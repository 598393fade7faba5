//! What `stats` says was begun, closed and opened again follows from what operations did, whatever they are called.

use serde_json::{Value, json};

use crate::clients::mcp::Agent;
use crate::support::World;
use crate::support::look::{named, quiet};

fn stats(world: &World) -> Value {
    world.bd(&["stats", "--json"]).json()
}

/// How many are closed, of how many of them the beginning is known, and how many were opened again.
#[track_caller]
fn turned(world: &World, closed: u64, begun: u64, reopened: u64) {
    let answer = stats(world);
    let told = |value: &Value| value.as_u64().unwrap_or(0);
    let found = (
        told(&answer["closed"]),
        told(&answer["cycle_time"]["from_start"]),
        told(&answer["reopened"]),
    );
    assert_eq!(
        found,
        (closed, begun, reopened),
        "closed, begun, opened again: {answer}"
    );
}

/// Who closed something, with how much of it.
fn closers(world: &World) -> Vec<(String, u64)> {
    let actors = stats(world)["actors"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let share = |actor: &Value| {
        (
            actor["name"].as_str().unwrap().to_owned(),
            actor["closed"].as_u64().unwrap(),
        )
    };
    actors
        .iter()
        .map(share)
        .filter(|(_, closed)| *closed > 0)
        .collect()
}

fn by(name: &str, closed: u64) -> (String, u64) {
    (name.to_owned(), closed)
}

#[test]
fn a_status_can_be_set_by_any_verb() {
    let world = World::with_store();
    for id in ["bd-a", "bd-b", "bd-c"] {
        named(&world, id, &["x"]);
    }
    world.bd(&["update", "bd-a", "-s", "in_progress"]).ok();
    world
        .bd(&["note", "bd-b", "--finding", "f", "--status", "in_progress"])
        .ok();
    let mut agent = Agent::new(&world);
    agent.call(
        "task_progress",
        json!({"id": "bd-c", "status": "in_progress"}),
    );
    for id in ["bd-a", "bd-b", "bd-c"] {
        world.bd_as("cy", &["update", id, "-s", "closed"]).ok();
    }
    turned(&world, 3, 3, 0);
    assert_eq!(closers(&world), [by("cy", 3)]);

    world.bd(&["update", "bd-a", "-s", "open"]).ok();
    // To start what is closed is refused, also as a change of the field.
    let _ = world.bd(&["update", "bd-b", "-s", "in_progress"]).fails(3);
    world.bd(&["update", "bd-b", "-s", "open"]).ok();
    agent.call("task_reopen", json!({"id": "bd-c", "reason": "no"}));
    turned(&world, 0, 0, 3);
    world.bd(&["delete", "bd-a"]).ok();
    world.bd(&["restore", "bd-a"]).ok();
    world.bd(&["update", "bd-b", "-p", "1"]).ok();
    turned(&world, 0, 0, 3);
}

#[test]
fn what_says_no_other_status_turns_nothing() {
    let world = World::with_store();
    let id = world.create(&["x"]);
    world.bd(&["done", &id]).ok();
    world.bd_as("bob", &["note", &id, "--comment", "nice"]).ok();
    world.bd_as("bob", &["update", &id, "-p", "0"]).ok();
    world.bd(&["delete", &id]).ok();
    world.bd(&["restore", &id]).ok();
    turned(&world, 1, 0, 0);
    assert_eq!(closers(&world), [by("Ann", 1)]);
}

#[test]
fn an_operation_on_many_issues_counts_for_each() {
    let world = World::with_store();
    let record = |n: usize| json!({"id": format!("x-{n}"), "title": "t", "created_at": "2026-11-01T00:00:00Z", "updated_at": "2026-11-01T00:00:00Z"});
    let lines: String = (0..150).map(|n| format!("{}\n", record(n))).collect();
    world.bd_with(lines, &["import", "-"]).ok();
    let ids = quiet(&world, &["list", "-n", "0"]);
    let all = |status: &str| {
        let mut args = vec!["update", "-s", status];
        args.extend(ids.iter().map(String::as_str));
        world.bd_as("bob", &args).ok();
    };
    turned(&world, 0, 0, 0);
    all("in_progress");
    all("closed");
    turned(&world, 150, 150, 0);
    assert_eq!(closers(&world), [by("bob", 150)]);
    all("open");
    turned(&world, 0, 0, 150);
}

#[test]
fn what_was_taken_back_did_not_happen() {
    let world = World::with_store();
    for id in ["bd-a", "bd-b"] {
        named(&world, id, &["x"]);
    }
    world.bd_as("bob", &["done", "bd-a", "bd-b"]).ok();
    world.bd(&["reopen", "bd-a", "-r", "no"]).ok();
    turned(&world, 1, 0, 1);
    world.bd(&["undo"]).ok();
    turned(&world, 2, 0, 0);
    assert_eq!(
        closers(&world),
        [by("bob", 2)],
        "the close that stands again is still bob's"
    );
    world.bd(&["undo", "@"]).ok();
    turned(&world, 1, 0, 1);

    world.bd_as("cy", &["start", "bd-a"]).ok();
    world.bd_as("cy", &["undo"]).ok();
    world.bd(&["done", "bd-a"]).ok();
    turned(&world, 2, 0, 1);
}

#[test]
fn what_an_undo_leaves_alone_did_happen() {
    let world = World::with_store();
    let id = world.create(&["x"]);
    world.bd_as("cy", &["start", &id]).ok();
    world.bd_as("bob", &["done", &id]).ok();
    let start =
        world.bd(&["log", &id, "-n", "2", "--json"]).json()["operations"][1]["commit"].clone();
    world.bd(&["undo", start.as_str().unwrap()]).ok();
    turned(&world, 1, 1, 0);
}

#[test]
fn an_import_can_open_again() {
    let world = World::with_store();
    let record = |status: &str, day: u8| {
        let line = json!({"id": "x-1", "title": "t", "status": status, "created_at": "2026-11-01T00:00:00Z", "updated_at": format!("2026-11-0{day}T00:00:00Z")});
        world.bd_with(format!("{line}\n"), &["import", "-"]).ok();
    };
    record("closed", 1);
    turned(&world, 1, 0, 0);
    record("in_progress", 2);
    turned(&world, 0, 0, 1);
}

#[test]
fn what_happened_in_another_clone_is_counted_once() {
    let world = World::with_store();
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    world.git(&["remote", "add", "origin", "../hub.git"]).ok();
    for id in ["bd-a", "bd-b", "bd-c"] {
        named(&world, id, &["x"]);
    }
    world.bd(&["sync"]).ok();
    world.bd_in(".", &["clone", "hub.git", "other"]).ok();
    world
        .bd_in(
            "other",
            &[
                "--actor",
                "bob",
                "update",
                "bd-a",
                "bd-b",
                "-s",
                "in_progress",
            ],
        )
        .ok();
    world
        .bd_in(
            "other",
            &["--actor", "bob", "update", "bd-a", "bd-b", "-s", "closed"],
        )
        .ok();
    world.bd_as("cy", &["done", "bd-b", "-r", "here too"]).ok();
    world.bd(&["done", "bd-c"]).ok();
    for folder in ["other", "repo", "other"] {
        world.bd_in(folder, &["sync"]).ok();
    }
    let there = world.bd_in("other", &["stats", "--json"]).json();
    assert_eq!(there["reopened"], 0, "{there}");
    turned(&world, 3, 2, 0);
    assert_eq!(
        closers(&world),
        [by("Ann", 1), by("bob", 1), by("cy", 1)],
        "the later of two closes stands"
    );
}

/// Makes the last commit again, with another message.
fn retold(world: &World, message: &str) {
    let tree = world.git(&["rev-parse", "refs/beads/main^{tree}"]).ok();
    let then = world
        .git(&["log", "-1", "--format=%cI", "refs/beads/main"])
        .ok();
    let args = [
        "commit-tree",
        tree.trim(),
        "-p",
        "refs/beads/main^",
        "-m",
        message,
    ];
    let mut command = world.command("repo", "git", &args);
    command.env("GIT_COMMITTER_DATE", then.trim());
    let commit = world.run(command, None).ok();
    world
        .git(&["update-ref", "refs/beads/main", commit.trim()])
        .ok();
}

#[test]
fn what_another_program_wrote_is_looked_up() {
    let world = World::with_store();
    let id = world.create(&["x"]);
    for status in ["in_progress", "closed", "open", "closed"] {
        world.bd_as("bob", &["update", &id, "-s", status]).ok();
        retold(&world, "by another program");
    }
    turned(&world, 1, 1, 1);
    assert_eq!(closers(&world), [by("bob", 1)]);
}

#[test]
fn an_older_commit_is_known_by_its_verb() {
    let world = World::with_store();
    let id = world.create(&["x"]);
    let uid = world.bd(&["show", &id, "--json"]).json()["issue"]["uid"]
        .as_str()
        .unwrap()
        .to_owned();
    for (verb, then) in [("start", "done"), ("reopen", "done")] {
        world
            .bd(&[verb, &id, "-r", "why"][..if verb == "start" { 2 } else { 4 }])
            .ok();
        retold(
            &world,
            &format!("{verb} {id}: x\n\nIssues: {uid}\nActor: Ann\n"),
        );
        world.bd(&[then, &id]).ok();
    }
    turned(&world, 1, 1, 1);
}
