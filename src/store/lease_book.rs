//! Claims at a remote, as this clone knows them: those that it holds there, and those of others that it has seen.
//!
//! No time of another machine is ever read. A claim of another clone is over once its object stayed the same for the whole
//! of its lease, by the time that this machine counts within one boot. Nothing is lost with the file: a claim is in the
//! store too, and the next look sees the others again.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::agents::AgentFiles;
use super::git::detach;
use super::{Cancel, Oid, Result, Store, StoreError, private_file};
use crate::env;
use crate::model::lease::LeaseRecord;
use crate::model::{Party, Uid};

const NAME: &str = "claims";
const BOOK: &str = ".leases";
const LOCK: &str = ".lock";
/// The time that a command waits for another one that asks the remote.
const PATIENCE: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(10);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// After a refusal for a tip that had moved, so long only the ref of a claim is sent; and so long a remote that could not be
/// asked is not asked again for what can wait.
const BUSY: Duration = Duration::from_secs(60);

/// A moment, as this machine counts time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tick {
    boot: String,
    /// Seconds since that boot.
    at: u64,
}

impl Tick {
    /// Returns the present; none where the system does not count.
    pub(crate) fn now() -> Option<Self> {
        let boot = env::boot_id();
        let at = env::uptime()?.as_secs();
        (!boot.is_empty()).then_some(Self { boot, at })
    }

    /// Returns the time since then; none where it was in another boot.
    fn elapsed(&self) -> Option<Duration> {
        let now = Self::now().filter(|now| now.boot == self.boot)?;
        Some(Duration::from_secs(now.at.saturating_sub(self.at)))
    }
}

/// A claim at a remote, as it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenLease {
    /// The object that the ref leads to; none where the store names a claim that the remote has not.
    pub(crate) oid: Option<Oid>,
    /// The first look that saw it so.
    since: Option<Tick>,
    /// Its content; none where it is given back.
    pub(crate) record: Option<LeaseRecord>,
}

impl SeenLease {
    /// Returns true if it stayed as it is for the whole of its lease.
    pub(crate) fn is_over(&self) -> bool {
        self.idle().is_some_and(|idle| idle >= self.lease())
    }

    /// Returns its lease; none of what is free.
    fn lease(&self) -> Duration {
        let minutes = self.record.as_ref().map_or(0, |record| record.minutes);
        Duration::from_secs(60 * u64::from(minutes))
    }

    /// Returns the time since it was seen so first; none where that was in another boot.
    fn idle(&self) -> Option<Duration> {
        self.since.as_ref()?.elapsed()
    }

    /// Returns true if it is held by this one.
    pub(crate) fn is_of(&self, holder: &Party) -> bool {
        self.record.as_ref().is_some_and(|it| it.holder == *holder)
    }

    /// Returns true if it is this object, and its text was read.
    pub(crate) fn is_read(&self, oid: Oid) -> bool {
        self.oid == Some(oid) && self.record.as_ref().is_none_or(LeaseRecord::is_known)
    }

    /// Returns true if no one has the issue by it.
    pub(crate) fn is_free(&self) -> bool {
        self.record.is_none()
    }
}

/// A claim that this clone holds at a remote, or has asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HeldLease {
    pub(crate) remote: String,
    pub(crate) oid: Oid,
    pub(crate) record: LeaseRecord,
    /// The last time that the remote took it.
    at: Option<Tick>,
    /// False until it is known that the remote has it.
    pub(crate) is_granted: bool,
}

impl HeldLease {
    pub(crate) fn asked(remote: &str, oid: Oid, record: LeaseRecord) -> Self {
        Self {
            remote: remote.to_owned(),
            oid,
            record,
            at: Tick::now(),
            is_granted: false,
        }
    }

    /// Notes that the remote has it.
    pub(crate) fn grant(&mut self) {
        self.is_granted = true;
        self.at = Tick::now();
    }

    /// Notes that the remote has it, where its ref leads to it.
    pub(crate) fn grant_if_at(&mut self, found: Option<Oid>) {
        if !self.is_granted && found == Some(self.oid) {
            self.grant();
        }
    }

    /// Returns true if it is that of a holder, who may not know that it was granted.
    pub(crate) fn is_asked_by(&self, holder: &Party) -> bool {
        !self.is_granted && self.record.holder == *holder
    }

    /// Returns the parts of its lease that have passed since the remote took it, in thirds.
    fn thirds(&self) -> u64 {
        let idle = self.at.as_ref().and_then(Tick::elapsed);
        // After a boot nothing is known, so a beat is due.
        idle.map_or(3, |idle| {
            idle.as_secs() / (20 * u64::from(self.record.minutes))
        })
    }

    /// Returns true if the remote should hear of it again.
    pub(crate) fn is_beat_due(&self) -> bool {
        self.is_granted && self.thirds() >= 1
    }

    /// Returns true if others may have taken it for over.
    pub(crate) fn is_unsure(&self) -> bool {
        self.is_granted && self.thirds() >= 3
    }
}

/// The claims at a remote, as a clone knows them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LeaseBook {
    pub(crate) held: BTreeMap<Uid, HeldLease>,
    pub(crate) seen: BTreeMap<Uid, SeenLease>,
    /// The last time that the tip of the remote had moved before a claim.
    busy: Option<Tick>,
    /// The last time that the remote could not hear what has ended.
    unreachable: Option<Tick>,
    /// The last time that a remote has refused to keep claims, by its name.
    refused: BTreeMap<String, Tick>,
}

