//! The first command in the sandbox of a hosted agent, as its set-up step says: it finds the issues by itself.
//!
//! On any other machine a remote is asked by the verbs for that alone, and what is checked out changes no issue.

use std::time::Duration;

use super::join::StoreSearch;
use super::sync::{CarrySources, Sync, Synced, exchange};
use crate::env::sandbox::is_declared;
use crate::ops::tracker::is_brought_along;
use crate::ops::{Code, Result, Tracker};
use crate::store::carry::{CarryBlob, CarryNotes, carried_in, has_folder};
use crate::store::{Oid, Store, StoreError};

/// The longest time that a session waits for a remote before it begins without issues.
const PATIENCE: Duration = Duration::from_secs(10);

/// Joins the store of the usual remote, where none is here; none is ever begun.
///
/// A session begins without it too: no remote, one that does not answer, and one without a store change nothing.
pub(crate) fn join_usual(tracker: &Tracker) {
    let store = tracker.store();
    // A ref that has gone is another matter.
    let is_missing = matches!(store.head(), Err(StoreError::NoStore(_)));
    if !is_missing || store.remotes().is_mirror() {
        return;
    }
    if is_brought_along(store) {
        // It costs no question. What can't be used is said.
        _ = tracker.with_repair(|| Ok(store.head()?));
    } else {
        _ = ask(tracker);
    }
}

/// Joins the store of the usual remote in a sandbox, where the remote was not asked since this machine was started; returns
/// false where none was joined.
pub(crate) fn ask_once(tracker: &Tracker) -> bool {
    let store = tracker.store();
    if store.permissions().leave_nothing()
        || !is_declared(store.env())
        || store.reach_notes().was_asked_in(&store.env().boot_id())
    {
        return false;
    }
    let joined = ask(tracker);
    if let Some(remote) = &joined {
        tracker.warn(format!("the issues of {remote} were found there"));
    }
    joined.is_some()
}

/// Asks the usual remote for a store; returns its name if one was joined.
fn ask(tracker: &Tracker) -> Option<String> {
    let store = tracker.store();
    let usual = store.remotes().remote(None).ok().flatten()?;
    if is_declared(store.env()) {
        // Before the question: one that is killed is not asked again and again.
        store.note_reach(|notes| notes.asked_in(store.env().boot_id()));
    }
    let joined = StoreSearch::unattended(tracker, PATIENCE).joined(&[usual]);
    let joined = joined.ok().and_then(|it| it.remote);
    tracing::debug!(joined = joined.is_some(), within = ?PATIENCE, "looked for a store");
    joined
}

/// Takes over what an earlier session has left in the branch that is checked out, in a sandbox without a remote. Elsewhere it
/// does nothing.
pub(crate) fn take_over_left(tracker: &Tracker) {
    let store = tracker.store();
    // This runs before every command: where nothing can be found it has to cost nothing.
    if store.remotes().names().is_empty()
        && has_folder(store)
        && !store.permissions().leave_nothing()
        && is_declared(store.env())
    {
        take_over_carried(tracker);
    }
}

/// Merges the carry files of HEAD that are new here. What can't be read is left for the command itself.
fn take_over_carried(tracker: &Tracker) {
    let store = tracker.store();
    let Some(head) = super::carry::head(store) else {
        return;
    };
    if store.reach_notes().has_looked_at(head) || !has_news(store, head).unwrap_or(false) {
        return;
    }
    // Where the store is a part of what HEAD brings along, that comes first.
    let found = tracker.with_repair(|| Ok(store.head()?));
    let sources = CarrySources {
        head: true,
        ..CarrySources::default()
    };
    let request = Sync {
        sources,
        unattended: true,
        ..Sync::default()
    };
    match found.and_then(|_| exchange(tracker, &request)) {
        Ok(synced) => {
            // What does not pass is named once.
            store.note_reach(|notes| notes.looked_at(head));
            say(tracker, &synced);
        }
        Err(error) if error.is(Code::NoStore) => {}
        Err(error) => tracker.warn(format!("the carry files of HEAD are left alone: {error}")),
    }
}

/// Returns whether a commit has a carry file that is not part of the history here, and that was not written here.
fn has_news(store: &Store, head: Oid) -> Result<bool> {
    let files = carried_in(store, head)?;
    let notes = CarryNotes::of(store);
    let is_news =
        |file: &CarryBlob| !notes.is_done(file.oid) && !notes.has_written_name(&file.name);
    Ok(files.iter().any(is_news))
}

fn say(tracker: &Tracker, synced: &Synced) {
    for collected in &synced.collected {
        let changes = match collected.changes {
            1 => "1 change was".to_owned(),
            n => format!("{n} changes were"),
        };
        tracker.warn(format!("{changes} collected from {}", collected.from));
    }
    for left in &synced.left {
        tracker.warn(format!("{} left alone: {}", left.from, left.why));
    }
}
