//! Git's own commands on the hidden ref: what another program could write or see.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::events::until;
use crate::support::tools::find_in_system;
use crate::support::{Output, World, skipped};

/// The hidden ref.
pub const REF: &str = "refs/beads/main";

/// What git says in `repo`, without the final newline.
#[track_caller]
pub fn git(world: &World, args: &[&str]) -> String {
    world.git(args).ok().trim_end().to_owned()
}

/// The commit of the hidden ref.
#[track_caller]
pub fn tip(world: &World) -> String {
    git(world, &["rev-parse", "--verify", REF])
}

/// The file that locks the hidden ref; in a reftable it locks all.
pub fn ref_lock(world: &World) -> String {
    let reftable = "repo/.git/reftable";
    match world.path(reftable).is_dir() {
        true => format!("{reftable}/tables.list.lock"),
        false => format!("repo/.git/{REF}.lock"),
    }
}

/// How many commits the hidden ref has.
#[track_caller]
pub fn commits(world: &World) -> usize {
    git(world, &["rev-list", "--count", REF]).parse().unwrap()
}

/// The message of the newest commit.
#[track_caller]
pub fn message(world: &World) -> String {
    git(world, &["log", "-1", "--format=%B", REF])
}

/// The identity behind an id.
#[track_caller]
pub fn uid(world: &World, id: &str) -> String {
    world.bd(&["show", id, "--json"]).json()["issue"]["uid"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Where the blob of an issue lies.
#[track_caller]
pub fn path(world: &World, id: &str) -> String {
    path_of(&uid(world, id), "issue")
}

/// Where a blob lies in the folder of an issue, by the rule of the format.
pub fn path_of(uid: &str, name: &str) -> String {
    let [a, b, c] = shard(uid);
    format!("issues/{a}/{b}/{c}/{uid}/{name}.json")
}

/// The last three hex digits of a ULID as a number.
pub fn shard(uid: &str) -> [char; 3] {
    let digit = |c: u8| {
        b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"
            .iter()
            .position(|known| *known == c)
            .unwrap()
    };
    let low = uid
        .bytes()
        .rev()
        .take(3)
        .enumerate()
        .map(|(i, c)| digit(c) << (5 * i))
        .sum::<usize>()
        & 0xfff;
    let hex: Vec<char> = format!("{low:03x}").chars().collect();
    [hex[0], hex[1], hex[2]]
}

/// The bytes of a blob at the hidden ref.
#[track_caller]
pub fn blob(world: &World, path: &str) -> String {
    world
        .git(&["cat-file", "blob", &format!("{REF}:{path}")])
        .ok()
}

/// Stores bytes and returns their object.
#[track_caller]
pub fn object(world: &World, bytes: &str) -> String {
    let command = world.command("repo", "git", &["hash-object", "-w", "--stdin"]);
    world
        .run(command, Some(bytes.as_bytes()))
        .ok()
        .trim()
        .to_owned()
}

/// Commits one blob on top of the hidden ref, as a program other than ours would.
#[track_caller]
pub fn put(world: &World, path: &str, bytes: &str) -> String {
    let entry = format!("100644,{},{path}", object(world, bytes));
    let scratch = world.path("scratch.index");
    let with_index = |args: &[&str]| {
        let mut command = world.command("repo", "git", args);
        command.env("GIT_INDEX_FILE", &scratch);
        world.run(command, None).ok().trim().to_owned()
    };
    let old = tip(world);
    with_index(&["read-tree", &old]);
    with_index(&["update-index", "--add", "--cacheinfo", &entry]);
    let tree = with_index(&["write-tree"]);
    let new = git(world, &["commit-tree", &tree, "-p", &old, "-m", "by hand"]);
    git(world, &["update-ref", REF, &new, &old]);
    new
}

/// Gives `repo` an empty bare remote `origin`, and syncs with it.
#[track_caller]
pub fn hub(world: &World) {
    git(world, &["init", "--quiet", "--bare", "../hub.git"]);
    git(world, &["remote", "add", "origin", "../hub.git"]);
    world.bd(&["sync"]).ok();
}

/// Waits until none of the processes that ours start in the background is at work in this world: `git fsck` stumbles
/// over loose objects and packs that go while it reads. Where there is no `/proc` it does not wait.
#[track_caller]
pub fn quiet(world: &World) {
    until("no process in the background", || {
        background(world).is_none()
    });
}

/// The command line of a process that ours started in the background, and that is not done yet. One that is just
/// starting its program has no command line for a moment: it may be ours.
fn background(world: &World) -> Option<String> {
    let here = format!("{}/", world.path("").canonicalize().unwrap().display());
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|process| {
            let line = fs::read(process.path().join("cmdline")).ok()?;
            let starts = line.is_empty() && fs::read_link(process.path().join("exe")).is_ok();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            Some((line, starts))
        })
        .find(|(line, starts)| {
            *starts || line.contains(&here) && BACKGROUND.iter().any(|task| line.ends_with(task))
        })
        .map(|(line, _)| line)
}

/// How the command lines end that our processes start in the background.
const BACKGROUND: [&str; 2] = [" hook fold ", " hook tidy "];

/// Asserts that git finds no problems.
#[track_caller]
pub fn sound(world: &World) {
    sound_in(world, "repo");
}

/// Asserts that git finds no problems in one of the repositories.
#[track_caller]
pub fn sound_in(world: &World, repository: &str) {
    quiet(world);
    let found = world.git_in(repository, &["fsck", "--strict", "--no-dangling"]);
    assert_eq!(
        (
            found.code,
            found
                .all()
                .replace("notice: HEAD points to an unborn branch (main)\n", "")
                .replace("notice: No default references\n", "")
                .replace("--- stderr\n", "")
                .as_str()
        ),
        (0, "")
    );
}

/// Runs commands at the same time.
pub fn together(commands: Vec<Command>) -> Vec<Output> {
    let start = |mut command: Command| {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let children: Vec<_> = commands.into_iter().map(start).collect();
    let end = |child: std::process::Child| {
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Output {
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            code: output.status.code().unwrap_or(-1),
        }
    };
    children.into_iter().map(end).collect()
}

/// The program, ready to run in `repo`.
pub fn program(world: &World, args: &[&str]) -> Command {
    world.command("repo", crate::support::binary(), args)
}

/// The text that a test prints when this machine can't run it; true if it may go on.
pub fn able(possible: bool, what: &str) -> bool {
    if !possible {
        skipped(what);
    }
    possible
}

/// Whether the tests run as the superuser.
pub fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0)
}

