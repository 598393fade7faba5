//! Snapshot files: a clone that has no remote and no ref of issues begins from what its commit brings along, and all that it
//! does joins exactly with the whole store.

mod exact;
mod hostile;

use serde_json::json;

use super::{export, work};
use crate::clients::mcp::Agent;
use crate::support::World;
use crate::support::clones::{create, failed, hub_tip, sync, tip, two_clones};
use crate::support::older::{OlderFile, write_snapshot};

const FILE: &str = ".git-beads/snapshot.jsonl";

/// Runs git in a clone.
#[track_caller]
fn git(world: &World, clone: &str, args: &[&str]) -> String {
    world.git_in(clone, args).ok()
}

/// A lead `a` with open and closed issues, of which a snapshot is on the main branch.
fn lead() -> (World, Vec<String>) {
    let world = two_clones();
    let mut issues: Vec<String> = ["x", "y"].map(|title| create(&world, "a", &[title])).into();
    let closed = create(&world, "a", &["over"]);
    world
        .bd_in("a", &["done", &closed, "-r", "it is over"])
        .ok();
    issues.push(closed);
    sync(&world, &["a", "b"]);
    publish(&world);
    (world, issues)
}

/// Puts a snapshot onto the main branch.
#[track_caller]
fn publish(world: &World) {
    write_snapshot(world, "a");
    push(world);
}

#[track_caller]
fn push(world: &World) {
    git(world, "a", &["add", "--force", ".git-beads"]);
    git(world, "a", &["commit", "--quiet", "-m", "work"]);
    git(world, "a", &["push", "--quiet", "origin", "main"]);
}

/// Makes a sandbox without a remote, which has the objects of the branch alone.
#[track_caller]
fn sandbox(world: &World, name: &str) {
    let args = ["clone", "--quiet", "--no-local", "hub.git", name];
    git(world, ".", &args);
    git(world, name, &["checkout", "--quiet", "-b", "work"]);
    git(world, name, &["remote", "remove", "origin"]);
    git(world, name, &["config", "beads.carry", "true"]);
}

/// Makes a sandbox that has begun from the snapshot.
#[track_caller]
fn begun(world: &World, name: &str) {
    sandbox(world, name);
    let said = world.bd_in(name, &["list"]);
    assert!(said.code == 0 && said.stderr.contains(FILE), "{said:?}");
}

/// Gives a sandbox its remote, as one that may push has it.
#[track_caller]
fn connect(world: &World, name: &str) {
    git(world, name, &["remote", "add", "origin", "../hub.git"]);
}

/// Returns the first commits of a history.
fn roots(world: &World, clone: &str) -> usize {
    let args = ["rev-list", "--max-parents=0", "refs/beads/main"];
    git(world, clone, &args).lines().count()
}

#[test]
fn every_command_begins_from_it_and_all_clones_alike() {
    let (world, issues) = lead();
    let mut tips = Vec::new();
    for (n, first) in [
        &["list", "-q"][..],
        &["show", &issues[0]],
        &["prime"],
        &["init"],
        &["sync", "--json"],
        &["export"],
    ]
    .iter()
    .enumerate()
    {
        let name = format!("s{n}");
        sandbox(&world, &name);
        git(&world, &name, &["pack-refs", "--all"]);
        // What is checked out does not count: only what is committed does.
        world.file(&format!("{name}/{FILE}"), "");
        let said = world.bd_in(&name, first);
        let line = "warning: 2 of 3 issues were found in .git-beads/snapshot.jsonl, as of 2026-";
        assert!(said.stderr.contains(line), "{first:?}: {said:?}");
        let again = world.bd_in(&name, &["list", "-q"]);
        assert_eq!(again.stderr, "", "said once");
        assert_eq!(again.stdout.lines().count(), 2, "{again:?}");
        tips.push(tip(&world, &name));
    }
    tips.dedup();
    assert_eq!(tips.len(), 1, "one commit in all clones");
}

#[test]
fn work_on_top_of_one_goes_to_a_remote_that_has_nothing_newer() {
    let world = two_clones();
    let issues = ["x", "y"].map(|title| create(&world, "a", &[title]));
    sync(&world, &["a", "b"]);
    publish(&world);
    begun(&world, "s");
    let new = work(&world, "s", &issues);
    world.bd_in("s", &["sync"]).ok();
    git(&world, "s", &["add", ".git-beads"]);
    git(&world, "s", &["commit", "--quiet", "-m", "work"]);
    git(&world, "s", &["push", "--quiet", "../hub.git", "work"]);
    git(&world, "b", &["fetch", "--quiet", "origin"]);
    let said = world.bd_in("b", &["sync"]).ok();
    assert!(
        said.contains("4 changes sent, 0 changes received"),
        "{said}"
    );
    assert_eq!(hub_tip(&world), tip(&world, "b"));
    sync(&world, &["a"]);
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
    assert!(export(&world, "a").contains(&new));
}

