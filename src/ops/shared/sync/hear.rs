//! News of claims that gave way, and of answers: the caller reads them in the answer, other agents at their next command.

use std::collections::BTreeSet;

use super::decided::{decided, last_word};
use super::lost_claim::LostClaim;
use super::yields::{differing, received};
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
    let is_own = tracker.party() == lost.loser;
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
    let store = tracker.store();
    // Where this history began from a snapshot, what was answered or taken over before that is no news.
    let known = store.merging().known_of(ours, theirs)?;
    let commits = store.snapshot_at(theirs)?.history(Some(known))?;
    hear_answers(tracker, request, synced, (ours, &commits))?;
    let received = received(&commits);
    hear_takeovers(tracker, request, synced, (ours, theirs, &received))?;
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
                "{}: {} had claimed it too, and that claim was released",
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

/// Says whose claim of the caller's person another clone has taken over or ended that knew it: both sides had it before they
/// went apart. Who gave way to a claim that did not know it hears of that by its yield.
fn hear_takeovers(
    tracker: &Tracker,
    request: &Sync,
    synced: &mut Synced,
    (ours, theirs, yields): (Oid, Oid, &[(Uid, Party)]),
) -> Result<()> {
    let bases = tracker.store().merging().merge_bases(ours, theirs)?;
    let Some(before) = bases.into_iter().next() else {
        return Ok(());
    };
    let here = tracker.store().snapshot_at(ours)?;
    let is_told = |uid: &Uid| yields.iter().any(|(other, _)| other == uid);
    let news = tracker.read(|view| {
        let mut news = Vec::new();
        for (uid, before) in differing(&view.snapshot(), &before)? {
            let known = here.issue(uid)?.and_then(std::result::Result::ok);
            let holder = before.holder().filter(|it| it.person == tracker.actor());
            // Both sides had it so.
            let loser =
                holder.filter(|it| known.and_then(|known| known.holder()).as_ref() == Some(it));
            if let Some(loser) = loser.filter(|_| !is_told(&uid)) {
                news.extend(taken_over(view, uid, &loser)?.map(|line| (loser, line)));
            }
        }
        Ok(news)
    })?;
    for (loser, line) in news {
        leave(tracker, request, &loser, &line);
        if loser == tracker.party() {
            synced.remarks.push(line);
        }
    }
    Ok(())
}

/// Returns what has become of a claim, where another one has taken it over or ended it.
fn taken_over(view: &View<'_>, uid: Uid, loser: &Party) -> Result<Option<String>> {
    let Ok(now) = view.issue(uid) else {
        return Ok(None);
    };
    let (by, how) = last_word(view, &now)?;
    if now.holder().as_ref() == Some(loser) || by == *loser {
        return Ok(None);
    }
    let what = match how {
        "claimed" => "taken over".to_owned(),
        how => format!("ended ({how})"),
    };
    Ok(Some(format!(
        "your claim of {} was {what} by {by}",
        view.id(uid)?
    )))
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
    let (by, how) = decided(view, issue, None)?;
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
