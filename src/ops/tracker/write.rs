//! Changing the store: one function, from the lock to the answer.

use super::repair::Repairs;
use super::{Tracker, View};
use crate::index::{Index, is_current};
use crate::ops::tx::Tx;
use crate::ops::{Error, Result, Retry};
use crate::store::{
    Aside, Changes, MAX_RACES, Message, Oid, Publish, Snapshot, StoreError, Transaction, notices,
};

/// An operation: it reads the state and stages its changes.
type Stage<'r> = dyn FnMut(&mut Tx<'_>) -> Result<()> + 'r;

/// An operation that writes blobs without an index.
type StageBlobs<'r, 's> = dyn FnMut(Option<Snapshot<'s>>, &mut Changes<'s>) -> Result<Message> + 'r;

/// The value of an operation, and the state after it.
pub(crate) struct Committed<'t, T> {
    value: T,
    view: View<'t>,
}

impl<T: Clone> Committed<'_, T> {
    /// Answers from the state after the change. What is found damaged there is repaired, and the question asked
    /// again: the change itself is made.
    pub(crate) fn answer<A>(self, answer: impl Fn(T, &View<'_>) -> Result<A>) -> Result<A> {
        let Self { value, mut view } = self;
        let tracker = view.tracker;
        let mut repairs = Repairs::default();
        loop {
            // The commit is made: only the question is asked again, never `stage`.
            match answer(value.clone(), &view) {
                Ok(answered) => {
                    tracker.put_idle(view.index);
                    return Ok(answered);
                }
                // Another process has moved the index on: what it lacks may be there in the state of before.
                Err(_) if !is_current(&view.index) => {
                    let copied = tracker.index()?.copied();
                    let index = match copied {
                        Ok(index) => index,
                        Err(_) => Index::private(tracker.store.snapshot()?)?,
                    };
                    view = View::new(tracker, index);
                }
                Err(error) => {
                    let rebuilt = repairs.after(tracker, error)?;
                    let index = rebuilt.map_or_else(|| tracker.index(), Ok)?;
                    view = View::new(tracker, index);
                }
            }
        }
    }
}

impl Tracker {
    /// Changes the store in one commit and answers from the state after it.
    ///
    /// `stage` is called again on the new state when another process was faster.
    pub(crate) fn write<T: Clone, A>(
        &self,
        stage: impl FnMut(&mut Tx<'_>) -> Result<T>,
        answer: impl Fn(T, &View<'_>) -> Result<A>,
    ) -> Result<A> {
        self.change(stage)?.answer(answer)
    }

    /// Changes the store in one commit. `stage` runs again, on the newer state, when another process was faster.
    ///
    /// # Errors
    /// What `stage` fails with; then nothing has changed.
    pub(crate) fn change<T>(
        &self,
        mut stage: impl FnMut(&mut Tx<'_>) -> Result<T>,
    ) -> Result<Committed<'_, T>> {
        let mut value = None;
        let view = self.commit(&mut |tx| {
            value = Some(stage(tx)?);
            Ok(())
        })?;
        let Some(value) = value else {
            unreachable!("commit returns a view only after stage has run")
        };
        Ok(Committed { value, view })
    }

    /// Does what `change` does, compiled once for all operations.
    fn commit(&self, stage: &mut Stage<'_>) -> Result<View<'_>> {
        let _span = tracing::debug_span!("write").entered();
        self.check_writable()?;
        let mut repairs = Repairs::default();
        let mut index = None;
        loop {
            match self.try_commit(stage, index.take()) {
                Ok(view) => return Ok(view),
                // A rebuilt index is handed on: opening would do that work twice.
                Err(error) => index = repairs.after(self, error)?,
            }
        }
    }

    fn try_commit<'t>(
        &'t self,
        stage: &mut Stage<'_>,
        mut index: Option<Index<'t>>,
    ) -> Result<View<'t>> {
        // 1. Wait for our lock, clean up after a holder that died, replay the journal where it is due, read the tip.
        let mut transaction = self.begin()?;
        for _ in 0..MAX_RACES {
            // 2. Bring the index to that state.
            let current = match index.take() {
                Some(index) => index.refreshed()?,
                None => self.index()?,
            };
            // 3. Run the operation. It reads the state and what it has staged, and writes nothing.
            let mut tx = Tx::new(View::new(self, current))?;
            if let Err(error) = stage(&mut tx).and_then(|()| self.check_first(&tx)) {
                // The next question finds the index open, unless it is what failed.
                if error.retry() != Retry::RebuildIndex {
                    self.put_idle(tx.view.index);
                }
                return Err(error);
            }
            let freed = tx.open_freed()?;
            let notices = tx.notices.take();
            let (view, changes, message) = tx.into_changes()?;
            if changes.is_empty() {
                // Nothing changes: no commit says so, and the lock goes with the transaction.
                return Ok(view);
            }
            // 4. Build blobs, trees and the commit in memory.
            let unpublished = transaction.write(changes, &message)?;
            // 5. Append them to the journal, write the objects, swap the ref, see that the objects are still there.
            match unpublished.publish()? {
                Publish::Done(published) => {
                    // 6. The index follows under our lock: later, writers would wait for each other again at it.
                    let followed = view.index.refreshed();
                    // 7. Release the lock, then make the journal durable: one sync serves all who came before.
                    self.note_published(published.finish()?);
                    for (agent, line) in notices {
                        notices::leave(&self.store, &agent, &line);
                    }
                    self.unblocked.borrow_mut().extend(freed);
                    let index = followed.or_else(|_| self.index())?;
                    return Ok(View::new(self, index));
                }
                Publish::LostRace(newer) => {
                    // The same lock on a newer base: a program that does not take the lock has moved the ref. The stamps
                    // that `stage` made are not used again; those of the next attempt come after them.
                    transaction = newer;
                    index = Some(view.index);
                }
            }
        }
        Err(StoreError::LostRace.into())
    }

    /// Begins a write on the tip, with what a set-back ref had lost.
    fn begin(&self) -> Result<Transaction<'_>> {
        let transaction = self.store.begin(&self.caller.cancel)?;
        let Some(left) = transaction.left_out() else {
            return Ok(transaction);
        };
        // Bringing it back needs the lock.
        drop(transaction);
        self.regain(&[left]);
        Ok(self.store.begin(&self.caller.cancel)?)
    }

