//! Processes that stop at any moment and go on, as where there is more work than processors: in no order of theirs does
//! one fail, and none brings a git of the user to fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::fleet::Fleet;
use super::{Dice, plain_or, report, seed, soaking};
use crate::support::clones::{create, two_clones_made_here};
use crate::support::plumbing::{able, sound_in, together};
use crate::support::{World, binary};

/// Processes work in these folders as long as they do.
fn processes(folder: &Path) -> Vec<Pid> {
    let works_there = |process: &PathBuf| {
        std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder))
    };
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    all.map(|entry| entry.path())
        .filter(works_there)
        .filter_map(|process| Pid::from_raw(process.file_name()?.to_str()?.parse().ok()?))
        .collect()
}

/// Says at its end that something is done.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Stops processes of a world for up to 0.2 s each, while something is done; returns how often.
fn with_stops(world: &World, seed: u64, work: impl FnOnce()) -> usize {
    let folder = world.path("").canonicalize().unwrap();
    let (done, stops, mut dice) = (AtomicBool::new(false), AtomicUsize::new(0), Dice::new(seed));
    let stop = |process: Pid, millis: u64| {
        // It may have ended.
        if kill_process(process, Signal::STOP).is_ok() {
            stops.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(millis));
            let _ = kill_process(process, Signal::CONT);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for process in processes(&folder) {
                    if dice.roll(3) == 0 {
                        let (millis, stop) = (dice.roll(200), &stop);
                        scope.spawn(move || stop(process, millis));
                    }
                }
                std::thread::sleep(Duration::from_millis(dice.roll(40)));
            }
        });
        // Also when it panics: the scope waits for the other thread.
        let _done = Done(&done);
        work();
    });
    stops.into_inner()
}

/// A command in `a` by the clock of the machine: that of a world runs ahead, and packs would go too early.
fn at_once(world: &World, args: &[&str]) -> Command {
    let mut command = world.command("a", binary(), args);
    command.env_remove("GIT_BEADS_NOW");
    command
}

/// True where processes can be found by the folder they work in.
fn can_stop() -> bool {
    able(Path::new("/proc/self/cwd").exists(), "no /proc here")
}

#[test]
fn syncs_that_stop_at_any_moment_hinder_no_other() {
    if !can_stop() {
        return;
    }
    let (world, rounds) = (
        two_clones_made_here(),
        if soaking() { 200 } else { plain_or(3, 6) },
    );
    let stops = with_stops(&world, seed("syncs_that_stop"), || {
        for round in 0..rounds {
            create(&world, "b", &[&format!("From there {round}")]);
            world.bd_in("b", &["sync"]).ok();
            let title = format!("From here {round}");
            let mut commands = vec![at_once(&world, &["create", "-q", &title])];
            for verb in ["sync", "pull", "push", "sync", "sync", "fetch"] {
                commands.push(at_once(&world, &[verb]));
            }
            commands.push(world.command(
                "a",
                "git",
                &["rev-list", "--objects", "--all", "--quiet"],
            ));
            for output in together(commands) {
                assert_eq!(output.code, 0, "{output:?}");
            }
        }
    });
    let syncs = 5 * rounds;
    assert!(stops > syncs, "{stops}");
    for clone in ["a", "b", "a"] {
        world.bd_in(clone, &["sync"]).ok();
    }
    for clone in ["a", "b"] {
        let issues = world.bd_in(clone, &["list", "-q", "-n", "0"]).ok();
        assert_eq!(issues.lines().count(), 2 * rounds);
        sound_in(&world, clone);
    }
    report(
        "processes stopped at any moment and going on, syncs beside writers: failed / lost",
        &format!("{syncs} syncs, stopped {stops} times: failed 0, lost 0"),
    );
}

#[test]
fn writers_that_stop_at_any_moment_hinder_no_other() {
    if !can_stop() {
        return;
    }
    let (seed, changes) = (
        seed("writers_that_stop"),
        if soaking() { 500 } else { plain_or(8, 20) },
    );
    let world = World::with_store_made_here();
    let fleet = Fleet::new(&world, "repo", seed);
    let stops = with_stops(&world, seed, || fleet.work(6, changes, |_| None));
    assert_eq!(fleet.failed(), Vec::<String>::new());
    assert_eq!(fleet.answered() as u64, 6 * changes);
    fleet.all_kept(&world, "repo");
    eprintln!(
        "{} changes, stopped {stops} times: failed 0, lost 0",
        6 * changes
    );
}
