//! Locks of refs that lie around: where, since when, and whose they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::write_lock::{self, Previous};
use super::{Result, Store, private_file};
use crate::platform::{self, FileFingerprint};

/// A lock that is older belongs to no one any more, if no one has it open.
const OLD: Duration = Duration::from_secs(600);
/// A lock that is there this much later is no passing one.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// A lock of a ref, or of the packed refs.
#[derive(Clone, Debug)]
pub(crate) struct LeftLock {
    /// Its file.
    pub path: PathBuf,
    /// For how long it has been there.
    pub age: Duration,
    /// The process that has it, as far as that can be seen.
    pub holder: Option<String>,
    state: FileFingerprint,
}

impl LeftLock {
    /// Returns true if it is so old that no one can be at it.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.age > OLD && self.holder.is_none()
    }
}

/// The locks of refs that someone left.
#[derive(Clone, Copy)]
pub(crate) struct RefLocks<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the locks of refs that someone left.
    pub(crate) fn ref_locks(&self) -> RefLocks<'_> {
        RefLocks { store: self }
    }
}

impl RefLocks<'_> {
    /// Returns the locks of refs that are in the way; one that goes away by itself does not count.
    pub(crate) fn left_locks(self) -> Vec<LeftLock> {
        let first = self.locks_now();
        if first.iter().all(LeftLock::is_abandoned) {
            return first;
        }
        std::thread::sleep(LOOK_AGAIN);
        // Not by the number of the file alone, which a file system gives to the next lock.
        let stayed = |now: &LeftLock| first.iter().any(|then| then.state == now.state);
        self.locks_now().into_iter().filter(stayed).collect()
    }

    /// Moves the locks out of the way that no one can be at.
    pub(crate) fn set_left_locks_aside(self) -> Result<()> {
        let _lock = self.store.lock()?;
        for left in self.locks_now().iter().filter(|left| left.is_abandoned()) {
            let name = left
                .path
                .strip_prefix(self.store.common_dir())
                .unwrap_or(&left.path);
            let name = name
                .display()
                .to_string()
                .replace("refs/beads/", "")
                .replace('/', "-");
            let aside = format!("aside-{name}-{}", self.store.env().now());
            private_file::set_aside(
                &left.path,
                &self.store.folder().join(aside),
                self.store.permissions(),
            )?;
        }
        Ok(())
    }

    fn locks_now(self) -> Vec<LeftLock> {
        let paths = self.store.refs().lock_files();
        paths
            .iter()
            .filter_map(|path| self.left_lock(path))
            .collect()
    }

    fn left_lock(self, path: &Path) -> Option<LeftLock> {
        let meta = fs::symlink_metadata(path).ok()?;
        let state = FileFingerprint::at_link(path).ok()?;
        Some(LeftLock {
            path: path.to_owned(),
            age: meta.modified().ok()?.elapsed().unwrap_or_default(),
            holder: self
                .noted_holder(path)
                .or_else(|| platform::opened_by(state.id)),
            state,
        })
    }

    /// Returns our writer whose note names the ref.
    fn noted_holder(self, path: &Path) -> Option<String> {
        let ours = private_file::existing(&self.store.folder().join("lock")).ok()??;
        let (process, _, _) = write_lock::read(&ours)?;
        let Previous::Died(Some(begun)) = write_lock::previous(&ours) else {
            return None;
        };
        (self.store.refs().lock_file(&begun.name) == path)
            .then(|| format!("process {process} of git-beads"))
    }
}
