//! Starting an issue with the word of the remote: a ref there for each claim, moved by compare-and-swap.
//!
//! The quiet way is one push: the tip with the start, and the ref of the claim, all or nothing. It also proves that the
//! state here was that of the remote. The start is no part of the history here until the push has succeeded, so a claim that is
//! lost leaves nothing behind. Where others send all the time the ref alone is sent, and the start follows. What a push
//! has come to is decided by a look at the refs, and never by its words.

mod regain;
mod start;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::model::{Stamp, Status, Uid};
use crate::ops::shared::claim::{self, Started, start_here};
use crate::ops::shared::leases;
use crate::ops::shared::sync::{DeliveryKind, LostClaim, Sync, exchange, gave_way_to};
use crate::ops::tracker::ClaimPolicy;
use crate::ops::{Code, Command, Error, Result, Tracker, Tx, View};
use crate::store::lease_book::HeldLease;
use crate::store::push_url::pushes_elsewhere;
use crate::store::{ClaimMove, ClaimRefs, Oid, Snapshot};
pub(crate) use regain::{regain, regain_undone};
use start::RemoteStart;

/// The time that a remote may say nothing to who starts an issue, or is at work on one.
const PATIENCE: Duration = Duration::from_secs(8);

/// Names the issue to start, on the state of a change.
type Choose<'c> = &'c dyn Fn(&Tx<'_>) -> Result<Uid>;

/// Starts the issue that `choose` names, where the policy wants it with the word of the remote; chosen again when
/// another one was faster.
/// Errors: claimed by another. With the policy `strict` also a remote that can't be asked or keeps no claims: then nothing has
/// changed.
pub(crate) fn start_chosen(tracker: &Tracker, choose: Choose<'_>, force: bool) -> Result<Started> {
    let policy = tracker.claim_policy()?;
    if policy == ClaimPolicy::Local {
        return start_beside(tracker, choose, force);
    }
    let remote = tracker.store().remotes().remote(None)?;
    let is_elsewhere = |remote: &String| pushes_elsewhere(tracker.store(), remote);
    if let Some(remote) = remote.iter().find(|remote| is_elsewhere(remote)) {
        tracker.warn(format!(
            "{remote} stores no claims, since pushes go to another address: the next sync decides"
        ));
    }
    let remote = remote.filter(|remote| !is_elsewhere(remote));
    match (remote, policy) {
        (Some(remote), _) => RemoteStart::open(tracker, policy, remote, force)?.run(choose),
        (None, ClaimPolicy::Strict) => {
            let message = "there is no remote to confirm the claim; nothing was started";
            let error = Error::new(Code::Remote, message);
            let error = error.hinted(Command::line("git remote add origin URL"));
            Err(or_locally(tracker, error))
        }
        (None, _) => {
            tracker.warn("there is no remote to confirm the claim: it counts in this clone only");
            Ok(Started {
                tentative: true,
                ..start_here(tracker, choose, force)?
            })
        }
    }
}

/// Adds how a person starts an issue without the word of the remote; an agent is not led past it.
fn or_locally(tracker: &Tracker, error: Error) -> Error {
    let local = Command::of("start").placeholder("ID").flag("--local");
    match tracker.agent() {
        Some(_) => error,
        None => error.also(local.then(" starts it in this clone only")),
    }
}

/// Starts the issue that `choose` names here alone, once no other command of this clone asks the remote for it.
fn start_beside(tracker: &Tracker, choose: Choose<'_>, force: bool) -> Result<Started> {
    let leases = tracker.store().agents().leases();
    // One that asks for another issue is not waited for long.
    let others = leases.exist().then(|| leases.open_soon(tracker.cancel()));
    let Some(Err(_)) = others else {
        return start_here(tracker, choose, force);
    };
    let is_asked = Cell::new(false);
    let chosen = |tx: &Tx<'_>| {
        let uid = choose(tx)?;
        is_asked.set(leases.read().is_asked(uid));
        match is_asked.get() {
            true => Err(Error::new(
                Code::Busy,
                "another command is starting it at the remote",
            )),
            false => Ok(uid),
        }
    };
    match start_here(tracker, &chosen, force) {
        Err(error) if error.is(Code::Busy) && is_asked.get() => {
            let _others = leases.open(tracker.cancel())?;
            start_here(tracker, choose, force)
        }
        started => started,
    }
}

/// Makes a change that sets a status. Where that starts issues, and the policy wants it, the remote is asked for each of them
/// first; all are given back where one is not to be had, or the change fails. Returns also whether any was started so.
/// Errors: those of the change, and as [`start_chosen`].
pub(crate) fn starting<T>(
    tracker: &Tracker,
    ids: &[String],
    status: Option<&str>,
    change: impl FnOnce() -> Result<T>,
) -> Result<(T, bool)> {
    let is_start = status.and_then(Status::parse) == Some(Status::InProgress);
    if !is_start || tracker.claim_policy()? == ClaimPolicy::Local {
        return Ok((change()?, false));
    }
    let mut begun = Vec::new();
    let start = |id: &String| {
        let started = start_chosen(tracker, &|tx| tx.find(id), false)?;
        begun.extend(
            started
                .already_in_progress
                .is_none()
                .then_some(started.issue.id),
        );
        Ok(())
    };
    let changed = ids.iter().try_for_each(start).and_then(|()| change());
    if changed.is_err() && !begun.is_empty() {
        give_back(tracker, &begun);
    }
    Ok((changed?, !begun.is_empty()))
}

