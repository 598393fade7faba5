//! Cancellation: a caller that no longer wants its answer ends the wait for other writers and for remotes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that says that the answer is no longer wanted; by default it is never set.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Option<Arc<AtomicBool>>);

impl Cancel {
    /// Cancels once a flag is set.
    pub(crate) fn when(flag: Arc<AtomicBool>) -> Self {
        Self(Some(flag))
    }

    /// Returns true if the answer is no longer wanted.
    pub(super) fn is_cancelled(&self) -> bool {
        self.0
            .as_ref()
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
