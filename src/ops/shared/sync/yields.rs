//! Yielding at a remote: of two claims that did not know each other, the one that came first to the remote holds.
//!
//! The remote that `sync` uses by default is the arbiter: its ref moves by swap only, so what it has came first. What
//! is here and not there gives way, by an ordinary change that says who has the issue. Whether a write knew another one
//! follows from the history alone: it did if the commit of the other came before its own. What a clone of someone else
//! brought later was not known, though it is here by now.

use super::decided::decided;
use super::judge::{Judgement, Outcome, judge};
use super::lost_claim::LostClaim;
use super::own_write::Unsent;
use crate::model::{Issue, MemoryKind, Party, Uid};
use crate::ops::tracker::{UPHELD, YIELD};
use crate::ops::{Error, Result, Tracker, Tx};
use crate::store::{Aside, Commit, Oid, Snapshot, TreePath, decode};

/// A state in which claims gave way.
pub(super) struct Yielded {
    /// What is made on top of what was judged: that may be sent, and no claim that came here in the meantime. None where
    /// nothing changes.
    pub(super) made: Option<Aside>,
    /// What gave way.
    pub(super) lost: Vec<LostClaim>,
}

/// Lets what `ours` has give way to what `theirs`, the tip of a remote, had first, in a commit to which no ref leads. None where
/// a later tip of the remote is to be merged first.
pub(super) fn yield_to(
    tracker: &Tracker,
    ours: Oid,
    theirs: Oid,
    remote: &str,
) -> Result<Option<Yielded>> {
    let (lost, made) = tracker.prepare(Some(ours), |tx| match newest(tx, theirs, remote)? {
        Some(theirs) => stage(tx, theirs).map(Some),
        None => Ok(None),
    })?;
    Ok(lost.map(|lost| Yielded { made, lost }))
}

fn stage(tx: &mut Tx<'_>, theirs: Oid) -> Result<Vec<LostClaim>> {
    let remote = tx.view.snapshot().store().snapshot_at(theirs)?;
    let unsent = Unsent::beyond(&tx.view, Some(theirs))?;
    let (mut lost, mut subjects) = (Vec::new(), Vec::new());
    for (uid, theirs) in differing(&tx.view.snapshot(), &remote)? {
        // What was purged here gives way to nothing.
        let Ok(ours) = tx.issue(uid) else { continue };
        let outcome = judge(&tx.view, &ours, &theirs, &unsent)?;
        let id = tx.view.id(uid)?;
        let claims = match outcome {
            None => {
                let claims = LostClaim::of_unsent(&tx.view, &ours, &theirs)?;
                if let Some(claim) = claims.first()
                    && uphold(tx, ours.clone(), &ours, &theirs)?
                {
                    let text = format!("{id}: {} by {}", claim.how, claim.by);
                    subjects.push(("keep", text));
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
                if give_way(tx, ours, &theirs, &judgement)? {
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
) -> Result<bool> {
    let writer = tx.writer(&ours)?;
    if !ours.follow(&writer, judgement.later.as_ref().unwrap_or(theirs), theirs) {
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
