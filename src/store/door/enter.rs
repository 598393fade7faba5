//! The one way in: candidates are admitted, and merged in one transaction.

use std::slice;

use super::admit::{Admission, Beside, admit};
use super::candidate::{
    Admitted, Arrival, Candidate, EntryOutcome, EntryRules, MergeStep, Refused, StateSource,
};
use crate::store::{Cancel, MAX_RACES, Oid, Publish, Result, Store, StoreError};

/// So many are merged while the lock is held: others write in between.
const AT_ONCE: usize = 64;

/// Admits candidates, and merges those that pass, in their order; returns what has become of each.
///
/// One that does not pass, or can't be merged, holds up no other.
/// Errors: as of [`admit`] and [`converge`].
pub(crate) fn enter(
    store: &Store,
    of: Vec<Candidate>,
    rules: &EntryRules<'_>,
) -> Result<Vec<Arrival>> {
    let ours = store.tip()?;
    let mut beside = Beside::of(ours);
    let (mut admitted, mut arrivals) = (Vec::new(), Vec::new());
    for candidate in of {
        match admit(store, candidate, beside, rules)? {
            Admission::Passes(passes) => {
                beside.follow(&passes);
                admitted.push(passes);
            }
            Admission::Ends(arrival) => arrivals.push(arrival),
        }
    }
    if rules.dry_run {
        arrivals.extend(admitted.iter().map(|it| {
            let theirs = it.tip();
            it.arrived(EntryOutcome::Joined(MergeStep { ours, theirs }))
        }));
        return Ok(arrivals);
    }
    arrivals.extend(converge(store, &admitted, rules.cancel)?);
    // After the merge: a kill in between makes the next exchange merge the same tips again, which changes nothing.
    note_seen(store, &arrivals)?;
    Ok(arrivals)
}

/// Enters one candidate.
/// Errors: as of [`enter`], and why it was left alone.
pub(crate) fn enter_one(store: &Store, candidate: Candidate, rules: &EntryRules<'_>) -> Result<()> {
    let arrivals = enter(store, vec![candidate], rules)?;
    arrivals.into_iter().try_for_each(Arrival::accepted)
}

/// Enters a state that the caller has fetched or made.
/// Errors: one that can't be read or written, and why the state was left alone.
pub fn enter_named(store: &Store, tip: Oid, cancel: &Cancel) -> Result<()> {
    let candidate = Candidate::of(tip, StateSource::Named);
    enter_one(store, candidate, &EntryRules::usual(cancel))
}

/// Notes what remotes have, as far as all of it is here, and forgets what is here by now of what they had.
fn note_seen(store: &Store, arrivals: &[Arrival]) -> Result<()> {
    let remotes = store.remotes();
    let is_refused = |it: &&Arrival| matches!(it.outcome, EntryOutcome::Refused(_));
    let waits: Vec<&StateSource> = arrivals
        .iter()
        .filter(is_refused)
        .map(|it| &it.candidate.source)
        .collect();
    for arrival in arrivals.iter().filter(|it| !is_refused(it)) {
        let tip = arrival.candidate.tip;
        match &arrival.candidate.source {
            // The note of what it had before is all that leads there.
            StateSource::Tracked(remote)
                if waits.contains(&&StateSource::Former(remote.clone())) => {}
            StateSource::Tracked(remote) => remotes.note_merged_tip(remote, tip)?,
            StateSource::Former(remote) if remotes.unmerged_tip(remote)? == Some(tip) => {
                remotes.forget_unmerged(remote)?;
            }
            // What was noticed is forgotten, once all of it is here.
            StateSource::Answered => drop(store.set_back().left_out()),
            _ => {}
        }
    }
    Ok(())
}

/// Merges what was admitted into the state, in this order; returns what has become of each.
/// Errors: as of [`Store::begin`]; [`StoreError::LostRace`], or a failed write.
fn converge(store: &Store, admitted: &[Admitted], cancel: &Cancel) -> Result<Vec<Arrival>> {
    let mut arrivals = Vec::new();
    for part in admitted.chunks(AT_ONCE) {
        match (merge(store, part, cancel), part) {
            (Err(StoreError::Rejected(why)), [one]) => {
                let refused = Refused::Rejected(why);
                arrivals.push(one.arrived(EntryOutcome::Refused(refused)));
            }
            // Each by itself, so that one that can't be merged holds up no other.
            (Err(StoreError::Rejected(_)), several) => {
                for one in several {
                    arrivals.extend(converge(store, slice::from_ref(one), cancel)?);
                }
            }
            (steps, part) => {
                let mut steps = steps?.into_iter().peekable();
                for one in part {
                    let step = steps.next_if(|step| step.theirs == one.tip());
                    let outcome = step.map_or(EntryOutcome::Here, EntryOutcome::Joined);
                    arrivals.push(one.arrived(outcome));
                }
            }
        }
    }
    Ok(arrivals)
}

/// Merges all of them or none, and moves the ref once; returns the merges that have changed something.
fn merge(store: &Store, admitted: &[Admitted], cancel: &Cancel) -> Result<Vec<MergeStep>> {
    let mut transaction = store.begin(cancel)?;
    // Only programs that do not take our lock can win a race, so a few rounds are enough.
    for _ in 0..MAX_RACES {
        let Some((steps, merged)) = transaction.merge(admitted)? else {
            return Ok(Vec::new());
        };
        match merged.publish()? {
            Publish::Done(published) => {
                published.finish()?;
                return Ok(steps);
            }
            Publish::LostRace(newer) => transaction = newer,
        }
    }
    Err(StoreError::LostRace)
}