#[test]
fn beside_the_objects_of_the_whole_history_a_second_session_can_carry_too() {
    let (mut world, issues) = lead();
    world.set("GIT_BEADS_SANDBOX", "1");
    sandbox(&world, "first");
    world.bd_in("first", &["start", &issues[0]]).ok();
    world.bd_in("first", &["carry"]).ok();
    git(&world, "first", &["add", ".git-beads"]);
    git(&world, "first", &["commit", "--quiet", "-m", "work"]);
    git(&world, "first", &["push", "--quiet", "../a", "work"]);
    // A clone by path has all objects of the lead, and no ref of its issues.
    git(
        &world,
        ".",
        &["clone", "--quiet", "--branch", "work", "a", "s"],
    );
    git(&world, "s", &["remote", "remove", "origin"]);
    git(&world, "s", &["config", "beads.carry", "true"]);
    let args = ["show", &issues[0], "--json"];
    let shown = world.bd_in("s", &args).json();
    assert_eq!(shown["issue"]["status"], "in_progress", "{shown}");
    world.bd_in("s", &["note", &issues[0], "more"]).ok();
    let said = world.bd_in("s", &["carry", "--json"]).json();
    let file = said["file"].as_str().unwrap_or_else(|| panic!("{said}"));
    let path = world.path("s").join(file).display().to_string();
    world.bd_in("a", &["collect", "--file", &path]).ok();
    let shown = world.bd_in("a", &args).ok();
    assert!(
        shown.contains("more") && shown.contains("in_progress"),
        "{shown}"
    );
}

#[test]
fn it_is_found_from_a_linked_worktree_a_detached_head_and_a_bare_clone() {
    let (world, issues) = lead();
    sandbox(&world, "s");
    git(&world, "s", &["worktree", "add", "--quiet", "../tree"]);
    git(&world, "tree", &["checkout", "--quiet", "--detach"]);
    let listed = world.bd_in("tree", &["list", "-q"]).stdout;
    assert!(listed.contains(&issues[0]), "{listed}");
    git(
        &world,
        ".",
        &["clone", "--quiet", "--bare", "a", "bare.git"],
    );
    git(&world, "bare.git", &["remote", "remove", "origin"]);
    let mut agent = Agent::in_folder(&world, "bare.git", &[]);
    let answer = agent.call("task_status", json!({"id": issues[0]}));
    assert_eq!(answer["issue"]["title"], "x", "{answer}");
    assert_eq!(tip(&world, "s"), tip(&world, "bare.git"));
}

#[test]
fn ids_of_another_length_are_the_same_to_it() {
    let world = World::empty();
    let sha256 = ["init", "--quiet", "--object-format=sha256", "-b", "main"];
    git(&world, ".", &[&sha256[..], &["--bare", "hub.git"]].concat());
    git(&world, ".", &["clone", "--quiet", "hub.git", "a"]);
    world.bd_in("a", &["init"]).ok();
    let id = create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    publish(&world);
    begun(&world, "s");
    world.bd_in("s", &["update", &id, "-p", "0"]).ok();
    world.bd_in("s", &["carry"]).ok();
    connect(&world, "s");
    sync(&world, &["s", "a", "s"]);
    assert_eq!(tip(&world, "a").len(), 64);
    assert_eq!(export(&world, "a"), export(&world, "s"));
    let none = "no conflicts\n";
    assert_eq!(world.bd_in("a", &["conflicts"]).ok(), none);
}

#[test]
fn what_git_has_brought_along_comes_first_and_what_has_gone_is_not_begun_again() {
    let (world, _) = lead();
    git(&world, ".", &["clone", "--quiet", "hub.git", "c"]);
    let fetch = ["fetch", "--quiet", "origin"];
    let refs = "+refs/beads/*:refs/beads-remotes/origin/*";
    git(&world, "c", &[&fetch[..], &[refs]].concat());
    let said = world.bd_in("c", &["list", "--all", "-q"]);
    assert!(
        said.stderr.contains("refs/beads-remotes/origin/main"),
        "{said:?}"
    );
    assert_eq!(tip(&world, "c"), tip(&world, "a"));
    begun(&world, "s");
    create(&world, "s", &["only here"]);
    git(&world, "s", &["update-ref", "-d", "refs/beads/main"]);
    let error = failed(world.bd_in("s", &["list", "--json"]), 6);
    assert_eq!(error["code"], "damaged", "{error}");
    world.bd_in("s", &["doctor", "--fix"]).ok();
    assert!(world.bd_in("s", &["list"]).ok().contains("only here"));
}

