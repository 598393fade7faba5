//! Writing: lock, read the tip, build in memory, journal, write, compare and swap, make durable.
//!
//! Each step is a type that only the step before makes, so none can be left out or come twice:
//!
//! ```text
//! begin -> Transaction -> write, merge -> Unpublished -> publish -> Published -> finish
//!               ^                                           |
//!               +------------------ lost race --------------+
//! ```
//!
//! The lock separates our own writers, the compare-and-swap is what makes the result correct: git
//! and other programs do not take our lock. After a lost swap the whole operation runs again on the
//! new tip, so all that it checked still holds.

use super::aside::Aside;
use super::door::{Admitted, MergeStep};
use super::durability::{Durability, append};
use super::object::Objects;
use super::refs::RefUpdate;
use super::restore::Restore;
use super::rewritten::Rewritten;
use super::write_lock::{LockState, WriteLock};
use super::{Cancel, Changes, Merge, Oid, Result, Snapshot, Store, StoreError};

/// The number of times that an operation runs again after it lost a race.
pub(crate) const MAX_RACES: usize = 16;

/// A write in progress: our lock is held, the journal is replayed, the tip is read.
pub struct Transaction<'s> {
    store: &'s Store,
    lock: WriteLock,
    base: Option<Snapshot<'s>>,
    /// The tip that the journal ended with when the write began.
    journal_tip: Option<Oid>,
}

/// A commit that exists in memory only.
#[must_use = "publish it; dropped, it has never happened"]
pub struct Unpublished<'s> {
    transaction: Transaction<'s>,
    tip: Oid,
    objects: Objects,
    /// Commits before it that were rewritten, each with the one in its place.
    rewritten: Vec<(Oid, Oid)>,
    /// The commits below it whose objects no journal holds.
    news: Vec<Oid>,
}

/// A commit that the ref leads to.
#[must_use = "finish it: until then others wait and nothing is durable"]
pub struct Published<'s> {
    store: &'s Store,
    lock: WriteLock,
    tip: Oid,
    written: Durability,
    /// What the next holder of the lock has to do.
    state: LockState,
}

/// The result of publishing.
pub enum Publish<'s> {
    /// The ref was moved.
    Done(Published<'s>),
    /// Someone else moved the ref first: the same lock, on the newer state.
    LostRace(Transaction<'s>),
}

/// The message of the commit of an operation.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// One line: `create bd-a1b2: Fix auth`.
    pub subject: String,
    /// Key and value pairs of the last paragraph.
    pub trailers: Vec<(String, String)>,
}

impl Message {
    fn render(&self) -> String {
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text = line(&self.subject);
        text.push('\n');
        for (i, (key, value)) in self.trailers.iter().enumerate() {
            if i == 0 {
                text.push('\n');
            }
            text.push_str(&format!("{key}: {}\n", line(value)));
        }
        text
    }
}

impl Store {
    /// Takes the lock, on a state that holds all that was ever answered here.
    ///
    /// # Errors
    /// [`StoreError::Busy`], a repository that can't be read, or a ref that has gone.
    pub fn begin(&self, cancel: &Cancel) -> Result<Transaction<'_>> {
        // The lock comes first: neither the journal nor the tip may change between replay and the read of the base.
        let lock = self.lock_unless(cancel)?;
        let journal_tip = self.replay().replay_if_needed(&lock)?;
        // After the replay, since it may move the ref.
        let transaction = Transaction::on_tip(self, lock)?;
        Ok(Transaction {
            journal_tip,
            ..transaction
        })
    }

    /// Returns an empty list of objects to be.
    pub fn objects(&self) -> Objects {
        Objects::new(self.repo.object_hash())
    }
}

fn commit_of(store: &Store, message: &Message) -> gix::objs::Commit {
    gix::objs::Commit {
        tree: store.repo.empty_tree().id,
        parents: Default::default(),
        author: store.identity().signature("AUTHOR"),
        committer: store.identity().signature("COMMITTER"),
        encoding: None,
        message: message.render().into(),
        extra_headers: Vec::new(),
    }
}

