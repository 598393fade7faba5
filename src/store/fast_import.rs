//! Many blobs at once, through `git fast-import` into one pack.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::git::checked;
use super::run::{RunningGit, start};
use super::{Oid, Result, Store, StoreError, io};

/// What git calls the commit until the name is reset; no ref is made.
const NAME: &str = "refs/beads/import";

/// A running `git fast-import` that receives blobs and ends with one commit.
pub(super) struct FastImport {
    run: RunningGit,
    stdin: BufWriter<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    paths: Vec<String>,
    git_dir: PathBuf,
}

impl FastImport {
    pub(super) fn start(store: &Store) -> Result<Self> {
        let mut command = store.git().command();
        // Never unpacked into loose objects. With `--done`, git makes nothing of an input that ends early.
        command.args([
            "-c",
            "fastimport.unpackLimit=1",
            "-c",
            "core.fsync=committed",
            "fast-import",
            "--quiet",
            "--done",
            "--depth=0",
            "--date-format=raw",
        ]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut run = start(&mut command).map_err(io("can't run git fast-import"))?;
        match run.pipes() {
            (Some(stdin), Some(stdout)) => {
                let stdin = BufWriter::with_capacity(1 << 16, stdin);
                Ok(Self {
                    run,
                    stdin,
                    stdout: BufReader::new(stdout),
                    paths: Vec::new(),
                    git_dir: store.git_dir(),
                })
            }
            _ => Err(StoreError::Git {
                command: "fast-import".into(),
                stderr: "no pipes".into(),
            }),
        }
    }

    /// Sends a blob; its mark is its place in the list of paths.
    pub(super) fn blob(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        self.paths.push(path.to_owned());
        let header = format!("blob\nmark :{}\ndata {}\n", self.paths.len(), bytes.len());
        let written = self
            .stdin
            .write_all(header.as_bytes())
            .and_then(|()| self.stdin.write_all(bytes));
        written
            .and_then(|()| self.stdin.write_all(b"\n"))
            .map_err(|error| self.failure(&error))
    }

    /// Sends the commit and returns its id. No ref is made: the name that git wants for it is reset before the end.
    pub(super) fn commit(mut self, parent: Option<Oid>, commit: &gix::objs::Commit) -> Result<Oid> {
        let sent = self.send_commit(parent, commit);
        let line = sent.and_then(|()| {
            let mut line = String::new();
            self.stdout.read_line(&mut line).map(|_| line)
        });
        let line = line.map_err(|error| self.failure(&error))?;
        let finished = self
            .stdin
            .write_all(b"done\n")
            .and_then(|()| self.stdin.flush());
        finished.map_err(|error| self.failure(&error))?;
        let Self {
            mut run,
            stdin,
            git_dir,
            ..
        } = self;
        drop(stdin);
        let status = run.wait().map_err(io("git fast-import"))?;
        if !status.success() {
            forget_crash(&git_dir, run.child.id());
        }
        checked("fast-import", status.success(), &stderr_of(&mut run.child))?;
        Oid::parse(line.trim()).ok_or(StoreError::Git {
            command: "fast-import".into(),
            stderr: line,
        })
    }

    fn send_commit(
        &mut self,
        parent: Option<Oid>,
        commit: &gix::objs::Commit,
    ) -> std::io::Result<()> {
        let mark = self.paths.len() + 1;
        let out = &mut self.stdin;
        write!(out, "commit {NAME}\nmark :{mark}\n")?;
        for (role, who) in [("author", &commit.author), ("committer", &commit.committer)] {
            writeln!(
                out,
                "{role} {} <{}> {} +0000",
                who.name, who.email, who.time.seconds
            )?;
        }
        write!(out, "data {}\n{}\n", commit.message.len(), commit.message)?;
        if let Some(parent) = parent {
            writeln!(out, "from {parent}")?;
        }
        // A path that came twice gets the later blob: the last line counts.
        for (i, path) in self.paths.iter().enumerate() {
            writeln!(out, "M 100644 :{} {path}", i + 1)?;
        }
        // A reset without `from` makes git forget the branch. To delete it would take `packed-refs.lock`.
        write!(out, "\nreset {NAME}\n\nget-mark :{mark}\n")?;
        out.flush()
    }

    /// Turns a broken pipe into what git said before it went.
    fn failure(&mut self, error: &std::io::Error) -> StoreError {
        let stderr = match self.run.wait() {
            Ok(_) => String::from_utf8_lossy(&stderr_of(&mut self.run.child))
                .trim()
                .to_owned(),
            Err(_) => String::new(),
        };
        forget_crash(&self.git_dir, self.run.child.id());
        let stderr = if stderr.is_empty() {
            error.to_string()
        } else {
            stderr
        };
        StoreError::Git {
            command: "fast-import".into(),
            stderr,
        }
    }
}

/// Git leaves a report of a crash among the user's files; what matters of it is in the error.
fn forget_crash(git_dir: &Path, pid: u32) {
    let _ = std::fs::remove_file(git_dir.join(format!("fast_import_crash_{pid}")));
}

fn stderr_of(child: &mut Child) -> Vec<u8> {
    let mut text = Vec::new();
    if let Some(stderr) = &mut child.stderr {
        // What can't be read of an error message is left out of it.
        let _ = stderr.read_to_end(&mut text);
    }
    text
}
