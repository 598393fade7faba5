//! The program within the process of the tests, where its answer can't tell the difference.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use git_beads::cli;
use git_beads::env::{Env, Sealed, User};

use super::{CONFIG, Output, World, binary};

/// The tests of answers, by the beginnings of their names. Those of all else are about processes too.
const ANSWERS: [&str; 19] = [
    "clients::command_line",
    "format::museum",
    "properties::acts",
    "properties::claims",
    "properties::commits",
    "properties::cut_history",
    "properties::durability",
    "properties::hostile",
    "properties::index",
    "properties::json",
    "properties::limits",
    "properties::merge",
    "properties::past_states",
    "properties::queries",
    "properties::refusals",
    "properties::repository",
    "properties::undo",
    "properties::writes",
    "verbs::",
];
/// Verbs that act on the process that they run in, or serve until it ends.
const OF_PROCESS: [&str; 8] = [
    "hook", "mcp", "wait", "board", "watch", "demo", "ui", "serve",
];
/// Beginnings of variables that only a whole process sees: git reads them itself, and the log is that of a process.
const VARIABLES: [&str; 4] = ["GIT_BEADS_", "TZ", "GIT_DEFAULT_REF_FORMAT", "COLUMNS"];
/// Those of them that are about the process.
const OWN: [&str; 3] = ["GIT_BEADS_LOG", "GIT_BEADS_HOOK", "GIT_BEADS_AGENT"];

/// Returns the environment of a command; none where a process of its own has to run it.
pub fn environment(world: &World, command: &Command, input: Option<&[u8]>) -> Option<Env> {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    if !ANSWERS.iter().any(|beginning| test.starts_with(beginning)) {
        return None;
    }
    // Of another build, which the caller has asked for.
    if binary() != env!("CARGO_BIN_EXE_git-beads") {
        return None;
    }
    let mut args = command.get_args();
    if args.any(|arg| OF_PROCESS.iter().any(|verb| arg == *verb)) {
        return None;
    }
    let is_plain = |(name, _): &(String, String)| {
        let is_own = OWN.iter().any(|own| name.starts_with(own));
        VARIABLES.iter().any(|one| name.starts_with(one)) && !is_own
    };
    // Git's configuration of the user is no part of a sealed environment.
    let has_usual_home = std::fs::read(world.path("home/.gitconfig")).ok()? == CONFIG.as_bytes()
        && !world.path("home/.config/git").exists();
    if !has_usual_home || !world.vars.iter().all(is_plain) {
        return None;
    }
    let variables = command.get_envs();
    let variables: BTreeMap<OsString, OsString> = variables
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect();
    let dir = command.get_current_dir()?.canonicalize().ok()?;
    Some(Env::sealed(Sealed {
        variables,
        dir,
        program: PathBuf::from(binary()),
        identity: User {
            name: "Ann".to_owned(),
            email: "ann@example.org".to_owned(),
        },
        input: input.unwrap_or_default().to_vec(),
    }))
}

/// Runs a command line.
pub fn run(env: &Env, args: &[&str]) -> Output {
    let words = [binary()].into_iter().chain(args.iter().copied());
    let words: Vec<OsString> = words.map(OsString::from).collect();
    let code = cli::run(env, &words);
    let written = env.written();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Output {
        stdout: text(written.output),
        stderr: text(written.error),
        code: i32::from(code),
    }
}
