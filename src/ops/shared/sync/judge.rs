//! The rule by which a write of who works on an issue gives way to the one that a remote had first, or holds.

use std::collections::HashSet;

use super::decided::{decided, is_yield, says_again};
use super::lost_claim::LostClaim;
use super::own_write::{OwnWrite, Unsent, claimant, continued, is_built_on, step, step_of_stamp};
use crate::index::OpRecord;
use crate::model::{Issue, Party, Stamp, Status, Uid};
use crate::ops::shared::origin::writers_of;
use crate::ops::{Result, View};
use crate::store::Commit;

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
    /// What became of what the remote has, where another clone has brought that already.
    pub(super) later: Option<Issue>,
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
    GivesWay(Box<Judgement>),
    /// It holds, though the join has taken another: the issue as it was left by it.
    Holds {
        own: Box<Issue>,
        /// Whose claim gives way to it, where that is still to be said.
        loser: Option<Party>,
    },
}

impl Outcome {
    /// Returns that a write gives way to what the remote has, by a commit.
    fn gives_way(
        view: &View<'_>,
        write: &OwnWrite,
        (theirs, other): (&Issue, &Commit),
        loser: Party,
    ) -> Result<Self> {
        let (by, how) = decided(view, theirs, Some(other))?;
        Ok(Self::GivesWay(Box::new(Judgement {
            loser,
            by,
            how,
            not_applied: write.not_applied(),
            reason: write.after.state().reason,
            is_repeated: is_yield(&write.commit, theirs.uid()),
            later: None,
        })))
    }

    fn holds(write: &OwnWrite, loser: Option<Party>) -> Self {
        let own = Box::new(write.after.clone());
        Self::Holds { own, loser }
    }

    /// Returns that it gives way to what became of what the remote has.
    fn following(self, later: Option<OwnWrite>) -> Self {
        match self {
            Self::GivesWay(judgement) => Self::GivesWay(Box::new(Judgement {
                later: later.map(|later| later.after),
                ..*judgement
            })),
            holds => holds,
        }
    }
}

/// Returns what becomes of the last write of who works on an issue beside what `theirs` says of it at the remote; none
/// where nothing does, or where the history that says so is not here. `unsent` is what that lacks.
pub(super) fn judge(
    view: &View<'_>,
    ours: &Issue,
    theirs: &Issue,
    unsent: &Unsent,
) -> Result<Option<Outcome>> {
    let Some(written) = ours.work_beyond(theirs) else {
        return Ok(None);
    };
    let uid = ours.uid();
    let stamps = HashSet::from([written, theirs.deciding_stamp()]);
    let writers = writers_of(view, uid, stamps)?;
    let (Some(own), Some(other)) = (writers.get(&written), writers.get(&theirs.deciding_stamp()))
    else {
        return Ok(None);
    };
    let Some(step) = step(view, uid, own)? else {
        return Ok(None);
    };
    let store = view.snapshot().store();
    // Who went on from what the remote has, as a clone of someone else has brought it, did not lose it.
    let other = store.ancestry().commit(other.commit)?;
    let later = continued(view, theirs, &other, unsent)?;
    let later = later.filter(|later| later.commit.oid != own.commit);
    let (theirs, other) = match &later {
        Some(later) => (&later.after, &later.commit),
        None => (theirs, &other),
    };
    // Taken over, or ended, with knowledge of what the remote has, or of what became of that: then the join can have taken a
    // commit that only says again what the remote has.
    if unsent.knew(view, own.commit, other.oid)? {
        let is_lost = written != ours.work_stamp() && !is_yield(&step.commit, uid);
        return Ok(is_lost.then(|| Outcome::holds(&step, None)));
    }
    let outcome = match is_yield(&step.commit, uid) {
        true => {
            let loser = step.after.holder().unwrap_or_default();
            Some(Outcome::gives_way(view, &step, (theirs, other), loser)?)
        }
        false => match holds(view, &step, theirs, (unsent, other))? {
            None => unknown_to_each_other(view, &step, theirs, (unsent, other))?,
            outcome => outcome,
        },
    };
    Ok(match (outcome, later) {
        // Neither contradicts the other: what went on holds, though the join has taken what it went on from.
        (None, Some(later)) if written != ours.work_stamp() => Some(Outcome::holds(&later, None)),
        (outcome, later) => outcome.map(|outcome| outcome.following(later)),
    })
}

