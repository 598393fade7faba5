//! A writer that is killed at any of its system calls leaves the old state or the new one, and whoever comes
//! next needs no help.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{report, sample, sampled};
use crate::support::{Output, World, missing};

/// System calls by which a process begins.
const BEFORE_US: [&str; 8] = [
    "execve",
    "mmap",
    "mprotect",
    "brk",
    "arch_prctl",
    "set_tid_address",
    "rseq",
    "prlimit64",
];

/// Whether calls can be traced here.
fn can_trace(world: &World) -> bool {
    let trace = ["-qq", "-o", "/dev/null", "true"];
    let works = || world.run(world.command(".", "strace", &trace), None).code == 0;
    world.lend("strace") && (works() || missing("strace that works"))
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A repository to which to go back. Our own files stay the same files, with their times: a copy is another place,
/// and what a copy is mended by is not what is looked at here.
struct Base {
    repo: PathBuf,
    copy: PathBuf,
    kept: PathBuf,
    times: Vec<(OsString, SystemTime)>,
}

impl Base {
    fn of(world: &World) -> Self {
        let (repo, base, kept) = (world.path("repo"), world.path("base"), world.path("kept"));
        copy(&repo, &base);
        std::fs::create_dir(&kept).unwrap();
        let mut times = Vec::new();
        for entry in std::fs::read_dir(repo.join(".git/beads")).unwrap() {
            let entry = entry.unwrap();
            std::fs::hard_link(entry.path(), kept.join(entry.file_name())).unwrap();
            times.push((
                entry.file_name(),
                entry.metadata().unwrap().modified().unwrap(),
            ));
        }
        Self {
            repo,
            copy: base,
            kept,
            times,
        }
    }

    fn restore(&self) {
        // A process that packs beside the user may still be at it.
        while std::fs::remove_dir_all(&self.repo).is_err() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        copy(&self.copy, &self.repo);
        for (name, time) in &self.times {
            let (place, kept) = (
                self.repo.join(".git/beads").join(name),
                self.kept.join(name),
            );
            std::fs::copy(&place, &kept).unwrap();
            std::fs::remove_file(&place).unwrap();
            std::fs::hard_link(&kept, place).unwrap();
            std::fs::File::options()
                .write(true)
                .open(&kept)
                .unwrap()
                .set_modified(*time)
                .unwrap();
        }
    }
}

/// How often a command makes each system call, once it runs.
fn calls(world: &World, args: &[&str]) -> BTreeMap<String, usize> {
    let log = world.path("calls").display().to_string();
    let mut all = vec!["-f", "-qq", "-o", &log, crate::support::binary()];
    all.extend(args);
    world.run(world.command("repo", "strace", &all), None).ok();
    let mut counts = BTreeMap::new();
    for line in std::fs::read_to_string(&log).unwrap().lines() {
        let call = line
            .split_once(' ')
            .map_or(line, |(_, call)| call.trim_start());
        if let Some((name, _)) = call
            .split_once('(')
            .filter(|(name, _)| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        {
            *counts.entry(name.to_owned()).or_insert(0) += 1;
        }
    }
    counts
}

/// Runs a create once for each of its system calls, each time with something done to that call, and hands
/// over what came of it with how many issues there are then.
fn sweep(world: &World, what: &str, mut check: impl FnMut(&str, &Output, usize)) -> usize {
    world.create(&["Before"]);
    let base = Base::of(world);
    let create = ["create", "During", "-q"];
    let (mut all, mut points) = (0, 0);
    base.restore();
    for (name, count) in calls(world, &create) {
        // What only prepares the process touches nothing of ours.
        if BEFORE_US.contains(&name.as_str()) {
            continue;
        }
        for n in 1..=count {
            all += 1;
            if !sampled(all) {
                continue;
            }
            base.restore();
            let (trace, inject) = (
                format!("trace={name}"),
                format!("inject={name}:{what}:when={n}"),
            );
            let mut args = vec![
                "-f",
                "-qq",
                "-o",
                "/dev/null",
                "-e",
                &trace,
                "-e",
                &inject,
                crate::support::binary(),
            ];
            args.extend(create);
            let output = world.run(world.command("repo", "strace", &args), None);
            let at = format!("{name} {n} of {count}: {output:?}");
            let there = world.bd(&["list", "-q"]).ok().lines().count();
            assert!([1, 2].contains(&there), "{at}: {there} issues");
            check(&at, &output, there);
            let next = world.bd(&["create", "After", "-q"]);
            assert_eq!(next.code, 0, "{at}: {next:?}");
            assert_eq!(
                world.bd(&["list", "-q"]).ok().lines().count(),
                there + 1,
                "{at}"
            );
            points += 1;
        }
    }
    world.git(&["fsck", "--strict"]).ok();
    assert!(all > 100 && points >= all / sample(), "{points} of {all}");
    points
}

#[test]
fn a_create_that_is_killed_at_any_system_call_leaves_old_or_new() {
    let world = World::with_store();
    if !can_trace(&world) {
        return;
    }
    let (mut old, mut new) = (0, 0);
    let points = sweep(&world, "signal=SIGKILL", |at, killed, there| {
        assert!(
            there == 2 || killed.stdout.is_empty(),
            "{at}: answered and not kept"
        );
        if there == 1 { old += 1 } else { new += 1 }
    });
    let share = sample();
    assert!(old > 50 / share && new > 3 / share, "old {old}, new {new}");
    let figures = format!("{points} calls: old {old}, new {new}, torn 0, stuck 0");
    report(
        "kill at every system call of a create: torn / stuck",
        &figures,
    );
}

fn is_runtime(at: &str, output: &Output) -> bool {
    let begins = at.starts_with("poll ") && output.stderr.is_empty();
    begins
        || output.stderr.contains("fatal runtime error")
        || output.stderr.contains("library/std/src/sys/")
}

#[test]
fn an_error_of_any_system_call_is_said_or_does_no_harm() {
    let world = World::with_store();
    if !can_trace(&world) {
        return;
    }
    let (mut failed, mut fine, mut wrong) = (0, 0, Vec::new());
    let points = sweep(&world, "error=EIO", |at, output, there| {
        match output.code {
            0 => fine += 1,
            // The loader, before anything of ours runs.
            127 => return,
            // The language's own runtime gives up: no signal handler, no random numbers, no closing of a folder.
            -1 | 101 if is_runtime(at, output) => return,
            _ => failed += 1,
        }
        let answered = !output.stdout.is_empty();
        let said = output.stderr.starts_with("error: ") && !output.stderr.contains("panicked");
        let right = if answered {
            there == 2
        } else {
            said && output.code != 0
        };
        if !right {
            wrong.push(at.to_owned());
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let figures =
        format!("{points} calls: {failed} said so, {fine} did no harm, false 0, corrupt 0");
    report(
        "I/O error at every system call of a create: false acknowledgements / corrupt",
        &figures,
    );
}