/// `n` lines of JSON, an issue each.
pub fn lines(n: usize) -> String {
    let line = |i: usize| {
        let at = format!("2025-01-02T03:{:02}:{:02}Z", i / 60 % 60, i % 60);
        format!(
            "{{\"id\":\"imp-{i:04}\",\"title\":\"Imported {i}\",\"status\":\"open\",\"priority\":{},\"issue_type\":\"task\",\"created_at\":\"{at}\",\"updated_at\":\"{at}\"}}\n",
            i % 5
        )
    };
    (0..n).map(line).collect()
}

/// Removes the journal, from which all of this would be repaired.
pub fn forget(world: &World) {
    std::fs::remove_file(world.path("repo/.git/beads/journal")).unwrap();
}

/// The file of a loose object.
pub fn loose(world: &World, object: &str) -> PathBuf {
    let file = world
        .path("repo/.git/objects")
        .join(&object[..2])
        .join(&object[2..]);
    assert!(file.exists(), "{object} is not loose");
    file
}

/// Removes the files of the index.
pub fn drop_index(world: &World) {
    for entry in std::fs::read_dir(world.path("repo/.git/beads")).unwrap() {
        let path = entry.unwrap().path();
        if path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("index-")
        {
            std::fs::remove_file(path).unwrap();
        }
    }
}

/// Runs a program of the machine, outside of the world.
pub fn system(program: &str, args: &[&str]) -> bool {
    let program = find_in_system(program).unwrap_or_else(|| program.into());
    Command::new(program)
        .args(args)
        .status()
        .is_ok_and(|status| status.success())
}

/// Puts a script in the place of git; `$GIT` is the real one.
pub fn instead_of_git(world: &World, script: &str) {
    let real = find_in_system("git").unwrap();
    let text = format!("#!/bin/sh\nGIT='{}'\n{script}\n", real.display());
    world.executable("tools/git", text);
}
