//! Writes of who works on an issue, as this clone has made or brought them, each with what was before it.

use std::collections::HashSet;

use super::decided::{is_yield, says_again, verb};
use crate::index::{OpFilter, OpRecord};
use crate::model::claim_yield::has_same_work;
use crate::model::{Issue, Party, Stamp, Uid};
use crate::ops::shared::field_diff::steps_of;
use crate::ops::shared::origin::writers_of;
use crate::ops::{Result, View};
use crate::store::{Commit, Oid, SnapshotRoot, TreePath, Written};

/// Writes of one issue that are followed back to the claim under which they were made.
const LONGEST: usize = 100;

/// The commits that are here and that a remote has not.
pub(super) struct Unsent {
    commits: HashSet<Oid>,
    /// Those of them that were made of snapshots.
    roots: Vec<SnapshotRoot>,
}

impl Unsent {
    /// Returns those beyond a tip of the remote; all where it has none.
    pub(super) fn beyond(view: &View<'_>, tip: Option<Oid>) -> Result<Self> {
        let commits = view.snapshot().history(tip)?;
        let roots = commits.iter().filter_map(Commit::snapshot_root);
        Ok(Self {
            roots: roots.collect(),
            commits: commits.iter().map(|commit| commit.oid).collect(),
        })
    }

    fn has(&self, commit: Oid) -> bool {
        self.commits.contains(&commit)
    }

    /// Returns true if who made one of these commits knew another commit: its history has it, or began from a snapshot of one
    /// that has it.
    pub(super) fn knew(&self, view: &View<'_>, commit: Oid, other: Oid) -> Result<bool> {
        let store = view.snapshot().store();
        let merging = store.merging();
        if merging.contains(commit, other)? {
            return Ok(true);
        }
        for root in &self.roots {
            let is_below = merging.contains(commit, root.commit)? && store.is_commit(root.of)?;
            if is_below && merging.contains(root.of, other)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// An issue before and after one write.
#[derive(Clone)]
pub(super) struct OwnWrite {
    pub(super) commit: Commit,
    pub(super) before: Option<Issue>,
    pub(super) after: Issue,
}

impl OwnWrite {
    /// Returns the write that made what this one was built on; none where the remote has that one, or it is not here.
    pub(super) fn own_before(
        &self,
        view: &View<'_>,
        uid: Uid,
        unsent: &Unsent,
    ) -> Result<Option<Self>> {
        let Some(before) = &self.before else {
            return Ok(None);
        };
        let written = step_of_stamp(view, uid, before.work_stamp())?;
        Ok(written.filter(|written| unsent.has(written.commit.oid)))
    }

    /// Returns whether it says who works on the issue, and does not only repeat what others said.
    fn is_own_word(&self) -> bool {
        let was = self.before.as_ref().map(Issue::work_stamp);
        let is_repeated = self.commit.is_merge() || is_yield(&self.commit, self.after.uid());
        was != Some(self.after.work_stamp()) && !is_repeated
    }

    /// Returns the operation that is not applied where it gives way; none of a start.
    pub(super) fn not_applied(&self) -> Option<&'static str> {
        match self.after.holder() {
            Some(_) => None,
            None => verb(&self.after.status()),
        }
    }
}

/// Returns the claim that a write made, or under which it was made by writes that the remote has not.
pub(super) fn claimant(
    view: &View<'_>,
    uid: Uid,
    first: OwnWrite,
    unsent: &Unsent,
) -> Result<Option<Party>> {
    let mut last = first;
    for _ in 0..LONGEST {
        let before = last.before.as_ref().and_then(Issue::holder);
        if let Some(holder) = last.after.holder().or(before) {
            return Ok(Some(holder));
        }
        match last.own_before(view, uid, unsent)? {
            Some(before) => last = before,
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// Returns true if one of the writes that the remote has not was built on what `theirs` says: also where that was one of
/// them, as a claim that the remote keeps is said by who gives way to it before its own clone sends it.
pub(super) fn is_built_on(
    view: &View<'_>,
    uid: Uid,
    first: OwnWrite,
    unsent: &Unsent,
    theirs: &Issue,
) -> Result<bool> {
    let mut last = first;
    for _ in 0..LONGEST {
        let before = last.before.as_ref();
        if before.is_some_and(|before| has_same_work(before, theirs)) {
            return Ok(true);
        }
        match last.own_before(view, uid, unsent)? {
            Some(before) => last = before,
            None => return Ok(false),
        }
    }
    Ok(false)
}

pub(super) fn step_of_stamp(view: &View<'_>, uid: Uid, stamp: Stamp) -> Result<Option<OwnWrite>> {
    match writers_of(view, uid, HashSet::from([stamp]))?.get(&stamp) {
        Some(operation) => step(view, uid, operation),
        None => Ok(None),
    }
}

/// Returns an issue before and after an operation; none where that can't be read.
pub(super) fn step(view: &View<'_>, uid: Uid, operation: &OpRecord) -> Result<Option<OwnWrite>> {
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

/// Returns the write that went on from what the remote has: another clone has brought it, or another exchange of this one.
/// `other` is the commit of what the remote has; who was at work need not have known the yield that says it again.
pub(super) fn continued(
    view: &View<'_>,
    theirs: &Issue,
    other: &Commit,
    unsent: &Unsent,
) -> Result<Option<OwnWrite>> {
    let uid = theirs.uid();
    let is_said_again = says_again(other, uid);
    let mut later = Vec::new();
    for write in writes(view, uid, unsent)? {
        if unsent.knew(view, write.commit.oid, other.oid)?
            || (is_said_again && is_built_on(view, uid, write.clone(), unsent, theirs)?)
        {
            later.push(write);
        }
    }
    Ok(later
        .into_iter()
        .max_by_key(|write| write.after.work_stamp()))
}

/// Returns the writes of who works on an issue that the remote has not, the newest first. Merges and yields say what others
/// did.
fn writes(view: &View<'_>, uid: Uid, unsent: &Unsent) -> Result<Vec<OwnWrite>> {
    let mut found = Vec::new();
    for operation in view.index.oplog().operations(&OpFilter::of(uid))? {
        if unsent.has(operation.commit) {
            found.extend(step(view, uid, &operation)?.filter(OwnWrite::is_own_word));
        }
    }
    Ok(found)
}
