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

use std::path::PathBuf;

use super::journal::{Appended, Journal};
use super::object::{Object, Objects};
use super::pack::{are_many, is_there};
use super::refs::RefUpdate;
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

/// The means that make a move of the ref durable; it owns the objects.
enum Durability {
    /// A record of the journal, which is not durable yet.
    Journal(Box<Appended>),
    /// The same, and a pack that has the objects too.
    Pack(Box<Appended>, PathBuf),
    /// Git, as the configuration says.
    Git(Objects),
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

    /// Merges another tip into ours and moves the ref; returns the tip before and after.
    ///
    /// # Errors
    /// As [`Store::begin`]; [`StoreError::LostRace`], or a failed write, in which case nothing has changed.
    pub fn merge_tip(&self, theirs: Oid, cancel: &Cancel) -> Result<(Option<Oid>, Oid)> {
        let mut transaction = self.begin(cancel)?;
        // Only programs that do not take our lock can win a race, so a few rounds are enough.
        for _ in 0..MAX_RACES {
            let ours = transaction.base().map(|base| base.commit());
            let Some(merged) = transaction.merge(theirs)? else {
                return Ok((ours, ours.unwrap_or(theirs)));
            };
            match merged.publish()? {
                Publish::Done(published) => return Ok((ours, published.finish()?)),
                Publish::LostRace(newer) => transaction = newer,
            }
        }
        Err(StoreError::LostRace)
    }
}

/// Returns the journal to append to, unless the configuration leaves durability to git.
fn open_journal(store: &Store, tip: Option<Oid>) -> Result<Option<Journal>> {
    match store.config("beads.durability").as_deref() {
        Some("git") => return Ok(None),
        None | Some("journal") => {}
        Some(other) => {
            let message = format!("beads.durability is `{other}`; it can be `journal` or `git`");
            return Err(StoreError::Refused(message));
        }
    }
    let journal = match Journal::open(&store.folder())? {
        None => Journal::create(&store.folder(), tip, store.permissions())?,
        Some(journal) if journal.is_full() => store.journals().rotate()?,
        Some(journal) => journal,
    };
    Ok(Some(journal))
}

/// Appends a move of the ref to the journal, where there is one.
fn append(store: &Store, old: Option<Oid>, new: Oid, objects: Objects) -> Result<Durability> {
    Ok(match open_journal(store, old)? {
        Some(journal) => {
            let objects = objects.into_vec();
            let count = objects.len();
            let appended = journal.append(old, new, objects)?;
            tracing::debug!(%new, objects = count, "appended to the journal");
            Durability::Journal(Box::new(appended))
        }
        None => Durability::Git(objects),
    })
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
        set_back.notice_under_lock(&self.lock, newest, base).ok()?
    }

    /// Makes a commit of changes.
    pub fn write(self, changes: Changes<'s>, message: &Message) -> Result<Unpublished<'s>> {
        let mut objects = self.store.objects();
        let commit = commit_of(self.store, message);
        let tip = changes.write(self.base.as_ref(), commit, &mut objects)?;
        Ok(Unpublished {
            transaction: self,
            tip,
            objects,
        })
    }

    /// Merges another tip into the state; none where it brings nothing.
    pub(crate) fn merge(self, theirs: Oid) -> Result<Option<Unpublished<'s>>> {
        self.base
            .map_or(Ok(()), |base| base.check_is_of_a_store())?;
        let mut objects = self.store.objects();
        // Without a base theirs is taken as it is: there is nothing to join it with.
        let ours = self.base.map(|base| base.commit());
        let tip = match ours {
            None => theirs,
            Some(ours) => match self.store.merging().merge(&mut objects, ours, theirs)? {
                Merge::Nothing => return Ok(None),
                Merge::Forward(tip) | Merge::Commit(tip) => tip,
            },
        };
        // Before the ref leads there: the journal holds only what the merge itself has made.
        self.store.journals().pack_loose_news(theirs, ours)?;
        Ok(Some(Unpublished {
            transaction: self,
            tip,
            objects,
        }))
    }
}

impl<'s> Unpublished<'s> {
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
        } = self;
        let old = base.map(|base| base.commit());
        // The record comes before any object: after a crash the journal alone must be able to make all of them again.
        let written = append(store, old, tip, objects)?;
        // Objects before the ref: it never leads to something that is not there, not even for a moment.
        let (written, done) = written.write_objects(store);
        let moved = done.and_then(|()| written.move_ref(store, &lock, &RefUpdate::main(old, tip)));
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

