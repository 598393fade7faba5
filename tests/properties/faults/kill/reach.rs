//! Clones that take over what others have left, or begin from a snapshot, and are killed while they do: the next command ends
//! with the same issues as one that was never stopped.

use super::layouts::CHANGES;
use super::{can_trace, copy, locks, numbered};
use crate::properties::faults::{is_in_part, seed, soaking};
use crate::support::clones::{create, sync, tip, two_clones_made_here};
use crate::support::older::write_snapshot;
use crate::support::plumbing::sound_in;
use crate::support::{Output, World, binary};

/// Points at which a command is killed, spread over what it does.
const POINTS: usize = 12;

/// Folders that can be set to the same state again and again, and the command that is killed in one of them.
struct Scene {
    world: World,
    folders: &'static [&'static str],
    command: &'static [&'static str],
}

impl Scene {
    fn keep(&self) {
        for name in self.folders {
            copy(&self.world.path(name), &self.kept(name));
        }
    }

    fn kept(&self, name: &str) -> std::path::PathBuf {
        self.world.path("kept").join(name)
    }

    fn restore(&self) {
        for name in self.folders {
            let path = self.world.path(name);
            // A git whose parent was killed may still be at it.
            while path.exists() && std::fs::remove_dir_all(&path).is_err() {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            copy(&self.kept(name), &path);
        }
    }

    fn traced(&self, options: &[&str]) -> Output {
        let trace = format!("trace={CHANGES}");
        let args = [&["-qq", "-e", &trace], options, &[binary()], self.command].concat();
        let command = self.world.command(self.folders[0], "strace", &args);
        self.world.run(command, None)
    }

    /// Returns the calls that the command makes when nothing stops it.
    fn calls(&self) -> Vec<(String, usize)> {
        self.restore();
        let log = self.world.path("calls").display().to_string();
        self.traced(&["-o", &log]).ok();
        let text = std::fs::read_to_string(&log).unwrap();
        numbered(&text)
    }

    /// Kills the command at points that move with the seed, each time in the same state.
    fn sweep(&self, test: &str, check: impl Fn(&str)) {
        let (calls, first) = (self.calls(), seed(test));
        assert!(calls.len() > POINTS, "{calls:?}");
        let share = if soaking() { 1 } else { calls.len() / POINTS };
        let first = usize::try_from(first % share as u64).unwrap();
        let points = calls.iter().skip(first).step_by(share).enumerate();
        let (mut tried, mut killed) = (0, 0);
        for (_, (name, n)) in points.filter(|(point, _)| soaking() || is_in_part(*point)) {
            self.restore();
            let inject = format!("inject={name}:signal=SIGKILL:when={n}");
            let output = self.traced(&["-o", "/dev/null", "-e", &inject]);
            tried += 1;
            killed += usize::from(output.code != 0);
            check(&format!("{name} {n}: {output:?}"));
        }
        // A run can make some calls less often than the one that was counted: one, where few are tried.
        let are_enough = killed > tried / 2 || killed + 1 >= tried;
        assert!(are_enough, "killed {killed} of {tried}");
        eprintln!("{test}: {killed} of {} calls: lost 0, stuck 0", calls.len());
    }
}

/// A collector `a` for whom a mailbox and a carry file wait.
fn collector() -> Scene {
    let world = two_clones_made_here();
    let git = |clone: &str, args: &[&str]| world.git_in(clone, args).ok();
    let id = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    git(".", &["clone", "--quiet", "hub.git", "c"]);
    world.bd_in("c", &["init"]).ok();
    for (clone, word) in [("b", "by mailbox"), ("c", "by file")] {
        world.bd_in(clone, &["note", &id, word]).ok();
        create(&world, clone, &[word]);
    }
    world.bd_in("c", &["carry"]).ok();
    git("c", &["add", ".git-beads"]);
    git("c", &["commit", "--quiet", "-m", "work"]);
    git("c", &["push", "--quiet", "origin", "HEAD:work"]);
    let mailbox = "refs/beads/main:refs/heads/claude/git-beads-x-1";
    git("b", &["push", "--quiet", "origin", mailbox]);
    git("a", &["fetch", "--quiet"]);
    let scene = Scene {
        world,
        folders: &["a", "hub.git"],
        command: &["sync"],
    };
    scene.keep();
    scene
}

/// What a clone has in the end: its issues, and its operations.
fn outcome(world: &World, clone: &str) -> (String, Vec<String>) {
    let log = ["log", "--no-merges", "--format=%H", "refs/beads/main"];
    let listed = world.git_in(clone, &log).ok();
    let mut operations: Vec<String> = listed.lines().map(str::to_owned).collect();
    operations.sort();
    (world.bd_in(clone, &["export"]).ok(), operations)
}

#[test]
fn a_collector_that_is_killed_ends_like_one_that_is_not() {
    let scene = collector();
    let world = &scene.world;
    if !can_trace(world) {
        return;
    }
    scene.restore();
    sync(world, &["a"]);
    let expected = outcome(world, "a");
    for word in ["by mailbox", "by file"] {
        assert_eq!(expected.0.matches(word).count(), 2, "{}", expected.0);
    }
    let refs = ["for-each-ref", "--format=%(refname)"];
    let at_hub = world.git_in("hub.git", &refs).ok();
    assert!(!at_hub.contains("git-beads-x-1"), "{at_hub}");
    scene.sweep("a_collector_that_is_killed_ends_like", |at| {
        let again = world.bd_in("a", &["sync"]);
        assert_eq!(again.code, 0, "{at}\nthen {again:?}");
        assert_eq!(outcome(world, "a"), expected, "{at}");
        assert_eq!(world.git_in("hub.git", &refs).ok(), at_hub, "{at}");
        assert_eq!(tip(world, "a"), tip(world, "hub.git"), "{at}");
        let before = tip(world, "a");
        let idle = world.bd_in("a", &["sync"]).ok();
        assert_eq!(idle, "origin: 0 changes sent, 0 changes received\n", "{at}");
        assert_eq!(tip(world, "a"), before, "{at}");
        sound_in(world, "a");
        let left = locks(&world.path("a/.git"));
        assert!(left.is_empty(), "{at}: {left:?}");
    });
}

/// A sandbox `s` that has a snapshot in its commit, and nothing else of issues.
fn sandbox() -> Scene {
    let world = two_clones_made_here();
    let git = |clone: &str, args: &[&str]| world.git_in(clone, args).ok();
    for title in ["x", "y", "z"] {
        create(&world, "a", &[title]);
    }
    sync(&world, &["a"]);
    write_snapshot(&world, "a");
    git("a", &["add", ".git-beads"]);
    git("a", &["commit", "--quiet", "-m", "work"]);
    git("a", &["push", "--quiet", "origin", "main"]);
    git(".", &["clone", "--quiet", "--no-local", "hub.git", "s"]);
    git("s", &["remote", "remove", "origin"]);
    let scene = Scene {
        world,
        folders: &["s"],
        command: &["list", "-q"],
    };
    scene.keep();
    scene
}

#[test]
fn a_first_contact_that_is_killed_leaves_no_half_of_a_store() {
    let scene = sandbox();
    let world = &scene.world;
    if !can_trace(world) {
        return;
    }
    scene.restore();
    world.bd_in("s", &["list"]).ok();
    let expected = (outcome(world, "s"), tip(world, "s"));
    scene.sweep("a_first_contact_that_is_killed", |at| {
        let next = world.bd_in("s", &["list", "-q"]);
        assert_eq!(next.code, 0, "{at}\nthen {next:?}");
        assert_eq!(next.stdout.lines().count(), 3, "{at}\nthen {next:?}");
        let is_said = |line: &str| line.contains(" were found in .git-beads/snapshot.jsonl");
        assert!(next.stderr.lines().all(is_said), "{at}\nthen {next:?}");
        assert_eq!((outcome(world, "s"), tip(world, "s")), expected, "{at}");
        let place = world.bd_in("s", &["where", "--json"]).json();
        assert_eq!(place["found_at"], ".git-beads/snapshot.jsonl", "{at}");
        create(world, "s", &["After"]);
        let doctor = world.bd_in("s", &["doctor"]);
        assert_eq!(doctor.code, 0, "{at}\nthen {doctor:?}");
        sound_in(world, "s");
        let left = locks(&world.path("s/.git"));
        assert!(left.is_empty(), "{at}: {left:?}");
    });
}
