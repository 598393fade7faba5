//! Full journals become packs.
//!
//! A journal keeps growing and is replayed as a whole, so a full one is put aside and its objects are packed,
//! by a process of its own that no one waits for. Git makes packs durable; journal and loose copies go when the
//! next journal is packed, and many such packs become few.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use super::journal;
use super::journal::{Contents, Journal};
use super::private_file;
use super::restore::Restore;
use super::write_lock::{LOOK, lock_patience};
use super::{Oid, Result, Store, StoreError, git, io};
use crate::platform;

/// The file whose lock the packer of journals has, where the lock of a journal would keep others from reading it.
pub(super) const PACKING: &str = "lock-packing";

/// The journals of a repository: the one that is written, and those that were put aside.
#[derive(Clone, Copy)]
pub(crate) struct Journals<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the journals of a repository: the one that is written, and those that were put aside.
    pub(crate) fn journals(&self) -> Journals<'_> {
        Journals { store: self }
    }
}

impl Journals<'_> {
    /// Makes durable what any writer has appended.
    pub(super) fn sync_journal(self) -> Result<()> {
        let file = private_file::existing(&self.store.folder().join(journal::NAME))?;
        file.map_or(Ok(()), |file| file.sync_data())
            .map_err(io("can't make the journal durable"))
    }

    /// Puts the journal aside and begins another, at where the ref is.
    pub(super) fn rotate(self) -> Result<Journal> {
        let journal = begin_next(self.store)?;
        git::detach(self.store, &["hook", "fold"]);
        Ok(journal)
    }

    /// Packs what the journals hold that were put aside; returns how many.
    ///
    /// The last one stays, with the loose copies of its objects, until the next is packed: anyone who copies the
    /// repository meanwhile may have passed the packs already.
    pub(crate) fn pack_rotated(self) -> Result<usize> {
        let mut folded = 0;
        for (number, path) in journal::aside(&self.store.folder()) {
            folded += usize::from(self.pack_segment(number, &path)?);
        }
        let packed = journal::packed(&self.store.folder());
        self.forget_packed(&packed[..packed.len().saturating_sub(1)])?;
        // Last, since every journal has brought one pack more.
        self.store.maintenance().merge_packs()?;
        Ok(folded)
    }

    /// Packs what one journal holds that was put aside; false where someone else is at it, or where it is damaged and
    /// kept for a person.
    fn pack_segment(self, number: u64, path: &Path) -> Result<bool> {
        // One packer at a time: two would remove what the other still reads.
        let Some(_claim) = try_lock_segment(self.store, path)? else {
            return Ok(false);
        };
        let contents = journal::contents(self.store.env(), path)?;
        self.pack_contents(&contents)?;
        if contents.damage > 0 {
            // No one has read all of it: a person may want to.
            private_file::set_aside(
                path,
                &path.with_file_name(format!("aside-journal-{}", self.store.env().now())),
                self.store.permissions(),
            )?;
            return Ok(false);
        }
        // The name says that the pack is durable, so it comes after the pack.
        platform::rename_file(path, &path.with_file_name(format!("packed-{number}")))
            .map_err(io("can't rename a journal"))?;
        Ok(true)
    }

    fn pack_contents(self, contents: &Contents) -> Result<()> {
        Restore::of(self.store).rewrite(self.store.replay().needed(contents).into_iter())?;
        // What is not needed and has gone stays gone.
        let here = ids(contents)
            .into_iter()
            .filter(|id| self.store.repo.has_object(id.0));
        let list: String = here.map(|id| format!("{id}\n")).collect();
        if list.is_empty() {
            return Ok(());
        }
        self.store.packs().pack(&[], &list).map(drop)
    }

    /// Removes journals whose objects lie in a pack, and the loose copies of those.
    fn forget_packed(self, packed: &[(u64, PathBuf)]) -> Result<()> {
        for (_, path) in packed {
            let Some(_claim) = try_lock_segment(self.store, path)? else {
                continue;
            };
            let contents = journal::contents(self.store.env(), path)?;
            let ids = ids(&contents);
            // A copy of the repository that was made meanwhile can have the journal and lack its pack.
            if !self.store.packs().hold(&ids) {
                self.pack_contents(&contents)?;
            }
            self.store.loose().drop_loose(&ids);
            match platform::delete_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(io(format!("can't remove {}", path.display()))(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Packs what tips have that the store lacks where they are loose, as after a small fetch of the user's own: git makes
    /// no loose object durable.
    pub(super) fn pack_loose_news(self, tips: &[Oid], ours: Option<Oid>) -> Result<()> {
        let loose = tips.iter().filter(|tip| self.store.loose().is_loose(tip.0));
        let news: String = loose.map(|tip| format!("{tip}\n")).collect();
        if news.is_empty() {
            return Ok(());
        }
        let hidden = ours.map(|ours| format!("^{ours}\n")).unwrap_or_default();
        self.store
            .packs()
            .pack(&["--revs"], &format!("{news}{hidden}"))?;
        Ok(())
    }

    /// Packs all that the journal holds, and starts it afresh; one that another process is packing is left to it.
    pub(super) fn pack_journal(self) -> Result<()> {
        {
            let _lock = self.store.lock()?;
            if Journal::open(&self.store.folder())?.is_none() {
                return Ok(());
            }
            begin_next(self.store)?;
        }
        self.pack_rotated()?;
        self.forget_packed(&journal::packed(&self.store.folder()))
    }

    /// Takes the text of purged issues out of the journal: what it holds is packed, and it starts afresh. Waits for
    /// another process that packs one of our journals, as a writer waits.
    ///
    /// # Errors
    /// [`StoreError::Busy`] where that takes too long, or a journal that can't be packed.
    pub(crate) fn clear_journal(self) -> Result<()> {
        self.pack_journal()?;
        let end = Instant::now().checked_add(lock_patience(self.store)?);
        if rotated(&self.store.folder()).is_some() {
            tracing::debug!("waits for a process that packs the journal");
        }
        while let Some(path) = rotated(&self.store.folder()) {
            if end.is_some_and(|end| Instant::now() > end) {
                return Err(StoreError::Busy(format!(
                    "it packs what was purged; {}",
                    path.display()
                )));
            }
            thread::sleep(LOOK);
            self.pack_rotated()?;
            self.forget_packed(&journal::packed(&self.store.folder()))?;
        }
        Ok(())
    }
}

/// Returns a journal that was put aside, packed or not.
fn rotated(folder: &Path) -> Option<PathBuf> {
    // In this order: one that becomes packed between the two looks is seen by one of them.
    let (aside, packed) = (journal::aside(folder), journal::packed(folder));
    aside.into_iter().chain(packed).map(|(_, path)| path).next()
}

/// Puts the journal aside, if there is one, and begins another; packing it is left to the caller, who holds the lock.
pub(super) fn begin_next(store: &Store) -> Result<Journal> {
    if let Some(journal) = Journal::open(&store.folder())? {
        journal.put_aside(&store.folder())?;
    }
    Journal::create(
        store.env(),
        &store.folder(),
        store.tip()?,
        store.permissions(),
    )
}

/// Returns the objects of a journal whose moves were not taken back.
fn ids(contents: &Contents) -> Vec<Oid> {
    contents
        .moves()
        .flat_map(|record| record.objects.iter().map(|object| Oid(object.id)))
        .collect()
}

/// Makes sure that no one else packs or removes a journal; none where someone does.
fn try_lock_segment(store: &Store, path: &Path) -> Result<Option<File>> {
    match private_file::existing(path)? {
        Some(file) => lock_segment(store, path, file),
        None => Ok(None),
    }
}

fn lock_segment(store: &Store, path: &Path, file: File) -> Result<Option<File>> {
    // A mandatory lock of the journal itself would keep those out who only read it.
    let of_all = match platform::LOCKS_ARE_MANDATORY {
        true => {
            let lock = store.folder().join(PACKING);
            Some(private_file::open(&lock, store.permissions())?)
        }
        false => None,
    };
    match of_all.as_ref().unwrap_or(&file).try_lock() {
        Ok(()) if private_file::is_named(path, &file) => Ok(Some(of_all.unwrap_or(file))),
        // Someone else has it, or has packed or removed it since it was opened.
        Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(io("can't lock a journal")(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::store::repository::tests::scratch_store;

    #[test]
    fn a_journal_that_was_packed_since_it_was_opened_is_left_alone() {
        let (_folder, store) = scratch_store();
        let [aside, packed] = ["journal-1", "packed-1"].map(|name| store.folder().join(name));
        fs::write(&aside, "").unwrap();
        let opened = || private_file::existing(&aside).unwrap().unwrap();
        assert!(lock_segment(&store, &aside, opened()).unwrap().is_some());
        let late = opened();
        fs::rename(&aside, &packed).unwrap();
        assert!(lock_segment(&store, &aside, late).unwrap().is_none());
    }
}
