//! The change that a commit of an issue made: message, files and patch.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Status, Uid};
use crate::ops::answer::Detail;
use crate::ops::shared::commit_links;
use crate::ops::{Error, Result, Tracker};
use crate::store::ShownCommit;

/// Bytes of a patch.
const MOST: usize = 200 * 1024;

/// A commit that an issue names.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Change {
    pub commit: String,
    /// The person that made it.
    pub by: String,
    pub at: String,
    pub message: String,
    pub files: Vec<ChangedFile>,
    pub patch: String,
    /// True if the patch has more than is here.
    pub is_cut: bool,
    /// True if what the files hold can't be read here, as in a partial clone.
    pub is_partial: bool,
    /// Number of the commits that the issue names.
    pub of: usize,
}

/// A file of a commit; of what is no text no lines are counted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedFile {
    pub path: String,
    pub added: Option<u64>,
    pub removed: Option<u64>,
}

/// Returns the commit that closed an issue or is its evidence, else the newest that names it. No other object can be asked for.
/// Errors: it names none, or one that is not here.
pub(crate) fn change(tracker: &Tracker, uid: Uid) -> Result<Change> {
    let named = tracker.read(|view| {
        commit_links::follow(view)?;
        let issue = view.issue(uid)?;
        view.last(|| Ok(named(&Detail::new(view, &issue)?)))
    })?;
    let Some(first) = named.first() else {
        return Err(Error::not_found("no commit names this issue"));
    };
    let found = tracker.store().git().user_commit(first, MOST)?;
    let Some(commit) = found else {
        return Err(Error::not_found(
            "the commit that this issue names is not here",
        ));
    };
    Ok(of(commit, named.len()))
}

/// Returns the commits that an issue names, that of its close first.
fn named(issue: &Detail) -> Vec<String> {
    let is_closed = issue.summary.status == Status::Closed.as_str();
    let evidence = issue.evidence.commit.iter().filter(|_| is_closed);
    let mut all: Vec<String> = evidence.cloned().collect();
    let mut landed: Vec<_> = issue.commits.iter().collect();
    landed.sort_by_key(|commit| !commit.closes);
    for commit in landed {
        // The evidence can be the beginning of it.
        if !all
            .iter()
            .any(|known| commit.commit.starts_with(known.as_str()))
        {
            all.push(commit.commit.clone());
        }
    }
    all
}

fn of(commit: ShownCommit, of: usize) -> Change {
    let files = commit.files.into_iter();
    Change {
        commit: commit.commit,
        by: commit.by,
        at: commit.at,
        message: commit.message,
        files: files
            .map(|file| ChangedFile {
                path: file.path,
                added: file.added,
                removed: file.removed,
            })
            .collect(),
        patch: commit.patch,
        is_cut: commit.is_cut,
        is_partial: commit.is_partial,
        of,
    }
}
