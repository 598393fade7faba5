//! Yielding at a remote: of two claims that did not know each other, the one that came first to the remote holds.
//!
//! The remote that `sync` uses by default is the arbiter: its ref moves by swap only, so what it has came first. What
//! is here and not there gives way, by an ordinary change that says who has the issue. Whether a write knew another one
//! follows from the history alone: it did if the commit of the other came before its own. What a clone of someone else
//! brought later was not known, though it is here by now.

use super::decided::{decided, last_word};
use super::judge::{Judgement, Outcome, judge};
use super::lost_claim::LostClaim;
use super::own_write::{OwnWrite, Unsent, later_claim, own_end};
use crate::model::lease::LeaseRecord;
use crate::model::{Issue, MemoryKind, Party, Uid};
use crate::ops::shared::leases::KnownLeases;
use crate::ops::tracker::{UPHELD, YIELD};
use crate::ops::{Error, Result, Tracker, Tx};
use crate::store::lease_book::ReplacedLease;
use crate::store::{Aside, Commit, Oid, Snapshot, TreePath, decode};

/// A state in which claims gave way.
pub(super) struct Yielded {
    /// What is made on top of what was judged: that may be sent, and no claim that came here in the meantime. None where
    /// nothing changes.
    pub(super) made: Option<Aside>,
    /// What gave way.
    pub(super) lost: Vec<LostClaim>,
}

/// Lets what `ours` has gives way to what `theirs`, the tip of a remote, had first, or to the claims that the remote keeps, in
/// a commit to which no ref leads. None where a later tip of the remote is to be merged first.
pub(super) fn yield_to(
    tracker: &Tracker,
    ours: Oid,
    theirs: Oid,
    leases: &KnownLeases,
) -> Result<Option<Yielded>> {
    let (lost, made) =
        tracker.prepare(Some(ours), |tx| match newest(tx, theirs, &leases.remote)? {
            Some(theirs) => stage(tx, theirs, leases).map(Some),
            None => Ok(None),
        })?;
    Ok(lost.map(|lost| Yielded { made, lost }))
}

fn stage(tx: &mut Tx<'_>, theirs: Oid, leases: &KnownLeases) -> Result<Vec<LostClaim>> {
    let remote = tx.view.snapshot().store().snapshot_at(theirs)?;
    let unsent = Unsent::beyond(&tx.view, Some(theirs))?;
    let (mut lost, mut subjects) = (Vec::new(), Vec::new());
    for (uid, theirs) in differing(&tx.view.snapshot(), &remote)? {
        // What was purged here gives way to nothing.
        let Ok(ours) = tx.issue(uid) else { continue };
        let outcome = judge(&tx.view, &ours, &theirs, &unsent, leases)?;
        let id = tx.view.id(uid)?;
        let claims = match outcome {
            None => {
                let claims = LostClaim::of_unsent(&tx.view, &ours, &theirs)?;
                // A merge takes the later claim, also one of a clone that had not heard the number of the last one.
                let is_number_lost =
                    ours.last_fence() < theirs.last_fence() && !leases.own.contains(&uid);
                if (is_number_lost || !claims.is_empty())
                    && uphold(tx, ours.clone(), &ours, &theirs)?
                {
                    let what = match claims.first() {
                        Some(claim) => format!("{} by {}", claim.how, claim.by),
                        None => "the number of its last claim".to_owned(),
                    };
                    subjects.push(("keep", format!("{id}: {what}")));
                }
                claims
            }
            Some(Outcome::Holds { own, loser }) => {
                let (by, how) = decided(&tx.view, &own, None)?;
                if uphold(tx, ours, &own, &theirs)? {
                    subjects.push(("keep", format!("{id}: {how} by {by}")));
                }
                let loser = loser.into_iter();
                loser.map(|loser| LostClaim::to(&id, loser, &by)).collect()
            }
            Some(Outcome::GivesWay(judgement)) => {
                let others = ours.lost_claimants(&theirs);
                if give_way(tx, ours, &theirs, &judgement, &leases.remote)? {
                    let text = format!("{id}: {} by {}", judgement.how, judgement.by);
                    subjects.push(("yield", text));
                    if judgement.is_repeated {
                        tx.trailer(YIELD, uid.to_string());
                    }
                }
                judgement.lost(&id, others)
            }
        };
        for claim in claims {
            tx.trailer(YIELD, trailer(uid, &claim.loser));
            lost.push(claim);
        }
    }
    match subjects.as_slice() {
        [] => {}
        [(verb, one)] => tx.subject(format!("{verb} {one}")),
        all => tx.subject(format!(
            "{} {} issues, {} ...",
            all[0].0,
            all.len(),
            all[0].1
        )),
    }
    Ok(lost)
}

