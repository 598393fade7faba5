//! The rule by which a write of who works on an issue gives way to the one that a remote had first, or holds.

use std::collections::HashSet;

use super::lost_claim::LostClaim;
use crate::index::OpRecord;
use crate::model::claim_yield::has_same_work;
use crate::model::lease::LeaseRecord;
use crate::model::{Issue, Party, Stamp, Status, Uid, Verdict, Wish};
use crate::ops::shared::field_diff::steps_of;
use crate::ops::shared::leases::KnownLeases;
use crate::ops::shared::origin::writers_of;
use crate::ops::tracker::{UPHELD, YIELD};
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
    /// The claim at the remote to which it gives way, where the store of the remote does not say it yet.
    pub(super) lease: Option<LeaseRecord>,
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
        // After its end an agent's claim is known by its person alone.
        let person = self.loser.without_agent();
        let others = others
            .into_iter()
            .filter(|party| ![&self.by, &self.loser, &person].contains(&party));
        lost.extend(others.map(|loser| claim(loser, None)));
        lost
    }
}

/// What becomes of a write of who works on an issue.
pub(super) enum Outcome {
    /// It gives way.
    GivesWay(Judgement),
    /// It holds, though the join has taken another: the issue as it was left by it.
    Holds {
        own: Box<Issue>,
        /// Whose claim gives way to it, where that is still to be said.
        loser: Option<Party>,
    },
}

/// An issue before and after one write.
#[derive(Clone)]
struct OwnWrite {
    commit: Commit,
    before: Option<Issue>,
    after: Issue,
}

impl OwnWrite {
    /// Returns the write that made what this one was built on; none where the remote has that one, or it is not here.
    fn own_before(&self, view: &View<'_>, uid: Uid, tip: Oid) -> Result<Option<Self>> {
        let Some(before) = &self.before else {
            return Ok(None);
        };
        let written = step_of_stamp(view, uid, before.work_stamp())?;
        let merging = view.snapshot().store().merging();
        match written {
            Some(written) if !merging.contains(tip, written.commit.oid)? => Ok(Some(written)),
            _ => Ok(None),
        }
    }

    /// Returns that it gives way to what the remote has, by a commit.
    fn gives_way(self, theirs: &Issue, other: &Commit, loser: Party, is_repeated: bool) -> Outcome {
        let (by, how) = decided(theirs, Some(other));
        Outcome::GivesWay(Judgement {
            loser,
            by,
            how,
            not_applied: self.not_applied(),
            reason: self.after.state().reason,
            is_repeated,
            lease: None,
        })
    }

    /// Returns its agent, where it ends the work of a holder and may not: also one that had claimed nothing may not.
    fn refused_end(&self, holder: &Party) -> Option<Party> {
        let (agent, _) = decided(&self.after, Some(&self.commit));
        let is_refused = agent.may(Wish::End, holder) == Verdict::Refused;
        Some(agent).filter(|_| is_refused && self.not_applied().is_some())
    }

    /// Returns the operation that is not applied where it gives way; none of a start.
    fn not_applied(&self) -> Option<&'static str> {
        match self.after.holder() {
            Some(_) => None,
            None => verb(&self.after.status()),
        }
    }

    fn holds(self, loser: Option<Party>) -> Outcome {
        let own = Box::new(self.after);
        Outcome::Holds { own, loser }
    }
}

/// Returns what becomes of the last write of who works on an issue beside what `theirs` says of it at the remote; none
/// where nothing does, or where the history that says so is not here. `tip` is the commit of the remote.
pub(super) fn judge(
    view: &View<'_>,
    ours: &Issue,
    theirs: &Issue,
    tip: Oid,
    leases: &KnownLeases,
) -> Result<Option<Outcome>> {
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
    let Some(step) = step(view, uid, own)? else {
        return Ok(None);
    };
    let lease = leases.others.get(&uid);
    // The store of the remote can say more than the look before it.
    if let Some(lease) = lease.filter(|lease| theirs.last_fence() < lease.fence) {
        return give_way_to_lease(view, uid, step, tip, lease);
    }
    let store = view.snapshot().store();
    // Taken over, or ended, with knowledge of what the remote has.
    if store.merging().contains(own.commit, other.commit)? {
        return Ok(None);
    }
    let other = store.ancestry().commit(other.commit)?;
    let held = leases.held.get(&uid);
    match is_yield(&step.commit, uid) {
        true => {
            let loser = step.after.holder().unwrap_or_default();
            Ok(Some(step.gives_way(theirs, &other, loser, true)))
        }
        false => match holds(view, &step, theirs, (tip, &other), held)? {
            Some(outcome) => Ok(Some(outcome)),
            None => unknown_to_each_other(view, &step, theirs, (tip, &other), lease),
        },
    }
}

