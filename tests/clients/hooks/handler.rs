//! `hook EVENT`: what git starts. It never fails, says nothing, and only warms the index.

use super::{gits, world_with};
use crate::support::events::until;
use crate::support::plumbing;
use crate::support::{World, binary, files_refs_only};

/// The bytes of the index.
fn index(world: &World) -> Vec<u8> {
    let entries = std::fs::read_dir(world.path("repo/.git/beads"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let path = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "db"))
        .max()
        .unwrap();
    std::fs::read(path).unwrap()
}

/// Moves the ref as a fetch by hand would.
fn move_ref(world: &World) {
    plumbing::put(world, "memory/0/0/0/note.json", "{}\n");
}

/// Runs the handler in the foreground.
#[track_caller]
fn hook(world: &World, folder: &str, vars: &[(&str, &str)], args: &[&str]) {
    let mut all = vec!["hook"];
    all.extend(args);
    let mut command = world.command(folder, binary(), &all);
    command.envs(vars.iter().copied());
    let said = world.run(command, None);
    assert_eq!(
        (said.code, said.stdout.as_str(), said.stderr.as_str()),
        (0, "", ""),
        "{args:?}"
    );
}

#[test]
fn the_index_is_fresh_after_each_event_beside_git() {
    for git in gits() {
        let world = world_with(git);
        world.create(&["One"]);
        world.bd(&["hooks", "install"]).ok();
        for args in [
            vec!["checkout", "-q", "-b", "topic"],
            vec!["commit", "-q", "--allow-empty", "-m", "two"],
            vec!["commit", "-q", "--amend", "--allow-empty", "-m", "three"],
            vec!["checkout", "-q", "main"],
            vec!["merge", "-q", "topic"],
        ] {
            world.bd(&["list"]).ok();
            let before = index(&world);
            move_ref(&world);
            world.git(&args).ok();
            // A plain commit fires none of ours.
            if args[..2] == ["commit", "-q"] && args[2] != "--amend" {
                assert_eq!(index(&world), before);
            } else {
                until(&format!("{git:?}: the index after {args:?}"), || {
                    index(&world) != before
                });
            }
        }
    }
}

#[test]
fn it_never_fails_and_never_speaks() {
    let _files = files_refs_only();
    let world = World::new();
    for args in [
        &["post-merge", "0"][..],
        &["pre-push", "origin", "x"],
        &["never-heard-of", "--odd", "-x"],
        &["post-rewrite"],
    ] {
        hook(&world, "repo", &[], args);
        hook(&world, "home", &[], args);
    }
    world.bd(&["init"]).ok();
    std::fs::write(world.path("repo/.git/refs/beads/main"), "garbage\n").unwrap();
    for args in [
        &["post-merge", "0"][..],
        &["--sync", "pre-push", "origin", "../hub.git"],
    ] {
        hook(&world, "repo", &[], args);
    }
}

#[test]
fn nothing_happens_in_ci_or_inside_of_another_or_during_a_rebase() {
    let world = World::with_store();
    world.create(&["One"]);
    let before = index(&world);
    move_ref(&world);
    for vars in [
        [("CI", "true")],
        [("GIT_BEADS_HOOK", "0")],
        [("GIT_BEADS_HOOK", "pre-push")],
    ] {
        hook(&world, "repo", &vars, &["post-checkout", "a", "b", "1"]);
        assert_eq!(index(&world), before, "{vars:?}");
    }
    std::fs::create_dir(world.path("repo/.git/rebase-merge")).unwrap();
    hook(&world, "repo", &[], &["post-checkout", "a", "b", "1"]);
    hook(&world, "repo", &[], &["post-rewrite", "amend"]);
    assert_eq!(index(&world), before);
    hook(
        &world,
        "repo",
        &[("GIT_BEADS_HOOK", "post-rewrite")],
        &["post-rewrite", "rebase"],
    );
    assert_ne!(index(&world), before, "the end of a rebase");
}

#[test]
fn a_hook_of_a_linked_worktree_finds_the_right_repository() {
    let world = World::with_store();
    world
        .git(&["commit", "-q", "--allow-empty", "-m", "first"])
        .ok();
    world.git(&["worktree", "add", "-q", "../tree"]).ok();
    world.git_in(".", &["init", "-q", "other"]).ok();
    world.bd_in("other", &["init"]).ok();
    world.create(&["One"]);
    let before = index(&world);
    move_ref(&world);
    let dir = world.path("repo/.git/worktrees/tree").display().to_string();
    hook(
        &world,
        "other",
        &[("GIT_DIR", dir.as_str())],
        &["post-checkout", "a", "b", "1"],
    );
    assert_ne!(index(&world), before);
}
