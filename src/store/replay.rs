//! Replaying the journal, after a power cut or where something is missing.
//!
//! The page cache outlives a kill, so under the boot that wrote the journal only what is missing or can't be
//! read is made again. After another boot, and in a copy of the repository, which may have been made while it was
//! being written, everything the journal holds is looked at, and the newest tip it
//! knows is joined where the ref does not contain it. Replaying never sets the ref back: only a ref that can't
//! be read, or whose state can't, gives way to the newest state that can.

use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use super::journal::{Contents, Journal};
use super::object::{Object, Objects};
use super::ref_update::{Expected, RefUpdate};
use super::write_lock::WriteLock;
use super::{Merge, Oid, REF, Result, Snapshot, Store, StoreError, io};
use super::{journal, private_file};
use crate::env;

/// A lock of git's that is still there after so many looks, right after a boot, is nobody's.
const LEFTOVER_LOOKS: u32 = 30;
const LEFTOVER_PAUSE: Duration = Duration::from_millis(100);

/// What replaying came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Objects that were missing or damaged and are whole again.
    pub objects: usize,
    /// Where the ref was put, if it had to be.
    pub tip: Option<Oid>,
    /// Refs of what remotes had that could not be read, and that the next fetch makes anew.
    pub refs: usize,
}

impl Replayed {
    /// Whether anything was mended.
    pub fn is_something(self) -> bool {
        self != Self::default()
    }
}

/// What the ref is found to be.
enum Found {
    None,
    Tip(Oid),
    /// Its file holds neither an id nor the name of another ref, which is nobody's decision.
    Garbage,
}

impl Store {
    /// Whether the journal was written, or replayed, here and under this boot of the machine; one that is not
    /// there is.
    pub fn is_settled(&self) -> bool {
        match Journal::open(&self.folder()) {
            Ok(Some(journal)) => journal.is_of_here(),
            Ok(None) => match journal::aside(&self.folder()).last() {
                None => true,
                Some((_, path)) => journal::contents(path).is_ok_and(|found| found.here),
            },
            Err(_) => true,
        }
    }

    /// Replays the journal.
    ///
    /// # Errors
    /// A journal that can't be read, or a repository that can't be written.
    pub fn recover(&self) -> Result<Replayed> {
        let lock = self.lock()?;
        let settled = self.is_settled();
        self.replay(&lock, settled)
    }

    /// Replays the journal where it was written under another boot, or elsewhere.
    pub(super) fn replay_if_needed(&self, lock: &WriteLock) -> Result<()> {
        if !self.is_settled() {
            self.replay(lock, false)?;
        }
        Ok(())
    }

    fn replay(&self, lock: &WriteLock, settled: bool) -> Result<Replayed> {
        let known = journal::all(&self.folder())?;
        let refs = self.set_broken_remote_refs_aside()?;
        let mut done = Replayed {
            objects: self.rewrite(&known)?,
            tip: None,
            refs,
        };
        let newest = known.newest();
        let elsewhere = !settled && !known.here;
        if elsewhere {
            super::loose::sweep(&self.folder());
            self.outwait_leftover()?;
        }
        if let Some(newest) = newest {
            done.tip = self.replay_ref(lock, newest, elsewhere)?;
        }
        if !settled {
            self.rotate()?;
        }
        Ok(done)
    }

    /// Puts the ref where it can be read; returns where it was put.
    fn replay_ref(&self, lock: &WriteLock, newest: Oid, elsewhere: bool) -> Result<Option<Oid>> {
        let tip = match self.found()? {
            Found::None if !elsewhere => return Ok(None),
            Found::None | Found::Garbage => return self.restore(lock, newest).map(Some),
            Found::Tip(tip) => tip,
        };
        if !self.is_whole(tip, newest) {
            // Not a commit of ours that was answered: those are in the journal.
            return if elsewhere && self.is_state(newest) {
                self.restore(lock, newest).map(Some)
            } else {
                Ok(None)
            };
        }
        if !elsewhere || self.contains(tip, newest)? {
            return Ok(None);
        }
        let mut objects = Objects::new(self);
        let joined = match self.merge(&mut objects, tip, newest)? {
            Merge::Nothing => return Ok(None),
            Merge::Forward(joined) | Merge::Commit(joined) => joined,
        };
        // The journal that begins here knows none of this, so it is durable before.
        self.write_all(objects.as_slice())?;
        self.pack_loose_news(joined, Some(tip))?;
        let update = RefUpdate::main(Some(tip), joined).durable();
        Ok(self.update_ref(lock, &update)?.then_some(joined))
    }

