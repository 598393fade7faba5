//! The store of a repository: that there is one, and which it is.

use crate::model::Stamp;
use crate::ops::{Result, Tracker};
use crate::store::StoreError;

/// Refuses to go on in a repository without a store.
pub(crate) fn require_store(tracker: &Tracker) -> Result<()> {
    tracker.with_repair(|| match tracker.store().tip()? {
        Some(_) => Ok(()),
        None => Err(StoreError::NoStore(tracker.store().place()).into()),
    })
}

/// The ids of all stores ever joined here.
pub(crate) fn stores(tracker: &Tracker) -> Result<Vec<Stamp>> {
    let meta = tracker.store().snapshot()?.meta()?;
    Ok(meta
        .live("stores")
        .filter_map(|(id, _)| id.parse().ok())
        .collect())
}
