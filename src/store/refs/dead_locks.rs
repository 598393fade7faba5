//! Locks of a reftable that a git of our own has left which was killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::format::Reftable;
use crate::files;
use crate::platform::{self, FileFingerprint, FileId};

/// A lock that is there this much later, and that no one is at, is abandoned.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

impl Reftable {
    /// Removes locks of the stack that were made in a time, by a git that has ended since: no one is at them, and they
    /// stay. Where the system does not show who has a file open they are left to `doctor`. The caller holds our lock,
    /// so no two remove one after the other; and while a lock is there no one can make another one in its place.
    pub(super) fn remove_dead_locks(&self, is_of_then: impl Fn(&fs::Metadata) -> bool) {
        let then = self.locks(&is_of_then);
        if then.is_empty() || !platform::shows_open_files() {
            return;
        }
        std::thread::sleep(LOOK_AGAIN);
        let now = self.locks(&is_of_then);
        for (path, _) in now.iter().filter(|lock| then.contains(lock)) {
            if !self.is_held(path) {
                // If it can't be removed the write says so.
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Returns true where a process is at a lock. A git that merges tables closes the locks of those at once, so one of
    /// them may be held as long as anything of the stack is open: the table that is being written is.
    fn is_held(&self, lock: &Path) -> bool {
        let is_open =
            |path: &Path| FileId::at_link(path).is_ok_and(|id| platform::opened_by(id).is_some());
        if lock == self.lock_file() {
            return is_open(lock);
        }
        let entries = files::entries(&self.folder);
        entries.map(|entry| entry.path()).any(|path| is_open(&path))
    }

    /// Returns the locks of the stack and of its tables that are there.
    pub(super) fn lock_files(&self) -> Vec<PathBuf> {
        let entries = files::entries(&self.folder);
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
            meta.is_ok_and(|meta| platform::owns(&meta) && is_of_then(&meta))
        };
        let found = self.lock_files().into_iter().filter(is_ours);
        found
            .map(|path| (path.clone(), FileFingerprint::at(&path).ok()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::fs::{self, File};

    use super::{Reftable, platform};

    #[test]
    fn locks_of_tables_stay_while_anything_of_the_stack_is_open() {
        if !platform::shows_open_files() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let table = Reftable {
            folder: dir.path().to_owned(),
            has_head: true,
            known: RefCell::default(),
        };
        let (list, of_table) = (table.lock_file(), dir.path().join("0x1-0x2-a.ref.lock"));
        for lock in [&list, &of_table] {
            fs::write(lock, "").unwrap();
        }
        let merged = File::create(dir.path().join("merged.ref")).unwrap();
        table.remove_dead_locks(|_| true);
        assert!(!list.exists() && of_table.exists());
        drop(merged);
        table.remove_dead_locks(|_| false);
        assert!(of_table.exists());
        table.remove_dead_locks(|_| true);
        assert!(!of_table.exists());
    }
}
