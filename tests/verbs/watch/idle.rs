//! Between two changes nothing is done, and each change is reported by the system.

use super::Watch;
use crate::support::plumbing::{REF, git, tip};
use crate::support::{World, missing, refs_pinned};

/// The event of a look that something has led to, or nothing but the time.
const LOOK: &str = "looks at the ref";
const BY_TIME: &str = "woken=Woken { call: false, input: false, change: false }";

/// Returns whether the system reports changes where worlds are.
fn is_reported() -> bool {
    let mut world = World::with_store();
    let looks = looks(
        &mut world,
        &["wait", "--until", "changed", "--timeout", "1s"],
    );
    looks <= 3 || missing("inotify on the file system of temporary files")
}

/// Runs a command; returns how often it has looked.
fn looks(world: &mut World, args: &[&str]) -> usize {
    let events = world.events();
    world.set("GIT_BEADS_LOG", "cli=trace");
    let before = events.count(LOOK);
    assert_eq!(world.bd(args).code, 1);
    events.count(LOOK) - before
}

#[test]
fn who_waits_looks_at_the_beginning_and_at_the_end() {
    if !cfg!(target_os = "linux") || !is_reported() {
        return;
    }
    let mut world = World::with_store();
    let id = world.create(&["One"]);
    let wait = ["wait", &id, "--until", "closed", "--timeout", "3s"];
    assert_eq!(looks(&mut world, &wait), 1);
}

#[test]
fn each_move_is_reported_of_however_refs_are_kept() {
    if !cfg!(target_os = "linux") || !is_reported() {
        return;
    }
    for (format, folder) in [("files", "repo"), ("files", "tree"), ("reftable", "repo")] {
        let _pinned = refs_pinned(format);
        let mut world = World::with_store();
        let commit = ["commit", "--quiet", "--allow-empty", "-m", "x"];
        git(&world, &commit);
        git(&world, &["worktree", "add", "--quiet", "../tree"]);
        let events = world.events();
        world.set("GIT_BEADS_LOG", "cli=trace");
        let mut watch = Watch::in_folder(&world, folder, &["--since", &tip(&world)]);
        for n in 0..6 {
            let id = world.create(&[&format!("Issue {n}")]);
            assert!(watch.line().contains(&id), "{format} {n}");
            match n {
                // The folder of the ref goes with its file.
                1 | 3 => drop(git(&world, &["pack-refs", "--all", "--prune"])),
                4 => {
                    // Written by git, and there and back.
                    let (now, before) = (
                        tip(&world),
                        git(&world, &["rev-parse", &format!("{REF}~1")]),
                    );
                    git(&world, &["update-ref", REF, before.trim()]);
                    git(&world, &["update-ref", REF, &now]);
                }
                _ => {}
            }
        }
        assert_eq!(watch.end("-INT"), (Some(0), String::new()));
        let looks = events.lines(LOOK);
        assert!(looks.len() >= 6, "{looks:#?}");
        let by_time = looks.iter().filter(|line| line.contains(BY_TIME));
        assert_eq!(by_time.count(), 0, "{format}: {looks:#?}");
    }
}
