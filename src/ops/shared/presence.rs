//! The store of a repository: that there is one, and which it is.

use crate::model::{Blob, Stamp};
use crate::ops::{Result, Tracker};
use crate::store::{Oid, StoreError};

/// Refuses to go on in a repository without a store.
pub(crate) fn require_store(tracker: &Tracker) -> Result<()> {
    tracker.with_repair(|| match tracker.store().tip()? {
        Some(_) => Ok(()),
        None => Err(StoreError::NoStore(tracker.store().place()).into()),
    })
}

/// Returns true if the stores at two commits have an id in common.
pub(crate) fn is_kin(tracker: &Tracker, ours: Oid, theirs: Oid) -> Result<bool> {
    let store = tracker.store();
    let of = |tip| Ok::<_, StoreError>(names(&store.snapshot_at(tip)?.meta()?));
    let theirs = of(theirs)?;
    Ok(of(ours)?.iter().any(|id| theirs.contains(id)))
}

/// Returns the ids of the stores that registers name.
fn names(meta: &Blob) -> Vec<String> {
    meta.live("stores").map(|(id, _)| id.to_owned()).collect()
}

/// The ids of all stores ever joined here.
pub(crate) fn stores(tracker: &Tracker) -> Result<Vec<Stamp>> {
    let meta = tracker.store().snapshot()?.meta()?;
    Ok(meta
        .live("stores")
        .filter_map(|(id, _)| id.parse().ok())
        .collect())
}
