//! The trackers that a thread keeps open between calls, by repository.
//!
//! A tracker can't move between threads, so each worker has a cache of its own.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

use super::routing::{Route, location};
use crate::ops::{self, Intent, Result, Retry, Tracker, catch_up};

const MOST_OPEN: usize = 16;

thread_local!(static OPEN: RefCell<HashMap<PathBuf, Tracker>> = RefCell::default());

/// Asks a question of the repository that a route leads to; its tracker stays open for the next one.
pub(super) fn with<T>(
    route: &Route,
    actor: Option<&str>,
    intent: Intent,
    ask: impl FnOnce(&mut Tracker) -> Result<T>,
) -> Result<T> {
    let git_dir = route.locate()?.git_dir;
    let mut tracker = match take(&git_dir, intent) {
        Some(tracker) => tracker,
        None => ops::open(&location(&route.env, &route.dir), actor, intent)?,
    };
    // The tracker is out of the map while the question runs, so a nested call can't borrow the map
    // twice.
    let answer = ask(&mut tracker);
    // Not kept: it is out of room, and the next call opens one that has.
    let is_out_of_room = matches!(&answer, Err(error) if error.retry() == Retry::ReopenRepository);
    if !is_out_of_room {
        put(git_dir, tracker);
    }
    answer
}

/// Takes a tracker out of the cache and brings it up to date; none where it has to be opened.
fn take(git_dir: &PathBuf, intent: Intent) -> Option<Tracker> {
    let tracker = OPEN.with_borrow_mut(|open| open.remove(git_dir))?;
    // Its configuration has changed, or new packs may soon fill its table: it is opened again.
    if !tracker.store().is_current() {
        return None;
    }
    tracker.store().intent.set(intent);
    catch_up(&tracker);
    Some(tracker)
}

fn put(git_dir: PathBuf, tracker: Tracker) {
    OPEN.with_borrow_mut(|open| {
        // A session uses a few repositories; one that walks through many only opens them again.
        if open.len() >= MOST_OPEN {
            open.clear();
        }
        open.insert(git_dir, tracker);
    });
}