/// Returns the tip of a remote, or the one that another exchange of this clone has merged since: what that has brought came to
/// the remote before what is only here, and is no write of this clone. None where another exchange has fetched a later one
/// that is not merged yet: which part of that is here already is not known.
fn newest(tx: &Tx<'_>, theirs: Oid, remote: &str) -> Result<Option<Oid>> {
    let snapshot = tx.view.snapshot();
    let store = snapshot.store();
    // After the state that is judged: what it has of the remote is known by now.
    let tracked = store.remotes().remote_tip(remote)?;
    let merging = store.merging();
    let Some(tracked) = tracked.filter(|it| *it != theirs) else {
        return Ok(Some(theirs));
    };
    if !merging.contains(tracked, theirs)? {
        return Ok(Some(theirs));
    }
    let is_merged = merging.contains(snapshot.commit(), tracked)?;
    Ok(is_merged.then_some(tracked))
}

/// Lets what was ended in `ours` under claims that others have taken over at the remote give way to them, where `theirs`, the
/// tip of the remote, does not say it already, in a commit to which no ref leads. None where a later tip of the remote is to be
/// merged first.
pub(super) fn hand_over(
    tracker: &Tracker,
    ours: Oid,
    remote: &str,
    replaced: &[(Uid, ReplacedLease)],
    theirs: Option<Oid>,
) -> Result<Option<Yielded>> {
    let (lost, made) = tracker.prepare(Some(ours), |tx| {
        let (mut lost, mut subject) = (Vec::new(), None);
        let newest = theirs
            .map(|theirs| newest(tx, theirs, remote))
            .transpose()?;
        if newest == Some(None) {
            return Ok(None);
        }
        let theirs = newest.flatten();
        let unsent = Unsent::beyond(&tx.view, theirs)?;
        for (uid, taken) in replaced {
            if let Some((id, judgement)) = hand_over_one(tx, *uid, taken, (theirs, &unsent))? {
                let (how, by) = (judgement.how, &judgement.by);
                subject.get_or_insert_with(|| format!("yield {id}: {how} by {by}"));
                for claim in judgement.lost(&id, Vec::new()) {
                    tx.trailer(YIELD, trailer(*uid, &claim.loser));
                    lost.push(claim);
                }
            }
        }
        tx.subject(subject.unwrap_or_default());
        Ok(Some(lost))
    })?;
    Ok(lost.map(|lost| Yielded { made, lost }))
}

fn hand_over_one(
    tx: &mut Tx<'_>,
    uid: Uid,
    taken: &ReplacedLease,
    (theirs, unsent): (Option<Oid>, &Unsent),
) -> Result<Option<(String, Judgement)>> {
    let Ok(ours) = tx.issue(uid) else {
        return Ok(None);
    };
    let there = issue_at(tx, theirs, uid)?;
    // Another exchange of this clone can have brought more than this one knows.
    let claim = (uid, taken.held.record.fence);
    let later = later_claim(&tx.view, claim, unsent, there.as_ref())?;
    let now = later.as_ref().or(there.as_ref());
    // What the store of the remote says of that claim, or of a later one, is newer than the look: it can have ended.
    let is_newer = |by: &&LeaseRecord| now.is_none_or(|it| it.last_fence() < by.fence);
    let claim = taken.by.as_ref().filter(is_newer);
    let newest = claim.map_or(taken.held.record.fence, |claim| claim.fence);
    if number(&ours).is_some_and(|number| number > newest) {
        // It was claimed again since the look.
        return Ok(None);
    }
    let (by, how) = match (claim, now) {
        (Some(by), _) => (by.holder.clone(), "claimed"),
        // Who took it over has ended it since.
        (None, Some(now)) => last_word(&tx.view, now)?,
        (None, None) => return Ok(None),
    };
    if follows(&ours, now, (taken, claim), &by) {
        return Ok(None);
    }
    // Ended by another one, where this clone has not done it: then the join shows that already.
    let end = match ours.holder() {
        Some(_) => None,
        None => own_end(&tx.view, uid, taken.held.record.fence, unsent)?,
    };
    let judgement = Judgement {
        by,
        how,
        not_applied: end.as_ref().and_then(OwnWrite::not_applied),
        reason: end.and_then(|end| end.after.state().reason),
        is_repeated: false,
        lease: claim.cloned(),
        loser: taken.held.record.holder.clone(),
        later,
    };
    let id = tx.view.id(uid)?;
    let there = there.unwrap_or_else(|| ours.clone());
    give_way(tx, ours, &there, &judgement, &taken.held.remote)?;
    Ok(Some((id, judgement)))
}

/// Returns the number of the claim of an issue: by that it is known, as another clone can act in the same name.
fn number(issue: &Issue) -> Option<u64> {
    issue.claim_ref().map(|(_, fence)| fence)
}