    /// Moves a lock of the ref aside that outlived the boot it was made under, or was copied: one that nobody
    /// takes away for a while.
    fn outwait_leftover(&self) -> Result<()> {
        let path = self.common_dir().join(format!("{REF}.lock"));
        for _ in 0..LEFTOVER_LOOKS {
            if !path.exists() {
                return Ok(());
            }
            std::thread::sleep(LEFTOVER_PAUSE);
        }
        let aside = self
            .folder()
            .join(format!("aside-main.lock-{}", env::now()));
        private_file::set_aside(&path, &aside)
    }

    fn found(&self) -> Result<Found> {
        let garbage = |text: &[u8]| {
            let hex = std::str::from_utf8(text)
                .ok()
                .and_then(|text| Oid::parse(text.trim()));
            hex.is_none() && !text.starts_with(b"ref:")
        };
        match self.tip() {
            Ok(tip) => Ok(tip.map_or(Found::None, Found::Tip)),
            // Else it is among those that git has packed, which are not ours to mend.
            Err(_) if fs::read(self.common_dir().join(REF)).is_ok_and(|text| garbage(&text)) => {
                Ok(Found::Garbage)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether all that a tip has beyond a known one can be read.
    fn is_whole(&self, tip: Oid, known: Oid) -> bool {
        let read = || -> Result<()> {
            let base = Snapshot::at(self, known).ok().map(|known| known.tree());
            let new = Snapshot::at(self, tip)?;
            for commit in new.history(Some(known))? {
                Snapshot::at(self, commit.oid)?;
            }
            self.diff::<StoreError>(base, new.tree(), &mut |change| {
                change.oid.map_or(Ok(()), |oid| new.read(oid).map(|_| ()))
            })
        };
        read().is_ok()
    }

    fn is_state(&self, commit: Oid) -> bool {
        Snapshot::at(self, commit)
            .and_then(|state| state.is_empty())
            .is_ok()
    }

    /// Puts the ref to a commit, whatever it is. What was in its place is kept beside the journal.
    pub(super) fn restore(&self, lock: &WriteLock, tip: Oid) -> Result<Oid> {
        if let Ok(old) = fs::read(self.common_dir().join(REF)) {
            self.keep_aside("ref", &old)?;
        }
        let update = RefUpdate::new(REF, Expected::Any, tip).durable();
        self.update_ref(lock, &update).map(|_| tip)
    }

    /// Keeps what is about to be replaced, under the time.
    pub(super) fn keep_aside(&self, what: &str, bytes: &[u8]) -> Result<()> {
        let path = self.folder().join(format!("aside-{what}-{}", env::now()));
        let mut file = private_file::open(&path)?;
        std::io::Write::write_all(&mut file, bytes)
            .map_err(io(format!("can't write {}", path.display())))
    }

    /// Writes again what the journal holds and the repository lacks or has damaged; returns how much that was.
    pub(super) fn rewrite(&self, known: &Contents) -> Result<usize> {
        let mut seen = HashSet::new();
        let objects = known.moves().flat_map(|record| &record.objects);
        let mut rewritten = 0;
        for object in objects.filter(|object| seen.insert(object.id)) {
            if !self.is_sound(object) {
                self.replace(object)?;
                rewritten += 1;
            }
        }
        Ok(rewritten)
    }

    /// Writes again what git has removed of what the journal holds; returns how much that was.
    ///
    /// # Errors
    /// A journal that can't be read, or a repository that can't be written.
    pub fn write_missing_again(&self) -> Result<usize> {
        let _lock = self.lock()?;
        self.rewrite_missing()
    }

    /// Writes again what the journal holds and the repository lacks; returns how much that was.
    pub(super) fn rewrite_missing(&self) -> Result<usize> {
        let known = journal::all(&self.folder())?;
        let objects = known.moves().flat_map(|record| &record.objects);
        let gone: Vec<&Object> = objects.filter(|object| self.is_gone(object)).collect();
        gone.iter().try_for_each(|object| self.replace(object))?;
        Ok(gone.len())
    }

    /// Whether the repository has exactly this object.
    fn is_sound(&self, object: &Object) -> bool {
        self.repo
            .find_object(object.id)
            .is_ok_and(|found| found.kind == object.kind && found.data == object.bytes)
    }
}
