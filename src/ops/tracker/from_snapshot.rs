//! A store that is here as a snapshot file alone, in the tree of the commit that is checked out: where git has brought nothing
//! else along, a sandbox without a remote begins from it.

use super::Tracker;
use crate::model::time;
use crate::ops::{Error, Result};
use crate::store::door::older::{PATH, SnapshotFile, head_file};
use crate::store::door::{self, Candidate, EntryRules, StateSource};
use crate::store::{Store, StoreError};

/// Begins the store from the snapshot in the tree of HEAD; returns false where there is none, or where it may not be used,
/// which is said.
pub(in crate::ops) fn begin_from_snapshot(tracker: &Tracker) -> bool {
    let store = tracker.store();
    if !may_begin(store) {
        return false;
    }
    let begun = match head_file(store) {
        Ok(None) => return false,
        Ok(Some(Ok(file))) => begin(tracker, &file).map(|()| file),
        Ok(Some(Err(fault))) => Err(Error::invalid(fault.to_string())),
        Err(error) => Err(error.into()),
    };
    tracker.warn(match &begun {
        Ok(file) => found(store, file),
        Err(error) => format!("{PATH} left alone: {error}"),
    });
    begun.is_ok()
}

/// Returns whether a store may begin here: what was here and has gone is not begun again with less.
pub(super) fn may_begin(store: &Store) -> bool {
    matches!(store.head(), Err(StoreError::NoStore(_))) && !store.remotes().is_mirror()
}

fn begin(tracker: &Tracker, file: &SnapshotFile) -> Result<()> {
    let store = tracker.store();
    let candidate = Candidate::carried(file.root(store)?, StateSource::Named);
    // Before the ref leads there: without it a part would look like all of them.
    store.note_reach(|notes| {
        notes.know(file.known);
        notes.set_found_at(PATH.to_owned());
    });
    let rules = EntryRules::usual(tracker.cancel());
    Ok(door::enter_one(store, candidate, &rules)?)
}

fn found(store: &Store, file: &SnapshotFile) -> String {
    let millis = u64::try_from(file.at).unwrap_or(0).saturating_mul(1000);
    let (issues, known, at) = (file.issues(), file.known, time::format(millis));
    let next = match store.remotes().names().is_empty() {
        true => "git beads carry takes changes out",
        false => "git beads sync asks for the rest",
    };
    format!("{issues} of {known} issues were found in {PATH}, as of {at}; {next}")
}
