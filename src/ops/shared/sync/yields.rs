//! Yielding at a remote: of two claims that did not know each other, the one that came first to the remote holds.
//!
//! The remote that `sync` uses by default is the arbiter: its ref moves by swap only, so what it has came first. What
//! is here and not there gives way, by an ordinary change that says who has the issue. Whether a write knew another one
//! follows from the history alone: it did if the commit of the other came before its own. What a clone of someone else
//! brought later was not known, though it is here by now.

use super::judge::{Judgement, judge, last_word, verb};
use super::lost_claim::LostClaim;
use crate::model::lease::LeaseRecord;
use crate::model::{Issue, MemoryKind, Party, Uid};
use crate::ops::shared::leases::Replaced;
use crate::ops::tracker::YIELD;
use crate::ops::{Error, Result, Tracker, Tx};
use crate::store::{Commit, Oid, Snapshot, TreePath, decode};

/// Lets what is only here give way to what `theirs`, the tip of a remote, had first. Returns the commit that was judged,
/// and what gave way.
///
/// What was judged is what may be sent: a claim that came here in the meantime was not.
pub(super) fn yield_to(tracker: &Tracker, theirs: Oid) -> Result<(Oid, Vec<LostClaim>)> {
    let staged = tracker.change(|tx| stage(tx, theirs))?;
    staged.answer(|lost, view| Ok((view.snapshot().commit(), lost)))
}

fn stage(tx: &mut Tx<'_>, theirs: Oid) -> Result<Vec<LostClaim>> {
    let remote = tx.view.snapshot().store().snapshot_at(theirs)?;
    let (mut lost, mut subjects) = (Vec::new(), Vec::new());
    for (uid, theirs) in differing(&tx.view.snapshot(), &remote)? {
        // What was purged here gives way to nothing.
        let Ok(ours) = tx.issue(uid) else { continue };
        let Some(judgement) = judge(&tx.view, &ours, &theirs, remote.commit())? else {
            continue;
        };
        let id = tx.view.id(uid)?;
        let others = ours.lost_claimants(&theirs);
        if give_way(tx, ours, &theirs, &judgement)? {
            subjects.push(format!("{id}: {} by {}", judgement.how, judgement.by));
            if judgement.is_repeated {
                tx.trailer(YIELD, uid.to_string());
            }
        }
        for claim in judgement.lost(&id, others) {
            tx.trailer(YIELD, trailer(uid, &claim.loser));
            lost.push(claim);
        }
    }
    match subjects.as_slice() {
        [] => {}
        [one] => tx.subject(format!("yield {one}")),
        all => tx.subject(format!("yield {} issues, {} ...", all.len(), all[0])),
    }
    Ok(lost)
}

/// Lets what was ended here under claims that others have taken over at the remote give way to them, where `theirs`, the
/// tip of the remote, does not say it already. Returns the commit after it, and what gave way.
pub(super) fn hand_over(
    tracker: &Tracker,
    replaced: &[Replaced],
    theirs: Option<Oid>,
) -> Result<(Oid, Vec<LostClaim>)> {
    let staged = tracker.change(|tx| {
        let (mut lost, mut subject) = (Vec::new(), None);
        for taken in replaced {
            if let Some((id, judgement)) = hand_over_one(tx, taken, theirs)? {
                subject.get_or_insert_with(|| format!("yield {id}: claimed by {}", judgement.by));
                for claim in judgement.lost(&id, Vec::new()) {
                    tx.trailer(YIELD, trailer(taken.uid, &claim.loser));
                    lost.push(claim);
                }
            }
        }
        tx.subject(subject.unwrap_or_default());
        Ok(lost)
    })?;
    staged.answer(|lost, view| Ok((view.snapshot().commit(), lost)))
}

fn hand_over_one(
    tx: &mut Tx<'_>,
    taken: &Replaced,
    theirs: Option<Oid>,
) -> Result<Option<(String, Judgement)>> {
    let Ok(mut ours) = tx.issue(taken.uid) else {
        return Ok(None);
    };
    let there = issue_at(tx, theirs, taken.uid)?;
    let loser = taken.held.record.holder.clone();
    // What the store of the remote says of that claim, or of a later one, is newer than the look: it can have ended.
    let is_newer = |by: &&LeaseRecord| there.as_ref().is_none_or(|it| it.last_fence() < by.fence);
    let claim = taken.by.as_ref().filter(is_newer);
    let (by, how) = match (claim, &there) {
        (Some(by), _) => (by.holder.clone(), "claimed"),
        // Who took it over has ended it since.
        (None, Some(there)) => last_word(&tx.view, there)?,
        (None, None) => return Ok(None),
    };
    if by == loser || ours.holder().as_ref() == Some(&by) {
        return Ok(None);
    }
    let is_own = |there: &Issue| there.work_stamp() != ours.work_stamp();
    let judgement = Judgement {
        by,
        how,
        not_applied: match ours.holder() {
            Some(_) => None,
            None => verb(&ours.status()),
        },
        reason: ours
            .state()
            .reason
            .filter(|_| there.as_ref().is_none_or(is_own)),
        is_repeated: false,
        loser,
    };
    let id = tx.view.id(taken.uid)?;
    let writer = tx.writer(&ours)?;
    // The claim at the remote counts more than what the store says of it: the store follows.
    match (claim, &there) {
        (Some(by), _) => {
            ours.take(&writer, &by.holder);
            ours.keep_claim_at(&taken.held.remote, by.fence, by.minutes);
        }
        (None, Some(there)) => _ = ours.yield_to(&writer, there),
        (None, None) => {}
    }
    keep_reason(tx, &ours, &judgement)?;
    tx.put(ours);
    Ok(Some((id, judgement)))
}

/// Returns an issue as it is at the tip of a remote; none where it is not there, or can't be read.
fn issue_at(tx: &Tx<'_>, tip: Option<Oid>, uid: Uid) -> Result<Option<Issue>> {
    let store = tx.view.snapshot().store();
    let there = tip.map(|tip| store.snapshot_at(tip)).transpose()?;
    let issue = there.map(|there| there.issue(uid)).transpose()?;
    Ok(issue.flatten().and_then(std::result::Result::ok))
}

/// Returns the issues that are not the same at a remote, as they are there. One that can't be read there decides nothing.
fn differing(ours: &Snapshot<'_>, theirs: &Snapshot<'_>) -> Result<Vec<(Uid, Issue)>> {
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
) -> Result<bool> {
    let writer = tx.writer(&ours)?;
    if !ours.yield_to(&writer, theirs) {
        return Ok(false);
    }
    keep_reason(tx, &ours, judgement)?;
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