/// Opens issues again that were only started; what can't be given back is said.
fn give_back(tracker: &Tracker, begun: &[String]) {
    let released = tracker.write(
        |tx| {
            for id in begun {
                let mut issue = tx.issue(tx.find(id)?)?;
                let writer = tx.writer(&issue)?;
                claim::release(tx, &mut issue, &writer)?;
                tx.put(issue);
            }
            Ok(())
        },
        |(), _| Ok(()),
    );
    if let Err(error) = released.and_then(|()| send_ends(tracker)) {
        let message = error.message;
        tracker.warn(format!("{} stays in progress: {message}", begun.join(", ")));
    }
}

/// Gives back to the remotes the claims that have ended here; nothing where they keep none of them.
/// Errors: `claimed`, where one that this command ended was taken over meanwhile: then what ended it is not applied.
pub(crate) fn send_ends(tracker: &Tracker) -> Result<()> {
    let written = tracker.take_work();
    let (store, leases) = (tracker.store(), tracker.store().agents().leases());
    // What was written is written: a remote that is configured wrongly is said with what waits for it.
    let usual = store.remotes().remote(None).unwrap_or_default();
    if let Some(remote) = usual.as_ref().filter(|_| leases.is_unsure())
        && let Err(error) = leases::recover(tracker, remote)
    {
        leases::note_failure(tracker, &error);
    }
    let (true, Some(tip)) = (leases.exist(), store.tip()?) else {
        return Ok(());
    };
    let remotes = ended_or_lost(tracker, tip, usual.as_deref())?;
    // What was purged has no name.
    let ids = |view: &View<'_>| {
        let uids = written.keys();
        uids.filter_map(|uid| view.id(*uid).ok()).collect()
    };
    let ids: Vec<String> = match remotes.is_empty() {
        true => Vec::new(),
        false => tracker.read(|view| Ok(ids(view)))?,
    };
    let ended = leases::ended_anywhere(tracker, tip)?;
    for remote in remotes {
        let here = ended.iter().filter(|(held, _)| held.remote == remote);
        let is_own = here.clone().any(|(_, end)| written.contains_key(&end.uid));
        let of = PendingEnds {
            ids: &ids,
            is_own: is_own || here.count() == 0,
        };
        send_ends_to(tracker, &remote, &of)?;
    }
    check_applied(tracker, &written)
}

/// Ends that a remote is to hear of.
struct PendingEnds<'a> {
    /// The issues that this command wrote.
    ids: &'a [String],
    /// False where all of them are of earlier commands.
    is_own: bool,
}

/// Returns the remotes that should hear of claims that have ended here, or were lost.
fn ended_or_lost(tracker: &Tracker, tip: Oid, usual: Option<&str>) -> Result<BTreeSet<String>> {
    let replaced = usual
        .into_iter()
        .flat_map(|it| leases::replaced(tracker, it));
    let replaced = replaced.map(|(_, lease)| lease.held.remote);
    let ended = leases::ended_anywhere(tracker, tip)?.into_iter();
    Ok(replaced.chain(ended.map(|(held, _)| held.remote)).collect())
}

fn send_ends_to(tracker: &Tracker, remote: &str, ends: &PendingEnds<'_>) -> Result<()> {
    let is_strict = ends.is_own && tracker.claim_policy()? == ClaimPolicy::Strict;
    // One that can't be asked is not waited for again and again, unless its word is what counts.
    if !is_strict
        && tracker
            .store()
            .agents()
            .leases()
            .read()
            .is_unreachable(tracker.env())
    {
        return Ok(());
    }
    let push = Sync {
        remote: Some(remote.to_owned()),
        fetch: false,
        merge: false,
        ..Sync::default()
    };
    // One push, as long as no one was faster: the remote is asked first only after a refusal.
    match exchange(tracker, &push) {
        Ok(synced) if synced.delivery == Some(DeliveryKind::Mailbox) && ends.is_own => {
            // Its store hears of it when a clone collects.
            let error = Error::new(Code::RemoteRefused, "it takes a mailbox only");
            still_has(tracker, remote, &error, is_strict)
        }
        Ok(synced) => {
            let lost = synced.claims_lost.iter();
            let mut lost = lost.filter(|lost| lost.not_applied.is_some());
            if let Some(lost) = lost.find(|lost| ends.ids.contains(&lost.id)) {
                return Err(not_applied(lost));
            }
            // Of claims that were ended before.
            synced
                .remarks
                .into_iter()
                .for_each(|line| tracker.warn(line));
            Ok(())
        }
        Err(error) => {
            leases::note_failure(tracker, &error);
            still_has(tracker, remote, &error, is_strict)
        }
    }
}

