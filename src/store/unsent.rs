//! What was sent to no one: the commits that hold an issue, where no one else is known to have one of them.

use std::collections::HashSet;

use super::carry::has_carried;
use super::door::older::{head_file, work_file};
use super::rewrite::Rewriting;
use super::{Oid, Result, Snapshot, Store};
use crate::model::Uid;

/// The refs of what remotes had, of what was or is being sent to them, and of their mailboxes.
const SENT: [&str; 2] = ["refs/beads-remotes/", "refs/beads-seen/"];

/// Returns the commits of a history that hold an issue, as they can be rewritten; none where others are known to have one
/// of them, or where that can't be ruled out.
pub(crate) fn unsent(tip: Snapshot<'_>, issue: Uid) -> Result<Option<Rewriting>> {
    let store = tip.store();
    if is_at_remotes(store, issue)? || has_carried(store, issue)? {
        return Ok(None);
    }
    let Some(commits) = holders(store, tip.commit(), issue)? else {
        return Ok(None);
    };
    let is_named = is_in_snapshot(store, &commits)?;
    Ok((!is_named && !commits.is_empty()).then_some(Rewriting { issue, commits }))
}

/// Returns true if a snapshot file was made of one of some commits: a clone that has begun from it knows that one.
fn is_in_snapshot(store: &Store, commits: &[Oid]) -> Result<bool> {
    let committed = head_file(store)?.and_then(std::result::Result::ok);
    let files = [work_file(store), committed];
    let mut files = files.iter().flatten();
    Ok(files.any(|file| commits.contains(&file.tip)))
}

/// Returns true if something that was sent to a remote, or perhaps was, or came from one, holds an issue: a later state holds
/// what an earlier one has.
fn is_at_remotes(store: &Store, issue: Uid) -> Result<bool> {
    let mut tips = store.remotes().tracked_stores()?;
    for space in SENT {
        tips.extend(store.refs().below(space)?.into_iter().filter_map(|it| it.1));
    }
    for tip in tips {
        // What is not here may hold anything.
        let sent = store.snapshot_at(tip).and_then(|it| it.issue_folder(issue));
        if !matches!(sent, Ok(None)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the commits of a history that hold an issue, each after its parents; none where they came from elsewhere.
fn holders(store: &Store, tip: Oid, issue: Uid) -> Result<Option<Vec<Oid>>> {
    let cuts = store.ancestry().cuts()?;
    let (mut found, mut seen, mut left) = (Vec::new(), HashSet::new(), vec![(tip, false)]);
    while let Some((oid, is_done)) = left.pop() {
        if is_done {
            found.push(oid);
            continue;
        }
        if !seen.insert(oid) || store.snapshot_at(oid)?.issue_folder(issue)?.is_none() {
            continue;
        }
        let commit = store.ancestry().commit(oid)?;
        if cuts.contains(&oid) || commit.is_carried() || commit.snapshot_root().is_some() {
            return Ok(None);
        }
        left.push((oid, true));
        let parents = store.snapshot_at(oid)?.parents()?;
        left.extend(parents.into_iter().map(|parent| (parent, false)));
    }
    Ok(Some(found))
}
