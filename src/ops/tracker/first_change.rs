//! The first change of an operation: checked within its transaction, and known by its commit.

use super::Tracker;
use crate::ops::Result;
use crate::ops::tx::Tx;
use crate::store::Oid;

/// Looks at what a change has staged, on the state that the change is made on.
type Check = Box<dyn Fn(&Tx<'_>) -> Result<()>>;

/// What is asked of the next change, and what is known of it.
#[derive(Default)]
pub(super) struct FirstChange {
    check: Option<Check>,
    commit: Option<Oid>,
}

impl Tracker {
    /// Runs an operation and returns the commit of its first change too; none where nothing has changed. `check` runs under
    /// the lock, each time that the change is staged.
    /// Errors: those of the operation and of the check; after these nothing has changed.
    pub(in crate::ops) fn checked<T>(
        &self,
        check: impl Fn(&Tx<'_>) -> Result<()> + 'static,
        run: impl FnOnce() -> Result<T>,
    ) -> Result<(T, Option<Oid>)> {
        self.first_change.replace(FirstChange {
            check: Some(Box::new(check)),
            commit: None,
        });
        let done = run();
        let first = self.first_change.take();
        Ok((done?, first.commit))
    }

    /// Checks what is staged, while no change was made yet.
    pub(super) fn check_first(&self, tx: &Tx<'_>) -> Result<()> {
        match &self.first_change.borrow().check {
            Some(check) => check(tx),
            None => Ok(()),
        }
    }

    /// Notes the commit of a change that was published: what follows it is checked no more.
    pub(super) fn note_published(&self, commit: Oid) {
        let mut first = self.first_change.borrow_mut();
        if first.check.take().is_some() {
            first.commit = Some(commit);
        }
    }

    /// Notes the commit of a change that is sent first: it is made again, and checked again, where the remote takes another.
    pub(super) fn note_prepared(&self, commit: Oid) {
        let mut first = self.first_change.borrow_mut();
        if first.check.is_some() {
            first.commit = Some(commit);
        }
    }
}
