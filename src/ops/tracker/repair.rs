//! Doing something again after what it met was repaired.

use std::collections::BTreeSet;

use super::{Tracker, cloned};
use crate::index::Index;
use crate::ops::{Command, Error, Hint, Result, Retry};
use crate::store::door::{self, Why};
use crate::store::{Oid, Restore, StoreError};

/// Another program can take objects away again and again.
const MAX_REPAIRS: usize = 16;
/// So often it is asked again where nothing was found to repair: another process may just have done so.
const MAX_FRUITLESS: usize = 3;
/// So often other processes can move the index on, before one in memory is made that none can move.
const MAX_MOVED_ON: usize = 4;

/// The repairs that an operation has needed so far.
#[derive(Default)]
pub(super) struct Repairs {
    made: usize,
    fruitless: usize,
    moved_on: usize,
    rebuilt: bool,
    has_looked: bool,
    has_asked: bool,
}

impl Repairs {
    /// Repairs what an error is about, so that the operation can run again; returns the index that was made for it, if
    /// that was it. An error that is about something else, or comes again, is given back.
    pub(super) fn after<'t>(
        &mut self,
        tracker: &'t Tracker,
        error: Error,
    ) -> Result<Option<Index<'t>>> {
        match error.retry() {
            // Another process has moved the index on: the same on the newest state.
            Retry::Again if self.moved_on < MAX_MOVED_ON => {
                self.moved_on += 1;
                Ok(None)
            }
            Retry::Again if self.moved_on == MAX_MOVED_ON => {
                self.moved_on += 1;
                Ok(Some(Index::private(tracker.store().snapshot()?)?))
            }
            Retry::RebuildIndex if !self.rebuilt => {
                // Once: where a new index is damaged again, what it is built from is.
                self.rebuilt = true;
                tracing::debug!("rebuilds the index and tries again");
                Ok(Some(Index::replaced(tracker.store())?))
            }
            Retry::RepairStore if self.made < MAX_REPAIRS && self.fruitless < MAX_FRUITLESS => {
                self.made += 1;
                let (made, fruitless) = (self.made, self.fruitless);
                tracing::debug!(made, fruitless, "repairs the store and tries again");
                // What was damaged may have been what the index was built from.
                self.rebuilt = false;
                self.repair_store(tracker, error).map(|()| None)
            }
            Retry::FindStore if !self.has_looked => {
                self.has_looked = true;
                match cloned::take_over(tracker) {
                    true => Ok(None),
                    false => Err(error),
                }
            }
            Retry::RepairStore => Err(naming_newest(tracker, error)),
            _ => Err(error),
        }
    }

    fn repair_store(&mut self, tracker: &Tracker, error: Error) -> Result<()> {
        match tracker.store().replay().recover() {
            Ok(done) if done.is_something() => {
                tracker.warn(format!(
                    "{}; it was repaired from the journal",
                    error.message
                ));
            }
            // The repair failed for a reason of its own. What the operation met says more to the caller.
            Err(other) if !other.is_unreadable() && !matches!(other, StoreError::Write { .. }) => {
                return Err(error);
            }
            // Nothing was found to repair, or nothing can be written here. Another process may be mending it
            // right now: after a moment the operation is tried again.
            Ok(_) | Err(_) => {
                if !std::mem::replace(&mut self.has_asked, true) && complete(tracker, &error)? {
                    return Ok(());
                }
                self.fruitless += 1;
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        }
        Ok(())
    }
}