/// Returns that a write holds, where what the remote has came later, but decides nothing; `other` is the commit of that.
fn holds(
    view: &View<'_>,
    step: &OwnWrite,
    theirs: &Issue,
    (tip, other): (Oid, &Commit),
    held: Option<&LeaseRecord>,
) -> Result<Option<Outcome>> {
    let uid = theirs.uid();
    if let Some(held) = held
        && let Some(loser) = held_against(theirs, held)
        && claimant(view, uid, step.clone(), tip)?.as_ref() == Some(&held.holder)
    {
        return Ok(Some(step.clone().holds(Some(loser))));
    }
    // It says again what this was built on, and did not know of this.
    let is_said_again = is_yield(other, uid) && is_built_on(view, uid, step.clone(), tip, theirs)?;
    // What was given back meanwhile is free.
    let is_free = theirs.status() == Status::Open && theirs.text("assignee").is_empty();
    let is_start = step.after.holder().is_some();
    Ok((is_said_again || (is_free && is_start)).then(|| step.clone().holds(None)))
}

/// Returns what gives way of two writes that did not know each other: the one that came later to the remote, where they
/// contradict each other.
fn unknown_to_each_other(
    view: &View<'_>,
    step: &OwnWrite,
    theirs: &Issue,
    (tip, other): (Oid, &Commit),
    lease: Option<&LeaseRecord>,
) -> Result<Option<Outcome>> {
    let (by, _) = decided(theirs, Some(other));
    let is_start = step.after.holder().is_some();
    let is_closed = |issue: &Issue| issue.status() == Status::Closed;
    let both_closed = is_closed(&step.after) && is_closed(theirs);
    let holder = lease.filter(|lease| theirs.holder().as_ref() == Some(&lease.holder));
    let other_agent = holder.and_then(|lease| step.refused_end(&lease.holder));
    let Some(loser) = claimant(view, theirs.uid(), step.clone(), tip)?.or(other_agent) else {
        return Ok(None);
    };
    let is_over = !matches!(theirs.status(), Status::Open | Status::InProgress);
    let gives_way = (theirs.holder().is_some() && by != loser)
        || (is_over && is_start)
        || (is_over && by != loser && !both_closed);
    Ok(gives_way.then(|| step.clone().gives_way(theirs, other, loser, false)))
}

/// Returns what gives way to a claim that the remote keeps for another clone: what was done under any other claim.
fn give_way_to_lease(
    view: &View<'_>,
    uid: Uid,
    step: OwnWrite,
    tip: Oid,
    lease: &LeaseRecord,
) -> Result<Option<Outcome>> {
    if is_yield(&step.commit, uid) {
        return Ok(None);
    }
    let (not_applied, reason) = (step.not_applied(), step.after.state().reason);
    let other_agent = step.refused_end(&lease.holder);
    let loser = claimant(view, uid, step, tip)?.or(other_agent);
    let is_refused = |loser: &Party| loser.may(Wish::End, &lease.holder) == Verdict::Refused;
    let loser = loser.filter(|loser| *loser != lease.holder && is_refused(loser));
    Ok(loser.map(|loser| {
        Outcome::GivesWay(Judgement {
            loser,
            by: lease.holder.clone(),
            how: "claimed",
            not_applied,
            reason,
            is_repeated: false,
            lease: Some(lease.clone()),
        })
    }))
}

/// Returns whose claim the store of the remote has, where the remote keeps another one for this clone.
fn held_against(theirs: &Issue, held: &LeaseRecord) -> Option<Party> {
    let is_older = theirs.last_fence() <= held.fence;
    theirs
        .holder()
        .filter(|holder| is_older && *holder != held.holder)
}

/// Returns who has an issue now, or ended it, where what was written of it under a stamp gave way to that.
pub(crate) fn gave_way_to(view: &View<'_>, uid: Uid, written: Stamp) -> Result<Option<Party>> {
    let Ok(issue) = view.issue(uid) else {
        return Ok(None);
    };
    let at = issue.work_stamp();
    if at == written {
        return Ok(None);
    }
    let writers = writers_of(view, uid, HashSet::from([at]))?;
    let ancestry = view.snapshot().store().ancestry();
    let commit = writers.get(&at).map(|it| ancestry.commit(it.commit));
    match commit.transpose()? {
        Some(commit) if is_yield(&commit, uid) => Ok(Some(decided(&issue, Some(&commit)).0)),
        _ => Ok(None),
    }
}

/// Returns whether a commit only let something give way in an issue.
fn is_yield(commit: &Commit, uid: Uid) -> bool {
    let uid = uid.to_string();
    let has = |key: &str| {
        let trailers = commit.trailers.iter().filter(|(name, _)| name == key);
        trailers
            .map(|(_, value)| value)
            .any(|value| value.split(' ').next() == Some(&uid))
    };
    has(YIELD) && !has(UPHELD)
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
        let before = last.before.as_ref().and_then(Issue::holder);
        if let Some(holder) = last.after.holder().or(before) {
            return Ok(Some(holder));
        }
        match last.own_before(view, uid, tip)? {
            Some(before) => last = before,
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// Returns true if one of the writes that the remote has not was built on what `theirs` says: also where that was one of
/// them, as a claim that the remote keeps is said by who gives way to it before its own clone sends it.
fn is_built_on(
    view: &View<'_>,
    uid: Uid,
    first: OwnWrite,
    tip: Oid,
    theirs: &Issue,
) -> Result<bool> {
    let mut last = first;
    for _ in 0..LONGEST {
        let before = last.before.as_ref();
        if before.is_some_and(|before| has_same_work(before, theirs)) {
            return Ok(true);
        }
        match last.own_before(view, uid, tip)? {
            Some(before) => last = before,
            None => return Ok(false),
        }
    }
    Ok(false)
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
