//! Opening a tracker, and bringing in what happened to its repository meanwhile.

use super::shared::first_contact::{ask_once, take_over_left};
use super::shared::sync::merge_fetched;
use super::{Result, Tracker};
use crate::store::{Intent, Location};

/// Opens the repository that encloses a location, with what a plain `git fetch` brought, and in a sandbox with what an earlier
/// session has left; `actor` is what the command line says.
pub fn open(location: &Location, actor: Option<&str>, intent: Intent) -> Result<Tracker> {
    let tracker = Tracker::open(location, actor, ask_once)?;
    tracker.store().intent.set(intent);
    take_over_left(&tracker);
    catch_up(&tracker);
    Ok(tracker)
}

/// Does the same on the repository opened again.
pub(crate) fn reopen(tracker: &Tracker) -> Result<Tracker> {
    let tracker = tracker.reopened()?;
    catch_up(&tracker);
    Ok(tracker)
}

/// Takes over what happened since the tracker was opened: what a plain `git fetch` has brought, or has taken.
pub(crate) fn catch_up(tracker: &Tracker) {
    // A merge is the owner's, where the repository is that of another user.
    if !tracker.store().permissions().leave_nothing() {
        merge_fetched(tracker);
    }
    // After the merge: that may have brought back what the ref lacks.
    tracker.regain_noticed();
}
