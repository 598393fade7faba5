//! A sealed world: its own home, a fixed clock, seed and identity, no network.

pub mod clones;
pub mod day;
pub mod events;
pub mod fixture;
pub mod hand;
pub mod history;
mod in_process;
pub mod look;
pub mod older;
pub mod packs;
pub mod plumbing;
pub mod pty;
pub mod samples;
pub mod schema;
pub mod screen;
pub mod tools;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};

use git_beads::ops::Tracker;
use git_beads::store::{Intent, Location};
use serde_json::Value;
use tempfile::TempDir;

/// 2026-11-20T11:20:00Z.
const START: u64 = 1_795_173_600_000;

/// The program under test: the one that was built with the tests, or the one that `GIT_BEADS_BINARY` names.
pub fn binary() -> &'static str {
    static NAMED: LazyLock<Option<String>> =
        LazyLock::new(|| std::env::var("GIT_BEADS_BINARY").ok());
    NAMED.as_deref().unwrap_or(env!("CARGO_BIN_EXE_git-beads"))
}

thread_local! {
    static PINNED: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Keeps the format of refs in the repositories of a test, until it is dropped.
#[must_use = "the format is pinned as long as this lives"]
pub struct Pinned(Option<&'static str>);

impl Drop for Pinned {
    fn drop(&mut self) {
        PINNED.set(self.0);
    }
}

/// Lets the worlds that this thread makes from now on keep their refs in a format, whatever the variable says.
pub fn refs_pinned(format: &'static str) -> Pinned {
    Pinned(PINNED.replace(Some(format)))
}

/// The same for a test that looks at loose refs, `packed-refs`, or their locks: a reftable has none of these.
pub fn files_refs_only() -> Pinned {
    refs_pinned("files")
}

/// Returns the format of refs that `GIT_BEADS_REF_FORMAT` asks for, or the test has pinned.
fn ref_format() -> Option<String> {
    let pinned = PINNED.get().map(str::to_owned);
    pinned.or_else(|| std::env::var("GIT_BEADS_REF_FORMAT").ok())
}

/// The user's configuration. What git does to keep a repository small may not go on beside the next command of a test:
/// it removes the empty folder of an object in which that command begins one, and the command fails.
const CONFIG: &str = "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n\
                      [maintenance]\n\tautoDetach = false\n[gc]\n\tautoDetach = false\n";

/// A folder with a home, in which commands run; the clock advances by a second with each.
pub struct World {
    folder: TempDir,
    step: Cell<u64>,
    vars: Vec<(String, String)>,
}

/// What a command did.
#[must_use = "look at the answer, or call .ok()"]
#[derive(Debug)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    pub code: i32,
}

impl Output {
    /// Asserts success and returns standard output.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
    }

    /// Asserts an exit code and returns standard error.
    #[track_caller]
    pub fn fails(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:?}");
        self.stderr
    }

    /// Asserts success and parses the answer.
    #[track_caller]
    pub fn json(self) -> Value {
        assert_eq!(self.code, 0, "{self:?}");
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// Everything in one text, for a snapshot.
    pub fn all(&self) -> String {
        let mut text = self.stdout.clone();
        if !self.stderr.is_empty() {
            let _ = write!(text, "--- stderr\n{}", self.stderr);
        }
        if self.code != 0 {
            let _ = writeln!(text, "--- exit {}", self.code);
        }
        text
    }
}

impl World {
    /// A world with an empty git repository `repo`.
    pub fn new() -> Self {
        Self::copied("repository", Self::with_repository)
    }

    fn with_repository() -> Self {
        let world = Self::empty();
        world
            .git(&["init", "--quiet", "--initial-branch=main", "repo"])
            .ok();
        world
    }

    /// A world whose repository keeps issues: a copy, in which the program has not run yet.
    pub fn with_store() -> Self {
        Self::copied("store", Self::with_store_made_here)
    }

    /// The same, made step by step.
    pub fn with_store_made_here() -> Self {
        let world = Self::new();
        world.bd(&["init"]).ok();
        world
    }

    /// A world without a repository.
    pub fn empty() -> Self {
        let world = Self::bare();
        std::fs::create_dir(world.path("home")).unwrap();
        std::fs::write(world.path("home/.gitconfig"), CONFIG).unwrap();
        world
    }