impl LeaseBook {
    /// Notes what the ref of an issue is at the remote; that of the same object was seen before.
    pub(crate) fn see(&mut self, uid: Uid, oid: Oid, record: Option<LeaseRecord>) {
        self.see_any(uid, Some(oid), record);
    }

    /// Notes that the remote has no ref for a claim that the store names: its holder has lost it, or is about to be heard of.
    pub(crate) fn miss(&mut self, uid: Uid, record: LeaseRecord) {
        self.see_any(uid, None, Some(record));
    }

    fn see_any(&mut self, uid: Uid, oid: Option<Oid>, record: Option<LeaseRecord>) {
        match self.seen.get_mut(&uid) {
            Some(seen) if seen.oid == oid => seen.record = record,
            _ => {
                let since = Tick::now();
                self.seen.insert(uid, SeenLease { oid, since, record });
            }
        }
    }

    /// Returns the claim of another clone that keeps an issue from being taken.
    pub(crate) fn barred(&self, uid: Uid) -> Option<&LeaseRecord> {
        let seen = self.seen.get(&uid).filter(|seen| !seen.is_over())?;
        seen.record.as_ref().filter(|_| seen.oid.is_some())
    }

    pub(crate) fn note_busy(&mut self) {
        self.busy = Tick::now();
    }

    /// Returns true if others send to the remote all the time.
    pub(crate) fn is_busy(&self) -> bool {
        let since = self.busy.as_ref().and_then(Tick::elapsed);
        since.is_some_and(|since| since < BUSY)
    }

    pub(crate) fn note_unreachable(&mut self) {
        self.unreachable = Tick::now();
    }

    /// Returns true if the remote could not be asked a moment ago.
    pub(crate) fn is_unreachable(&self) -> bool {
        let since = self.unreachable.as_ref().and_then(Tick::elapsed);
        since.is_some_and(|since| since < BUSY)
    }

    pub(crate) fn note_refusal(&mut self, remote: &str) {
        if let Some(now) = Tick::now() {
            self.refused.insert(remote.to_owned(), now);
        }
    }

    /// Returns true if a remote has refused to keep claims within a day.
    pub(crate) fn is_refused(&self, remote: &str) -> bool {
        let since = self.refused.get(remote).and_then(Tick::elapsed);
        since.is_some_and(|since| since < DAY)
    }
}

/// The book, kept from other commands that ask the remote.
pub(crate) struct OpenLeaseBook<'s> {
    store: &'s Store,
    pub(crate) book: LeaseBook,
    _lock: Option<File>,
}

impl OpenLeaseBook<'_> {
    /// Writes what it says now.
    pub(crate) fn save(&self) {
        let agents = self.store.agents();
        if let Some(path) = agents.file(NAME, BOOK) {
            agents.put(&path, &self.book);
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
        let read = |path: PathBuf| self.store.agents().read(&path);
        self.path(BOOK).and_then(read).unwrap_or_default()
    }

    /// Returns true if claims at a remote were ever made here.
    pub(crate) fn exist(self) -> bool {
        self.path(BOOK).is_some_and(|path| path.exists())
    }

    /// Lets the remote know in the background that a holder of its claims is at work, where that is due. Returns true where it
    /// has not heard of one for a whole lease: others may have taken it.
    pub(crate) fn tell_remote_if_due(self, holder: &Party) -> bool {
        let book = self.read();
        let mut own = book
            .held
            .values()
            .filter(|held| held.record.holder == *holder && held.is_beat_due())
            .peekable();
        if own.peek().is_some() {
            // The name goes along: in the background no client is there to be known by.
            let args = ["hook", "claims", &holder.to_string()];
            detach(self.store.common_dir(), &args);
        }
        own.any(HeldLease::is_unsure)
    }

    /// Opens the book, once no other command of this clone claims anything at the remote; `Busy` where another one does so
    /// for two minutes.
    pub(crate) fn open(self, cancel: &Cancel) -> Result<OpenLeaseBook<'s>> {
        self.store.agents().make_folder()?;
        let lock = match self.path(LOCK) {
            Some(path) => {
                let file = private_file::open(&path, self.store.permissions())?;
                wait_for(&file, cancel)?.then_some(file)
            }
            None => None,
        };
        // Read under the lock: who was waited for has written it.
        let book = self.read();
        Ok(OpenLeaseBook {
            store: self.store,
            book,
            _lock: lock,
        })
    }
}

/// Takes a lock; false where files can't be locked: then the remote alone decides.
fn wait_for(file: &File, cancel: &Cancel) -> Result<bool> {
    let began = Instant::now();
    loop {
        match file.try_lock() {
            // Its age says that it is in use.
            Ok(()) => {
                let _ = file.set_modified(env::file_time(0));
                return Ok(true);
            }
            Err(TryLockError::Error(_)) => return Ok(false),
            Err(TryLockError::WouldBlock)
                if cancel.is_cancelled() || began.elapsed() > PATIENCE =>
            {
                return Err(StoreError::Busy("it claims at the remote".to_owned()));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(LOOK),
        }
    }
}
