//! What makes a write durable: a record of the journal, or git as the configuration says. It owns the new objects, and
//! writes them again where they go before the ref leads to them.

use std::path::PathBuf;

use super::journal::{Appended, Journal};
use super::object::{Object, Objects};
use super::pack::{are_many, is_there};
use super::refs::RefUpdate;
use super::write_lock::{LockState, WriteLock};
use super::{Oid, Result, Store, StoreError};

/// The number of times that a commit is written again, which a `git gc` keeps taking.
const ROUNDS: usize = 16;

/// The means that make a move of the ref durable; it owns the objects.
pub(super) enum Durability {
    /// A record of the journal, which is not durable yet.
    Journal(Box<Appended>),
    /// The same, and a pack that has the objects too.
    Pack(Box<Appended>, PathBuf),
    /// Git, as the configuration says.
    Git(Objects),
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
        None => Journal::create(store.env(), &store.folder(), tip, store.permissions())?,
        Some(journal) if journal.is_full() => store.journals().rotate()?,
        Some(journal) => journal,
    };
    Ok(Some(journal))
}

/// Appends a move of the ref to the journal, where there is one.
pub(super) fn append(
    store: &Store,
    old: Option<Oid>,
    new: Oid,
    objects: Objects,
) -> Result<Durability> {
    Ok(match open_journal(store, old)? {
        Some(journal) => {
            let objects = objects.into_vec();
            let count = objects.len();
            let appended = journal.append(store.env(), old, new, objects)?;
            tracing::debug!(%new, objects = count, "appended to the journal");
            Durability::Journal(Box::new(appended))
        }
        None => Durability::Git(objects),
    })
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
    pub(super) fn write_objects(self, store: &Store) -> (Self, Result<()>) {
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
    pub(super) fn move_ref(
        &self,
        store: &Store,
        lock: &WriteLock,
        update: &RefUpdate<'_>,
    ) -> Result<bool> {
        for _ in 1..ROUNDS {
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
    pub(super) fn keep(&self, store: &Store) -> Result<LockState> {
        match (self.rewrite_missing(store), self) {
            (Ok(()), _) => Ok(LockState::Free),
            (Err(_), Self::Journal(_) | Self::Pack(..)) => Ok(LockState::CheckObjects),
            (Err(error), Self::Git(_)) => Err(error),
        }
    }

    /// Stays with a `git gc` that may have looked before the ref was moved; a long one is left to the next writer.
    pub(super) fn outlast(&self, store: &Store) -> Result<()> {
        store.maintenance().wait_for_collection();
        // The lock was released with the order to look again.
        self.keep(store).map(drop)
    }

    /// Makes the record durable.
    pub(super) fn sync(&self) -> Result<()> {
        match self {
            Self::Journal(appended) | Self::Pack(appended, _) => appended.sync(),
            Self::Git(_) => Ok(()),
        }
    }

    /// Takes the record back: the ref was not moved.
    pub(super) fn abort(self) {
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
}
