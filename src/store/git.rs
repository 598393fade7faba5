//! Running `git`: bulk writes here, transport and maintenance with it.
//!
//! Git is told its repository by argument, and none of the variables that could point it elsewhere
//! reach it.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::{Oid, Result, Store, StoreError, io};

/// What `git rev-parse --local-env-vars` lists: variables that belong to one repository.
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

#[expect(clippy::disallowed_methods, reason = "the sanctioned place")]
fn git() -> Command {
    let mut command = Command::new("git");
    for name in LOCAL {
        command.env_remove(name);
    }
    command
}

/// Reads `GIT_CONFIG_PARAMETERS`, which carries `git -c key=value`, as `key=value` texts.
///
/// Git writes `'key'='value'` separated by spaces, a quote inside as `'\''`.
pub fn config_parameters(text: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut current = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => current.extend(chars.by_ref().take_while(|c| *c != '\'')),
            '\\' => current.extend(chars.next()),
            ' ' if !current.is_empty() => values.push(std::mem::take(&mut current)),
            ' ' => {}
            other => current.push(other),
        }
    }
    if !current.is_empty() {
        values.push(current);
    }
    // `git -c beads.flag` without a value means true and is written `'beads.flag'=`.
    values.into_iter().map(|pair| pair.strip_suffix('=').map_or(pair.clone(), str::to_owned)).collect()
}

/// Makes a repository with one commit, for a demonstration.
///
/// # Errors
/// A failing git.
pub fn init_demo(dir: &Path) -> Result<()> {
    let run = |args: &[&str]| {
        let output = git().arg("-C").arg(dir).args(args).output().map_err(io("can't run git"))?;
        checked(args[0], output.status.success(), &output.stderr)
    };
    run(&["init", "--quiet", "--initial-branch=main"])?;
    run(&[
        "-c",
        "user.name=demo",
        "-c",
        "user.email=demo@localhost",
        "commit",
        "--quiet",
        "--allow-empty",
        "-m",
        "First commit",
    ])
}

fn checked(command: &str, success: bool, stderr: &[u8]) -> Result<()> {
    if success {
        return Ok(());
    }
    Err(StoreError::Git { command: command.to_owned(), stderr: String::from_utf8_lossy(stderr).trim().to_owned() })
}

/// A running `git fast-import` that receives blobs and ends with one commit.
pub(super) struct FastImport {
    child: Child,
    stdin: BufWriter<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    paths: Vec<String>,
}

impl FastImport {
    pub(super) fn start(store: &Store) -> Result<Self> {
        let mut command = git();
        command.arg("--git-dir").arg(store.git_dir()).args([
            "-c",
            "fastimport.unpackLimit=1",
            "fast-import",
            "--quiet",
            "--done",
            "--depth=0",
            "--date-format=raw",
        ]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(io("can't run git fast-import"))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => {
                let stdin = BufWriter::with_capacity(1 << 16, stdin);
                Ok(Self { child, stdin, stdout: BufReader::new(stdout), paths: Vec::new() })
            }
            _ => Err(StoreError::Git { command: "fast-import".into(), stderr: "no pipes".into() }),
        }
    }

    /// Sends a blob; its mark is its place in the list of paths.
    pub(super) fn blob(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        self.paths.push(path.to_owned());
        let header = format!("blob\nmark :{}\ndata {}\n", self.paths.len(), bytes.len());
        let written = self.stdin.write_all(header.as_bytes()).and_then(|()| self.stdin.write_all(bytes));
        written.and_then(|()| self.stdin.write_all(b"\n")).map_err(|error| self.failure(&error))
    }

    /// Sends the commit and returns its id. No ref is left behind: the temporary one is reset.
    pub(super) fn commit(mut self, parent: Option<Oid>, commit: &gix::objs::Commit) -> Result<Oid> {
        let sent = self.send_commit(parent, commit);
        let line = sent.and_then(|()| {
            let mut line = String::new();
            self.stdout.read_line(&mut line).map(|_| line)
        });
        let line = line.map_err(|error| self.failure(&error))?;
        let finished = self.stdin.write_all(b"done\n").and_then(|()| self.stdin.flush());
        finished.map_err(|error| self.failure(&error))?;
        let Self { mut child, stdin, .. } = self;
        drop(stdin);
        let status = child.wait().map_err(io("git fast-import"))?;
        checked("fast-import", status.success(), &stderr_of(&mut child))?;
        Oid::parse(line.trim()).ok_or(StoreError::Git { command: "fast-import".into(), stderr: line })
    }

    fn send_commit(&mut self, parent: Option<Oid>, commit: &gix::objs::Commit) -> std::io::Result<()> {
        let name = format!("refs/beads-import/{}", std::process::id());
        let mark = self.paths.len() + 1;
        let out = &mut self.stdin;
        write!(out, "commit {name}\nmark :{mark}\n")?;
        for (role, who) in [("author", &commit.author), ("committer", &commit.committer)] {
            writeln!(out, "{role} {} <{}> {} +0000", who.name, who.email, who.time.seconds)?;
        }
        write!(out, "data {}\n{}\n", commit.message.len(), commit.message)?;
        if let Some(parent) = parent {
            writeln!(out, "from {parent}")?;
        }
        for (i, path) in self.paths.iter().enumerate() {
            writeln!(out, "M 100644 :{} {path}", i + 1)?;
        }
        let zero = "0".repeat(commit.tree.kind().len_in_hex());
        write!(out, "\nreset {name}\nfrom {zero}\n\nget-mark :{mark}\n")?;
        out.flush()
    }

    /// Turns a broken pipe into what git said before it went.
    fn failure(&mut self, error: &std::io::Error) -> StoreError {
        let stderr = match self.child.wait() {
            Ok(_) => String::from_utf8_lossy(&stderr_of(&mut self.child)).trim().to_owned(),
            Err(_) => String::new(),
        };
        let stderr = if stderr.is_empty() { error.to_string() } else { stderr };
        StoreError::Git { command: "fast-import".into(), stderr }
    }
}

fn stderr_of(child: &mut Child) -> Vec<u8> {
    let mut text = Vec::new();
    if let Some(stderr) = &mut child.stderr {
        // What can't be read of an error message is left out of it.
        let _ = stderr.read_to_end(&mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::config_parameters;

    #[test]
    fn git_c_is_read_as_git_writes_it() {
        let text = r"'beads.actor'='it'\''s me' 'beads.flag'= 'a.b'='x=y z'";
        assert_eq!(config_parameters(text), ["beads.actor=it's me", "beads.flag", "a.b=x=y z"]);
    }
}
