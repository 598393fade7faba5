//! Claims that a remote keeps for this clone: which of them have ended here, and which were taken over there.
//!
//! A push that sends the end of such a claim removes its ref in the same step, by compare-and-swap: so the remote itself
//! refuses a holder that was replaced meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use crate::env::Env;
use crate::index::{Condition, Order};
use crate::model::lease::{FREE, LeaseRecord};
use crate::model::{Status, Uid};
use crate::ops::{Code, Error, Result, Tracker, View};
use crate::store::lease_book::{HeldLease, LeaseBook, ReplacedLease, SeenLease};
use crate::store::{ClaimLook, ClaimMove, Oid, Snapshot};

/// The claims at a remote that decide who has an issue, whatever the store says of it.
#[derive(Default)]
pub(crate) struct KnownLeases {
    pub(crate) remote: String,
    /// Those of this clone.
    pub(crate) held: BTreeMap<Uid, LeaseRecord>,
    /// Those of other clones that are not over.
    pub(crate) others: BTreeMap<Uid, LeaseRecord>,
    /// Where this clone has a claim, or had one that was taken over: what becomes of that is decided by these alone.
    pub(crate) own: BTreeSet<Uid>,
}

impl KnownLeases {
    /// Returns the claims at a remote, as the last look has found them.
    pub(crate) fn of(tracker: &Tracker, remote: &str) -> Self {
        let leases = tracker.store().agents().leases();
        let mut known = Self {
            remote: remote.to_owned(),
            ..Self::default()
        };
        if !leases.exist() {
            return known;
        }
        let book = leases.read();
        known.own = book
            .held
            .keys()
            .chain(book.replaced.keys())
            .copied()
            .collect();
        for (uid, held) in &book.held {
            if held.is_granted && held.remote == remote {
                known.held.insert(*uid, held.record.clone());
            }
        }
        let is_granted = |uid: &Uid| book.held.get(uid).is_some_and(|held| held.is_granted);
        for uid in book.seen.keys().filter(|uid| !is_granted(uid)) {
            if let Some(record) = book.barred(*uid).filter(|record| record.is_known()) {
                known.others.insert(*uid, record.clone());
            }
        }
        known
    }
}

/// Returns the moves that give back to a remote what has ended here by the state of a commit.
pub(crate) fn ended(tracker: &Tracker, remote: &str, tip: Oid) -> Result<Vec<ClaimMove>> {
    let all = ended_anywhere(tracker, tip)?.into_iter();
    let here = all.filter(|(held, _)| held.remote == remote);
    Ok(here.map(|(_, give_back)| give_back).collect())
}

/// Returns the claims at any remote that have ended here by the state of a commit, and the moves that give them back.
pub(crate) fn ended_anywhere(tracker: &Tracker, tip: Oid) -> Result<Vec<(HeldLease, ClaimMove)>> {
    let store = tracker.store();
    if !store.agents().leases().exist() {
        return Ok(Vec::new());
    }
    // The book before the present tip: what another command is granted meanwhile is in the tip first.
    let book = store.agents().leases().read();
    // What is sent can be made of the present state, and know of an end that is not here yet.
    let now = match store.tip()? {
        Some(now) if !store.merging().contains(tip, now)? => now,
        _ => tip,
    };
    let (then, now) = (store.snapshot_at(tip)?, store.snapshot_at(now)?);
    let mut moves = Vec::new();
    for (uid, held) in book.held {
        let states = (known(&then, uid, &held)?, known(&now, uid, &held)?);
        // What has begun and ended since is not in what is sent.
        let has_ended = matches!(
            states,
            (KnownClaim::Ended, KnownClaim::Ended | KnownClaim::Never)
                | (KnownClaim::Ended | KnownClaim::Gone, KnownClaim::Gone)
        );
        if held.is_granted && has_ended {
            let from = Some(held.oid);
            let to = None;
            moves.push((held, ClaimMove { uid, from, to }));
        }
    }
    Ok(moves)
}

