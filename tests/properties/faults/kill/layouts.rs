//! Commands that are killed at their system calls, in each layout that git gives a repository.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use super::super::{is_one_in, others, plain_or, sample, soaking};
use super::{can_trace, copy, numbered};
use crate::support::plumbing::{able, sound};
use crate::support::{Output, World, files_refs_only, refs_pinned};

/// System calls that change something outside of the process.
pub(super) const CHANGES: &str = "openat,creat,write,pwrite64,rename,renameat,renameat2,unlink,unlinkat,link,linkat,mkdir,\
    mkdirat,rmdir,ftruncate,fsync,fdatasync,flock,clone,clone3,vfork,fork,wait4,chmod,fchmod,utimensat";

/// Folders of a world that a command may change; the command runs in `repo`.
const FOLDERS: [&str; 3] = ["hub", "main", "repo"];

/// Issues of the imported file: enough of them for a pack.
const IMPORTED: usize = 120;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Layout {
    Packed,
    Alternates,
    Worktree,
    Bare,
    Sha256,
    Reftable,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verb {
    Create,
    Sync,
    Import,
    Purge,
    Undo,
}

const VERBS: [Verb; 5] = [
    Verb::Create,
    Verb::Sync,
    Verb::Import,
    Verb::Purge,
    Verb::Undo,
];

/// A world whose repository and hub can be set to the same state again and again.
pub(super) struct Place {
    pub(super) world: World,
    layout: Layout,
    file: String,
    /// An issue that the hub has as well, and the one that only the hub has.
    pub(super) shared: String,
    theirs: String,
    /// An issue of the repository alone.
    pub(super) kept: String,
}

impl Place {
    /// Returns nothing where git can't make such a repository, or calls can't be traced.
    pub(super) fn new(layout: Layout) -> Option<Self> {
        let _format = match layout {
            Layout::Reftable => Some(refs_pinned("reftable")),
            Layout::Packed => Some(files_refs_only()),
            _ => None,
        };
        let world = World::empty();
        if !can_trace(&world) || !has_format(&world, layout) {
            return None;
        }
        let format = match layout {
            Layout::Sha256 => "--object-format=sha256",
            _ => "--object-format=sha1",
        };
        let git = |folder: &str, args: &[&str]| world.git_in(folder, args).ok();
        git(".", &["init", "-q", "--bare", format, "hub"]);
        git(".", &["init", "-q", format, "other"]);
        git("other", &["commit", "-q", "--allow-empty", "-m", "One"]);
        git("other", &["remote", "add", "origin", "../hub"]);
        git("other", &["push", "-q", "origin", "main"]);
        world.bd_in("other", &["init"]).ok();
        let create = |folder, title| {
            let id = world.bd_in(folder, &["create", "-q", title]).ok();
            id.trim().to_owned()
        };
        let shared = create("other", "Shared");
        world.bd_in("other", &["sync"]).ok();
        match layout {
            Layout::Packed | Layout::Sha256 | Layout::Reftable => {
                git(".", &["clone", "-q", "hub", "repo"])
            }
            Layout::Alternates => git(".", &["clone", "-q", "--shared", "hub", "repo"]),
            Layout::Bare => git(".", &["clone", "-q", "--bare", "hub", "repo"]),
            Layout::Worktree => {
                git(".", &["clone", "-q", "hub", "main"]);
                git("main", &["worktree", "add", "-q", "-b", "work", "../repo"])
            }
        };
        world.bd(&["init"]).ok();
        let kept = create("repo", "Kept");
        let theirs = create("other", "Theirs");
        world.bd_in("other", &["sync"]).ok();
        let line = |n| {
            format!(
                "{{\"id\":\"im-{n}\",\"title\":\"t\",\"created_at\":\"2025-01-01T00:00:00Z\"}}\n"
            )
        };
        let file = world.file("issues.jsonl", (0..IMPORTED).map(line).collect::<String>());
        for name in FOLDERS.iter().filter(|name| world.path(name).exists()) {
            copy(&world.path(name), &world.path("base").join(name));
        }
        Some(Self {
            world,
            layout,
            file,
            shared,
            theirs,
            kept,
        })
    }

    /// Restores the state and returns the issue that is created in it: a copy is another place, and the first write
    /// there is an ordinary one only for those that follow.
    pub(super) fn restore(&self) -> String {
        for name in FOLDERS {
            let (place, base) = (self.world.path(name), self.world.path("base").join(name));
            // A process that packs in the background may still write there.
            while place.exists() && std::fs::remove_dir_all(&place).is_err() {
                std::thread::sleep(Duration::from_millis(20));
            }
            if base.exists() {
                copy(&base, &place);
            }
        }
        let settled = self.world.create(&["Settled"]);
        if self.layout == Layout::Packed {
            self.world.git(&["pack-refs", "--all"]).ok();
        }
        settled
    }

    pub(super) fn arguments(&self, verb: Verb) -> Vec<&str> {
        match verb {
            Verb::Create => vec!["create", "During", "-q"],
            Verb::Sync => vec!["sync"],
            Verb::Import => vec!["import", &self.file],
            Verb::Purge => vec!["purge", "--yes", &self.kept],
            Verb::Undo => vec!["undo"],
        }
    }

    fn traced(&self, verb: Verb, options: &[&str]) -> Output {
        let trace = format!("trace={CHANGES}");
        let mut all = vec!["-qq", "-e", &trace];
        all.extend(options);
        all.push(crate::support::binary());
        all.extend(self.arguments(verb));
        self.world
            .run(self.world.command("repo", "strace", &all), None)
    }

    /// Returns the calls that a command makes when nothing stops it.
    fn calls(&self, verb: Verb) -> Vec<(String, usize)> {
        self.restore();
        let log = self.world.path("calls").display().to_string();
        self.traced(verb, &["-o", &log]).ok();
        numbered(&std::fs::read_to_string(&log).unwrap())
    }

    pub(super) fn ids(&self) -> BTreeSet<String> {
        let all = self.world.bd(&["list", "-q", "-n", "0"]).ok();
        all.lines().map(str::to_owned).collect()
    }

    /// Kills a command at one call, and looks at what it left and at the commands that follow.
    /// Returns false where it was not reached.
    fn kill(&self, verb: Verb, (name, n): &(String, usize)) -> bool {
        let settled = self.restore();
        let inject = format!("inject={name}:signal=SIGKILL:when={n}");
        let killed = self.traced(verb, &["-o", "/dev/null", "-e", &inject]);
        let at = format!("{verb:?} killed at {name} {n}: {killed:?}");
        let there = self.ids();
        let done = self.done(verb, &killed, &there, &settled);
        assert!(
            done || killed.stdout.is_empty(),
            "{at}: answered and not kept: {there:?}"
        );
        self.goes_on(verb, &there, &settled, &at);
        killed.code != 0
    }

    /// Asserts that nothing is lost but what a command removes, and that the commands that follow work.
    #[track_caller]
    pub(super) fn goes_on(&self, verb: Verb, there: &BTreeSet<String>, settled: &str, at: &str) {
        let mut expected = BTreeSet::from([self.shared.as_str(), &self.kept, settled]);
        match verb {
            Verb::Purge => drop(expected.remove(self.kept.as_str())),
            Verb::Undo => drop(expected.remove(settled)),
            _ => {}
        }
        for id in expected {
            assert!(there.contains(id), "{at}: {id} is lost: {there:?}");
        }
        self.next(verb, at);
        self.at_rest(at);
    }

    /// Returns true if the effect of a command is there; half of one fails.
    pub(super) fn done(
        &self,
        verb: Verb,
        killed: &Output,
        there: &BTreeSet<String>,
        settled: &str,
    ) -> bool {
        let has = |id: &str| there.contains(id);
        match verb {
            Verb::Create => has(killed.stdout.trim()),
            Verb::Sync => has(&self.theirs),
            Verb::Purge => !has(&self.kept),
            Verb::Undo => !has(settled),
            Verb::Import => {
                let count = there.iter().filter(|id| id.starts_with("im-")).count();
                assert!([0, IMPORTED].contains(&count), "{count} issues imported");
                count == IMPORTED
            }
        }
    }

    /// Runs a command of the same kind, then a write and a sync.
    pub(super) fn next(&self, verb: Verb, at: &str) {
        let mut arguments = self.arguments(verb);
        if verb == Verb::Purge {
            arguments[2] = &self.shared;
        }
        for args in [&arguments[..], &["create", "After", "-q"], &["sync"]] {
            let next = self.world.bd(args);
            assert_eq!(next.code, 0, "{at}\nthen {args:?}: {next:?}");
        }
        assert!(self.ids().contains(&self.theirs), "{at}");
    }

    /// Git finds no problems, works, and no lock is left.
    pub(super) fn at_rest(&self, at: &str) {
        let before = self.ids();
        sound(&self.world);
        // libgit2 reads neither objects of SHA-256 nor a reftable.
        if self.layout != Layout::Sha256 && !self.world.path("hub/reftable").is_dir() {
            others::read_alike(&self.world, "repo");
        }
        for args in [&["gc", "--quiet"][..], &["pack-refs", "--all"]] {
            let done = self.world.git(args);
            assert_eq!(done.code, 0, "{at}\nthen git {args:?}: {done:?}");
        }
        assert_eq!(self.ids(), before, "{at}");
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let mut left = Vec::new();
            for name in FOLDERS {
                locks(&self.world.path(name), &mut left);
            }
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "{at}: left {left:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Returns true where git makes the repositories of a layout.
fn has_format(world: &World, layout: Layout) -> bool {
    world.git_in(".", &["init", "-q", "probe"]).ok();
    let knows = layout != Layout::Reftable || world.path("probe/.git/reftable").is_dir();
    able(knows, "this git knows no reftable")
}

fn locks(folder: &Path, left: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        // A ref that one fetch alone writes: its lock blocks no other.
        if path.is_dir() && !path.ends_with("beads-incoming") {
            locks(&path, left);
        } else if path.extension().is_some_and(|ending| ending == "lock") {
            left.push(path.display().to_string());
        }
    }
}

/// Returns true for the calls that are tried: each one in the long run, else a part of the sample of other sweeps.
pub(super) fn tried(point: usize) -> bool {
    soaking() || is_one_in(point, plain_or(250, 5 * sample()))
}

fn sweep(layout: Layout, name: &str) {
    let Some(place) = Place::new(layout) else {
        return;
    };
    let (mut all, mut points, mut killed) = (0, 0, 0);
    for verb in VERBS {
        let calls = place.calls(verb);
        assert!(calls.len() > 20, "{verb:?}: {calls:?}");
        for call in &calls {
            all += 1;
            if tried(all) {
                killed += usize::from(place.kill(verb, call));
                points += 1;
            }
        }
    }
    // A run can make some calls less often than the one that was counted.
    assert!(killed > points / 2, "killed {killed} of {points}");
    eprintln!("{name}: {killed} of {all} calls: lost 0, stuck 0");
}

#[test]
fn commands_killed_with_packed_refs_leave_old_or_new() {
    sweep(Layout::Packed, "packed refs");
}

#[test]
fn commands_killed_with_borrowed_objects_leave_old_or_new() {
    sweep(Layout::Alternates, "alternates");
}

#[test]
fn commands_killed_in_a_linked_worktree_leave_old_or_new() {
    sweep(Layout::Worktree, "linked worktree");
}

#[test]
fn commands_killed_in_a_bare_repository_leave_old_or_new() {
    sweep(Layout::Bare, "bare");
}

#[test]
fn commands_killed_with_a_reftable_leave_old_or_new() {
    sweep(Layout::Reftable, "reftable");
}

#[test]
fn commands_killed_in_a_sha256_repository_leave_old_or_new() {
    sweep(Layout::Sha256, "SHA-256");
}
