//! The first command in the sandbox of a hosted agent, as its set-up step says, finds the issues; on any other machine it asks no
//! one, whatever a vendor's variables say.

use super::export;
use crate::clients::mcp::Agent;
use crate::properties::leases::talks;
use crate::support::clones::{bare_clones, create, script, sync};
use crate::support::older::write_snapshot;
use crate::support::{World, binary};

/// A hub with a store of one issue, and its id.
fn with_store() -> (World, String) {
    let world = bare_clones(&["a"]);
    world.bd_in("a", &["init"]).ok();
    let id = create(&world, "a", &["Wire cache"]);
    sync(&world, &["a"]);
    (world, id)
}

fn clone(world: &World, name: &str) {
    let url = format!("file://{}", world.path("hub.git").display());
    let args = [
        "clone",
        "--quiet",
        "--depth=1",
        "--single-branch",
        &url,
        name,
    ];
    world.git_in(".", &args).ok();
}

#[test]
fn the_first_command_of_a_sandbox_joins_the_store_of_the_remote() {
    let (mut world, id) = with_store();
    clone(&world, "laptop");
    let nothing = world.bd_in("laptop", &["list"]);
    assert_eq!(nothing.code, 4, "{nothing:?}");
    world.set("GIT_BEADS_SANDBOX", "1");
    for first in [
        &["list", "-q"][..],
        &["create", "Another", "-q"],
        &["show", &id],
    ] {
        let name = first[0];
        clone(&world, name);
        let output = world.bd_in(name, first);
        assert_eq!(output.code, 0, "{first:?} {output:?}");
        let said = "warning: the issues of origin were found there\n";
        assert_eq!(output.stderr, said, "{first:?}");
        let listed = world.bd_in(name, &["list", "-q"]).ok();
        assert!(listed.contains(&id), "{listed}");
        assert_eq!(talks(&world, name, &["list"]), [""; 0]);
    }
    let place = world.bd_in("list", &["where", "--json"]).json();
    assert_eq!(place["sandbox"], "other", "{place}");
    // What a vendor sets says nothing.
    world
        .set("GIT_BEADS_SANDBOX", "0")
        .set("CLAUDE_CODE_REMOTE", "true")
        .set("COPILOT_AGENT_SESSION_ID", "1");
    clone(&world, "no");
    assert_eq!(world.bd_in("no", &["list"]).code, 4);
}

#[test]
fn a_server_in_a_sandbox_finds_the_store_with_its_first_call() {
    let (mut world, id) = with_store();
    world.set("GIT_BEADS_SANDBOX", "1");
    clone(&world, "c");
    let mut agent = Agent::start(world.command("c", binary(), &["mcp"]));
    let answer = agent.call("task_list", serde_json::json!({"mode": "ready"}));
    assert!(answer.to_string().contains(&id), "{answer}");
}

#[test]
fn a_remote_without_a_store_is_asked_once() {
    let mut world = bare_clones(&["a"]);
    world.set("GIT_BEADS_SANDBOX", "1");
    let log = world.path("asked").display().to_string();
    let upload = script(
        &world,
        "upload",
        &format!("echo x >>'{log}'; exec git-upload-pack \"$@\""),
    );
    let key = ["config", "remote.origin.uploadpack", &upload];
    world.git_in("a", &key).ok();
    let asked = || {
        std::fs::read_to_string(&log)
            .unwrap_or_default()
            .lines()
            .count()
    };
    assert_eq!(world.bd_in("a", &["list"]).code, 4);
    let first = asked();
    assert!(first > 0);
    for command in [&["list"][..], &["ready"], &["create", "x"]] {
        assert_eq!(world.bd_in("a", command).code, 4, "{command:?}");
    }
    assert_eq!(asked(), first);
    // Who begins a store asks again.
    world.bd_in("a", &["init"]).ok();
    assert!(asked() > first);
}

#[test]
fn a_remote_that_does_not_answer_leaves_a_sandbox_without_issues() {
    let (mut world, _) = with_store();
    world.set("GIT_BEADS_SANDBOX", "1");
    clone(&world, "c");
    std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
    let output = world.bd_in("c", &["list"]);
    assert_eq!(output.code, 4, "{output:?}");
    let refused = world.bd_in("c", &["init"]);
    assert_eq!(refused.code, 5, "{refused:?}");
    assert!(
        refused.stderr.contains("git beads init --new"),
        "{refused:?}"
    );
    std::fs::rename(world.path("away.git"), world.path("hub.git")).unwrap();
    world.bd_in("c", &["init"]).ok();
    assert_eq!(export(&world, "c"), export(&world, "a"));
}

/// A sandbox as that of Codex, cloned from a repository: no remote, and the store of a set-up step.
fn codex(world: &mut World, name: &str, from: &str) {
    world.git_in(".", &["clone", "--quiet", from, name]).ok();
    let hub = world.path("hub.git").display().to_string();
    world.bd_in(name, &["init", "--from", &hub]).ok();
    world.git_in(name, &["config", "beads.carry", "true"]).ok();
    world.git_in(name, &["remote", "remove", "origin"]).ok();
    world.set("GIT_BEADS_SANDBOX", "1");
}