#[test]
fn a_store_that_is_begun_would_be_another_one_so_init_takes_it() {
    let (world, _) = lead();
    sandbox(&world, "s");
    let error = failed(world.bd_in("s", &["init", "--prefix", "web", "--json"]), 3);
    assert!(error["message"].as_str().unwrap().contains("the prefix bd"));
    // A remote that does not answer is no reason to have less than what is here.
    sandbox(&world, "t");
    git(&world, "t", &["remote", "add", "origin", "../nowhere.git"]);
    let said = world.bd_in("t", &["init"]).ok();
    assert!(
        said.contains("joined from .git-beads/snapshot.jsonl"),
        "{said}"
    );
}

#[test]
fn changes_go_home_in_a_carry_file() {
    let (world, issues) = lead();
    sandbox(&world, "s");
    work(&world, "s", &issues);
    let said = world.bd_in("s", &["sync", "--json"]).json();
    assert_eq!(said["carry"]["changes"], 4, "{said}");
    assert_eq!(said["carry"]["issues"], 3, "{said}");
    let file = said["carry"]["file"].as_str().unwrap();
    git(&world, "s", &["add", ".git-beads"]);
    git(&world, "s", &["commit", "--quiet", "-m", "work"]);
    // Its own clone knows it, and writes no second one.
    let before = tip(&world, "s");
    assert_eq!(
        world.bd_in("s", &["collect", "--head"]).ok(),
        "nothing waits\n"
    );
    assert_eq!(
        world.bd_in("s", &["sync", "--json"]).json()["carry"]["file"],
        file
    );
    assert_eq!(tip(&world, "s"), before);
    // The lead changes something else meanwhile.
    world.bd_in("a", &["update", &issues[1], "-p", "0"]).ok();
    git(
        &world,
        "a",
        &["pull", "--quiet", "--no-rebase", "../s", "work"],
    );
    let collected = world.bd_in("a", &["collect", "--head"]).ok();
    assert!(
        collected.contains("4 changes collected from HEAD"),
        "{collected}"
    );
    let none = "no conflicts\n";
    assert_eq!(world.bd_in("a", &["conflicts"]).ok(), none);
    let before = tip(&world, "a");
    world.bd_in("a", &["collect", "--head"]).ok();
    assert_eq!(tip(&world, "a"), before);
    // The next sandbox begins from the same snapshot, and takes the file of the first one over.
    git(&world, "a", &["push", "--quiet", "origin", "main"]);
    sandbox(&world, "t");
    let said = world.bd_in("t", &["collect", "--head"]).ok();
    assert!(said.contains("4 changes collected from HEAD"), "{said}");
    assert!(
        world
            .bd_in("t", &["list"])
            .ok()
            .contains("new in the sandbox")
    );
    for clone in ["s", "t"] {
        connect(&world, clone);
        sync(&world, &[clone]);
    }
    sync(&world, &["a", "s", "b"]);
    for clone in ["s", "t", "b"] {
        assert_eq!(export(&world, "a"), export(&world, clone), "{clone}");
        world.bd_in(clone, &["doctor"]).ok();
    }
}

#[test]
fn new_ids_are_as_long_as_the_whole_store_wants_them() {
    let (world, _) = lead();
    let mut file = OlderFile::snapshot(&world, "a");
    file.header["known"] = 100_000.into();
    world.file(&format!("a/{FILE}"), file.text());
    push(&world);
    begun(&world, "s");
    let id = create(&world, "s", &["new"]);
    assert_eq!(id.len(), "bd-".len() + 6, "{id}");
}

#[test]
fn no_command_writes_one_any_more_and_that_is_said() {
    let (world, issues) = lead();
    world.bd_in("a", &["note", &issues[0], "later"]).ok();
    let before = std::fs::read(world.path(&format!("a/{FILE}"))).unwrap();
    let said = world.bd_in("a", &["snapshot", "--write"]).ok();
    assert!(said.contains("git beads init --from URL"), "{said}");
    let error = failed(
        world.bd_in("a", &["setup", "snapshot", "--write", "--json"]),
        1,
    );
    assert!(
        error["hint"].as_str().unwrap().contains("--from"),
        "{error}"
    );
    let said = world.bd_in("a", &["doctor"]).ok();
    let hint = "git beads setup snapshot --remove";
    assert!(said.contains(hint), "{said}");
    assert_eq!(
        std::fs::read(world.path(&format!("a/{FILE}"))).unwrap(),
        before
    );
    let said = world
        .bd_in("a", &["setup", "snapshot", "--remove", "--json"])
        .json();
    assert_eq!(said["files"][0]["change"], "delete", "{said}");
    assert!(!world.path(&format!("a/{FILE}")).exists());
    world.bd_in("a", &["setup", "snapshot", "--remove"]).ok();
    world.file(&format!("a/{FILE}"), "mine\n");
    failed(
        world.bd_in("a", &["setup", "snapshot", "--remove", "--json"]),
        6,
    );
}
