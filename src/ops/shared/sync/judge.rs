//! The rule by which a write of who works on an issue gives way to the one that a remote had first.

use std::collections::HashSet;

use super::lost_claim::LostClaim;
use crate::index::OpRecord;
use crate::model::{Issue, Party, Stamp, Status, Uid};
use crate::ops::shared::field_diff::steps_of;
use crate::ops::shared::origin::writers_of;
use crate::ops::tracker::YIELD;
use crate::ops::{Result, View};
use crate::store::{Commit, Oid, TreePath, Written};

/// Writes of one issue that are followed back to the claim under which they were made.
const LONGEST: usize = 100;

/// A write that gives way.
pub(super) struct Judgement {
    /// The one that had claimed it.
    pub(super) loser: Party,
    /// The one that has the issue at the remote, or ended it.
    pub(super) by: Party,
    /// `claimed`, `closed`, `blocked`, `deferred`, `deleted` or `changed`.
    pub(super) how: &'static str,
    /// The operation that is not applied either.
    pub(super) not_applied: Option<&'static str>,
    /// The reason of that.
    pub(super) reason: Option<String>,
    /// It had given way before, to what has changed since: it has been said.
    pub(super) is_repeated: bool,
}

impl Judgement {
    /// Returns what gives way: this claim, unless that has been said, and those of `others` that had lost to it.
    pub(super) fn lost(&self, id: &str, others: Vec<Party>) -> Vec<LostClaim> {
        let claim = |loser: Party, not_applied: Option<&str>| LostClaim {
            id: id.to_owned(),
            claim: loser.to_string(),
            by: self.by.to_string(),
            how: self.how.to_owned(),
            not_applied: not_applied.map(str::to_owned),
            loser,
        };
        let own = Some(self.loser.clone()).filter(|_| !self.is_repeated);
        let mut lost: Vec<_> = own
            .into_iter()
            .map(|loser| claim(loser, self.not_applied))
            .collect();
        let others = others
            .into_iter()
            .filter(|party| ![&self.by, &self.loser].contains(&party));
        lost.extend(others.map(|loser| claim(loser, None)));
        lost
    }
}

/// An issue before and after one write.
struct OwnWrite {
    commit: Commit,
    before: Option<Issue>,
    after: Issue,
}

/// Returns what gives way in an issue to what `theirs` is at the remote; none where nothing does, or where the history
/// that says so is not here. `tip` is the commit of the remote.
pub(super) fn judge(
    view: &View<'_>,
    ours: &Issue,
    theirs: &Issue,
    tip: Oid,
) -> Result<Option<Judgement>> {
    let Some(own) = ours.work_beyond(theirs) else {
        return Ok(None);
    };
    let uid = ours.uid();
    let stamps = HashSet::from([own, theirs.deciding_stamp()]);
    let writers = writers_of(view, uid, stamps)?;
    let (Some(own), Some(other)) = (writers.get(&own), writers.get(&theirs.deciding_stamp()))
    else {
        return Ok(None);
    };
    let store = view.snapshot().store();
    // Taken over, or ended, with knowledge of what the remote has.
    if store.merging().contains(own.commit, other.commit)? {
        return Ok(None);
    }
    let Some(step) = step(view, uid, own)? else {
        return Ok(None);
    };
    let other = store.ancestry().commit(other.commit)?;
    let (by, how) = decided(theirs, Some(&other));
    let is_repeated = step.commit.trailer(YIELD).is_some();
    let (state, reason) = (step.after.status(), step.after.state().reason);
    let is_start = step.after.holder().is_some();
    let loser = match is_repeated {
        true => Some(step.after.holder().unwrap_or_default()),
        false => claimant(view, uid, step, tip)?,
    };
    let Some(loser) = loser else { return Ok(None) };
    let is_over = !matches!(theirs.status(), Status::Open | Status::InProgress);
    let both_closed = state == Status::Closed && theirs.status() == Status::Closed;
    let gives_way = is_repeated
        || (theirs.holder().is_some() && by != loser)
        || (is_over && is_start)
        || (is_over && by != loser && !both_closed);
    let not_applied = if is_start { None } else { verb(&state) };
    Ok(gives_way.then_some(Judgement {
        loser,
        by,
        how,
        not_applied,
        reason,
        is_repeated,
    }))
}

/// Returns who decided what is at the remote, and what that was; `commit` names the agent of one who ended it.
pub(super) fn decided(theirs: &Issue, commit: Option<&Commit>) -> (Party, &'static str) {
    if let Some(holder) = theirs.holder() {
        return (holder, "claimed");
    }
    let how = match theirs.status() {
        Status::Closed => "closed",
        Status::Blocked => "blocked",
        Status::Deferred => "deferred",
        Status::Tombstone => "deleted",
        _ => "changed",
    };
    let person = theirs.deciding_writer().to_owned();
    // A yield was made for another.
    let commit = commit.filter(|commit| commit.trailer("Actor") == Some(&person));
    let agent = commit.and_then(|commit| commit.trailer("Agent"));
    let agent = agent.map(str::to_owned);
    (Party { person, agent }, how)
}

/// Returns who has an issue at a remote or ended it, and how, by the operation that did it.
pub(super) fn last_word(view: &View<'_>, theirs: &Issue) -> Result<(Party, &'static str)> {
    let stamp = theirs.deciding_stamp();
    let writers = writers_of(view, theirs.uid(), HashSet::from([stamp]))?;
    let ancestry = view.snapshot().store().ancestry();
    let commit = writers.get(&stamp).map(|it| ancestry.commit(it.commit));
    let commit = commit.transpose()?;
    Ok(decided(theirs, commit.as_ref()))
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

/// Returns the claim that a write made, or under which it was made by writes that the remote has not.
fn claimant(view: &View<'_>, uid: Uid, first: OwnWrite, tip: Oid) -> Result<Option<Party>> {
    let mut last = first;
    for _ in 0..LONGEST {
        if let Some(holder) = last.after.holder() {
            return Ok(Some(holder));
        }
        let Some(before) = last.before else {
            return Ok(None);
        };
        if let Some(holder) = before.holder() {
            return Ok(Some(holder));
        }
        let Some(written) = step_of_stamp(view, uid, before.work_stamp())? else {
            return Ok(None);
        };
        let merging = view.snapshot().store().merging();
        if merging.contains(tip, written.commit.oid)? {
            return Ok(None);
        }
        last = written;
    }
    Ok(None)
}

fn step_of_stamp(view: &View<'_>, uid: Uid, stamp: Stamp) -> Result<Option<OwnWrite>> {
    match writers_of(view, uid, HashSet::from([stamp]))?.get(&stamp) {
        Some(operation) => step(view, uid, operation),
        None => Ok(None),
    }
}

/// Returns an issue before and after an operation; none where that can't be read.
fn step(view: &View<'_>, uid: Uid, operation: &OpRecord) -> Result<Option<OwnWrite>> {
    let ancestry = view.snapshot().store().ancestry();
    let commit = ancestry.commit(operation.commit)?;
    let Written::Paths(steps) = steps_of(view, &commit, Some(uid))? else {
        return Ok(None);
    };
    let mut steps = steps.into_iter();
    let step = steps.find(|step| matches!(step.path, TreePath::Issue(_)) && !step.unreadable);
    let issue = |blob| Issue::from_blob(uid, blob);
    Ok(step.and_then(|mut step| {
        Some(OwnWrite {
            commit,
            before: step.before.pop().map(issue),
            after: issue(step.after?),
        })
    }))
}