impl<'s> Transaction<'s> {
    /// Reads the tip under a lock. Where the ref has gone nothing may begin in its place.
    fn on_tip(store: &'s Store, lock: WriteLock) -> Result<Self> {
        let base = match store.tip()? {
            Some(tip) => Some(Snapshot::at(store, tip)?),
            None => match store.absence() {
                StoreError::NoStore(_) => None,
                gone => return Err(gone),
            },
        };
        Ok(Self {
            store,
            lock,
            base,
            journal_tip: None,
        })
    }

    /// Builds on another state than the one that the ref leads to: what is made of that can only be set aside.
    pub(crate) fn on(self, tip: Option<Oid>) -> Result<Self> {
        let base = tip.map(|tip| Snapshot::at(self.store, tip)).transpose()?;
        Ok(Self { base, ..self })
    }

    /// Goes on with what was set aside, and was made on this very state.
    pub(crate) fn take(self, aside: &Aside) -> Unpublished<'s> {
        let hash = self.store.repo.object_hash();
        Unpublished {
            transaction: self,
            tip: aside.tip,
            objects: Objects::of(hash, aside.objects.clone()),
            rewritten: Vec::new(),
            news: aside.news.clone(),
        }
    }

    /// Returns the state to build on; none where there is no store yet.
    pub(crate) fn base(&self) -> Option<Snapshot<'s>> {
        self.base
    }

    /// Returns the tip that the journal ends with, where someone has set the ref back from it since. The lock is why
    /// this is no writer on its way. A history that can't be read proves nothing.
    pub(crate) fn left_out(&self) -> Option<Oid> {
        let base = self.base?.commit();
        if self.store.config("beads.durability").as_deref() == Some("git") {
            return None;
        }
        let newest = self.journal_tip.filter(|newest| *newest != base)?;
        let set_back = self.store.set_back();
        set_back.notice_under_lock(&self.lock, newest, base)
    }

    /// Makes a commit of changes.
    pub fn write(self, changes: Changes<'s>, message: &Message) -> Result<Unpublished<'s>> {
        let mut objects = self.store.objects();
        let commit = commit_of(self.store, message);
        let (tip, rewritten) = changes.write(self.base.as_ref(), commit, &mut objects)?;
        Ok(Unpublished {
            transaction: self,
            tip,
            objects,
            rewritten,
            news: Vec::new(),
        })
    }

    /// Merges what was admitted into the state, one after the other; none where that brings nothing.
    pub(crate) fn merge(
        self,
        admitted: &[Admitted],
    ) -> Result<Option<(Vec<MergeStep>, Unpublished<'s>)>> {
        self.base
            .map_or(Ok(()), |base| base.check_is_of_a_store())?;
        let store = self.store;
        let before = self.base.map(|base| base.commit());
        for lost in admitted.iter().map(Admitted::restore) {
            Restore::of(store).rewrite(lost.iter())?;
        }
        let (mut tip, mut objects, mut steps) = (before, store.objects(), Vec::new());
        for theirs in admitted.iter().map(Admitted::tip) {
            // The next merge reads what the one before has made. No ref leads there before all are made.
            store.packs().write_objects(objects.as_slice())?;
            objects = store.objects();
            let merged = match tip {
                // Without a base theirs is taken as it is: there is nothing to join it with.
                None => Merge::Forward(theirs),
                Some(ours) => store.merging().merge(&mut objects, ours, theirs)?,
            };
            if let Merge::Forward(merged) | Merge::Commit(merged) = merged {
                steps.push(MergeStep { ours: tip, theirs });
                tip = Some(merged);
            }
        }
        let Some(tip) = tip.filter(|_| !steps.is_empty()) else {
            return Ok(None);
        };
        // The journal holds what the last merge itself has made, and nothing else.
        let theirs = steps.iter().map(|step| step.theirs);
        let made = steps.iter().skip(1).filter_map(|step| step.ours);
        let news = theirs.chain(made).collect();
        let merged = Unpublished {
            transaction: self,
            tip,
            objects,
            rewritten: Vec::new(),
            news,
        };
        Ok(Some((steps, merged)))
    }
}

