//! Changes in folders, on a system whose reports of them are not used: they have to be looked for.

use std::os::fd::BorrowedFd;
use std::path::PathBuf;

/// Returns false: no change is reported.
pub(crate) fn are_reported(_folders: &[PathBuf]) -> bool {
    false
}

pub(super) struct FolderWatch;

impl FolderWatch {
    pub(super) fn new() -> Self {
        Self
    }

    pub(super) fn watch(&mut self, _folders: &[PathBuf]) {}

    /// Returns false: no change is reported.
    pub(super) fn sees_all(&self) -> bool {
        false
    }

    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    pub(super) fn take_changes(&self) -> bool {
        false
    }
}
