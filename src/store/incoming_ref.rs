//! Refs that a fetch writes: each its own, so that two fetches never meet at a lock.
//!
//! A fetch brings what a remote has to `refs/beads-incoming/<ULID>/main`. It is validated there, then published to the
//! tracking ref by compare-and-swap, then the incoming ref goes. So a tip that is rejected never reaches the tracking
//! ref, and what a killed fetch leaves blocks no one. Every fetch shares a lock while it runs: the one that ends alone
//! removes what is left of others. A commit that is being sent is kept by such a ref too. Where the file system knows no `flock`, the name says when a fetch began, and the
//! fetches of the next day remove it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::refs::{Expected, RefUpdate};
use super::{Oid, Result, Store, io, private_file, short};
use crate::files;
use crate::model::{Stamp, time};

/// The namespace of the refs of fetches.
pub(super) const SPACE: &str = "refs/beads-incoming/";

/// The folder of the branches that it writes too.
const MAILBOXES: &str = "mailbox/";

/// The file whose lock all running fetches share.
pub(super) const LOCK: &str = "fetch-lock";

/// The folder of a fetch's refs.
pub(super) struct IncomingRef {
    folder: String,
    /// The packs that were there before it.
    packs: BTreeSet<PathBuf>,
    /// The shared lock; none where it can't be had: then others can't tell that this fetch runs, and leave its ref
    /// for a day.
    lock: Option<File>,
}

impl IncomingRef {
    pub(super) fn new(store: &Store) -> Self {
        // A fixed seed, as in tests, gives the same numbers to all processes.
        let random = store.env().random() ^ u128::from(std::process::id());
        let unique = Stamp::after(Stamp::default(), store.env().now(), random);
        Self {
            folder: format!("{SPACE}{unique}/"),
            packs: store.maintenance().fetched_packs(),
            lock: share_lock(store).ok(),
        }
    }

    /// Returns the ref that the fetch writes.
    pub(super) fn reference(&self) -> String {
        format!("{}main", self.folder)
    }

    /// Returns the ref, or pattern of refs, to which it writes branches of that name or pattern.
    pub(super) fn for_branches(&self, branches: &str) -> String {
        let branch = short(branches);
        format!("{}{MAILBOXES}{branch}", self.folder)
    }

    /// Returns the branches that it has written, by name, with the object of each.
    pub(super) fn mailboxes(&self, store: &Store) -> Result<Vec<(String, Oid)>> {
        let space = format!("{}{MAILBOXES}", self.folder);
        let found = store.refs().below(&space)?.into_iter();
        let named =
            found.filter_map(|(name, oid)| Some((name.strip_prefix(&space)?.to_owned(), oid?)));
        Ok(named.collect())
    }

    /// Leads to a commit that is being sent, so that no `git gc` takes what it is made of.
    fn keep(&self, store: &Store, tip: Oid) -> Result<()> {
        let (name, lock) = (self.reference(), store.lock()?);
        let update = RefUpdate::new(&name, Expected::Any, tip);
        store.refs().update(&lock, &update).map(|_| ())
    }

    /// Returns the packs that were there before the fetch.
    pub(super) fn packs_before(&self) -> &BTreeSet<PathBuf> {
        &self.packs
    }

    /// Removes the refs of a fetch that ends, and what fetches before it have left. Where that can't be done now, a
    /// later fetch does it: no one looks at them.
    pub(super) fn remove(&self, store: &Store) -> Result<()> {
        if store.refs().below(SPACE)?.is_empty() && !has_folders(store) {
            return Ok(());
        }
        let lock = store.lock()?;
        let is_alone = self.ends_alone();
        let goes = |name: &str| {
            is_alone || name.starts_with(&self.folder) || is_old(name, store.env().now())
        };
        // Locks first: git deletes no ref that has one. Refs are read after the lock was taken: no fetch has begun since.
        remove_locks(store, goes);
        for (name, _) in store.refs().below(SPACE)? {
            if goes(&name) {
                let _ = store.refs().delete(&lock, &name);
                store.refs().remove_folders_of(&name);
            }
        }
        if is_alone && let Some(file) = &self.lock {
            let _ = file.unlock();
        }
        Ok(())
    }

    /// Takes the lock of all fetches for this one alone; false where another fetch runs.
    fn ends_alone(&self) -> bool {
        // A shared lock is given back first: not every system turns it into an exclusive one.
        let alone = |file: &File| file.unlock().is_ok() && file.try_lock().is_ok();
        self.lock.as_ref().is_some_and(alone)
    }
}

/// A commit that is kept while it is sent.
pub(crate) struct KeptCommit(Option<IncomingRef>);

impl KeptCommit {
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    /// Keeps a commit, in the place of the one before.
    pub(crate) fn keep(&mut self, store: &Store, tip: Oid) -> Result<()> {
        let kept = self.0.get_or_insert_with(|| IncomingRef::new(store));
        kept.keep(store, tip)
    }

    /// Lets it go. Where that can't be done now, a later fetch does it.
    pub(crate) fn release(&mut self, store: &Store) {
        if let Some(kept) = self.0.take() {
            let _ = kept.remove(store);
        }
    }
}

/// Returns the lock that running fetches share. It is waited for: who has it alone only removes refs.
fn share_lock(store: &Store) -> Result<File> {
    private_file::folder(&store.folder(), store.permissions())?;
    let file = private_file::open(&store.folder().join(LOCK), store.permissions())?;
    file.lock_shared().map_err(io("can't lock"))?;
    Ok(file)
}

fn has_folders(store: &Store) -> bool {
    files::entries(store.common_dir().join(SPACE))
        .next()
        .is_some()
}

/// Removes locks without a ref, which a git that was killed leaves, and the folders that were made for them.
fn remove_locks(store: &Store, goes: impl Fn(&str) -> bool) {
    for entry in files::entries(store.common_dir().join(SPACE)) {
        let name = format!("{SPACE}{}/main", entry.file_name().to_string_lossy());
        if goes(&name) {
            remove_locks_below(&entry.path());
            store.refs().remove_folders_of(&name);
        }
    }
}

fn remove_locks_below(folder: &Path) {
    for entry in files::entries(folder) {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                remove_locks_below(&path);
                // One that holds a ref stays.
                let _ = fs::remove_dir(&path);
            }
            Ok(_) if path.extension().is_some_and(|ending| ending == "lock") => {
                let _ = fs::remove_file(&path);
            }
            _ => {}
        }
    }
}

/// Returns true if a fetch of another day began it, or no one knows when.
fn is_old(name: &str, now: u64) -> bool {
    let unique = name
        .strip_prefix(SPACE)
        .and_then(|rest| rest.split('/').next());
    let began = unique.and_then(|text| text.parse::<Stamp>().ok());
    // In both directions: after the clock was set back, none is kept for ever.
    began.is_none_or(|began| began.millis().abs_diff(now) > time::DAY)
}