    /// Makes the commit of a change without moving the ref, to be sent first; none where nothing changes. It is made on the
    /// newest state, or on another one.
    /// Errors: what `stage` fails with; then nothing was made.
    pub(crate) fn prepare<T>(
        &self,
        on: Option<Oid>,
        stage: impl FnOnce(&mut Tx<'_>) -> Result<T>,
    ) -> Result<(T, Option<Aside>)> {
        self.check_writable()?;
        if on.is_none() {
            // What is damaged in the index is repaired by a question: here nothing runs twice.
            self.read(|_| Ok(()))?;
        }
        let mut transaction = self.begin()?;
        let mut index = self.index()?;
        if let Some(tip) = on {
            transaction = transaction.on(on)?;
            index = index.ahead(self.store.snapshot_at(tip)?)?;
        }
        let mut tx = Tx::new(View::new(self, index))?;
        let value = stage(&mut tx)?;
        self.check_first(&tx)?;
        let before = self.take_work();
        let (view, changes, message) = tx.into_changes()?;
        // Nothing is written yet, and perhaps never will be.
        self.set_work(before);
        self.put_idle(view.index);
        if changes.is_empty() {
            return Ok((value, None));
        }
        let made = transaction.write(changes, &message)?.set_aside()?;
        self.note_prepared(made.tip);
        Ok((value, Some(made)))
    }

    /// Writes blobs in one commit, without an index; returns the tip after it.
    pub(in crate::ops) fn write_blobs<'s, T>(
        &'s self,
        mut stage: impl FnMut(Option<Snapshot<'s>>, &mut Changes<'s>) -> Result<(T, Message)>,
    ) -> Result<(T, Option<Oid>)> {
        if self.store.remotes().is_mirror() {
            return Err(Error::mirror());
        }
        let mut value = None;
        let mut stage = |base: Option<Snapshot<'s>>, changes: &mut Changes<'s>| {
            let (made, message) = stage(base, changes)?;
            value = Some(made);
            Ok(message)
        };
        let tip = self.with_repair(|| self.commit_blobs(&mut stage))?;
        let Some(value) = value else {
            unreachable!("a tip is returned only after stage has run")
        };
        Ok((value, tip))
    }

    fn commit_blobs<'s>(&'s self, stage: &mut StageBlobs<'_, 's>) -> Result<Option<Oid>> {
        let mut transaction = self.store.begin(&self.caller.cancel)?;
        for _ in 0..MAX_RACES {
            // No index is brought up on the way: the next reader does that, in one step for all of it.
            let base = transaction.base();
            let mut changes = Changes::new(&self.store);
            let message = stage(base, &mut changes)?;
            if changes.is_empty() {
                return Ok(base.map(|base| base.commit()));
            }
            match transaction.write(changes, &message)?.publish()? {
                Publish::Done(published) => return Ok(Some(published.finish()?)),
                Publish::LostRace(newer) => transaction = newer,
            }
        }
        Err(StoreError::LostRace.into())
    }

    /// Refuses a mirror, and warns once where no author is named.
    fn check_writable(&self) -> Result<()> {
        if self.caller.actor().is_none() && !self.store.identity().is_known() {
            self.warnings
                .once("no author configured: git config user.name \"Your Name\" (or --actor NAME)");
        }
        match self.store.remotes().is_mirror() {
            true => Err(Error::mirror()),
            false => Ok(()),
        }
    }
}
