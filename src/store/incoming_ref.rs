//! Refs that a fetch writes: each its own, so that two fetches never meet at a lock.
//!
//! A fetch brings what a remote has to `refs/beads-incoming/<ULID>/main`. It is validated there, then published to the
//! tracking ref by compare-and-swap, then the incoming ref goes. So a tip that is rejected never reaches the tracking
//! ref, and what a killed fetch leaves blocks no one; the name says when it began, and the fetches of the next day
//! remove it.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::{Result, Store};
use crate::env;
use crate::files;
use crate::model::{Stamp, time};

/// The namespace of the refs of fetches.
pub(super) const SPACE: &str = "refs/beads-incoming/";

/// The folder of a fetch's refs.
pub(super) struct IncomingRef {
    folder: String,
    /// The packs that were there before it.
    packs: BTreeSet<PathBuf>,
}

impl IncomingRef {
    pub(super) fn new(packs: BTreeSet<PathBuf>) -> Self {
        // A fixed seed, as in tests, gives the same numbers to all processes.
        let random = env::random() ^ u128::from(std::process::id());
        let unique = Stamp::after(Stamp::default(), env::now(), random);
        Self {
            folder: format!("{SPACE}{unique}/"),
            packs,
        }
    }

    /// Returns the ref that the fetch writes.
    pub(super) fn reference(&self) -> String {
        format!("{}main", self.folder)
    }

    /// Returns the packs that were there before the fetch.
    pub(super) fn packs_before(&self) -> &BTreeSet<PathBuf> {
        &self.packs
    }

    /// Removes the refs of a fetch, and what fetches of another day have left. Where that can't be done now, a later
    /// fetch does it: no one looks at them.
    pub(super) fn remove(&self, store: &Store) -> Result<()> {
        remove_old_locks(store);
        let mut gone = Vec::new();
        for (name, _) in store.refs().below(SPACE)? {
            if name.starts_with(&self.folder) || is_old(&name) {
                gone.push(name);
            }
        }
        if gone.is_empty() {
            return Ok(());
        }
        let lock = store.lock()?;
        for name in gone {
            let _ = store.refs().delete(&lock, &name);
            store.refs().remove_folders_of(&name);
        }
        Ok(())
    }
}

/// Removes locks without a ref, which a git that was killed leaves.
fn remove_old_locks(store: &Store) {
    let folder = store.common_dir().join(SPACE);
    for entry in files::entries(folder) {
        let name = format!("{SPACE}{}/main", entry.file_name().to_string_lossy());
        if is_old(&name) {
            let _ = fs::remove_file(store.common_dir().join(format!("{name}.lock")));
            store.refs().remove_folders_of(&name);
        }
    }
}

/// Returns true if a fetch of another day began it, or no one knows when.
fn is_old(name: &str) -> bool {
    let unique = name
        .strip_prefix(SPACE)
        .and_then(|rest| rest.split('/').next());
    let began = unique.and_then(|text| text.parse::<Stamp>().ok());
    // In both directions: after the clock was set back, none is kept for ever.
    began.is_none_or(|began| began.millis().abs_diff(env::now()) > time::DAY)
}
