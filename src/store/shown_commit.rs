//! A commit of the user's own, as git shows it: with nothing run that a configuration or an attribute names.

use std::io::Read;
use std::process::Stdio;

use super::git::{Git, UNATTENDED};
use super::{Result, io, run};

/// Digits of the shortest name that is taken for a commit.
const SHORTEST: usize = 7;
/// Digits of the longest.
const LONGEST: usize = 64;

/// A commit of the user's.
pub(crate) struct ShownCommit {
    pub(crate) commit: String,
    pub(crate) by: String,
    pub(crate) at: String,
    pub(crate) message: String,
    pub(crate) files: Vec<ShownFile>,
    pub(crate) patch: String,
    /// True if the patch has more than is here.
    pub(crate) is_cut: bool,
}

/// A file that a commit changes; lines are counted of texts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShownFile {
    pub(crate) path: String,
    pub(crate) added: Option<u64>,
    pub(crate) removed: Option<u64>,
}

impl Git<'_> {
    /// Returns a commit by its name in hexadecimal digits, and so many bytes of what it changes against its first parent at
    /// most; none where no commit has that name here.
    pub(crate) fn user_commit(self, name: &str, most: usize) -> Result<Option<ShownCommit>> {
        let is_name = (SHORTEST..=LONGEST).contains(&name.len());
        if !is_name || !name.bytes().all(|c| c.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let mut command = self.command();
        command
            .args(["-c", "core.quotePath=false", "show", "--no-color"])
            // What would run a program of the configuration.
            .args(["--no-ext-diff", "--no-textconv", "--no-show-signature"])
            .args(["--submodule=short", "--no-notes", "--encoding=UTF-8"])
            .args(["--diff-merges=first-parent", "--numstat", "--patch"])
            .args(["--format=%H%n%an%n%aI%n%B%x00", "--end-of-options"])
            .arg(format!("{name}^{{commit}}"))
            .envs(UNATTENDED)
            // A partial clone would ask its remote.
            .env("GIT_NO_LAZY_FETCH", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut git = run::start(&mut command).map_err(io("can't run git show"))?;
        let (_, stdout) = git.pipes();
        let mut bytes = Vec::new();
        let mut read = Ok(0);
        if let Some(stdout) = stdout {
            read = stdout.take(most as u64 + 1).read_to_end(&mut bytes);
        }
        // With its pipe closed it ends by itself, however much there is left.
        git.wait().map_err(io("can't wait for git show"))?;
        read.map_err(io("can't read git show"))?;
        let is_cut = bytes.len() > most;
        bytes.truncate(most);
        Ok(parsed(&String::from_utf8_lossy(&bytes), is_cut))
    }
}

/// Reads what git shows; none where it shows no commit.
fn parsed(text: &str, is_cut: bool) -> Option<ShownCommit> {
    let (head, rest) = text.split_once('\0').unwrap_or((text, ""));
    let mut lines = head.splitn(4, '\n');
    let mut line = || lines.next().map(str::to_owned);
    let (commit, by, at, message) = (line()?, line()?, line()?, line()?);
    let rest = rest.trim_start_matches('\n');
    let begin = match rest.starts_with("diff ") {
        true => 0,
        false => rest.find("\ndiff ").map_or(rest.len(), |at| at + 1),
    };
    let (files, patch) = rest.split_at(begin);
    Some(ShownCommit {
        commit,
        by,
        at,
        message: message.trim_end().to_owned(),
        files: files.lines().filter_map(file).collect(),
        patch: patch.to_owned(),
        is_cut,
    })
}

fn file(line: &str) -> Option<ShownFile> {
    let mut fields = line.splitn(3, '\t');
    let (added, removed, path) = (fields.next()?, fields.next()?, fields.next()?);
    Some(ShownFile {
        path: path.to_owned(),
        added: added.parse().ok(),
        removed: removed.parse().ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_patch_are_told_apart() {
        let text = "abc\nAnn\n2026-11-29\nSubject\n\nBody\n\0\n1\t2\ta b.rs\n-\t-\tpicture\n\ndiff --git a/a b/a\n+x\n";
        let commit = parsed(text, false).unwrap();
        assert_eq!(commit.message, "Subject\n\nBody");
        let counts: Vec<_> = commit
            .files
            .iter()
            .map(|it| (&*it.path, it.added))
            .collect();
        assert_eq!(counts, [("a b.rs", Some(1)), ("picture", None)]);
        assert_eq!(commit.patch, "diff --git a/a b/a\n+x\n");
        assert!(parsed("", false).is_none());
    }
}
