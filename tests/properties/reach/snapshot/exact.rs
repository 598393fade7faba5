//! What is written on top of a snapshot, and what was written beside it: nothing is a conflict that is none, and nothing that
//! was settled comes back.

use super::{begun, connect, git, lead, publish, roots, sandbox};
use crate::properties::reach::{export, work};
use crate::support::World;
use crate::support::clones::{create, sync, tip};

/// Exchanges until nothing is left to send, and compares.
#[track_caller]
fn settle(world: &World, clones: &[&str]) {
    sync(world, clones);
    sync(world, clones);
    for clone in clones {
        let idle = world.bd_in(clone, &["sync"]).ok();
        assert!(
            idle.starts_with("origin: 0 changes sent, 0 changes received"),
            "{idle}"
        );
        assert_eq!(export(world, clone), export(world, clones[0]), "{clone}");
        world.bd_in(clone, &["doctor"]).ok();
    }
}

fn conflicts(world: &World, clone: &str) -> String {
    world.bd_in(clone, &["conflicts"]).ok()
}

const NONE: &str = "no conflicts\n";

#[test]
fn a_value_that_was_changed_with_knowledge_of_the_one_before_is_no_conflict() {
    for sandbox_first in [true, false] {
        let (world, issues) = lead();
        begun(&world, "s");
        world.bd_in("s", &["update", &issues[0], "-p", "0"]).ok();
        world
            .bd_in("s", &["update", &issues[1], "-d", "from the sandbox"])
            .ok();
        // Beside it: another field, another issue, and an issue that the snapshot lacks.
        world
            .bd_in("a", &["update", &issues[0], "--title", "X"])
            .ok();
        world
            .bd_in("a", &["reopen", &issues[2], "-r", "again"])
            .ok();
        create(&world, "a", &["z"]);
        connect(&world, "s");
        let order = if sandbox_first {
            ["s", "a"]
        } else {
            ["a", "s"]
        };
        sync(&world, &order);
        let said = world.bd_in("s", &["sync", "--json"]).json();
        assert_eq!(said["conflicts"], 0, "{said}");
        settle(&world, &["a", "s", "b"]);
        for clone in ["a", "s"] {
            assert_eq!(conflicts(&world, clone), NONE, "{sandbox_first}");
            let shown = world.bd_in(clone, &["show", &issues[0], "--json"]).json();
            let issue = shown.to_string();
            assert!(issue.contains("\"priority\":0"), "{issue}");
            assert!(issue.contains("\"title\":\"X\""), "{issue}");
        }
    }
}

#[test]
fn what_was_really_written_at_the_same_time_is_still_one() {
    let (world, issues) = lead();
    begun(&world, "s");
    world.bd_in("s", &["update", &issues[0], "-d", "here"]).ok();
    world
        .bd_in("a", &["update", &issues[0], "-d", "there"])
        .ok();
    connect(&world, "s");
    sync(&world, &["a", "s"]);
    settle(&world, &["a", "s"]);
    assert!(conflicts(&world, "a").contains("description"));
    let settled = ["resolve", &issues[0], "description", "--take", "1"];
    world.bd_in("a", &settled).ok();
    settle(&world, &["a", "s"]);
    assert_eq!(conflicts(&world, "s"), NONE);
    // The next sandbox begins from the older snapshot, and what was settled stays so.
    begun(&world, "t");
    world.bd_in("t", &["note", &issues[1], "seen"]).ok();
    connect(&world, "t");
    sync(&world, &["t", "a"]);
    settle(&world, &["a", "s", "t"]);
    assert_eq!(conflicts(&world, "t"), NONE);
}

#[test]
fn a_deletion_and_a_purge_are_not_undone() {
    let (world, issues) = lead();
    begun(&world, "s");
    world.bd_in("s", &["note", &issues[1], "seen"]).ok();
    world.bd_in("a", &["delete", &issues[0]]).ok();
    world.bd_in("a", &["purge", "--yes", &issues[1]]).ok();
    sync(&world, &["a"]);
    connect(&world, "s");
    settle(&world, &["s", "a"]);
    let listed = world.bd_in("s", &["list", "-q"]).ok();
    assert!(
        !listed.contains(&issues[0]) && !listed.contains(&issues[1]),
        "{listed}"
    );
    assert!(!export(&world, "s").contains("seen"));
}

