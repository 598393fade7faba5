//! Stores that a plain clone or fetch has brought along: every command finds them, and asks no remote.

use serde_json::json;

use super::export;
use crate::clients::mcp::Agent;
use crate::properties::leases::talks;
use crate::support::World;
use crate::support::clones::{bare_clones, create, sync};

/// A hub that has the store as the branch `beads`, and clones that have made it.
fn on_a_branch() -> (World, String) {
    let world = bare_clones(&["a"]);
    let key = ["config", "remote.origin.beadsRef", "refs/heads/beads"];
    world.git_in("a", &key).ok();
    world.bd_in("a", &["init"]).ok();
    let id = create(&world, "a", &["Wire cache"]);
    sync(&world, &["a"]);
    (world, id)
}

fn clone(world: &World, args: &[&str]) {
    let all = [&["clone", "--quiet"], args].concat();
    world.git_in(".", &all).ok();
}

#[test]
fn the_branch_of_a_plain_clone_is_the_store_for_every_command() {
    let (world, id) = on_a_branch();
    for (n, first) in [
        &["list", "-q"][..],
        &["create", "Another", "-q"],
        &["show", &id],
        &["prime"],
    ]
    .iter()
    .enumerate()
    {
        let name = format!("c{n}");
        clone(&world, &["hub.git", &name]);
        // Also where refs are packed.
        world.git_in(&name, &["pack-refs", "--all"]).ok();
        assert_eq!(talks(&world, &name, first), [""; 0], "{first:?}");
        let listed = world.bd_in(&name, &["list", "-q"]);
        assert!(listed.stdout.contains(&id), "{listed:?}");
        assert_eq!(listed.stderr, "", "said once");
        world.bd_in(&name, &["sync"]).ok();
        world.bd_in("a", &["sync"]).ok();
        assert_eq!(export(&world, "a"), export(&world, &name), "{first:?}");
    }
    let refs = world.git_in("hub.git", &["for-each-ref"]).ok();
    assert!(!refs.contains("refs/beads/main"), "{refs}");
}

#[test]
fn it_is_said_once_where_the_store_was_found() {
    let (world, id) = on_a_branch();
    clone(&world, &["hub.git", "c"]);
    world
        .git_in("c", &["worktree", "add", "-q", "../tree"])
        .ok();
    let listed = world.bd_in("tree", &["list", "-q"]);
    assert_eq!(listed.stdout.trim(), id);
    assert_eq!(
        listed.stderr,
        "warning: the issues of origin were found in refs/remotes/origin/beads, as last fetched; git beads sync asks \
         for what is new\n"
    );
    clone(&world, &["hub.git", "d"]);
    let mut agent = Agent::in_folder(&world, "d", &[]);
    let answer = agent.call("task_status", json!({"id": id}));
    assert_eq!(answer["issue"]["title"], "Wire cache", "{answer}");
}

#[test]
fn a_plain_fetch_of_the_ref_is_enough() {
    for bare in [false, true] {
        let world = bare_clones(&["a"]);
        world.bd_in("a", &["init"]).ok();
        let id = create(&world, "a", &["Wire cache"]);
        sync(&world, &["a"]);
        world
            .git_in(
                ".",
                if bare {
                    &["init", "-q", "--bare", "c"]
                } else {
                    &["init", "-q", "c"]
                },
            )
            .ok();
        let hub = world.path("hub.git").display().to_string();
        world.git_in("c", &["remote", "add", "origin", &hub]).ok();
        let refspec = "refs/beads/main:refs/beads-remotes/origin/main";
        world.git_in("c", &["fetch", "-q", "origin", refspec]).ok();
        std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
        assert!(
            world.bd_in("c", &["list", "-q"]).ok().contains(&id),
            "{bare}"
        );
        create(&world, "c", &["Written without the remote"]);
        std::fs::rename(world.path("away.git"), world.path("hub.git")).unwrap();
        sync(&world, &["c", "a"]);
        assert_eq!(export(&world, "a"), export(&world, "c"), "{bare}");
    }
}

#[test]
fn a_branch_that_is_no_store_is_none() {
    let world = bare_clones(&["a"]);
    world
        .git_in("a", &["push", "-q", "origin", "HEAD:refs/heads/beads"])
        .ok();
    clone(&world, &["hub.git", "c"]);
    let listed = world.bd_in("c", &["list"]);
    assert_eq!(listed.code, 4, "{listed:?}");
    assert!(!listed.stderr.contains("warning"), "{listed:?}");
    // One that looks like a store, and holds what no store may.
    let (world, _) = on_a_branch();
    clone(&world, &["hub.git", "c"]);
    world
        .git_in("c", &["checkout", "-q", "-b", "beads", "origin/beads"])
        .ok();
    std::os::unix::fs::symlink("/etc/passwd", world.path("c/issues/evil")).unwrap();
    world.git_in("c", &["add", "."]).ok();
    world.git_in("c", &["commit", "-q", "-m", "evil"]).ok();
    world.git_in("c", &["push", "-q", "origin", "beads"]).ok();
    let listed = world.bd_in("c", &["list"]);
    assert_eq!(listed.code, 4, "{listed:?}");
    assert!(
        listed
            .stderr
            .contains("refs/remotes/origin/beads left alone: "),
        "{listed:?}"
    );
}

#[test]
fn a_ref_that_has_gone_is_not_begun_again_from_a_branch() {
    let (world, _) = on_a_branch();
    let other = create(&world, "a", &["Not sent"]);
    world.git_in("a", &["fetch", "-q"]).ok();
    world
        .git_in("a", &["update-ref", "-d", "refs/beads/main"])
        .ok();
    let listed = world.bd_in("a", &["list"]);
    assert_ne!(listed.code, 4, "{listed:?}");
    let brought = world.git_in("a", &["rev-parse", "-q", "--verify", "refs/beads/main"]);
    let has_all = brought.code != 0 || world.bd_in("a", &["list", "-q"]).ok().contains(&other);
    assert!(has_all, "{listed:?}");
}