impl<'s> Unpublished<'s> {
    /// Writes the objects alone, and lets others write.
    ///
    /// The commit is taken over later, or is forgotten: then a `git gc` removes it one day.
    pub(crate) fn set_aside(self) -> Result<Aside> {
        let store = self.transaction.store;
        // No record in the journal: nothing here leads to it, and a power cut may take it.
        store.packs().write_objects(self.objects.as_slice())?;
        Ok(Aside {
            tip: self.tip,
            objects: self.objects.into_vec(),
            news: self.news,
        })
    }

    /// Writes the objects and moves the ref, if it still is where the transaction found it.
    ///
    /// The order is why a crash loses nothing: the journal has everything before anything is written, the objects
    /// are there before the ref leads to them.
    ///
    /// # Errors
    /// A failed write; then nothing has changed. With `beads.durability=git` alone, also objects that a `git gc` at the
    /// same time took and that can't be written again: then the ref has moved.
    pub fn publish(self) -> Result<Publish<'s>> {
        let Self {
            transaction: Transaction {
                store, lock, base, ..
            },
            tip,
            objects,
            rewritten,
            news,
        } = self;
        let old = base.map(|base| base.commit());
        // Before the ref leads there: git makes no loose object durable.
        store.journals().pack_loose_news(&news, old)?;
        // Before the record: a replay that finds it takes the new commits for the old ones.
        Rewritten::note(store, &lock, &rewritten)?;
        // The record comes before any object: after a crash the journal alone must be able to make all of them again.
        let written = append(store, old, tip, objects)?;
        // Objects before the ref: it never leads to something that is not there, not even for a moment.
        let (written, done) = written.write_objects(store);
        let update = match rewritten.is_empty() {
            true => RefUpdate::main(old, tip),
            // Durable: the journal that knows the old commits is cleared next.
            false => RefUpdate::main(old, tip).durable(),
        };
        let moved = done.and_then(|()| written.move_ref(store, &lock, &update));
        match moved {
            Ok(true) => {
                let state = written.keep(store)?;
                Ok(Publish::Done(Published {
                    store,
                    lock,
                    tip,
                    written,
                    state,
                }))
            }
            Ok(false) => {
                written.abort();
                // The lock is kept: among our own writers the one that lost is the next.
                Transaction::on_tip(store, lock).map(Publish::LostRace)
            }
            Err(error) => {
                written.abort();
                Err(error)
            }
        }
    }
}

impl Published<'_> {
    /// Lets others in, and makes the write durable; returns the new tip.
    ///
    /// The journal is made durable outside of the lock: one sync serves all that was appended before.
    pub fn finish(self) -> Result<Oid> {
        let Self {
            store,
            lock,
            tip,
            written,
            state,
        } = self;
        // A sync of ours may not come between a table and its end, which git writes last: see `reftable`.
        let synced = store.refs().are_in_tables().then(|| written.sync());
        // Asked while the lock is held, since the state it is left in depends on it.
        let collecting = store.maintenance().is_collecting();
        lock.release(if collecting {
            LockState::CheckObjects
        } else {
            state
        });
        // First, so that it comes also where the journal can't be made durable: the ref leads to the objects by now.
        if collecting {
            written.outlast(store)?;
        }
        synced.unwrap_or_else(|| written.sync())?;
        if let Durability::Git(_) = written {
            // What a journal holds is packed when it is full.
            store.maintenance().maintain_if_due();
        }
        Ok(tip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::repository::tests::scratch_store;

    #[test]
    fn a_journal_that_cannot_be_made_durable_leaves_no_object_unwritten() {
        let (folder, store) = scratch_store();
        let mut objects = store.objects();
        let tip = objects.add_blob(b"a change").unwrap();
        let Durability::Journal(mut appended) = append(&store, None, tip, objects).unwrap() else {
            panic!("a journal is the usual");
        };
        appended.cannot_be_synced();
        // A `git gc` that runs: the object, which is not there, may be one that it took.
        let running = format!("{} host", std::process::id());
        std::fs::write(folder.path().join(".git/gc.pid"), running).unwrap();
        let published = Published {
            store: &store,
            lock: store.lock().unwrap(),
            tip,
            written: Durability::Journal(appended),
            state: LockState::Free,
        };
        let said = published.finish().unwrap_err().to_string();
        assert!(said.contains("the change is made"), "{said}");
        assert!(store.loose().is_loose(tip.0));
    }
}
