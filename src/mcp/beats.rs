//! Signs of life for claims that a remote keeps, while the pipe to the client is open: an agent that thinks, or waits for
//! its user, calls nothing and is at work all the same.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::routing::location;
use crate::env::{Env, start_thread};
use crate::model::Party;
use crate::ops::{Intent, Tracker, open};

/// The time between two looks whether one is due.
const PAUSE: Duration = Duration::from_secs(10);

/// The holders that this server speaks for, each with its repository.
#[derive(Default)]
pub(super) struct Beats(Arc<Mutex<BTreeSet<(PathBuf, Party)>>>);

impl Beats {
    /// Notes that the caller of a tracker is at work, and speaks for it from now on, where a remote keeps claims of this
    /// clone.
    pub(super) fn note_call(&self, tracker: &Tracker, dir: &Path) {
        tracker.note_activity();
        tracker.tell_remote_if_due();
        if !tracker.store().agents().leases().exist() {
            return;
        }
        let mut holders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = holders.is_empty();
        holders.insert((dir.to_owned(), tracker.party()));
        drop(holders);
        // It ends with the process, which ends with its input.
        if is_first {
            let holders = self.0.clone();
            let env = tracker.env().clone();
            let begun = start_thread(move || beat(&env, &holders));
            if begun.is_err() {
                // The next call tries again.
                let mut holders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                holders.clear();
            }
        }
    }
}

fn beat(env: &Env, holders: &Mutex<BTreeSet<(PathBuf, Party)>>) {
    loop {
        env.pause(PAUSE);
        let all = holders
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        for (dir, holder) in all {
            // One that can't be opened now is tried again: nothing depends on it.
            if let Ok(tracker) = open(&location(env, &dir), None, Intent::Write) {
                tracker
                    .store()
                    .agents()
                    .leases()
                    .tell_remote_if_due(&holder);
            }
        }
    }
}
