//! `--sync`: issues come along with the user's own pull, and go along with the user's own push.

use super::{Git, gits, path, stand_in, world_with};
use crate::support::events::until;
use crate::support::plumbing::{REF, git};
use crate::support::{World, binary};

/// `repo` and `b` with a hub between, and the hooks in `b`.
fn two(kind: Git) -> World {
    let world = world_with(kind);
    world.git_in(".", &["init", "-q", "--bare", "hub.git"]).ok();
    world.git(&["remote", "add", "origin", "../hub.git"]).ok();
    world.git(&["push", "-q", "-u", "origin", "main"]).ok();
    world.bd(&["sync"]).ok();
    world.git_in(".", &["clone", "-q", "hub.git", "b"]).ok();
    world.bd_in("b", &["init"]).ok();
    world.bd_in("b", &["hooks", "install", "--sync"]).ok();
    world
}

fn at(world: &World, folder: &str) -> String {
    world
        .git_in(folder, &["rev-parse", "-q", "--verify", REF])
        .stdout
}

fn commit(world: &World, folder: &str, name: &str) {
    world.file(&format!("{folder}/{name}"), name);
    world.git_in(folder, &["add", name]).ok();
    world.git_in(folder, &["commit", "-q", "-m", name]).ok();
}

/// Somebody else pushes a commit and an issue.
fn others_push(world: &World, name: &str) {
    world.git(&["pull", "-q", "--no-rebase"]).ok();
    commit(world, "repo", name);
    git(world, &["push", "-q"]);
    world.create(&[name]);
    world.bd(&["sync"]).ok();
}

#[test]
fn a_pull_brings_issues_and_a_push_sends_them() {
    for kind in gits() {
        let world = two(kind);
        others_push(&world, "one");
        world.git_in("b", &["pull", "-q"]).ok();
        until(&format!("{kind:?}: the issue of a pull"), || {
            at(&world, "b") == at(&world, "repo")
        });

        others_push(&world, "two");
        commit(&world, "b", "mine");
        world
            .git_in("b", &["pull", "-q", "--rebase", "origin", "main"])
            .ok();
        until(&format!("{kind:?}: the issue of a pull --rebase"), || {
            at(&world, "b") == at(&world, "repo")
        });

        world.bd_in("b", &["create", "Three"]).ok();
        world.git_in("b", &["push", "-q"]).ok();
        until(&format!("{kind:?}: the issue of a push"), || {
            at(&world, "hub.git") == at(&world, "b")
        });
    }
}

/// The handler in the foreground: what it does not do can be seen when it has ended.
fn hook(world: &World, action: &str, args: &[&str]) {
    let mut all = vec!["hook", "--sync"];
    all.extend(args);
    let mut command = world.command("b", binary(), &all);
    command.env("GIT_REFLOG_ACTION", action);
    assert_eq!(world.run(command, None).ok(), "");
}

#[test]
fn nothing_goes_where_nobody_asked_for_it() {
    let world = two(gits()[0]);
    world
        .git_in(".", &["init", "-q", "--bare", "other.git"])
        .ok();
    world
        .git_in("b", &["remote", "add", "other", "../other.git"])
        .ok();
    world.bd_in("b", &["create", "Mine"]).ok();
    let before = at(&world, "b");
    for (remote, url) in [
        ("other", "../other.git"),
        ("../other.git", "../other.git"),
        ("", ""),
    ] {
        hook(&world, "", &["pre-push", remote, url]);
    }
    assert_eq!(
        at(&world, "other.git"),
        "",
        "a remote that never had issues"
    );
    hook(&world, "", &["pre-push", "origin", "../hub.git"]);
    assert_eq!(at(&world, "hub.git"), before);
    world.bd_in("b", &["sync", "--remote", "other"]).ok();
    world.bd_in("b", &["create", "More"]).ok();
    hook(&world, "", &["pre-push", "other", "../other.git"]);
    assert_eq!(
        at(&world, "other.git"),
        at(&world, "b"),
        "one that has had some"
    );
}

#[test]
fn a_merge_that_is_no_pull_asks_no_remote() {
    let world = two(gits()[0]);
    others_push(&world, "one");
    let before = at(&world, "b");
    for action in [
        "",
        "merge topic",
        "pull nobody main",
        "pull -s ort nobody",
        "rebase (finish)",
    ] {
        hook(&world, action, &["post-merge", "0"]);
        assert_eq!(at(&world, "b"), before, "{action}");
    }
    for (n, action) in [
        "pull --ff-only",
        "pull -s ort",
        "pull -X ours --depth 5 origin main",
    ]
    .into_iter()
    .enumerate()
    {
        hook(&world, action, &["post-merge", "0"]);
        assert_eq!(at(&world, "b"), at(&world, "repo"), "{action}");
        others_push(&world, &format!("more {n}"));
    }
}

#[test]
fn a_remote_that_refuses_fails_nothing() {
    let world = two(gits()[0]);
    world
        .git_in("hub.git", &["config", "receive.hideRefs", "refs/beads"])
        .ok();
    world.bd_in("b", &["create", "Mine"]).ok();
    commit(&world, "b", "mine");
    let pushed = world.git_in("b", &["push", "-q"]);
    assert_eq!((pushed.code, pushed.stderr.as_str()), (0, ""));
    hook(&world, "", &["pre-push", "origin", "../hub.git"]);
    std::fs::remove_dir_all(world.path("hub.git")).unwrap();
    hook(&world, "", &["pre-push", "origin", "../hub.git"]);
    hook(&world, "pull", &["post-merge", "0"]);
}

/// Our own exchanges fire no hooks, those of git's configuration included.
#[test]
fn an_exchange_of_ours_fires_no_hook() {
    for kind in gits() {
        let mut world = two(kind);
        stand_in(&world, "");
        for event in ["pre-push", "reference-transaction", "post-merge"] {
            let command = format!("echo {event} >>{}; true", world.path("calls").display());
            world
                .git_in("b", &["config", &format!("hook.mine-{event}.event"), event])
                .ok();
            world
                .git_in(
                    "b",
                    &["config", &format!("hook.mine-{event}.command"), &command],
                )
                .ok();
        }
        others_push(&world, "one");
        let fake = path(&world, kind, &["fake"], false);
        world.set("PATH", &fake);
        world.bd_in("b", &["create", "Mine"]).ok();
        world.bd_in("b", &["sync"]).ok();
        assert_eq!(super::calls(&world), "", "{kind:?}");
    }
}