/// Returns that a write holds, where what the remote has came later, but decides nothing; `other` is the commit of that.
fn holds(
    view: &View<'_>,
    step: &OwnWrite,
    theirs: &Issue,
    (unsent, other): (&Unsent, &Commit),
) -> Result<Option<Outcome>> {
    let uid = theirs.uid();
    // It says again what this was built on, and did not know of this.
    let is_said_again =
        says_again(other, uid) && is_built_on(view, uid, step.clone(), unsent, theirs)?;
    // What was given back meanwhile is free.
    let is_free = theirs.status() == Status::Open && theirs.text("assignee").is_empty();
    let is_start = step.after.holder().is_some();
    Ok((is_said_again || (is_free && is_start)).then(|| Outcome::holds(step, None)))
}

/// Returns what gives way of two writes that did not know each other: the one that came later to the remote, where they
/// contradict each other.
fn unknown_to_each_other(
    view: &View<'_>,
    step: &OwnWrite,
    theirs: &Issue,
    (unsent, other): (&Unsent, &Commit),
) -> Result<Option<Outcome>> {
    let (by, _) = decided(view, theirs, Some(other))?;
    let is_start = step.after.holder().is_some();
    let is_closed = |issue: &Issue| issue.status() == Status::Closed;
    let claimant = claimant(view, theirs.uid(), step.clone(), unsent)?;
    let Some(loser) = claimant.or_else(|| ending_agent(step, theirs)) else {
        return Ok(None);
    };
    let both_closed = is_closed(&step.after)
        && is_closed(theirs)
        && !was_taken_over(view, step, theirs, (unsent, &loser))?;
    let is_over = !matches!(theirs.status(), Status::Open | Status::InProgress);
    let gives_way = (theirs.holder().is_some() && by != loser)
        || (is_over && is_start)
        || (is_over && by != loser && !both_closed);
    let outcome = gives_way.then(|| Outcome::gives_way(view, step, (theirs, other), loser));
    outcome.transpose()
}

/// Returns the agent that has ended without a claim what another one works on at the remote. That is refused where the claim
/// is known here; a person may do so.
fn ending_agent(step: &OwnWrite, theirs: &Issue) -> Option<Party> {
    step.not_applied()?;
    theirs.holder()?;
    Some(Party {
        person: step.commit.trailer("Actor")?.to_owned(),
        agent: Some(step.commit.trailer("Agent")?.to_owned()),
    })
}

/// Returns true if what ended the work at the remote did so under a claim that another one had made of `loser`'s, which the
/// remote had.
fn was_taken_over(
    view: &View<'_>,
    step: &OwnWrite,
    theirs: &Issue,
    (unsent, loser): (&Unsent, &Party),
) -> Result<bool> {
    let uid = theirs.uid();
    if step.own_before(view, uid, unsent)?.is_some() {
        return Ok(false);
    }
    let end = step_of_stamp(view, uid, theirs.deciding_stamp())?;
    let holder = end.and_then(|end| end.before?.holder());
    Ok(holder.is_some_and(|holder| holder != *loser))
}

/// Returns what became of a write of who works on an issue, made here under a stamp, where it gave way to another one's.
pub(crate) fn lost_work(view: &View<'_>, uid: Uid, written: Stamp) -> Result<Option<LostClaim>> {
    let Ok(issue) = view.issue(uid) else {
        return Ok(None);
    };
    let at = issue.work_stamp();
    if at == written {
        return Ok(None);
    }
    let writers = writers_of(view, uid, HashSet::from([at, written]))?;
    let (Some(other), Some(own)) = (writers.get(&at), writers.get(&written)) else {
        return Ok(None);
    };
    let commit = view.snapshot().store().ancestry().commit(other.commit)?;
    if !is_yield(&commit, uid) && !was_replaced(view, uid, own, other)? {
        return Ok(None);
    }
    let (by, how) = decided(view, &issue, Some(&commit))?;
    let loser = view.tracker.party();
    if by == loser {
        return Ok(None);
    }
    let own = step(view, uid, own)?;
    Ok(Some(LostClaim {
        how: how.to_owned(),
        not_applied: own.and_then(|own| own.not_applied()).map(str::to_owned),
        ..LostClaim::to(&view.id(uid)?, loser, &by)
    }))
}

/// Returns true if two writes ended work without knowledge of each other, the second under a claim that had replaced the one
/// of the first. Where both say the same the join takes one of them and keeps no trace of the other, so nothing gives way.
fn was_replaced(view: &View<'_>, uid: Uid, first: &OpRecord, second: &OpRecord) -> Result<bool> {
    let merging = view.snapshot().store().merging();
    if merging.contains(second.commit, first.commit)? {
        return Ok(false);
    }
    let (first, second) = (step(view, uid, first)?, step(view, uid, second)?);
    // What was given back twice is given back.
    let first = first.filter(|write| write.after.status() != Status::Open);
    let holder = |write: Option<OwnWrite>| write?.before?.holder();
    Ok(match (holder(first), holder(second)) {
        (Some(first), Some(second)) => first != second,
        _ => false,
    })
}
