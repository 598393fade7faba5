//! The cache, seen from outside: it may be anything, and answers stay right.

mod beside;
mod damage;
mod equal;
mod follow;
mod growth;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::{World, missing};

/// The files of the cache in `repo`, sorted by name.
fn files(world: &World) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(world.path("repo/.git/beads")) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = paths
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("index-")
        })
        .collect();
    found.sort();
    found
}

/// The newest file of rows, and the one beside it.
fn newest(world: &World) -> [Option<PathBuf>; 2] {
    [false, true].map(|late| {
        let is_late = |path: &PathBuf| path.to_str().unwrap().ends_with(".late.db");
        files(world)
            .into_iter()
            .rfind(|path| path.extension().is_some_and(|end| end == "db") && is_late(path) == late)
    })
}

/// The newest file of rows.
fn rows(world: &World) -> PathBuf {
    newest(world)[0].clone().unwrap()
}

/// Deletes the cache.
fn drop_index(world: &World) {
    for path in files(world) {
        if path.is_dir() {
            std::fs::remove_dir(path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
    }
}

/// Another process that holds what its statements have locked.
struct Holder(Child);

impl Holder {
    fn new(file: &Path, statements: &str) -> Self {
        let program = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\nfor each in sys.argv[2].split(';'): c.execute(each).fetchall()\nprint(flush=True)\nsys.stdin.read()\nc.execute('COMMIT')";
        let mut command = python(program);
        command.arg(file).arg(statements);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let said = child.stdout.as_mut().unwrap();
        said.read_exact(&mut [0]).unwrap();
        Self(child)
    }

    fn end(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().unwrap().success());
    }
}

/// What the index answers to everything it is asked.
fn everything(world: &World) -> Vec<String> {
    let questions: [&[&str]; 10] = [
        &["list", "--all", "--deleted", "--json", "-n", "0"],
        &["list", "--json", "-n", "0"],
        &["list", "--tree", "--json", "-n", "0"],
        &["ready", "--json", "-n", "0"],
        &["blocked", "--json", "-n", "0"],
        &["ready", "--explain", "--json"],
        &["status", "--json"],
        &["list", "-l", "red", "--json", "-n", "0"],
        &["log", "--json", "-n", "0"],
        &["export"],
    ];
    let mut answers: Vec<String> = questions.iter().map(|args| world.bd(args).ok()).collect();
    answers.extend(["alpha", "because", "left"].map(|text| found(world, text).join(" ")));
    answers
}

/// What a search finds, sorted: its order has a test of its own.
fn found(world: &World, text: &str) -> Vec<String> {
    let answer = world.bd(&["search", text, "-q", "-n", "0"]).ok();
    let mut ids: Vec<String> = answer.lines().map(str::to_owned).collect();
    ids.sort();
    ids
}

/// A Python of this machine with a program.
#[expect(
    clippy::disallowed_methods,
    reason = "a Python of the machine may need its own environment"
)]
fn python(program: &str) -> Command {
    let mut command = Command::new("python3");
    command.args(["-c", program]);
    command
}

fn has_python() -> bool {
    let works = python("import sqlite3").status();
    works.is_ok_and(|status| status.success()) || missing("python3 with its sqlite3 module")
}
