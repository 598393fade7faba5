//! Cancellation: a caller that no longer wants its answer ends the wait for other writers and for remotes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The time after which a pause looks whether its end is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// A flag that says that the answer is no longer wanted, and a time when it is not; by default neither is ever so.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Option<Arc<AtomicBool>>,
    end: Option<Instant>,
}

impl Cancel {
    /// Cancels once a flag is set.
    pub(crate) fn when(flag: Arc<AtomicBool>) -> Self {
        Self {
            flag: Some(flag),
            end: None,
        }
    }

    /// Returns the same, cancelled also when so much time is over.
    pub(crate) fn after(self, limit: Duration) -> Self {
        let end = Some(Instant::now() + limit);
        Self { end, ..self }
    }

    /// Waits for so long, or until the answer is no longer wanted.
    pub(crate) fn pause(&self, time: Duration) {
        let end = Instant::now() + time;
        while !self.is_cancelled() {
            let rest = end.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return;
            }
            thread::sleep(rest.min(LOOK));
        }
    }

    /// Returns true if the answer is no longer wanted.
    pub(super) fn is_cancelled(&self) -> bool {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        self.flag.as_ref().is_some_and(is_set) || self.end.is_some_and(|end| Instant::now() >= end)
    }
}
