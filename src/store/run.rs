//! One run of git: how all of them are started, and the line of the log that each leaves.

use std::ffi::OsStr;
use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::Instant;

use tracing::Level;

/// Git's own options whose value is the next word.
const WITH_VALUE: [&str; 8] = [
    "-c",
    "-C",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--super-prefix",
    "--config-env",
    "--attr-source",
];

/// A git that runs. It is logged when this value is dropped, so also one that is given up.
pub(super) struct RunningGit {
    pub(super) child: Child,
    /// None where no log is written.
    noted: Option<(String, Instant)>,
    code: Option<i32>,
}

/// Starts a git.
pub(super) fn start(command: &mut Command) -> io::Result<RunningGit> {
    let noted = tracing::enabled!(Level::DEBUG).then(|| (verb(command.get_args()), Instant::now()));
    let spawned = command.spawn();
    if let Some((verb, _)) = &noted {
        match &spawned {
            Ok(_) => tracing::trace!(verb, "runs git"),
            Err(error) => tracing::debug!(verb, why = ?error.kind(), "git can't be started"),
        }
    }
    Ok(RunningGit {
        child: spawned?,
        noted,
        code: None,
    })
}

impl RunningGit {
    /// Takes its standard input and output, where they are pipes.
    pub(super) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>) {
        (self.child.stdin.take(), self.child.stdout.take())
    }

    /// Waits for its end.
    pub(super) fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait()?;
        self.code = status.code();
        Ok(status)
    }
}

impl Drop for RunningGit {
    fn drop(&mut self) {
        if let Some((verb, began)) = &self.noted {
            let ms = began.elapsed().as_millis();
            tracing::debug!(verb, code = self.code, ms, "ran git");
        }
    }
}

/// Returns the verb of a git, for the log. Nothing else of its line: that may hold texts, paths and passwords.
fn verb<'w>(words: impl Iterator<Item = &'w OsStr>) -> String {
    let mut words = words.map(OsStr::to_str);
    while let Some(word) = words.next() {
        match word {
            Some(word) if WITH_VALUE.contains(&word) => _ = words.next(),
            Some(word) if word.starts_with('-') => {}
            // An option that is not in the list above has a value: better no name than that.
            Some(word) if word.bytes().all(|c| c.is_ascii_lowercase() || c == b'-') => {
                return word.to_owned();
            }
            _ => break,
        }
    }
    "?".to_owned()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::verb;

    #[test]
    fn of_a_line_nothing_but_its_verb_is_named() {
        for (words, named) in [
            (&["version"][..], "version"),
            (
                &["-c", "a.b=SECRET", "fast-import", "--quiet"],
                "fast-import",
            ),
            (
                &[
                    "--git-dir",
                    "/secret/path",
                    "--bare",
                    "fetch",
                    "https://me:pw@host",
                ],
                "fetch",
            ),
            (
                &["--work-tree", "secret", "--git-dir=secret", "push"],
                "push",
            ),
            (&["--new-option", "/secret/path", "push"], "?"),
            (&["--new-option", "me:pw@host", "push"], "?"),
            (&["-C"], "?"),
            (&[], "?"),
        ] {
            assert_eq!(verb(words.iter().map(OsStr::new)), named, "{words:?}");
        }
    }
}