/// Returns the claims at a remote that others have taken over, or that are gone there, as far as the store does not follow.
pub(crate) fn replaced(tracker: &Tracker, remote: &str) -> Vec<(Uid, ReplacedLease)> {
    let leases = tracker.store().agents().leases();
    if !leases.exist() {
        return Vec::new();
    }
    let all = leases.read().replaced.into_iter();
    all.filter(|(_, lease)| lease.held.remote == remote)
        .collect()
}

/// Forgets claims that were replaced, once the store follows.
pub(crate) fn forget_replaced(tracker: &Tracker, followed: &[(Uid, ReplacedLease)]) -> Result<()> {
    // Another command that has the book is not waited for: to follow twice changes nothing.
    let Ok(mut open) = tracker
        .store()
        .agents()
        .leases()
        .open_soon(tracker.cancel())
    else {
        return Ok(());
    };
    for (uid, lease) in followed {
        if open.book.replaced.get(uid) == Some(lease) {
            open.book.replaced.remove(uid);
        }
    }
    open.save();
    Ok(())
}

/// What a state of the store says of a claim that is held at a remote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KnownClaim {
    /// Nothing: it was made later, or its start has not come from the remote yet.
    Never,
    Kept,
    Ended,
    /// Nothing, as the issue was purged.
    Gone,
}

fn known(snapshot: &Snapshot<'_>, uid: Uid, held: &HeldLease) -> Result<KnownClaim> {
    let issue = match snapshot.issue(uid)? {
        Some(Ok(issue)) => issue,
        Some(Err(_)) => return Ok(KnownClaim::Never),
        None => return Ok(KnownClaim::Gone),
    };
    // By its number alone: each clone has names of its own for remotes.
    let is_kept = issue.claim_ref().map(|(_, fence)| fence) == Some(held.record.fence)
        && issue.holder().as_ref() == Some(&held.record.holder);
    Ok(match is_kept {
        true => KnownClaim::Kept,
        false if issue.last_fence() >= held.record.fence => KnownClaim::Ended,
        false => KnownClaim::Never,
    })
}

/// Returns true if an issue still has the claim that is held at the remote.
pub(crate) fn is_kept(snapshot: &Snapshot<'_>, uid: Uid, held: &HeldLease) -> Result<bool> {
    Ok(known(snapshot, uid, held)? == KnownClaim::Kept)
}

/// Returns true if the remote is to keep a claim for longer: the issue has it, or has ended and the remote still has to hear
/// of that.
pub(crate) fn is_to_be_renewed(
    snapshot: &Snapshot<'_>,
    uid: Uid,
    held: &HeldLease,
) -> Result<bool> {
    let known = known(snapshot, uid, held)?;
    Ok(matches!(known, KnownClaim::Kept | KnownClaim::Ended))
}

/// Forgets claims whose refs were moved.
pub(crate) fn forget(tracker: &Tracker, moves: &[ClaimMove]) -> Result<()> {
    if moves.is_empty() {
        return Ok(());
    }
    let mut open = tracker.store().agents().leases().open(tracker.cancel())?;
    for change in moves {
        let held = &mut open.book.held;
        if held.get(&change.uid).map(|held| held.oid) == change.from {
            held.remove(&change.uid);
        }
        open.book.seen.remove(&change.uid);
        // A look of another command came between the push and this: it has missed what that removed.
        let replaced = &mut open.book.replaced;
        let is_own =
            |lease: &ReplacedLease| Some(lease.held.oid) == change.from && lease.by.is_none();
        if replaced.get(&change.uid).is_some_and(is_own) {
            replaced.remove(&change.uid);
        }
    }
    open.save();
    Ok(())
}