    /// A world without a home.
    fn bare() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("git-beads-test-")
            .tempdir_in(tools::place())
            .unwrap();
        Self {
            folder,
            step: Cell::new(0),
            vars: ref_format()
                .map(|format| ("GIT_DEFAULT_REF_FORMAT".to_owned(), format))
                .into_iter()
                .collect(),
        }
    }

    /// Sets a variable for all commands that follow.
    pub fn set(&mut self, name: &str, value: &str) -> &mut Self {
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Moves the clock of the commands that follow.
    pub fn pass(&self, seconds: u64) {
        self.step.set(self.step.get() + seconds);
    }

    /// A path in this world.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// Writes a file and returns its path as text.
    pub fn file(&self, relative: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    }

    /// Writes a program, such as a script, and returns its path as text.
    pub fn executable(&self, relative: &str, content: impl AsRef<[u8]>) -> String {
        let text = self.file("executable", content);
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        tools::copy_program(&text, &path);
        std::fs::remove_file(text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// Runs the program in `repo`.
    pub fn bd(&self, args: &[&str]) -> Output {
        self.bd_in("repo", args)
    }

    /// Runs the program in `repo` as somebody.
    pub fn bd_as(&self, actor: &str, args: &[&str]) -> Output {
        let mut all = vec!["--actor", actor];
        all.extend(args);
        self.bd(&all)
    }

    /// Runs the program in a folder of this world.
    pub fn bd_in(&self, folder: &str, args: &[&str]) -> Output {
        self.answer(folder, None, args)
    }

    /// Runs the program in `repo` with something on standard input.
    pub fn bd_with(&self, input: impl AsRef<[u8]>, args: &[&str]) -> Output {
        self.answer("repo", Some(input.as_ref()), args)
    }

    /// Runs the program in this process where its answer can't tell the difference, else as a process of its own.
    fn answer(&self, folder: &str, input: Option<&[u8]>, args: &[&str]) -> Output {
        let command = self.command(folder, binary(), args);
        match in_process::environment(self, &command, input) {
            Some(env) => self.cleaned(&in_process::run(&env, args)),
            None => self.run(command, input),
        }
    }

    /// Opens the tracker of a folder, as a face keeps it.
    #[track_caller]
    pub fn tracker(&self, folder: &str) -> Tracker {
        git_beads::ops::open(&self.location(folder), None, Intent::Write).unwrap()
    }

    /// A folder with the clock and the seed of one command.
    #[track_caller]
    pub fn location(&self, folder: &str) -> Location {
        let command = self.command(folder, binary(), &[]);
        Location {
            dir: self.path(folder),
            explicit: true,
            env: in_process::environment(self, &command, None).unwrap(),
        }
    }

    /// Creates an issue and returns its id.
    #[track_caller]
    pub fn create(&self, args: &[&str]) -> String {
        let mut all = vec!["create", "-q"];
        all.extend(args);
        self.bd(&all).ok().trim().to_owned()
    }

    /// Runs git in `repo`, or in the world itself while there is none.
    pub fn git(&self, args: &[&str]) -> Output {
        let folder = if self.path("repo").exists() {
            "repo"
        } else {
            "."
        };
        self.git_in(folder, args)
    }

    /// Runs git in a folder of this world.
    pub fn git_in(&self, folder: &str, args: &[&str]) -> Output {
        self.run(self.command(folder, "git", args), None)
    }

    /// A command that sees of the world outside only git, what every system has, and what was lent.
    pub fn command(&self, folder: &str, program: &str, args: &[&str]) -> Command {
        let step = self.step.get() + 1;
        self.step.set(step);
        let folder = self.path(folder);
        let mut command = match program {
            // By its path: else this process would be copied first, which takes long.
            "git" if !self.has_own_git() => Command::new(tools::git()),
            _ => Command::new(program),
        };
        command
            .current_dir(folder)
            .env_clear()
            .args(args)
            .env("PATH", self.search_path(true))
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.folder.path());
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("TZ", "UTC")
            .env("LC_ALL", "C.UTF-8");
        command
            .env("GIT_BEADS_NOW", (START + step * 1000).to_string())
            .env("GIT_BEADS_SEED", step.to_string());
        command.envs(self.vars.iter().cloned());
        command
    }

    /// Returns whether a test has put another git on the search path.
    fn has_own_git(&self) -> bool {
        self.path("tools/git").exists() || self.vars.iter().any(|(name, _)| name == "PATH")
    }

    /// Runs a command to its end.
    pub fn run(&self, mut command: Command, input: Option<&[u8]>) -> Output {
        use std::io::Write;
        command
            .stdin(if input.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = loop {
            match command.spawn() {
                // Another thread has forked while a copy of a program was being written.
                Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {}
                spawned => break spawned.unwrap(),
            }
        };
        if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
            // A program can end before it has read all.
            let written = stdin.write_all(input);
            let is_gone = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
            assert!(written.as_ref().err().is_none_or(is_gone), "{written:?}");
        }
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.cleaned(&Output {
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            code: output.status.code().unwrap_or(-1),
        })
    }

    /// Replaces the path of this world, which is another one each time.
    fn cleaned(&self, output: &Output) -> Output {
        let root = self.folder.path().display().to_string();
        Output {
            stdout: output.stdout.replace(&root, "WORLD"),
            stderr: output.stderr.replace(&root, "WORLD"),
            code: output.code,
        }
    }
}

/// Says that a test is skipped for want of something; with `CI` set that is a failure.
pub fn missing(what: &str) -> bool {
    assert!(
        std::env::var_os("CI").is_none(),
        "CI skips nothing, and {what} is missing"
    );
    skipped(&format!("{what} is missing"));
    false
}

/// Says once that a test, or a part of it, is skipped, where the output of a test that passes is not shown either.
pub fn skipped(why: &str) {
    use std::io::Write;
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let thread = std::thread::current();
    let line = format!("SKIPPED: {}: {why}", thread.name().unwrap_or("a test"));
    if SAID.lock().unwrap().insert(line.clone()) {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

/// Returns the number that a variable of the tests holds.
pub fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The folder of real issue files, where it is there.
pub fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    // Not a tool that anybody could install.
    skipped(&format!("{} is missing", folder.display()));
    None
}