/// Returns true if the store follows a claim that was replaced already: by `claim`, or by what `by` did there.
fn follows(
    ours: &Issue,
    there: Option<&Issue>,
    (taken, claim): (&ReplacedLease, Option<&LeaseRecord>),
    by: &Party,
) -> bool {
    let is_last = |there: &Issue| there.last_fence() <= taken.held.record.fence;
    match (claim, there) {
        // It was made after what was ended here had arrived there.
        (Some(_), Some(there)) if ours.holder().is_none() && has_arrived(ours, there) => true,
        (Some(claim), _) => number(ours) == Some(claim.fence),
        // The end was sent, and its answer lost.
        (None, Some(there)) if is_last(there) && has_arrived(ours, there) => true,
        (None, Some(there)) if ours.holder().as_ref() == Some(by) => number(ours) == number(there),
        (None, Some(there)) => *by == taken.held.record.holder && is_last(there),
        (None, None) => true,
    }
}

/// Returns true if the remote has what was last done here about the work on an issue.
fn has_arrived(ours: &Issue, there: &Issue) -> bool {
    there.work_stamp() == ours.work_stamp()
}

/// Returns an issue as it is at the tip of a remote; none where it is not there, or can't be read.
fn issue_at(tx: &Tx<'_>, tip: Option<Oid>, uid: Uid) -> Result<Option<Issue>> {
    let store = tx.view.snapshot().store();
    let there = tip.map(|tip| store.snapshot_at(tip)).transpose()?;
    let issue = there.map(|there| there.issue(uid)).transpose()?;
    Ok(issue.flatten().and_then(std::result::Result::ok))
}

/// Returns the issues that are not the same at a remote, as they are there. One that can't be read there decides nothing.
pub(super) fn differing(ours: &Snapshot<'_>, theirs: &Snapshot<'_>) -> Result<Vec<(Uid, Issue)>> {
    let mut found = Vec::new();
    let store = ours.store();
    store.diff::<Error>(Some(theirs.tree()), ours.tree(), &mut |change| {
        if let (Some(path @ TreePath::Issue(uid)), Some(old), Some(_)) =
            (change.path, change.old, change.oid)
            && let Ok(blob) = decode(path, &theirs.read(old)?)
        {
            found.push((uid, Issue::from_blob(uid, blob)));
        }
        Ok(())
    })?;
    Ok(found)
}

/// Writes what a remote has; returns whether that changed anything. A reason that is not applied becomes a comment.
fn give_way(
    tx: &mut Tx<'_>,
    mut ours: Issue,
    theirs: &Issue,
    judgement: &Judgement,
    remote: &str,
) -> Result<bool> {
    let writer = tx.writer(&ours)?;
    // The claim at the remote counts more than what the store says of it: the store follows.
    if let Some(lease) = &judgement.lease {
        ours.take(&writer, &lease.holder);
        ours.keep_claim_at(remote, lease.fence, lease.minutes);
    } else if !ours.follow(&writer, judgement.later.as_ref().unwrap_or(theirs), theirs) {
        return Ok(false);
    }
    keep_reason(tx, &ours, judgement)?;
    tx.put(ours);
    Ok(true)
}

/// Writes again what `own` says; returns whether that changed anything.
fn uphold(tx: &mut Tx<'_>, mut ours: Issue, own: &Issue, theirs: &Issue) -> Result<bool> {
    let writer = tx.writer(&ours)?;
    if !ours.follow(&writer, own, theirs) {
        return Ok(false);
    }
    let uid = ours.uid().to_string();
    tx.trailer(YIELD, uid.clone());
    tx.trailer(UPHELD, uid);
    tx.put(ours);
    Ok(true)
}

/// Makes a comment of the reason of what is not applied.
fn keep_reason(tx: &mut Tx<'_>, issue: &Issue, judgement: &Judgement) -> Result<()> {
    if let (Some(verb), Some(reason), false) = (
        judgement.not_applied,
        &judgement.reason,
        judgement.is_repeated,
    ) {
        let (loser, how, by) = (&judgement.loser, judgement.how, &judgement.by);
        let text = format!("{verb} by {loser}: {reason} (not applied: {how} by {by})");
        tx.remember(issue, MemoryKind::Comment, &text)?;
    }
    Ok(())
}

/// Returns what gave way elsewhere, by the commits that only the tip of the remote has: the issue, and who lost it.
pub(super) fn received(commits: &[Commit]) -> Vec<(Uid, Party)> {
    let trailers = commits.iter().rev().flat_map(|commit| &commit.trailers);
    let yields = trailers.filter(|(key, _)| key == YIELD);
    yields.filter_map(|(_, value)| parse(value)).collect()
}

/// Returns the value of the trailer; an agent's name holds no space, a person's may.
fn trailer(uid: Uid, loser: &Party) -> String {
    let agent = loser.agent.as_deref().unwrap_or("-");
    format!("{uid} {agent} {}", loser.person)
}

fn parse(value: &str) -> Option<(Uid, Party)> {
    let mut parts = value.splitn(3, ' ');
    let uid = parts.next()?.parse().ok()?;
    let agent = Some(parts.next()?.to_owned()).filter(|agent| agent != "-");
    let person = parts.next()?.to_owned();
    Some((uid, Party { person, agent }))
}
