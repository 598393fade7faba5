//! What is the same on Linux, macOS and Windows: these tests use nothing that only one of them has.

mod agents;
mod clones;
mod kills;
mod work;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The user's configuration.
const CONFIG: &str = "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n\
                      [core]\n\tautocrlf = false\n[maintenance]\n\tautoDetach = false\n[gc]\n\tautoDetach = false\n";
/// Beginnings of the names of variables that would change what git or the program does.
const MISLEADING: [&str; 4] = ["GIT_", "XDG_", "CI", "TZ"];

/// A folder with a home and a repository `repo`, in which commands run as a user runs them.
struct Place {
    folder: TempDir,
}

/// What a command did.
#[derive(Debug)]
struct Done {
    stdout: String,
    stderr: String,
    code: Option<i32>,
}

impl Done {
    /// Asserts success and returns standard output without its last line end.
    #[track_caller]
    fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.stdout.trim_end().to_owned()
    }

    /// Asserts success and parses the answer.
    #[track_caller]
    fn json(self) -> Value {
        serde_json::from_str(&self.ok()).unwrap()
    }

    /// Asserts an exit code and returns standard error.
    #[track_caller]
    fn fails(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self:?}");
        self.stderr
    }
}

impl Place {
    /// A place with a repository without issues.
    fn new() -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir(place.path("home")).unwrap();
        std::fs::write(place.path("home/.gitconfig"), CONFIG).unwrap();
        place.git(".", &["init", "-q", "repo"]).ok();
        place
            .git("repo", &["commit", "-q", "--allow-empty", "-m", "first"])
            .ok();
        place
    }

    /// The same, with a store in which nothing is.
    fn with_store() -> Self {
        let place = Self::new();
        place.bd("repo", &["init"]).ok();
        place
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    fn bd(&self, folder: &str, args: &[&str]) -> Done {
        run(self.program(folder, args), "")
    }

    fn git(&self, folder: &str, args: &[&str]) -> Done {
        let mut command = self.command(folder, Path::new("git"));
        command.args(args);
        run(command, "")
    }

    /// Creates an issue and returns its id.
    #[track_caller]
    fn create(&self, folder: &str, title: &str) -> String {
        self.bd(folder, &["create", "-q", title]).ok()
    }

    /// The titles of all issues, in order.
    #[track_caller]
    fn titles(&self, folder: &str) -> Vec<String> {
        let listed = self.bd(folder, &["list", "--all", "--json"]).json();
        let issues = listed["issues"].as_array().unwrap();
        let titles = issues.iter().map(|issue| issue["title"].as_str().unwrap());
        let mut titles: Vec<String> = titles.map(str::to_owned).collect();
        titles.sort_unstable();
        titles
    }

    /// Asserts that git and the program find nothing wrong.
    #[track_caller]
    fn is_sound(&self, folder: &str) {
        let found = self.git(folder, &["fsck", "--strict"]);
        assert!(!found.stderr.contains("error"), "{found:?}");
        found.ok();
        self.bd(folder, &["doctor"]).ok();
    }

    fn program(&self, folder: &str, args: &[&str]) -> Command {
        let mut command = self.command(folder, &binary());
        command.args(args);
        command
    }

    /// A command that finds the program, and no configuration of the user who runs the tests.
    fn command(&self, folder: &str, program: &Path) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if MISLEADING.iter().any(|start| text.starts_with(start)) {
                command.env_remove(&name);
            }
        }
        let outside = std::env::var_os("PATH").unwrap_or_default();
        let ours = binary().parent().unwrap().to_owned();
        let folders = std::iter::once(ours).chain(std::env::split_paths(&outside));
        command
            .current_dir(self.path(folder))
            .env("PATH", std::env::join_paths(folders).unwrap())
            .env("HOME", self.path("home"))
            .env("USERPROFILE", self.path("home"))
            .env("LOCALAPPDATA", self.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            // A person acts, whoever runs the tests.
            .env("GIT_BEADS_AGENT", "");
        command
    }
}

/// The program under test, with a whole path: other folders are current when it runs.
fn binary() -> PathBuf {
    let named = std::env::var_os("GIT_BEADS_BINARY");
    let path = named.map_or_else(|| env!("CARGO_BIN_EXE_git-beads").into(), PathBuf::from);
    std::path::absolute(path).unwrap()
}

fn run(mut command: Command, input: &str) -> Done {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program can end before it has read all.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Done {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code(),
    }
}

/// Returns whether there is a shell, which git runs hooks and the other end of a path with.
fn has_shell() -> bool {
    let ran = Command::new("sh").args(["-c", "exit 3"]).status();
    if ran.is_ok_and(|status| status.code() == Some(3)) {
        return true;
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "CI skips nothing, and a shell is missing"
    );
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: sh is missing");
    false
}
