//! Texts of a commit from a remote: each output has the limits by which they are written, and no character that steers.

use serde_json::json;

use super::HUB;
use super::forge::{literally, raw_commit};
use crate::clients::mcp::Agent;
use crate::support::World;
use crate::support::clones::{create, sync, tip, two_clones};
use crate::support::hand::{REF, git, uid};

/// Points the hub's ref to its last operation, made again with another message.
fn said_again(world: &World, message: &str) {
    let tree = git(world, HUB, &["rev-parse", &format!("{REF}^{{tree}}")]);
    let parent = git(world, HUB, &["rev-parse", &format!("{REF}^")]);
    let who = "author E <e> 1795173601 +0000\ncommitter E <e> 1795173601 +0000";
    let made = raw_commit(
        world,
        &tree,
        &format!("parent {parent}\n{who}\n\n{message}"),
    );
    git(world, HUB, &["update-ref", REF, &made]);
}

#[test]
fn no_output_is_longer_than_what_is_written() {
    let (long, steers) = ("y".repeat(100_000), "\u{0}\u{1b}]0;t\u{7}\u{9b}\u{7f}");
    for text in [
        long.clone(),
        format!("{steers}{long}"),
        format!("z {long} z"),
    ] {
        let world = two_clones();
        let id = create(&world, "a", &["news"]);
        sync(&world, &["a"]);
        let uid = uid(&world, "a", &id);
        said_again(
            &world,
            &format!(
                "create {id}: {text}\n\nIssues: {uid}\nActor: {text}\nAgent: {text}\nSession: {text}\nGoal: {text}\n\
                 Memory: {text}\nConstraints: {text}\nYield: {uid} {text} {text}\n"
            ),
        );
        for line in [
            "sync",
            "sync --json",
            "whats-new",
            "whats-new --json",
            "log",
            "log --json",
            "log ID",
            "log -p ID",
            "people",
            "people --json",
            "context",
            "prime",
            "prime --hook-json",
            "status",
            "show ID",
            "show ID --json",
            "blame ID",
            "blame ID --json",
            "watch --since 2001-01-01 -n 1",
            "watch --since 2001-01-01 -n 1 --json",
            "undo --dry-run",
            "search yyyy",
            "log --author z",
            "diff @~1",
            "stats",
            "board",
            "export --html",
            "export",
            "doctor",
        ] {
            let line: Vec<&str> = line
                .split(' ')
                .map(|word| if word == "ID" { &id } else { word })
                .collect();
            let output = world.bd_in("b", &line);
            let all = format!("{}{}", output.stdout, output.stderr);
            let longest = all.split(|c: char| c != 'y').map(str::len).max().unwrap();
            assert!(longest <= 1000, "{line:?}: {longest}");
            let steers = |c: char| c.is_control() && !"\n\t".contains(c);
            assert!(!all.contains(steers), "{line:?}: {all:.2000?}");
        }
        assert_eq!(tip(&world, "b"), tip(&world, HUB));
        let mut agent = Agent::in_folder(&world, "b", &["--profile", "full"]);
        for (tool, arguments) in [
            ("log", json!({})),
            ("log", json!({"issue_id": id})),
            ("task_status", json!({"id": id})),
        ] {
            let (text, _) = agent.raw(tool, &arguments);
            assert!(text.len() < 10_000, "{tool}: {text}");
        }
    }
}

/// A commit of the user's own branch, as a pull brings it.
#[test]
fn the_subject_of_a_commit_that_names_an_issue_is_limited_too() {
    let world = two_clones();
    let id = create(&world, "a", &["named"]);
    let tree = git(&world, "a", &["rev-parse", "HEAD^{tree}"]);
    let who = "author E <e> 1795173601 +0000\ncommitter E <e> 1795173601 +0000";
    let subject = format!("\u{1b}{}\n\nBead: {id}", "y".repeat(50_000));
    let made = literally(
        &world,
        "commit",
        format!("tree {tree}\n{who}\n\n{subject}\n").as_bytes(),
    );
    git(&world, HUB, &["update-ref", "refs/heads/main", &made]);
    git(&world, "a", &["fetch", "-q", "origin"]);
    for line in [
        &["show", &id][..],
        &["show", &id, "--json"],
        &["list", "--landed"],
    ] {
        let said = world.bd_in("a", line).ok();
        assert!(
            said.len() < 2000 && !said.contains(['\u{0}', '\u{1b}']),
            "{said:.2000}"
        );
    }
    assert!(world.bd_in("a", &["show", &id]).ok().contains("yyyy"));
}
