//! Running `git`: for bulk writes, transport and maintenance.
//!
//! Git gets its repository by argument, and none of the variables that could point it elsewhere
//! reach it; what the user sets for this command by `git -c` or `GIT_CONFIG_COUNT` does, as long as we set
//! nothing else. An exchange runs neither hooks nor a file system monitor of the repository, and no transport
//! that is a command line: an address may come from someone else. Where we read what git says, it speaks
//! the language of its source, no matter what the user's is.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::child::{self, Ended, Limits, TIMEOUT, patience};
use super::command_config::{add_configuration, command_configuration};
use super::failure::{Failure, lasting};
use super::run::{self, RunningGit};
use super::{Cancel, Result, Store, StoreError, io, path_of};
use crate::env::{Env, start_thread};
use crate::platform::{self, ChildProcess};

/// The list of `git rev-parse --local-env-vars`: variables that belong to one repository.
const LOCAL: [&str; 16] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_INTERNAL_SUPER_PREFIX",
];

/// Further variables that would change what is exchanged, or with whom.
const MISLEADING: [&str; 7] = [
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
    "GIT_PROTOCOL",
    "GIT_REF_PARANOIA",
    "GIT_ATTR_SOURCE",
    "GIT_EXTERNAL_DIFF",
    "GIT_REFERENCE_BACKEND",
];

/// Transports whose address is a command line or a file descriptor.
const NEVER: [&str; 2] = ["ext", "fd"];

/// Variables that keep git, and what it runs, from asking where no one can answer.
pub(super) const UNATTENDED: [(&str, &str); 4] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GCM_INTERACTIVE", "never"),
];

/// The exit code of `git config` where there is nothing to unset.
const NOT_THERE: i32 = 5;

/// Returns a program that no variable points to another repository.
fn program(env: &Env, name: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = env.command(name);
    for name in LOCAL.iter().chain(&MISLEADING) {
        command.env_remove(name);
    }
    command
}

/// Returns a git whose answers we read: in the language of its source.
pub(super) fn git(env: &Env) -> Command {
    let mut command = users_language(env);
    command.env("LC_ALL", "C").env("LANGUAGE", "");
    // As we read objects ourselves: a replaced commit would have another history, and no push of it be a descendant.
    command.env("GIT_NO_REPLACE_OBJECTS", "1");
    command
}

/// Returns a git that speaks to the user, and runs what is theirs.
fn users_language(env: &Env) -> Command {
    let mut command = program(env, "git");
    // Before all that we set: the last one wins.
    add_configuration(&mut command, command_configuration(env));
    for transport in NEVER {
        command
            .arg("-c")
            .arg(format!("protocol.{transport}.allow=never"));
    }
    // A list in the environment beats the configuration.
    if let Some(list) = env.var_os("GIT_ALLOW_PROTOCOL") {
        command.env("GIT_ALLOW_PROTOCOL", allowed(&list.to_string_lossy()));
    }
    command
}

/// Returns a list of transports without those that never run.
fn allowed(list: &str) -> String {
    list.split(':')
        .filter(|name| !NEVER.contains(name))
        .collect::<Vec<_>>()
        .join(":")
}

/// Clones a repository, with git's own progress and questions.
pub(crate) fn clone(env: &Env, url: &str, dir: Option<&str>, here: &Path) -> Result<()> {
    let shown = env.error_is_terminal();
    let mut command = users_language(env);
    command.arg("-C").arg(here).args(["clone", "--progress"]);
    command.args(["--end-of-options", url]).args(dir);
    let limits = Limits {
        silence: patience(TIMEOUT, super::global_config(env, TIMEOUT.0))?,
        // The git protocol knows no users, so no one is asked.
        asks: env.has_terminal() && !url.starts_with("git://"),
        cancel: Cancel::default(),
        shown,
        env: env.clone(),
    };
    match child::run(&mut command, &limits).map_err(io("can't run git clone"))? {
        Ended::Itself(output) => {
            if !shown {
                env.pass_to_error(lasting(&output.stderr).as_bytes());
            }
            // Git's own words have been shown by now.
            checked("clone", output.status.success(), b"see above")
        }
        Ended::Silent | Ended::GivenUp => {
            let seconds = limits.silence.unwrap_or_default().as_secs();
            Err(StoreError::Remote {
                remote: url.to_owned(),
                reference: super::REF.to_owned(),
                said: format!("no answer for {seconds} s"),
                failure: Failure::Silent(seconds),
            })
        }
    }
}

