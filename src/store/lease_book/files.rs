//! The file of the claims, its lock, and the mark of the clone.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::LeaseBook;
use crate::model::lease::LeaseRecord;
use crate::model::{Party, Stamp};
use crate::store::agents::AgentFiles;
use crate::store::exchange_lock::{PATIENCE, wait_for};
use crate::store::git::detach;
use crate::store::{Cancel, Result, Store, private_file};

const NAME: &str = "claims";
const BOOK: &str = ".leases";
const LOCK: &str = ".lock";
const MARK: &str = ".clone";
/// The time that a command waits for it that can do without.
const SOON: Duration = Duration::from_secs(2);

/// The mark of a clone on a machine, and where it is there.
#[derive(Serialize, Deserialize)]
struct CloneMark {
    mark: String,
    place: PathBuf,
}

/// The book, kept from other commands that ask the remote.
pub(crate) struct OpenLeaseBook<'s> {
    store: &'s Store,
    pub(crate) book: LeaseBook,
    _lock: Option<File>,
}

impl OpenLeaseBook<'_> {
    /// Writes what it says now, to the disk: who loses it loses its claims.
    pub(crate) fn save(&self) {
        let agents = self.store.agents();
        if let Some(path) = agents.file(NAME, BOOK) {
            agents.put_durably(&path, &self.book);
        }
    }
}

/// The file of the leases, and its lock.
#[derive(Clone, Copy)]
pub(crate) struct LeaseFiles<'s> {
    store: &'s Store,
}

impl<'s> AgentFiles<'s> {
    /// Returns the file of the claims that remotes keep.
    pub(crate) fn leases(self) -> LeaseFiles<'s> {
        LeaseFiles { store: self.store }
    }
}

impl<'s> LeaseFiles<'s> {
    fn path(self, ending: &str) -> Option<PathBuf> {
        self.store.agents().file(NAME, ending)
    }

    /// Returns the book, as it is at this moment.
    pub(crate) fn read(self) -> LeaseBook {
        let mut book = self.load().unwrap_or_default();
        let replaced = book
            .replaced
            .values_mut()
            .map(|replaced| &mut replaced.held);
        for held in book.held.values_mut().chain(replaced) {
            // A remote that was renamed, or its claims are looked for where they would be now.
            let address = format!("remote.{}.url", held.remote);
            if self.store.config(&address).is_none()
                && let Ok(Some(remote)) = self.store.remotes().remote(None)
            {
                held.remote = remote;
            }
        }
        if !book.held.is_empty() {
            // Those of the clone of which this one is a copy are not its own.
            let mark = self.mark();
            book.held.retain(|_, held| held.record.is_of_clone(&mark));
        }
        book
    }

    fn load(self) -> Option<LeaseBook> {
        self.store.agents().read(&self.path(BOOK)?)
    }

    /// Returns true if claims at a remote were ever made here.
    pub(crate) fn exist(self) -> bool {
        self.path(BOOK).is_some_and(|path| path.exists())
    }

    /// Returns true if it is not known which claims this clone holds: the book was lost, or can't be read.
    pub(crate) fn is_unsure(self) -> bool {
        let has_mark = || self.path(MARK).is_some_and(|path| path.exists());
        self.load().map_or_else(has_mark, |book| book.is_unsure)
    }

    /// Returns the mark of this clone, by which it knows its claims at a remote: the end of their nonces. A copy of the
    /// clone in another place or on another machine has one of its own, and one that was moved keeps it.
    pub(crate) fn mark(self) -> String {
        let place = self.store.common_dir().to_owned();
        let agents = self.store.agents();
        let Some(path) = agents.file(NAME, MARK) else {
            return String::new();
        };
        let mut marks: BTreeMap<String, CloneMark> = agents.read(&path).unwrap_or_default();
        let machine = self.store.env().machine();
        let known = marks.get(&machine);
        if let Some(known) = known.filter(|known| known.place == place) {
            return known.mark.clone();
        }
        let moved = known.filter(|known| !known.place.exists());
        let mark = match moved {
            Some(known) => known.mark.clone(),
            None => {
                let stamp = Stamp::after(
                    Stamp::default(),
                    self.store.env().now(),
                    self.store.env().random(),
                );
                LeaseRecord::mark_of(&stamp.to_string()).to_owned()
            }
        };
        let here = CloneMark {
            mark: mark.clone(),
            place,
        };
        marks.insert(machine, here);
        agents.put_durably(&path, &marks);
        mark
    }

    /// Lets the remote know in the background that a holder of its claims is at work, where that is due. Returns true where it
    /// has not heard of one for a whole lease: others may have taken it.
    pub(crate) fn tell_remote_if_due(self, holder: &Party) -> bool {
        if self.store.permissions().leave_nothing() {
            return false;
        }
        let book = self.read();
        let mut own = book
            .held
            .values()
            .filter(|held| held.record.holder == *holder && held.is_beat_due(self.store.env()))
            .peekable();
        let is_due = own.peek().is_some() || self.is_unsure();
        // One that could not be asked is not asked by each command.
        if is_due && !book.is_unreachable(self.store.env()) {
            // The name goes along: in the background no client is there to be known by.
            let args = ["hook", "claims", &holder.to_string()];
            detach(self.store, &args);
        }
        own.any(|held| held.is_unsure(self.store.env()))
    }

    /// Opens the book, once no other command of this clone claims anything at the remote; `Busy` where another one does so
    /// for two minutes.
    pub(crate) fn open(self, cancel: &Cancel) -> Result<OpenLeaseBook<'s>> {
        self.open_within(PATIENCE, cancel)
    }

    /// Opens the book, where no other command has it, or gives it back soon; else `Busy`.
    pub(crate) fn open_soon(self, cancel: &Cancel) -> Result<OpenLeaseBook<'s>> {
        self.open_within(SOON, cancel)
    }

    fn open_within(self, patience: Duration, cancel: &Cancel) -> Result<OpenLeaseBook<'s>> {
        self.store.agents().make_folder()?;
        let lock = match self.path(LOCK) {
            Some(path) => {
                let file = private_file::open(&path, self.store.permissions())?;
                wait_for(&file, (patience, "it claims at the remote"), cancel)?.then_some(file)
            }
            None => None,
        };
        // Read under the lock: who was waited for has written it.
        let mut book = self.read();
        book.is_unsure = self.is_unsure();
        Ok(OpenLeaseBook {
            store: self.store,
            book,
            _lock: lock,
        })
    }
}