/// Errors: `claimed`, where another command of this clone has let what this one wrote give way meanwhile.
fn check_applied(tracker: &Tracker, written: &BTreeMap<Uid, Stamp>) -> Result<()> {
    let lost = tracker.read(|view| {
        for (uid, at) in written {
            if let Some(by) = gave_way_to(view, *uid, *at)?
                && by != tracker.party()
            {
                return Ok(Some((view.id(*uid)?, by)));
            }
        }
        Ok(None)
    })?;
    let Some((id, by)) = lost else { return Ok(()) };
    let message = format!("{id} was taken over by {by}; your change is not applied");
    Err(claim::hinted(Error::new(Code::Claimed, message), &id, None))
}

fn still_has(tracker: &Tracker, remote: &str, error: &Error, is_strict: bool) -> Result<()> {
    let usual = tracker.store().remotes().remote(None).unwrap_or_default();
    let sync = match usual.as_deref() == Some(remote) {
        true => Command::of("sync"),
        false => Command::of("sync").flag("--remote").text(remote),
    };
    let message = error.message.lines().next().unwrap_or_default();
    let message = message
        .strip_prefix(&format!("{remote}: "))
        .unwrap_or(message)
        .trim();
    let message =
        format!("{remote} still has the claim ({message}); the next sync with it releases it");
    if is_strict {
        // What must not happen twice has not ended before the remote knows.
        let message = format!("it has ended here, but not at the remote: {message}");
        return Err(Error::new(Code::Remote, message).hinted(sync));
    }
    tracker.warn(message);
    Ok(())
}

fn not_applied(lost: &LostClaim) -> Error {
    let (id, by) = (&lost.id, &lost.by);
    let verb = lost.not_applied.as_deref().unwrap_or("done");
    let message =
        format!("{id} was taken over by {by}; your {verb} is not applied, your notes are kept");
    claim::hinted(Error::new(Code::Claimed, message), id, None)
}

/// Renews the claims of a holder at the remote, where that is due; all in one push. Who else has claims here may
/// have ended.
/// Errors: a remote that can't be asked.
pub(crate) fn beat(tracker: &Tracker, holder: &str) -> Result<()> {
    let store = tracker.store();
    let (Some(usual), Some(tip)) = (store.remotes().remote(None)?, store.tip()?) else {
        return Ok(());
    };
    let mut renewed = leases::recover(tracker, &usual);
    let snapshot = store.snapshot_at(tip)?;
    // Another one may be the usual remote since a claim was made.
    let held = store.agents().leases().read().held;
    let remotes: BTreeSet<String> = held.into_values().map(|held| held.remote).collect();
    let known = store.remotes().names();
    for remote in remotes.iter().filter(|remote| known.contains(remote)) {
        renewed = renewed.and(renew(tracker, remote, holder, &snapshot));
    }
    if let Err(error) = &renewed {
        leases::note_failure(tracker, error);
    }
    renewed
}

fn renew(tracker: &Tracker, remote: &str, holder: &str, snapshot: &Snapshot<'_>) -> Result<()> {
    let store = tracker.store();
    let refs = store.remotes().within(PATIENCE).claims(remote)?;
    // Another command that asks the remote renews them, or the next one will.
    let Ok(mut open) = store.agents().leases().open_soon(tracker.cancel()) else {
        return Ok(());
    };
    let mut moves = Vec::new();
    for (uid, held) in &mut open.book.held {
        let is_due = held.remote == remote && held.is_beat_due(tracker.env());
        let is_own = held.record.holder.to_string() == holder;
        // One that has ended here is taken over by no one while the remote can't be told of it.
        if is_due && is_own && leases::is_to_be_renewed(snapshot, *uid, held)? {
            moves.push(raise_beat(&refs, *uid, held)?);
        }
    }
    if moves.is_empty() {
        return Ok(());
    }
    // One that was taken over must not keep the others from it.
    let taken = refs.push(&moves, false, tracker.cancel())?;
    let look = match taken {
        true => None,
        false => Some(refs.look(None, tracker.cancel())?),
    };
    for change in &moves {
        let found = look
            .as_ref()
            .map_or(change.to, |look| look.claims.get(&change.uid).copied());
        match open.book.held.get_mut(&change.uid) {
            Some(held) if found == change.to => held.grant(tracker.env()),
            // As it was, or taken over: the next exchange says which.
            Some(held) => {
                held.oid = change.from.unwrap_or(held.oid);
                held.record.beat -= 1;
            }
            None => {}
        }
    }
    open.save();
    Ok(())
}

/// Makes the object of the next beat of a claim, and returns the move to it.
fn raise_beat(refs: &ClaimRefs<'_>, uid: Uid, held: &mut HeldLease) -> Result<ClaimMove> {
    let from = Some(held.oid);
    held.record.beat += 1;
    held.oid = refs.make(&held.record.encode(uid))?;
    let to = Some(held.oid);
    Ok(ClaimMove { uid, from, to })
}