/// Asks the remote for all claims, and notes what it has, and which of this clone it has no more.
/// Errors: a remote that can't be asked.
pub(crate) fn look(tracker: &Tracker, remote: &str) -> Result<ClaimLook> {
    let (store, cancel) = (tracker.store(), tracker.cancel());
    // First: what another command of this clone is granted meanwhile would look as if it were gone.
    let mut open = store.agents().leases().open(cancel)?;
    let look = store.remotes().claims(remote)?.look(None, cancel)?;
    note_all(tracker, remote, &look, &mut open.book)?;
    let is_gone = |uid: &Uid, held: &HeldLease| {
        held.is_granted && held.remote == remote && look.claims.get(uid) != Some(&held.oid)
    };
    for (uid, held) in &mut open.book.held {
        // Of a command that was killed before it knew.
        held.grant_if_at(tracker.env(), look.claims.get(uid).copied());
    }
    // What was asked for and not granted is another's.
    open.book
        .held
        .retain(|uid, held| held.is_granted || !look.claims.contains_key(uid));
    let mut held = open.book.held.clone();
    held.retain(|uid, held| is_gone(uid, held));
    for uid in held.into_keys() {
        lose(tracker.env(), &mut open.book, uid);
    }
    // Where the book was lost, or a beat was not heard of.
    let mark = store.agents().leases().mark();
    let is_own = |uid: &Uid, seen: &SeenLease| {
        let record = seen.record.as_ref();
        look.claims.contains_key(uid) && record.is_some_and(|it| it.is_of_clone(&mark))
    };
    let mut own = open.book.seen.clone();
    own.retain(|uid, seen| is_own(uid, seen) && !open.book.held.contains_key(uid));
    for uid in own.into_keys() {
        open.book.adopt(tracker.env(), uid, remote);
    }
    open.book.is_unsure = false;
    open.book.note_reached();
    open.save();
    Ok(look)
}

/// Asks the remote which claims this clone holds, where the book that says so was lost.
/// Errors: a remote that can't be asked.
pub(crate) fn recover(tracker: &Tracker, remote: &str) -> Result<()> {
    let leases = tracker.store().agents().leases();
    if !leases.is_unsure() || leases.read().is_unreachable(tracker.env()) {
        return Ok(());
    }
    look(tracker, remote).map(drop)
}

/// Notes that the remote could not be asked, unless another command has the book: that one will. A remote where others push
/// all the time has answered.
pub(crate) fn note_failure(tracker: &Tracker, error: &Error) {
    if !error.is(Code::Remote) {
        return;
    }
    if let Ok(mut open) = tracker
        .store()
        .agents()
        .leases()
        .open_soon(tracker.cancel())
    {
        open.book.note_unreachable(tracker.env());
        open.save();
    }
}

/// Notes that the ref of a claim of this clone leads to another object, or is gone, as a look has found.
pub(crate) fn lose(env: &Env, book: &mut LeaseBook, uid: Uid) {
    let Some(held) = book.held.remove(&uid) else {
        return;
    };
    let by = book.seen.get(&uid).and_then(|seen| seen.record.clone());
    if by.as_ref().is_some_and(|by| by.is_same_claim(&held.record)) {
        // A beat whose answer was lost.
        book.adopt(env, uid, &held.remote);
        return;
    }
    // One that can't be read keeps others from the issue, and no issue is handed over to it.
    let by = by.filter(LeaseRecord::is_known);
    book.replaced.insert(uid, ReplacedLease { held, by });
}

