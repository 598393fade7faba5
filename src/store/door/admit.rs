//! The check of a state that is to become part of this store: it is whole, sound, and of the same store.

use std::sync::Arc;

use super::candidate::{
    Admitted, Arrival, Candidate, EntryOutcome, EntryRules, Lack, Refused, StateSource,
};
use crate::model::Blob;
use crate::store::known::Known;
use crate::store::object::Object;
use crate::store::reach::{Kinship, Reach};
use crate::store::{Distance, Oid, Result, Store, StoreError};

/// A candidate that has been looked at.
pub(crate) enum Admission {
    Passes(Admitted),
    /// It brings nothing, or was refused.
    Ends(Arrival),
}

/// The states with which candidates are compared.
#[derive(Clone, Copy)]
pub(crate) struct Beside {
    /// Ours; where there is none, the first one that was admitted.
    ours: Option<Oid>,
    /// The one up to which all is known to be sound.
    sound: Option<Oid>,
}

impl Beside {
    pub(crate) const fn of(ours: Option<Oid>) -> Self {
        Self { ours, sound: ours }
    }

    /// Goes on with what was admitted: what others have left for a remote builds on what that has.
    pub(super) fn follow(&mut self, admitted: &Admitted) {
        let is_first = self.ours.is_none();
        self.ours = self.ours.or(Some(admitted.tip()));
        if is_first || matches!(admitted.candidate.source, StateSource::Tracked(_)) {
            self.sound = Some(admitted.tip());
        }
    }
}

/// Admits a candidate, or says why not.
/// Errors: a part of it or of our state that can't be read, and as of [`EntryRules::bring`].
pub(crate) fn admit(
    store: &Store,
    candidate: Candidate,
    beside: Beside,
    rules: &EntryRules<'_>,
) -> Result<Admission> {
    let looked = match &candidate.source {
        StateSource::Answered => look_at_answered(store, candidate.tip, beside.ours)?,
        _ if candidate.brought().is_empty() => look_at(store, &candidate, beside, rules)?,
        _ => look_at_brought(store, &candidate, beside, rules)?,
    };
    let outcome = match looked {
        Looked::Sound(restore) => {
            return Ok(Admission::Passes(Admitted { candidate, restore }));
        }
        Looked::Here => EntryOutcome::Here,
        Looked::Refused(refused) => EntryOutcome::Refused(refused),
    };
    Ok(Admission::Ends(Arrival { candidate, outcome }))
}

/// The result of a look at a candidate.
enum Looked {
    Here,
    Sound(Arc<[Object]>),
    Refused(Refused),
}

/// Looks at what was answered for before: it was sound then, and need only be whole, with what a journal holds.
fn look_at_answered(store: &Store, tip: Oid, ours: Option<Oid>) -> Result<Looked> {
    let contents = store.set_back().every_journal()?;
    let known = Known::of(&contents);
    let overlaid = store.overlaid(known.objects())?;
    let reach = Reach::new(&overlaid);
    if let Some(hole) = reach.hole(tip, ours) {
        return Ok(Looked::Refused(Refused::Gone(hole)));
    }
    if ours.is_some_and(|ours| reach.kinship(tip, ours) == Kinship::Apart) {
        return Ok(Looked::Refused(Refused::Rewritten));
    }
    // The line of the tip alone: other objects of the journal may lack what they lead to.
    let line = known.line_to(&reach, tip).into_iter();
    Ok(Looked::Sound(line.cloned().collect()))
}

