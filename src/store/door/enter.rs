//! The one way in: candidates are admitted, and merged in one transaction.

use std::slice;

use super::admit::{Admission, Beside, admit};
use super::candidate::{
    Admitted, Arrival, Candidate, EntryOutcome, EntryRules, MergeStep, Refused, Staged, StateSource,
};
use crate::store::{Aside, Cancel, MAX_RACES, Oid, Publish, Result, Store, StoreError};

/// So many are merged while the lock is held: others write in between.
const AT_ONCE: usize = 64;

/// Admits candidates, and merges those that pass, in their order; returns what has become of each.
///
/// One that does not pass, or can't be merged, holds up no other.
/// Errors: as of [`admit`]; [`StoreError::LostRace`], or a failed write.
pub(crate) fn enter(
    store: &Store,
    of: Vec<Candidate>,
    rules: &EntryRules<'_>,
) -> Result<Vec<Arrival>> {
    let Gathered {
        admitted,
        mut arrivals,
        ..
    } = look(store, of, rules)?;
    arrivals.extend(converge(&admitted, &mut |part| {
        merge(store, part, rules.cancel)
    })?);
    if !rules.dry_run {
        // After the merge: a kill in between makes the next exchange merge the same tips again, which changes nothing.
        note_seen(store, &arrivals)?;
    }
    Ok(arrivals)
}

/// Does what [`enter`] does, but for the last step: the ref does not lead to what was made until that is adopted.
///
/// What is to be sent is staged first: where the remote has moved on meanwhile, nothing is left of the merge. Where there is no
/// store yet nothing is kept from being one.
/// Errors: as of [`enter`].
pub(crate) fn stage(store: &Store, of: Vec<Candidate>, rules: &EntryRules<'_>) -> Result<Staged> {
    if store.tip()?.is_none() {
        let arrivals = enter(store, of, rules)?;
        return Ok(Staged {
            base: store.tip()?,
            admitted: Vec::new(),
            made: None,
            arrivals,
        });
    }
    let Gathered {
        ours,
        admitted,
        mut arrivals,
    } = look(store, of, rules)?;
    let mut staged = Staged {
        base: ours,
        admitted: Vec::new(),
        made: None,
        arrivals: Vec::new(),
    };
    arrivals.extend(converge(&admitted, &mut |part| {
        let transaction = store.begin(rules.cancel)?.on(staged.tip())?;
        let Some((steps, merged)) = transaction.merge(part)? else {
            return Ok(Vec::new());
        };
        staged.add(Some(merged.set_aside()?));
        Ok(steps)
    })?);
    Ok(Staged {
        admitted,
        arrivals,
        ..staged
    })
}

/// Merges the state of a remote once more into what was staged, where that does not descend from it: of two histories with the
/// same operations one is enough here, but the ref of a remote moves to descendants only.
/// Errors: as of [`enter`].
pub(crate) fn stage_descendant(
    store: &Store,
    staged: &mut Staged,
    of: Oid,
    cancel: &Cancel,
) -> Result<()> {
    if staged.made.is_none() {
        return Ok(());
    }
    let transaction = store.begin(cancel)?.on(staged.tip())?;
    if let Some((_, merged)) = transaction.merge(&[Admitted::staged(of)])? {
        staged.add(Some(merged.set_aside()?));
    }
    Ok(())
}

/// Lets the ref lead to what was staged. Where something was written here meanwhile, what was sent is merged with it; of what
/// was not sent, the candidates are merged anew: it was made of a state that can have been rewritten since, and another command
/// can have done the same.
/// Errors: [`StoreError::LostRace`], or a failed write.
pub(crate) fn adopt(store: &Store, staged: &Staged, was_sent: bool, cancel: &Cancel) -> Result<()> {
    if let Some(made) = &staged.made
        && !adopt_as_is(store, staged, made, cancel)?
    {
        match was_sent {
            true => _ = merge(store, &[Admitted::staged(made.tip)], cancel)?,
            false => _ = converge(&staged.admitted, &mut |part| merge(store, part, cancel))?,
        }
    }
    note_seen(store, &staged.arrivals)
}

/// Moves the ref to what was staged; false where it is not any more where that was begun.
fn adopt_as_is(store: &Store, staged: &Staged, made: &Aside, cancel: &Cancel) -> Result<bool> {
    let transaction = store.begin(cancel)?;
    if transaction.base().map(|base| base.commit()) != staged.base {
        return Ok(false);
    }
    match transaction.take(made).publish()? {
        Publish::Done(published) => published.finish().map(|_| true),
        Publish::LostRace(_) => Ok(false),
    }
}

/// Candidates, some of which may be merged.
struct Gathered {
    ours: Option<Oid>,
    admitted: Vec<Admitted>,
    /// The outcome for those that are not merged.
    arrivals: Vec<Arrival>,
}

/// Admits candidates. In a dry run those that pass are not merged, and their outcome is the one that they would have.
fn look(store: &Store, of: Vec<Candidate>, rules: &EntryRules<'_>) -> Result<Gathered> {
    let ours = store.tip()?;
    let mut beside = Beside::of(ours);
    let mut gathered = Gathered {
        ours,
        admitted: Vec::new(),
        arrivals: Vec::new(),
    };
    for candidate in of {
        match admit(store, candidate, beside, rules)? {
            Admission::Passes(passes) => {
                beside.follow(&passes);
                gathered.admitted.push(passes);
            }
            Admission::Ends(arrival) => gathered.arrivals.push(arrival),
        }
    }
    if rules.dry_run {
        let joined = gathered.admitted.drain(..).map(|it| {
            let theirs = it.tip();
            it.arrived(EntryOutcome::Joined(MergeStep { ours, theirs }))
        });
        gathered.arrivals.extend(joined);
    }
    Ok(gathered)
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

/// Merges what was admitted, in this order; returns what has become of each. `merge` merges all of some or none.
fn converge(
    admitted: &[Admitted],
    merge: &mut impl FnMut(&[Admitted]) -> Result<Vec<MergeStep>>,
) -> Result<Vec<Arrival>> {
    let mut arrivals = Vec::new();
    for part in admitted.chunks(AT_ONCE) {
        match (merge(part), part) {
            (Err(StoreError::Rejected(why)), [one]) => {
                let refused = Refused::Rejected(why);
                arrivals.push(one.arrived(EntryOutcome::Refused(refused)));
            }
            // Each by itself, so that one that can't be merged holds up no other.
            (Err(StoreError::Rejected(_)), several) => {
                for one in several {
                    arrivals.extend(converge(slice::from_ref(one), merge)?);
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
