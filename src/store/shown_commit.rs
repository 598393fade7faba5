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
    /// True if what its files hold can't be read here: they have no counts then, and there is no patch.
    pub(crate) is_partial: bool,
}

/// What git has shown.
struct Shown {
    text: String,
    is_cut: bool,
    is_whole: bool,
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
        let mut shown = self.show(name, most, &["--numstat", "--patch"])?;
        let is_partial = !shown.is_whole;
        if is_partial {
            // Commits and trees alone: of a partial clone the rest is at its remote.
            shown = self.show(name, most, &["--no-renames", "--name-only"])?;
        }
        let found = parsed(&shown.text, shown.is_cut);
        Ok(found.map(|found| ShownCommit {
            is_partial,
            ..found
        }))
    }

    fn show(self, name: &str, most: usize, what: &[&str]) -> Result<Shown> {
        let mut command = self.command();
        command
            .args(["-c", "core.quotePath=false", "show", "--no-color"])
            // What would run a program of the configuration.
            .args(["--no-ext-diff", "--no-textconv", "--no-show-signature"])
            .args(["--submodule=short", "--no-notes", "--encoding=UTF-8"])
            .arg("--diff-merges=first-parent")
            .args(what)
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
        let ended = git.wait().map_err(io("can't wait for git show"))?;
        read.map_err(io("can't read git show"))?;
        let is_cut = bytes.len() > most;
        bytes.truncate(most);
        Ok(Shown {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            is_cut,
            is_whole: is_cut || ended.success(),
        })
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
        is_partial: false,
    })
}

/// Reads a line with a path, and the numbers of lines before it where they are known.
fn file(line: &str) -> Option<ShownFile> {
    let counts = || {
        let mut fields = line.splitn(3, '\t');
        Some((fields.next()?, fields.next()?, fields.next()?))
    };
    let (added, removed, path) = counts().unwrap_or(("", "", line));
    (!path.is_empty()).then(|| ShownFile {
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
        let names = parsed("abc\nAnn\n2026-11-29\nSubject\n\0\na b.rs\n", false).unwrap();
        let one = (&*names.files[0].path, names.files[0].added);
        assert_eq!((one, names.files.len()), (("a b.rs", None), 1));
    }
}
