//! News of claims that gave way, and of answers: the caller reads them in the answer, other agents at their next command.

use std::collections::BTreeSet;

use super::judge::decided;
use super::lost_claim::LostClaim;
use super::yields::received;
use super::{Sync, Synced};
use crate::model::{Issue, Party, Uid};
use crate::ops::shared::question::notice;
use crate::ops::{Result, Tracker, View};
use crate::store::{Commit, Oid, notices};

/// What the subject of the commit of an answer begins with.
const ANSWER: &str = "answer ";

/// Says which claims gave way here.
pub(super) fn say_lost(
    tracker: &Tracker,
    request: &Sync,
    synced: &mut Synced,
    lost: Vec<LostClaim>,
) {
    for claim in lost {
        say(tracker, request, synced, claim);
    }
}

fn say(tracker: &Tracker, request: &Sync, synced: &mut Synced, lost: LostClaim) {
    let caller = tracker.party();
    let is_own = match &caller.agent {
        Some(_) => caller == lost.loser,
        None => caller.person == lost.loser.person,
    };
    synced.remarks.push(lost.line(&synced.remote, is_own));
    leave(
        tracker,
        request,
        &lost.loser,
        &lost.line(&synced.remote, true),
    );
    synced.claims_lost.push(lost);
}

/// Says which claims gave way elsewhere, of the caller's person or to it: between the tip that was here and the
/// one that was received.
pub(super) fn hear(
    tracker: &Tracker,
    request: &Sync,
    synced: &mut Synced,
    (ours, theirs): (Oid, Oid),
) -> Result<()> {
    let commits = tracker.store().snapshot_at(theirs)?.history(Some(ours))?;
    hear_answers(tracker, request, synced, (ours, &commits))?;
    let received = received(&commits);
    if received.is_empty() {
        return Ok(());
    }
    let person = tracker.actor().to_owned();
    let heard = tracker.read(|view| {
        let mut heard = Vec::new();
        for (uid, loser) in &received {
            // One that is not here any more concerns no one.
            if let Ok(issue) = view.issue(*uid) {
                heard.push((became_of(view, &issue, loser)?, issue.holder()));
            }
        }
        Ok(heard)
    })?;
    for (lost, holder) in heard {
        let winner = holder.filter(|holder| holder.person == person && *holder != lost.loser);
        if let Some(winner) = winner {
            let line = format!(
                "{}: {} had claimed it too, and has yielded",
                lost.id, lost.claim
            );
            leave(tracker, request, &winner, &line);
            synced.remarks.push(line);
        }
        if lost.loser.person == person && lost.by != lost.claim {
            say(tracker, request, synced, lost);
        }
    }
    Ok(())
}

/// Says which questions of the caller's person were answered elsewhere, in commits that came on top of a tip.
fn hear_answers(
    tracker: &Tracker,
    request: &Sync,
    synced: &mut Synced,
    (ours, commits): (Oid, &[Commit]),
) -> Result<()> {
    let answers = commits
        .iter()
        .filter(|commit| commit.subject.starts_with(ANSWER));
    let listed = answers.filter_map(|commit| commit.trailer("Issues"));
    let uids: BTreeSet<Uid> = listed
        .flat_map(str::split_whitespace)
        .filter_map(|uid| uid.parse().ok())
        .collect();
    if uids.is_empty() {
        return Ok(());
    }
    let before = tracker.store().snapshot_at(ours)?;
    let news = tracker.read(|view| {
        let mut news = Vec::new();
        for uid in &uids {
            for entry in view.memory(*uid)?.0 {
                let (Some((_, register)), Some(agent)) = (entry.answer(), entry.agent()) else {
                    continue;
                };
                // A merge can bring the commit of an answer that is here already.
                let known = before.remembered(*uid, entry.uid())?;
                let is_known = known.is_some_and(|known| known.answer() == entry.answer());
                if entry.by() == tracker.actor() && !entry.is_redacted() && !is_known {
                    let line = notice(&view.id(*uid)?, &register.by, &entry);
                    news.push((agent.to_owned(), line));
                }
            }
        }
        Ok(news)
    })?;
    for (agent, line) in news {
        // One of another person reads no notices here, so only those of the caller's are left.
        let asker = Party {
            person: tracker.actor().to_owned(),
            agent: Some(agent),
        };
        leave(tracker, request, &asker, &line);
        if asker == tracker.party() {
            synced.remarks.push(line);
        }
    }
    Ok(())
}

/// Returns what became of a claim that gave way elsewhere.
fn became_of(view: &View<'_>, issue: &Issue, loser: &Party) -> Result<LostClaim> {
    let (by, how) = decided(issue, None);
    Ok(LostClaim {
        id: view.id(issue.uid())?,
        claim: loser.to_string(),
        by: by.to_string(),
        how: how.to_owned(),
        not_applied: None,
        loser: loser.clone(),
    })
}

/// Leaves a line for an agent, unless it is the caller, who reads it in the answer.
pub(super) fn leave(tracker: &Tracker, request: &Sync, party: &Party, line: &str) {
    let Some(agent) = &party.agent else { return };
    let reads = !request.unattended && *party == tracker.party();
    if !reads {
        notices::leave(tracker.store(), agent, line);
    }
}
