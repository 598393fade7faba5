//! What `git beads version` says of the build: the target, and the commit where it is known.
//!
//! That is the one which `GIT_BEADS_COMMIT` names, which a packed crate was made from, or which a checkout without changes
//! is at. In a checkout only a release asks: nothing that is built for tests is built again because of a commit.

#![expect(
    clippy::disallowed_methods,
    reason = "this is how a build script reads"
)]

use std::path::Path;
use std::process::Command;

/// What the program is built from.
const SOURCES: [&str; 4] = ["src", ".cargo", "Cargo.toml", "Cargo.lock"];
/// What cargo writes into a packed crate.
const PACKED: &str = ".cargo_vcs_info.json";

fn main() {
    println!("cargo::rerun-if-env-changed=GIT_BEADS_COMMIT");
    let commit = variable("GIT_BEADS_COMMIT")
        .or_else(packed)
        .or_else(checked_out);
    println!(
        "cargo::rustc-env=GIT_BEADS_COMMIT={}",
        commit.unwrap_or_default()
    );
    let target = variable("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=GIT_BEADS_TARGET={target}");
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the commit that a crate was packed from.
fn packed() -> Option<String> {
    let text = std::fs::read_to_string(PACKED).ok()?;
    println!("cargo::rerun-if-changed={PACKED}");
    let (_, rest) = text.split_once("\"sha1\"")?;
    let commit = rest.split('"').nth(1)?;
    (!text.contains("\"dirty\": true")).then(|| commit.to_owned())
}

/// Returns the commit of the checkout that this is the top of.
fn checked_out() -> Option<String> {
    let is_release = variable("PROFILE").is_some_and(|profile| profile == "release");
    if !is_release || !Path::new(".git").exists() {
        return None;
    }
    for path in SOURCES {
        println!("cargo::rerun-if-changed={path}");
    }
    // It grows with each commit and checkout. Of a file that is missing, cargo believes that it has always changed.
    let moves = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&moves).exists() {
        println!("cargo::rerun-if-changed={moves}");
    }
    let status = ["status", "--porcelain", "--untracked-files=no", "--"];
    let changes = git(&[&status[..], &SOURCES].concat())?;
    changes.is_empty().then(|| git(&["rev-parse", "HEAD"]))?
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
