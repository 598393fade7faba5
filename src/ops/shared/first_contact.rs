//! The first command in the sandbox of a hosted agent, where no one has configured anything: it finds the issues by itself.
//!
//! On any other machine a remote is asked by the verbs for that alone, and what is checked out changes no issue.

use std::time::Duration;

use super::join::StoreSearch;
use super::sync::{CarrySources, Sync, Synced, exchange};
use crate::env::{self, sandbox};
use crate::ops::tracker::is_brought_along;
use crate::ops::{Code, Result, Tracker};
use crate::store::carry::{CarryBlob, CarryNotes, carried_in, has_folder};
use crate::store::{Oid, Store};

/// The longest time that a session waits for a remote before it begins without issues.
const PATIENCE: Duration = Duration::from_secs(10);

/// Joins the store of the usual remote, where none is here; none is ever begun.
///
/// A session begins without it too: no remote, one that does not answer, and one without a store change nothing.
pub(crate) fn join_usual(tracker: &Tracker) {
    let remotes = tracker.store().remotes();
    // What git has brought along comes first: it costs no question. A ref that has gone is another matter.
    let found = tracker.with_repair(|| Ok(tracker.store().head()?));
    let is_missing = found.is_err_and(|error| error.is(Code::NoStore));
    if let (true, Ok(Some(usual))) = (is_missing && !remotes.is_mirror(), remotes.remote(None)) {
        ask(tracker, &usual);
    }
}

/// Returns whether the store of a remote was joined.
fn ask(tracker: &Tracker, remote: &str) -> bool {
    let joined = StoreSearch::unattended(tracker, PATIENCE).joined(&[remote.to_owned()]);
    let is_joined = joined.is_ok_and(|it| it.remote.is_some());
    tracing::debug!(joined = is_joined, "looked for a store");
    is_joined
}

/// Finds the issues in a sandbox: those of the remote, once, or what an earlier session has left in the branch that is checked
/// out where there is no remote. Elsewhere it does nothing.
pub(crate) fn look_around(tracker: &Tracker) {
    let (store, remotes) = (tracker.store(), tracker.store().remotes());
    let has_remote = !remotes.names().is_empty();
    // This runs before every command: where nothing can be found it has to cost nothing.
    if !has_remote && !has_folder(store) {
        return;
    }
    let branch = || store.user_branches().current_branch();
    if sandbox::find(has_remote, branch).is_none() {
        return;
    }
    if !has_remote {
        take_over_carried(tracker);
    } else if is_to_be_asked(store)
        && let Ok(Some(usual)) = remotes.remote(None)
    {
        store.note_reach(|notes| notes.asked_in(env::boot_id()));
        if ask(tracker, &usual) {
            tracker.warn(format!("the issues of {usual} were found there"));
        }
    }
}

/// Returns whether the remote may have the issues that are not here, and was not asked since this machine was started.
fn is_to_be_asked(store: &Store) -> bool {
    let is_missing = matches!(store.tip(), Ok(None)) && !store.remotes().is_mirror();
    is_missing && !is_brought_along(store) && !store.reach_notes().was_asked_in(&env::boot_id())
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
        tracker.warn(format!("{changes} taken over from {}", collected.from));
    }
    for left in &synced.left {
        tracker.warn(format!("{} left alone: {}", left.from, left.why));
    }
}
