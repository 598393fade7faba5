//! Instructions of the ten hot commands, counted by callgrind: a regression shows on any machine, however busy.
//!
//! Holds them against `benches/budget.txt`, and fails above it; `UPDATE_BUDGET=1` writes what was counted. See
//! `benches/README.md` for the command: the budget is that of the program that `cargo install` builds here.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench is no part of the program"
)]

mod data;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// The program whose instructions are counted.
const BINARY: &str = match option_env!("GIT_BEADS_PUBLISHED") {
    Some(published) => published,
    None => env!("CARGO_BIN_EXE_git-beads"),
};
const BUDGET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/budget.txt");
/// Issues of the store.
const SIZE: usize = 10_000;
/// Above the budget by this share, a count fails.
const LENIENCE: f64 = 1.05;

fn main() {
    if Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        println!("SKIPPED: valgrind is not here, so nothing is counted");
        return;
    }
    let folder = tempfile::Builder::new()
        .prefix("git-beads-bench-")
        .tempdir()
        .unwrap();
    let ids = fill(folder.path());
    let (a, b) = (ids[ids.len() / 4].as_str(), ids[ids.len() / 3].as_str());
    let commands: [(&str, &[&str]); 10] = [
        ("version", &["version"]),
        ("ready", &["ready"]),
        ("list", &["list"]),
        ("show", &["show", a]),
        ("status", &["status"]),
        ("search", &["search", "zanzibar", "-n", "20"]),
        ("prime", &["prime"]),
        ("create", &["create", "An issue of the bench"]),
        ("update", &["update", a, "--title", "Another title"]),
        ("done", &["done", b, "-r", "counted"]),
    ];
    let mut budget = read_budget();
    let mut exceeded = Vec::new();
    for (name, args) in commands {
        // The first time fills what is filled late.
        if matches!(name, "search") {
            count(folder.path(), args);
        }
        let counted = count(folder.path(), args);
        let allowed = budget.insert(name.to_owned(), counted).unwrap_or(u64::MAX);
        println!("{name:<8} {counted:>12} of {allowed}");
        if counted as f64 > allowed as f64 * LENIENCE {
            exceeded.push(name);
        }
    }
    if std::env::var_os("UPDATE_BUDGET").is_some() {
        let lines: String = budget
            .iter()
            .map(|(name, count)| format!("{name} {count}\n"))
            .collect();
        std::fs::write(BUDGET, lines).unwrap();
    } else {
        assert!(
            exceeded.is_empty(),
            "more instructions than benches/budget.txt allows: {exceeded:?}"
        );
    }
}

fn read_budget() -> BTreeMap<String, u64> {
    let text = std::fs::read_to_string(BUDGET).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    pairs
        .map(|(name, count)| (name.to_owned(), count.parse().unwrap()))
        .collect()
}

/// A store with issues in `repo`, and nothing else that the program could see.
fn fill(folder: &Path) -> Vec<String> {
    let file = folder.join("issues.jsonl");
    let ids = data::write(&file, SIZE);
    std::fs::create_dir_all(folder.join("repo")).unwrap();
    for (program, args) in [
        ("git", &["init", "-q", "-b", "main"][..]),
        ("git", &["config", "user.name", "bench"]),
        ("git", &["config", "user.email", "bench@localhost"]),
        (BINARY, &["init", "--import", file.to_str().unwrap()]),
        (BINARY, &["search", "zanzibar"]),
    ] {
        assert!(
            command(folder, program, args).status().unwrap().success(),
            "{program} {args:?}"
        );
    }
    ids
}

fn command(folder: &Path, program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(folder.join("repo"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap());
    command
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_BEADS_SEED", "1");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The instructions of a command.
fn count(folder: &Path, args: &[&str]) -> u64 {
    let valgrind = ["--tool=callgrind", "--callgrind-out-file=/dev/null", BINARY];
    let mut command = command(folder, "valgrind", &[&valgrind, args].concat());
    let output = command.stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {said}");
    let line = said
        .lines()
        .find_map(|line| line.split_once("Collected :"))
        .unwrap()
        .1;
    line.trim().parse().unwrap()
}