/// Makes a repository `project` with one commit and a bare remote `hub.git`, for a demonstration.
pub(crate) fn init_demo(env: &Env, dir: &Path) -> Result<()> {
    let run = |args: &[&str]| {
        let output = output(git(env).arg("-C").arg(dir).args(args))?;
        checked(args[0], output.status.success(), &output.stderr)
    };
    let who = ["-c", "user.name=demo", "-c", "user.email=demo@localhost"];
    run(&[
        "init",
        "--quiet",
        "--bare",
        "--initial-branch=main",
        "hub.git",
    ])?;
    run(&["init", "--quiet", "--initial-branch=main", "project"])?;
    let first = [
        "-C",
        "project",
        "commit",
        "--quiet",
        "--allow-empty",
        "-m",
        "First commit",
    ];
    run(&[&who[..], &first].concat())?;
    run(&["-C", "project", "remote", "add", "origin", "../hub.git"])?;
    run(&["-C", "project", "push", "--quiet", "origin", "main"])
}

/// The `git` of the machine, with its repository as an argument.
#[derive(Clone, Copy)]
pub(crate) struct Git<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the `git` of the machine, with its repository as an argument.
    pub(crate) fn git(&self) -> Git<'_> {
        Git { store: self }
    }
}

impl Git<'_> {
    /// Returns a git command on this repository, no matter what the environment says of others.
    pub(super) fn command(self) -> Command {
        let mut command = git(self.store.env());
        command.args([
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
        ]);
        self.configure(&mut command, &[]);
        self.store.refs().configure(&mut command);
        // Relative addresses of remotes are relative to the work tree.
        command
            .arg("-C")
            .arg(self.store.place())
            .arg("--git-dir")
            .arg(self.store.git_dir());
        command
    }

    /// Returns a git command of the user's own, with their hooks, in their work tree.
    pub(super) fn users_git(self, top: &Path) -> Command {
        let mut command = users_language(self.store.env());
        command
            .arg("-C")
            .arg(top)
            .arg("--git-dir")
            .arg(self.store.git_dir())
            .arg("--work-tree")
            .arg(top);
        command
    }
}

impl Git<'_> {
    /// Sets values for one command, no matter what the configuration says. Hooks that git's configuration defines are
    /// switched off, which `core.hooksPath` does not.
    pub(super) fn configure(self, command: &mut Command, values: &[(String, &str)]) {
        let hooks = self.store.configured_hooks();
        let hooks = hooks
            .iter()
            .map(|name| (format!("hook.{name}.enabled"), "false".into()));
        let values = values
            .iter()
            .map(|(key, value)| (key.clone(), (*value).into()));
        add_configuration(command, hooks.chain(values));
    }

    /// Takes values of a key out of the repository's own configuration; what is not there any more is out. What another
    /// scope says stays: it is the user's. `what` is as `git config --unset-all` takes it.
    pub(super) fn unset_config(self, what: &[&str]) -> Result<()> {
        let arguments = ["config", "--local", "--unset-all"];
        let unset = output(self.command().args(arguments).args(what))?;
        let is_out = unset.status.success() || unset.status.code() == Some(NOT_THERE);
        checked("config", is_out, &unset.stderr)
    }

    /// Writes a value of the repository's configuration.
    pub(super) fn set_config(self, key: &str, value: &str) -> Result<()> {
        let set = output(self.command().args(["config", key, value]))?;
        checked("config", set.status.success(), &set.stderr)
    }

    /// Returns the folder in which git looks for hooks; `core.hooksPath`, local or global, may name any.
    pub(crate) fn hooks_folder(self) -> Result<PathBuf> {
        let mut command = git(self.store.env());
        command
            .arg("-C")
            .arg(self.store.place())
            .arg("--git-dir")
            .arg(self.store.git_dir());
        let found = output(command.args(["rev-parse", "--git-path", "hooks"]))?;
        checked("rev-parse", found.status.success(), &found.stderr)?;
        let path = found.stdout.strip_suffix(b"\n").unwrap_or(&found.stdout);
        let path = path_of(path).ok_or_else(|| StoreError::Git {
            command: "rev-parse".to_owned(),
            stderr: "the path of the hooks is not UTF-8".to_owned(),
        })?;
        Ok(self.store.place().join(path))
    }
}

/// Returns the version of git, as it says and as two numbers.
pub(crate) fn version(env: &Env) -> Result<(String, (u32, u32))> {
    let said = output(git(env).arg("version"))?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let version = text
        .split_whitespace()
        .nth(2)
        .unwrap_or_default()
        .to_owned();
    let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    let numbers = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    Ok((version, numbers))
}

/// Runs this program on a repository where no one can be asked anything, and ends it, with all that it has
/// started, when its time is up.
pub(crate) fn supervise(env: &Env, place: &Path, args: &[&str], limit: Duration) {
    let Some(mut command) = ours(env, place, args) else {
        return;
    };
    command.env("GIT_BEADS_HOOK", "0").envs(UNATTENDED);
    tracing::debug!(
        task = args.get(1),
        "starts in the background, and waits for it"
    );
    let Ok(mut child) = platform::lead_group(&mut command).spawn() else {
        return;
    };
    let end = Instant::now() + limit;
    while Instant::now() < end && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(Duration::from_millis(20));
    }
    if matches!(child.try_wait(), Ok(None)) {
        ChildProcess::new(&child, true).kill(&mut child);
    }
}