#[test]
fn a_clone_that_did_nothing_takes_what_others_have_as_it_is() {
    let (world, issues) = lead();
    begun(&world, "s");
    connect(&world, "s");
    world.bd_in("a", &["note", &issues[0], "later"]).ok();
    sync(&world, &["a"]);
    let said = world.bd_in("s", &["sync"]).ok();
    assert_eq!(said, "origin: 0 changes sent, 1 change received\n");
    assert_eq!(tip(&world, "s"), tip(&world, "a"));
    settle(&world, &["a", "s"]);
}

#[test]
fn only_what_was_done_is_counted_and_everything_arrives() {
    let (world, issues) = lead();
    sandbox(&world, "s");
    work(&world, "s", &issues);
    connect(&world, "s");
    let said = world.bd_in("s", &["sync"]).ok();
    assert_eq!(said, "origin: 4 changes sent, 0 changes received\n");
    let said = world.bd_in("a", &["sync"]).ok();
    assert_eq!(said, "origin: 0 changes sent, 4 changes received\n");
    settle(&world, &["a", "s", "b"]);
    assert_eq!(roots(&world, "a"), 2);
    // What was here before has its author and its commit again.
    assert_eq!(
        world.bd_in("s", &["blame", &issues[2]]).ok(),
        world.bd_in("a", &["blame", &issues[2]]).ok()
    );
    // A later snapshot of that history, and an older one at the same time.
    begun(&world, "old");
    publish(&world);
    begun(&world, "new");
    for name in ["old", "new"] {
        world
            .bd_in(name, &["update", &issues[0], "--add-label", name])
            .ok();
        connect(&world, name);
    }
    sync(&world, &["new", "old"]);
    settle(&world, &["a", "old", "new"]);
    assert_eq!(conflicts(&world, "a"), NONE);
}

#[test]
fn work_that_was_known_from_the_snapshot_is_not_lost_to_itself() {
    let (world, issues) = lead();
    world.bd_in("a", &["start", &issues[0]]).ok();
    sync(&world, &["a"]);
    publish(&world);
    begun(&world, "s");
    // A person may close what others work on; an agent that takes it over knows whose it is.
    let bob = |args: &[&str]| world.bd_in("s", &[&["--actor", "Bob"], args].concat());
    bob(&["done", &issues[0], "-r", "fixed in the sandbox", "--force"]).ok();
    connect(&world, "s");
    world.bd_in("a", &["note", &issues[1], "meanwhile"]).ok();
    sync(&world, &["a"]);
    let said = bob(&["sync", "--json"]).json();
    assert_eq!(said["claims_lost"], serde_json::Value::Null, "{said}");
    settle(&world, &["s", "a"]);
    let shown = world.bd_in("a", &["show", &issues[0]]).ok();
    assert!(
        shown.contains("fixed in the sandbox") && shown.contains("closed"),
        "{shown}"
    );
}

#[test]
fn the_first_commit_is_a_part_and_is_not_taken_back() {
    let (world, issues) = lead();
    begun(&world, "s");
    world.bd_in("s", &["note", &issues[0], "here"]).ok();
    let first = git(
        &world,
        "s",
        &["rev-list", "--max-parents=0", "refs/beads/main"],
    );
    let error =
        crate::support::clones::failed(world.bd_in("s", &["undo", first.trim(), "--json"]), 3);
    assert_eq!(error["code"], "cut", "{error}");
    assert_eq!(world.bd_in("s", &["list", "-q"]).ok().lines().count(), 2);
    let blame = world.bd_in("s", &["blame", &issues[0]]).ok();
    assert!(
        blame.contains("- 2026-"),
        "older values have no commit here: {blame}"
    );
}