/// Fetches what a filter has left out of the issues, as git does for files; returns false where no remote filters.
/// Errors: what was met, since the remote does not answer.
fn complete(tracker: &Tracker, met: &Error) -> Result<bool> {
    let store = tracker.store();
    if store.permissions().leave_nothing() {
        return Ok(false);
    }
    match store.remotes().complete(tracker.cancel()) {
        Ok(None) => Ok(false),
        Ok(Some(remote)) => {
            tracker.warn(format!(
                "this clone has a filter, which left out parts of the issues: {remote} has sent them"
            ));
            Ok(true)
        }
        Err(error) => {
            let said = error.to_string();
            let said = said.lines().next().unwrap_or_default();
            let why =
                format!("this clone has a filter, and what it left out can't be fetched: {said}");
            let fetch = Hint::run("try again when the remote answers: ", Command::of("fetch"));
            Err(met.clone().hinted(Hint::text(why)).also(fetch))
        }
    }
}

/// Names the newest state that the journal has where the ref leads to none, unless the error does.
fn naming_newest(tracker: &Tracker, mut error: Error) -> Error {
    if let Some(newest) = Restore::of(tracker.store()).lacked_state() {
        let newest = newest.to_string();
        if !error.message.contains(&newest) {
            error.message = format!("{}; the journal remembers {newest}", error.message);
        }
    }
    error
}

impl Tracker {
    /// Does something, and does it again after damage that it met was repaired from the journal, by us or by
    /// another process, or after a store was found.
    pub(in crate::ops) fn with_repair<T>(&self, mut run: impl FnMut() -> Result<T>) -> Result<T> {
        let mut repairs = Repairs::default();
        loop {
            match run() {
                // A damaged index is left to the reading within, which holds one.
                Err(error) if matches!(error.retry(), Retry::RepairStore | Retry::FindStore) => {
                    _ = repairs.after(self, error)?;
                }
                outcome => return outcome,
            }
        }
    }

    /// Brings back acknowledged writes that the ref lacks because a fetch dropped them, and says so; returns true if it
    /// did for any. Where a person has set the ref back, a warning names what it lacks when the operation has ended.
    pub(super) fn regain(&self, left: &[Oid]) -> bool {
        if left.is_empty() {
            return false;
        }
        let lacked = door::bring_back(&self.store, left, self.cancel());
        let is_regained = lacked.len() < left.len();
        if is_regained {
            let what = match lacked.len() {
                0 => "what it dropped".to_owned(),
                _ => format!(
                    "{} of the {} states that it dropped",
                    left.len() - lacked.len(),
                    left.len()
                ),
            };
            self.warn(format!(
                "a fetch had set the issues back; {what} was merged again"
            ));
        }
        self.warnings.lacked.borrow_mut().extend(lacked);
        is_regained
    }

    /// Returns the warning that names what the ref still lacks of some tips, and what brings it back.
    pub(super) fn lacked_warning(&self, tips: &[Oid]) -> Option<String> {
        let set_back = self.store.set_back();
        let lacked = tips.iter().filter(|tip| set_back.is_lacked(**tip));
        let lacked: BTreeSet<Oid> = lacked.copied().collect();
        let newest = *tips.iter().rfind(|tip| lacked.contains(tip))?;
        let others = match lacked.len() {
            1 => String::new(),
            many => format!(" (and {} other states)", many - 1),
        };
        let hint = way_back(door::explain(&self.store, newest));
        Some(format!(
            "the issues were set back: refs/beads/main lacks what {newest}{others} has; {hint}"
        ))
    }

    /// Does so for what commands before have noticed.
    pub(in crate::ops) fn regain_noticed(&self) {
        self.regain(&self.store.set_back().left_out());
    }
}

/// Returns the command that brings back what the ref lacks, or shows why none can.
const fn way_back(why: Why) -> &'static str {
    match why {
        Why::Contained | Why::Crash | Why::Fetch | Why::Person => {
            "to bring it back: git beads doctor --fix, which brings back what a rewrite removed, too; \
             if that is not to come back: git beads doctor --forget"
        }
        // Replaced on purpose, or by a mistake that merging would make worse.
        Why::Rewritten => "it shares no history with it: git beads doctor",
        Why::Gone | Why::Removed => "git has removed parts of it: git beads doctor",
    }
}
