//! Locks of a reftable that a git of ours has left which was killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::file_fingerprint::{FileFingerprint, fingerprint};
use super::super::owns;
use super::super::ref_locks::open_by;
use super::format::Reftable;

/// A lock that is there this much later, and that nobody has open, is nobody's.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// The same where the system does not show who has a file open.
const LOOK_AGAIN_UNSEEN: Duration = Duration::from_secs(2);

impl Reftable {
    /// Removes locks of the stack that were made in a time, by a git that has ended since: nobody has them open, and
    /// they stay. The caller holds our lock, so no two remove one after the other; and while a lock is there nobody can
    /// make another one in its place.
    pub(super) fn remove_dead_locks(&self, is_of_then: impl Fn(&fs::Metadata) -> bool) {
        let then = self.locks(&is_of_then);
        if then.is_empty() {
            return;
        }
        let is_seen = Path::new("/proc/self/fd").is_dir();
        std::thread::sleep(if is_seen {
            LOOK_AGAIN
        } else {
            LOOK_AGAIN_UNSEEN
        });
        for lock in self
            .locks(&is_of_then)
            .iter()
            .filter(|lock| then.contains(lock))
        {
            let (path, _) = lock;
            if fs::symlink_metadata(path).is_ok_and(|meta| open_by(&meta).is_none()) {
                // If it can't be removed the write says so.
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Returns the locks of the stack and of its tables that are there.
    pub(super) fn lock_files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        paths
            .filter(|path| path.extension().is_some_and(|ending| ending == "lock"))
            .collect()
    }

    /// Returns those of this user that were made in a time.
    fn locks(
        &self,
        is_of_then: impl Fn(&fs::Metadata) -> bool,
    ) -> Vec<(PathBuf, Option<FileFingerprint>)> {
        let is_ours = |path: &PathBuf| {
            let meta = fs::symlink_metadata(path);
            meta.is_ok_and(|meta| owns(&meta) && is_of_then(&meta))
        };
        let found = self.lock_files().into_iter().filter(is_ours);
        found
            .map(|path| (path.clone(), fingerprint(&path)))
            .collect()
    }
}
