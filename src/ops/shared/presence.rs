//! A store has to be there before anything is taken over into it.

use crate::ops::{Result, Tracker};
use crate::store::StoreError;

/// Refuses to go on in a repository without a store.
pub(crate) fn require_store(tracker: &Tracker) -> Result<()> {
    match tracker.store().tip()? {
        Some(_) => Ok(()),
        None => Err(StoreError::NoStore(tracker.store().place()).into()),
    }
}
