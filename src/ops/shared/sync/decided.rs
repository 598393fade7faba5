//! Who has an issue, or ended it, as the history says it.

use std::collections::HashSet;

use crate::model::{Issue, Party, Status, Uid};
use crate::ops::shared::origin::{writer_at, writers_of};
use crate::ops::tracker::{UPHELD, YIELD};
use crate::ops::{Result, View};
use crate::store::Commit;

/// Returns whether a commit only let something give way in an issue.
pub(super) fn is_yield(commit: &Commit, uid: Uid) -> bool {
    names(commit, YIELD, uid) && !names(commit, UPHELD, uid)
}

/// Returns whether a commit says again of an issue what was said before: to let something give way to it, or to keep it.
pub(super) fn says_again(commit: &Commit, uid: Uid) -> bool {
    names(commit, YIELD, uid)
}

/// Returns whether a trailer of a commit is about an issue.
fn names(commit: &Commit, key: &str, uid: Uid) -> bool {
    let uid = uid.to_string();
    let trailers = commit.trailers.iter().filter(|(name, _)| name == key);
    let mut values = trailers.map(|(_, value)| value);
    values.any(|value| value.split(' ').next() == Some(&uid))
}

/// Returns who decided what is at the remote, and what that was; `commit` names the agent of one who ended it.
pub(super) fn decided(
    view: &View<'_>,
    theirs: &Issue,
    commit: Option<&Commit>,
) -> Result<(Party, &'static str)> {
    if let Some(holder) = theirs.holder() {
        return Ok((holder, "claimed"));
    }
    let how = match theirs.status() {
        Status::Closed => "closed",
        Status::Blocked => "blocked",
        Status::Deferred => "deferred",
        Status::Tombstone => "deleted",
        _ => "changed",
    };
    let person = theirs.decider().0.to_owned();
    let commit = match commit {
        // It says again what was done before, by whom it may be.
        Some(commit) if names(commit, YIELD, theirs.uid()) => first_said(view, theirs)?,
        commit => commit.cloned(),
    };
    let commit = commit.filter(|commit| commit.trailer("Actor") == Some(&person));
    let agent = commit.and_then(|commit| commit.trailer("Agent").map(str::to_owned));
    Ok((Party { person, agent }, how))
}

/// Returns the commit of what was last said again of who works on an issue; none where the history has it no more.
fn first_said(view: &View<'_>, issue: &Issue) -> Result<Option<Commit>> {
    let operation = writer_at(view, issue.uid(), issue.decider().1)?;
    let ancestry = view.snapshot().store().ancestry();
    let commit = operation.map(|it| ancestry.commit(it.commit));
    Ok(commit.transpose()?)
}

/// Returns who has an issue at a remote or ended it, and how, by the operation that did it.
pub(super) fn last_word(view: &View<'_>, theirs: &Issue) -> Result<(Party, &'static str)> {
    let stamp = theirs.deciding_stamp();
    let writers = writers_of(view, theirs.uid(), HashSet::from([stamp]))?;
    let ancestry = view.snapshot().store().ancestry();
    let commit = writers.get(&stamp).map(|it| ancestry.commit(it.commit));
    let commit = commit.transpose()?;
    decided(view, theirs, commit.as_ref())
}

/// Returns what an operation that ends the work is called.
pub(super) fn verb(status: &Status) -> Option<&'static str> {
    match status {
        Status::Closed => Some("done"),
        Status::Blocked => Some("block"),
        Status::Deferred => Some("defer"),
        Status::Open => Some("stop"),
        _ => None,
    }
}