/// Returns this program, on a repository and with no one to talk to.
fn ours(env: &Env, place: &Path, args: &[&str]) -> Option<Command> {
    let mut command = program(env, env.program()?);
    command.arg("-C").arg(place).args(args).current_dir("/");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Some(command)
}

/// Starts this program on a repository, and does not wait for it.
pub(super) fn detach(store: &Store, args: &[&str]) {
    let Some(mut command) = ours(store.env(), store.common_dir(), args) else {
        return;
    };
    // The second word alone: those after it may name a remote.
    tracing::debug!(task = args.get(1), "starts in the background");
    // What it does can wait for the next time.
    if let Ok(mut child) = platform::lead_group(&mut command).spawn() {
        // Waited for, or it would stay a zombie for as long as this process runs.
        let _ = start_thread(move || child.wait());
    }
}

/// Runs a command to its end without a terminal to ask on, unless there is one.
pub(super) fn output(command: &mut Command) -> Result<Output> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    run::start(command)
        .and_then(collect)
        .map_err(io("can't run git"))
}

fn whole(pipe: Option<impl Read>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes))?;
    Ok(bytes)
}

/// A pipe of a child that another thread reads to its end: a child that fills one waits until someone reads it.
pub(super) struct ReadAside(JoinHandle<std::io::Result<Vec<u8>>>);

impl ReadAside {
    pub(super) fn begin(pipe: Option<impl Read + Send + 'static>) -> std::io::Result<Self> {
        start_thread(move || whole(pipe)).map(Self)
    }

    /// Returns all that the child has written, once it has closed the pipe.
    pub(super) fn end(self) -> std::io::Result<Vec<u8>> {
        let gone = |_| std::io::Error::other("its standard error was not read");
        self.0.join().map_err(gone)?
    }
}

/// Collects what a child says on both pipes, and waits for its end.
///
/// The standard library's `output` and `wait_with_output` panic where a pipe can't be read; this returns the error.
pub(super) fn collect(mut run: RunningGit) -> std::io::Result<Output> {
    drop(run.child.stdin.take());
    let (stdout, stderr) = (run.child.stdout.take(), run.child.stderr.take());
    // Both at once: a child that fills one pipe waits until someone reads it.
    let aside = ReadAside::begin(stderr);
    let stdout = whole(stdout);
    let stderr = aside.and_then(ReadAside::end);
    // Its pipes are closed by now, so it ends; the wait comes before any error, for no child is left behind.
    let status = run.wait()?;
    Ok(Output {
        status,
        stdout: stdout?,
        stderr: stderr?,
    })
}

/// Turns a failed command into what it said.
pub(super) fn checked(command: &str, success: bool, stderr: &[u8]) -> Result<()> {
    if success {
        return Ok(());
    }
    Err(StoreError::Git {
        command: command.to_owned(),
        stderr: String::from_utf8_lossy(stderr).trim().to_owned(),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use std::process::Stdio;

    use super::super::run::start;
    use super::{allowed, collect, git, output};
    use crate::platform::{LOCKS_ARE_MANDATORY, unreadable_pipe};

    #[test]
    fn a_pipe_that_cannot_be_read_is_an_error() {
        for broken in [true, false] {
            let mut command = git(&crate::env::Env::of_process());
            command
                .arg("--version")
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            let mut run = start(&mut command).unwrap();
            if broken {
                run.child.stdout = Some(unreadable_pipe());
            } else {
                run.child.stderr = Some(unreadable_pipe());
            }
            let _ = collect(run).unwrap_err();
        }
    }

    /// Returns whether git runs an alias here: on Windows it brings a shell along only where it was installed with one.
    pub(in crate::store) fn has_shell() -> bool {
        let mut command = git(&crate::env::Env::of_process());
        let run = output(command.args(["-c", "alias.one=!exit 0", "one"]));
        let has_one = run.is_ok_and(|run| run.status.success());
        assert!(has_one || LOCKS_ARE_MANDATORY, "git has no shell");
        has_one
    }

    #[test]
    fn both_pipes_are_read_at_once() {
        if !has_shell() {
            return;
        }
        let mut command = git(&crate::env::Env::of_process());
        let script = "!printf %0100000d 0 >&2; printf %0100000d 0; exit 3";
        command.args(["-c", &format!("alias.both={script}"), "both"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = collect(start(&mut command).unwrap()).unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(
            (output.stdout.len(), output.stderr.len()),
            (100_000, 100_000)
        );
    }

    #[test]
    fn no_list_allows_a_command_line() {
        for (list, left) in [
            ("ext", ""),
            ("https:ext:ssh:fd", "https:ssh"),
            ("", ""),
            ("own:external", "own:external"),
        ] {
            assert_eq!(allowed(list), left);
        }
    }
}
