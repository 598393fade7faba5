//! Many blobs at once, through `git fast-import` into one pack.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Stdio};

use super::git::{ReadAside, checked};
use super::run::{RunningGit, start};
use super::{Oid, Result, Store, StoreError, io};

/// What git calls the commit until the name is reset; no ref is made.
const NAME: &str = "refs/beads/import";

/// A running `git fast-import` that receives blobs and ends with one commit.
pub(super) struct FastImport {
    run: RunningGit,
    stdin: BufWriter<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: Option<ReadAside>,
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
        let run = start(&mut command).map_err(io("can't run git fast-import"))?;
        Self::of(run, store.git_dir())
    }

    fn of(mut run: RunningGit, git_dir: PathBuf) -> Result<Self> {
        match run.pipes() {
            (Some(stdin), Some(stdout)) => {
                // From the beginning: a child that fills this pipe reads nothing and says nothing more.
                let stderr = ReadAside::begin(run.child.stderr.take());
                Ok(Self {
                    stdin: BufWriter::with_capacity(1 << 16, stdin),
                    stdout: BufReader::new(stdout),
                    stderr: Some(stderr.map_err(io("can't read git fast-import"))?),
                    run,
                    paths: Vec::new(),
                    git_dir,
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
            stderr,
            git_dir,
            ..
        } = self;
        drop(stdin);
        let status = run.wait().map_err(io("git fast-import"))?;
        if !status.success() {
            forget_crash(&git_dir, run.child.id());
        }
        checked("fast-import", status.success(), &said(stderr))?;
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
            Ok(_) => String::from_utf8_lossy(&said(self.stderr.take()))
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

/// Returns what git said before its end. What can't be read of an error message is left out of it.
fn said(stderr: Option<ReadAside>) -> Vec<u8> {
    let said = stderr.map(ReadAside::end);
    said.and_then(std::io::Result::ok).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::{FastImport, start};
    use crate::store::git::tests::has_shell;
    use crate::store::repository::tests::scratch_store;

    #[test]
    fn a_child_that_says_more_than_a_pipe_holds_does_not_stop_it() {
        if !has_shell() {
            return;
        }
        let (_folder, store) = scratch_store();
        let mut command = store.git().command();
        let script = "!printf %0200000d 0 >&2; exit 3";
        command.args(["-c", &format!("alias.loud={script}"), "loud"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let run = start(command.stderr(Stdio::piped())).unwrap();
        let mut import = FastImport::of(run, store.git_dir()).unwrap();
        let bytes = vec![0; 1 << 17];
        let mut sent = Ok(());
        for _ in 0..100 {
            sent = sent.and_then(|()| import.blob("a", &bytes));
        }
        let said = sent.unwrap_err().to_string();
        assert!(said.len() >= 200_000, "{}", said.len());
    }
}
