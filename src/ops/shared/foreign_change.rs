//! Changes by others than the caller.

use crate::model::Uid;
use crate::ops::tracker::AGENT;
use crate::ops::{Result, View};
use crate::store::{Commit, Oid};

/// Returns whether an issue that is another than it was at a tip was changed by someone else than the caller: a commit of
/// theirs names it, or it follows from one that does not, as when a child is closed.
pub(crate) fn is_foreign_change(view: &View<'_>, uid: Uid, since: Oid) -> Result<bool> {
    let caller = view.tracker.party();
    let is_own = |commit: &Commit| {
        commit.trailer("Actor") == Some(caller.person.as_str())
            && commit.trailer(AGENT) == caller.agent.as_deref()
    };
    let (mut own, mut others) = (false, false);
    for commit in view.snapshot().history(Some(since))? {
        // What a merge brings are commits of their own.
        if !commit.is_operation() {
            continue;
        }
        let is_named = names(view, &commit, uid)?;
        match is_own(&commit) {
            false if is_named => return Ok(true),
            false => others = true,
            true => own |= is_named,
        }
    }
    Ok(others && !own)
}

/// Returns whether a commit has written an issue; one on very many does not list them.
fn names(view: &View<'_>, commit: &Commit, uid: Uid) -> Result<bool> {
    let listed = commit.trailer("Issues").unwrap_or_default();
    if listed == "*" {
        return Ok(view.index.oplog().wrote(commit)?.contains(&uid));
    }
    let uid = uid.to_string();
    Ok(listed.split_whitespace().any(|word| word == uid))
}
