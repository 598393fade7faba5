//! A writer that is killed at any of its system calls leaves the old state or the new one, and whoever comes
//! next needs no help.

mod children;
mod layouts;
mod reach;
mod starts;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{report, sample, sampled};
use crate::support::plumbing::sound;
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

/// How often a command makes each system call, once it runs, with those of its children and threads.
fn calls(world: &World, args: &[&str]) -> BTreeMap<String, usize> {
    calls_in(world, "repo", &["-f"], args)
}

/// The same in another folder, with other options of strace.
fn calls_in(
    world: &World,
    folder: &str,
    options: &[&str],
    args: &[&str],
) -> BTreeMap<String, usize> {
    let log = world.path("calls").display().to_string();
    let mut all = options.to_vec();
    all.extend(["-qq", "-o", &log, crate::support::binary()]);
    all.extend(args);
    world.run(world.command(folder, "strace", &all), None).ok();
    let mut counts = BTreeMap::new();
    for line in std::fs::read_to_string(&log).unwrap().lines() {
        let call = line
            .split_once(' ')
            .filter(|(process, _)| process.bytes().all(|byte| byte.is_ascii_digit()))
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

/// Returns the calls in a log of strace, each with how often that one was made by then: strace counts each name by itself.
fn numbered(log: &str) -> Vec<(String, usize)> {
    let names = log.lines().filter_map(|line| line.split_once('('));
    let is_call = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase());
    let mut counts = BTreeMap::new();
    let numbered = names.filter(|(name, _)| is_call(name)).map(|(name, _)| {
        let count = counts.entry(name).or_insert(0);
        *count += 1;
        (name.to_owned(), *count)
    });
    numbered.collect()
}

/// Runs a create once for each of its system calls, each time with something done to that call, and hands
/// over what came of it with how many issues there are then.
fn sweep(world: &World, what: &str, check: impl FnMut(&str, &Output, usize)) -> usize {
    // What only prepares the process touches nothing of ours. A file that strace does not let be closed stays open, which
    // no system does: of the end of a pipe to a child we would wait for ever.
    let keeps_open = what.starts_with("error") && has_reftable(world);
    let is_meant = |name: &str| !(BEFORE_US.contains(&name) || keeps_open && name == "close");
    let (all, points) = sweep_of(world, what, is_meant, check);
    assert!(all > 100, "{all}");
    points
}

/// The same for the calls of some names; returns how many there are, and how many of them the sample has.
fn sweep_of(
    world: &World,
    what: &str,
    is_meant: impl Fn(&str) -> bool,
    mut check: impl FnMut(&str, &Output, usize),
) -> (usize, usize) {
    world.create(&["Before"]);
    let base = Base::of(world);
    let create = ["create", "During", "-q"];
    let (mut all, mut points) = (0, 0);
    base.restore();
    for (name, count) in calls(world, &create) {
        if !is_meant(&name) {
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
            let listed = world.bd(&["list", "-q"]);
            assert_eq!(listed.code, 0, "{at}: {listed:?}");
            let there = listed.stdout.lines().count();
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
    sound(world);
    assert!(points >= all / sample(), "{points} of {all}");
    (all, points)
}

#[test]
fn a_create_that_is_killed_at_any_system_call_leaves_old_or_new() {
    let world = World::with_store_made_here();
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

/// Files that git takes for locks; one of a ref that no other fetch writes blocks nobody.
fn locks(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("beads-incoming") {
            found.extend(locks(&path));
        } else if path.extension().is_some_and(|ending| ending == "lock") {
            found.push(path);
        }
    }
    found
}

fn is_runtime(at: &str, output: &Output) -> bool {
    let begins = at.starts_with("poll ") && output.stderr.is_empty();
    // No kernel lets this one fail, and who asks does not expect it.
    let cannot_fail = at.starts_with("geteuid ");
    begins
        || cannot_fail
        || output.stderr.contains("fatal runtime error")
        || output.stderr.contains("library/std/src/sys/")
        || output.stderr.contains("The futex facility")
}

#[test]
fn an_error_of_any_system_call_is_said_or_does_no_harm() {
    let world = World::with_store_made_here();
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
        let mut lines = output.stderr.lines();
        // With a reftable the calls of several processes fail alike: also the one that would say why.
        let is_line = lines.any(|line| line.starts_with("error: "))
            || (has_reftable(&world) && at.starts_with("write "));
        let said = is_line && !output.stderr.contains("panicked");
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

fn has_reftable(world: &World) -> bool {
    world.path("repo/.git/reftable").exists()
}

#[test]
fn a_quota_that_is_used_up_is_said_or_does_no_harm() {
    let world = World::with_store_made_here();
    if !can_trace(&world) {
        return;
    }
    let takes_space = |name: &str| ["write", "pwrite64", "mkdir", "rename"].contains(&name);
    let (mut failed, mut wrong) = (0, Vec::new());
    let (all, points) = sweep_of(&world, "error=EDQUOT", takes_space, |at, output, there| {
        let is_whole = output.code == 0 && there == 2;
        let says = |text| output.stderr.contains(text);
        // As above.
        let is_said = output.code == 6
            && (has_reftable(&world) || says("uota exceeded") && says("hint: free some space"));
        // The answer is written last.
        let is_answer = there == 2 && output.stderr.contains("what was to be done is done");
        failed += usize::from(is_said);
        if !(is_whole || is_said || is_answer) {
            wrong.push(at.to_owned());
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        all > 10 && (failed > 0 || sample() > 1),
        "{failed} of {all}"
    );
    report(
        "quota used up at each write of a create",
        &format!("{points} calls: {failed} said so, the others did no harm"),
    );
}