/// A sandbox `first`, whose task has left a finding in its branch.
fn first_task(world: &mut World, id: &str) {
    codex(world, "first", "hub.git");
    let note = ["note", id, "--finding", "seen by the first"];
    world.bd_in("first", &note).ok();
    world.bd_in("first", &["sync"]).ok();
    world.git_in("first", &["add", ".git-beads"]).ok();
    let commit = ["commit", "--quiet", "-m", "work"];
    world.git_in("first", &commit).ok();
}

#[test]
fn a_second_task_knows_what_the_first_one_did() {
    let (mut world, id) = with_store();
    first_task(&mut world, &id);
    // Its own file is no news.
    let again = world.bd_in("first", &["list", "-q"]);
    assert_eq!(again.stderr, "", "{again:?}");
    codex(&mut world, "second", "first");
    let shown = world.bd_in("second", &["show", &id]);
    assert!(shown.stdout.contains("seen by the first"), "{shown:?}");
    assert!(shown.stderr.contains("collected from HEAD"), "{shown:?}");
    let again = world.bd_in("second", &["show", &id]);
    assert_eq!(again.stderr, "", "{again:?}");
    // A file of a stranger is named once, and changes nothing.
    let folder = world.path("second/.git-beads/carry");
    std::fs::write(folder.join("20261122T121530Z-eve-00000000.jsonl"), "{}\n").unwrap();
    world.git_in("second", &["add", ".git-beads"]).ok();
    world
        .git_in("second", &["commit", "--quiet", "-m", "more"])
        .ok();
    let named = world.bd_in("second", &["list"]);
    assert!(named.stderr.contains("left alone"), "{named:?}");
    assert_eq!(world.bd_in("second", &["list"]).stderr, "");
}

#[test]
fn what_is_checked_out_changes_nothing_on_other_machines() {
    let (mut world, id) = with_store();
    first_task(&mut world, &id);
    codex(&mut world, "laptop", "first");
    world.set("GIT_BEADS_SANDBOX", "0");
    let shown = world.bd_in("laptop", &["show", &id]).ok();
    assert!(!shown.contains("seen by the first"), "{shown}");
    // With a remote they would leave by another way.
    world.set("GIT_BEADS_SANDBOX", "1");
    let hub = world.path("hub.git").display().to_string();
    world
        .git_in("laptop", &["remote", "add", "origin", &hub])
        .ok();
    let shown = world.bd_in("laptop", &["show", &id]).ok();
    assert!(!shown.contains("seen by the first"), "{shown}");
}

#[test]
fn a_sandbox_without_a_remote_begins_a_store_on_request_only() {
    let mut world = World::empty();
    world.git_in(".", &["init", "--quiet", "c"]).ok();
    world.set("GIT_BEADS_SANDBOX", "1");
    let refused = world.bd_in("c", &["init"]);
    assert_eq!(refused.code, 4, "{refused:?}");
    for hint in ["git beads init --from URL", "git beads init --new"] {
        assert!(refused.stderr.contains(hint), "{refused:?}");
    }
    assert_eq!(world.bd_in("c", &["list"]).code, 4);
    world.bd_in("c", &["init", "--new"]).ok();
}

#[test]
fn who_asks_anyway_asks_no_more_often_in_a_sandbox() {
    for first in [&["init"][..], &["prime", "--join"], &["sync"]] {
        let asked = ["0", "1"].map(|sandbox| {
            let mut world = bare_clones(&["a"]);
            world.set("GIT_BEADS_SANDBOX", sandbox);
            let mut command = world.command("a", binary(), first);
            let log = world.path("log");
            command.env("GIT_TRACE", &log);
            let _ = world.run(command, None);
            let log = std::fs::read_to_string(log).unwrap_or_default();
            log.lines()
                .filter(|line| line.contains("built-in: git fetch"))
                .count()
        });
        assert!(asked[0] > 0, "{first:?}");
        assert_eq!(asked[0], asked[1], "{first:?}");
    }
}

#[test]
fn a_remote_comes_before_a_snapshot() {
    let (mut world, id) = with_store();
    write_snapshot(&world, "a");
    for args in [
        &["add", ".git-beads"][..],
        &["commit", "--quiet", "-m", "Keep a snapshot"],
        &["push", "--quiet", "origin", "HEAD"],
    ] {
        world.git_in("a", args).ok();
    }
    world.bd_in("a", &["note", &id, "later"]).ok();
    sync(&world, &["a"]);
    for (name, sandbox, first) in [
        ("joined", "0", &["prime", "--join"][..]),
        ("declared", "1", &["list"]),
    ] {
        world.set("GIT_BEADS_SANDBOX", sandbox);
        clone(&world, name);
        let said = world.bd_in(name, first);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(!said.stderr.contains("snapshot"), "{said:?}");
        assert_eq!(export(&world, name), export(&world, "a"), "{name}");
    }
}