/// Removes refs of claims at the remote whose holders did not come back, and whose issues have ended.
/// Errors: a store that can't be read; that a remote does not remove one is none.
pub(crate) fn clear_ended(tracker: &Tracker, remote: &str) -> Result<()> {
    let (store, book) = (tracker.store(), tracker.store().agents().leases().read());
    // A host that removes nothing keeps what is free.
    let is_left = |seen: &SeenLease| seen.is_over() && !seen.is_free();
    let over = book.seen.iter().filter(|(_, seen)| is_left(seen));
    let Some(tip) = store.tip()?.filter(|_| book.seen.values().any(is_left)) else {
        return Ok(());
    };
    let snapshot = store.snapshot_at(tip)?;
    let mut moves = Vec::new();
    for (uid, seen) in over {
        // One that is not here may be on its way.
        if let Some(Ok(issue)) = snapshot.issue(*uid)?
            && seen.oid.is_some()
            && (issue.is_deleted() || issue.status() == Status::Closed)
        {
            moves.push(ClaimMove {
                uid: *uid,
                from: seen.oid,
                to: None,
            });
        }
    }
    if !moves.is_empty() {
        let refs = store.remotes().claims(remote)?;
        let _ = refs.give_back(&moves, tracker.cancel());
    }
    Ok(())
}

/// Notes the result of a look at all claims, and which claims that the store names it has not found.
pub(crate) fn note_all(
    tracker: &Tracker,
    remote: &str,
    look: &ClaimLook,
    book: &mut LeaseBook,
) -> Result<()> {
    note(tracker, remote, look, book)?;
    let missing = tracker.read(|view| missing(view, look))?;
    let is_missing = |uid: &Uid| missing.iter().any(|(other, _)| other == uid);
    book.seen.retain(|uid, seen| match seen.oid {
        Some(_) => look.claims.contains_key(uid),
        None => is_missing(uid),
    });
    for (uid, record) in missing {
        if !book.held.contains_key(&uid) {
            book.miss(tracker.env(), uid, record);
        }
    }
    Ok(())
}

/// Returns the claims that the store says the remote keeps, and the remote has not.
fn missing(view: &View<'_>, look: &ClaimLook) -> Result<Vec<(Uid, LeaseRecord)>> {
    let mut found = Vec::new();
    for row in view
        .index
        .first(&Condition::in_progress(), Order::Priority, MOST_HELD, 0)?
    {
        if look.claims.contains_key(&row.uid) {
            continue;
        }
        let issue = view.issue(row.uid)?;
        if let (Some((_, fence)), Some(holder)) = (issue.claim_ref(), issue.holder()) {
            let record = LeaseRecord {
                holder,
                beat: 0,
                fence,
                minutes: issue.lease().unwrap_or(DEFAULT_LEASE),
                nonce: String::new(),
            };
            found.push((row.uid, record));
        }
    }
    Ok(found)
}

/// Notes the claims of others that a look has found; their texts are fetched where they are new.
pub(crate) fn note(
    tracker: &Tracker,
    remote: &str,
    look: &ClaimLook,
    book: &mut LeaseBook,
) -> Result<()> {
    let is_known = |book: &LeaseBook, uid: &Uid, oid: &Oid| {
        book.held.get(uid).is_some_and(|held| held.oid == *oid)
            || book.seen.get(uid).is_some_and(|seen| seen.is_read(*oid))
    };
    let mut new = look.claims.clone();
    new.retain(|uid, oid| !is_known(book, uid, oid));
    for uid in look.claims.keys() {
        book.see_again(tracker.env(), *uid);
    }
    if new.is_empty() {
        return Ok(());
    }
    let refs = tracker.store().remotes().claims(remote)?;
    let texts = refs.read(&new, tracker.cancel())?;
    for (uid, oid) in new {
        let unknown = || LeaseRecord::unknown(DEFAULT_LEASE);
        let record = match texts.get(&uid).map(|text| text.trim()) {
            Some(FREE) => None,
            Some(text) => Some(LeaseRecord::parse(text, uid).unwrap_or_else(unknown)),
            // It could not be had now: the next look reads it.
            None => Some(unknown()),
        };
        book.see(tracker.env(), uid, oid, record);
    }
    Ok(())
}

/// So many of what is in progress are compared with the remote.
const MOST_HELD: usize = 1000;
/// The minutes of the lease of a claim at a remote, unless another is asked for.
pub(crate) const DEFAULT_LEASE: u32 = 30;