/// Looks at what a file brings, none of which gets into the repository before it is known to be sound.
fn look_at_brought(
    store: &Store,
    candidate: &Candidate,
    beside: Beside,
    rules: &EntryRules<'_>,
) -> Result<Looked> {
    let overlaid = store.overlaid(candidate.brought().iter())?;
    let checked = overlaid
        .incoming()
        .check_commits(candidate.tip, beside.ours);
    match checked.and_then(|()| look_at(&overlaid, candidate, beside, rules)) {
        Ok(Looked::Sound(_)) => Ok(Looked::Sound(candidate.brought().clone())),
        Err(StoreError::Rejected(why)) => Ok(Looked::Refused(Refused::Rejected(why))),
        // What it lacks, no one can bring: it is all that there is.
        Err(error) if error.is_unreadable() => {
            Ok(Looked::Refused(Refused::Rejected(error.to_string())))
        }
        looked => looked,
    }
}

/// Looks at what others have made.
fn look_at(
    store: &Store,
    candidate: &Candidate,
    beside: Beside,
    rules: &EntryRules<'_>,
) -> Result<Looked> {
    let tip = candidate.tip;
    let mut is_related = true;
    if let Some(ours) = beside.ours {
        let distance = distance(store, candidate, ours, rules)?;
        // One with the same operations may be greater, and may not be part of what the others lead to.
        if distance.theirs_is_ancestor {
            return Ok(Looked::Here);
        }
        is_related = distance.related;
    }
    match check(store, candidate, beside, rules) {
        Err(StoreError::Rejected(why)) => return Ok(Looked::Refused(Refused::Rejected(why))),
        checked => checked?,
    }
    // After the check, since it reads what the candidate has.
    let Some(ours) = beside.ours.filter(|_| !is_related) else {
        return Ok(Looked::Sound(Arc::new([])));
    };
    if let Some(stranger) = begun_apart(store, ours, tip)? {
        return Ok(match rules.adopt {
            true => Looked::Sound(Arc::new([])),
            false => Looked::Refused(stranger),
        });
    }
    let ancestry = store.ancestry();
    Ok(match ancestry.is_cut(ours)? || ancestry.is_cut(tip)? {
        true => Looked::Refused(Refused::Cut),
        false => Looked::Sound(Arc::new([])),
    })
}

/// Returns the distance of a candidate. What both have in common can be behind a cut, and a merge without it would take each
/// value that both have for a conflict: then the rest of the history is brought first.
fn distance(
    store: &Store,
    candidate: &Candidate,
    ours: Oid,
    rules: &EntryRules<'_>,
) -> Result<Distance> {
    let ancestry = store.ancestry();
    let distance = ancestry.distance(ours, candidate.tip)?;
    let is_cut = !distance.related && (ancestry.is_cut(ours)? || ancestry.is_cut(candidate.tip)?);
    match is_cut && (rules.bring)(candidate, Lack::History { ours })? {
        true => ancestry.distance(ours, candidate.tip),
        false => Ok(distance),
    }
}

/// Checks all that a candidate brings, once what a filter has left out of it is here.
fn check(
    store: &Store,
    candidate: &Candidate,
    beside: Beside,
    rules: &EntryRules<'_>,
) -> Result<()> {
    if candidate.is_checked() {
        return Ok(());
    }
    let incoming = store.incoming();
    match incoming.validate(candidate.tip, beside.sound) {
        Err(error) if error.is_unreadable() && (rules.bring)(candidate, Lack::Parts)? => {
            incoming.validate(candidate.tip, beside.sound)
        }
        checked => checked,
    }
}

/// Returns the stores at two commits, where these have none in common; none where one of them is empty.
fn begun_apart(store: &Store, ours: Oid, theirs: Oid) -> Result<Option<Refused>> {
    let (a, b) = (store.snapshot_at(ours)?, store.snapshot_at(theirs)?);
    let names =
        |meta: &Blob| -> Vec<String> { meta.live("stores").map(|(id, _)| id.to_owned()).collect() };
    let (ours, theirs) = (names(&a.meta()?), names(&b.meta()?));
    let is_kin = ours.iter().any(|id| theirs.contains(id));
    if is_kin || a.is_empty()? || b.is_empty()? {
        return Ok(None);
    }
    Ok(Some(Refused::Stranger {
        ours: ours.join(", "),
        theirs: theirs.join(", "),
    }))
}