impl Durability {
    fn objects(&self) -> &[Object] {
        match self {
            Self::Journal(appended) | Self::Pack(appended, _) => appended.objects(),
            Self::Git(objects) => objects.as_slice(),
        }
    }

    /// Writes the objects: few into files of their own. Many go into a pack where there is a journal, which makes
    /// few packs of many when it is full.
    fn write_objects(self, store: &Store) -> (Self, Result<()>) {
        match self {
            Self::Journal(appended) if are_many(appended.objects()) => {
                match store.packs().write_pack(appended.objects()) {
                    Ok(pack) => (Self::Pack(appended, pack), Ok(())),
                    Err(error) => (Self::Journal(appended), Err(error)),
                }
            }
            _ => {
                let done = store.loose().write_all(self.objects());
                (self, done)
            }
        }
    }

    /// Moves the ref to the commit that these objects make. Where git moves it, it looks for the commit first, and
    /// refuses if a `git gc` has taken it meanwhile: then it is written once more.
    fn move_ref(&self, store: &Store, lock: &WriteLock, update: &RefUpdate<'_>) -> Result<bool> {
        for _ in 1..MAX_RACES {
            let moved = store.refs().update(lock, update);
            if moved.is_ok() || self.is_there(store) {
                return moved;
            }
            self.rewrite_missing(store)?;
        }
        store.refs().update(lock, update)
    }

    /// Returns whether all objects that were written are there still.
    fn is_there(&self, store: &Store) -> bool {
        match self {
            Self::Pack(_, pack) => is_there(pack),
            _ => store.loose().has_all(self.objects()),
        }
    }

    /// Writes the objects once more where they have gone.
    fn rewrite_missing(&self, store: &Store) -> Result<()> {
        match self {
            Self::Pack(_, pack) if is_there(pack) => Ok(()),
            // An index that was read before would still have them.
            Self::Pack(appended, _) => store.loose().write_all(appended.objects()),
            _ => store.loose().rewrite_missing_of(self.objects()),
        }
    }

    /// Writes the objects once more where they have gone, after the ref was moved: until it led to them, a `git gc` at
    /// the same time could remove them. Returns what the next holder of the lock has to do.
    ///
    /// The change is made by then, so a failure is no answer where a journal has the objects: a caller would do it again.
    fn keep(&self, store: &Store) -> Result<LockState> {
        match (self.rewrite_missing(store), self) {
            (Ok(()), _) => Ok(LockState::Free),
            (Err(_), Self::Journal(_) | Self::Pack(..)) => Ok(LockState::CheckObjects),
            (Err(error), Self::Git(_)) => Err(error),
        }
    }

    /// Stays with a `git gc` that may have looked before the ref was moved; a long one is left to the next writer.
    fn outlast(&self, store: &Store) -> Result<()> {
        store.maintenance().wait_for_collection();
        // The lock was released with the order to look again.
        self.keep(store).map(drop)
    }

    /// Makes the record durable.
    fn sync(&self) -> Result<()> {
        match self {
            Self::Journal(appended) | Self::Pack(appended, _) => appended.sync(),
            Self::Git(_) => Ok(()),
        }
    }

    /// Takes the record back: the ref was not moved.
    fn abort(self) {
        match self {
            Self::Journal(appended) | Self::Pack(appended, _) => appended.abort(),
            Self::Git(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::repository::tests::scratch_store;

    /// Objects that have gone after the ref was moved and can't be written again, in the two kinds of durability.
    #[test]
    fn what_is_published_is_no_failure_where_a_journal_has_it() {
        for journal in [true, false] {
            let (folder, store) = scratch_store();
            let mut objects = store.objects();
            let blob = objects.add_blob(b"a change").unwrap();
            let written = match journal {
                true => append(&store, None, blob, objects).unwrap(),
                false => Durability::Git(objects),
            };
            let (written, done) = written.write_objects(&store);
            done.unwrap();
            assert_eq!(written.keep(&store).unwrap(), LockState::Free);
            // A file in the place of the folder, as on a disk that takes nothing more.
            let id = blob.to_string();
            let place = folder.path().join(".git/objects").join(&id[..2]);
            std::fs::remove_dir_all(&place).unwrap();
            std::fs::write(&place, "").unwrap();
            let kept = written.keep(&store);
            match journal {
                true => assert_eq!(kept.unwrap(), LockState::CheckObjects),
                false => assert!(kept.is_err()),
            }
        }
    }

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
