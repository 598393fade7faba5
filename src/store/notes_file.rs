//! Notes below `.git/beads` on which nothing depends: where such a file is gone, or can't be read, all of it is learned once
//! more.

use std::fs;
use std::io::Write as _;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Result, Store, StoreError, private_file};
use crate::platform;

/// A file of notes.
pub(super) struct NotesFile {
    /// Its name.
    pub(super) name: &'static str,
    /// How its name begins while it is being written.
    pub(super) unfinished: &'static str,
    /// The most bytes that are read.
    pub(super) largest: u64,
}

impl NotesFile {
    /// Returns what it holds; nothing where it can't be read.
    pub(super) fn read<T: DeserializeOwned + Default>(&self, store: &Store) -> T {
        let text = self.text(store);
        let notes = text.and_then(|text| serde_json::from_str(&text).ok());
        notes.unwrap_or_default()
    }

    fn text(&self, store: &Store) -> Option<String> {
        let path = store.folder().join(self.name);
        let meta = fs::symlink_metadata(&path).ok()?;
        let is_read = meta.is_file() && meta.len() <= self.largest;
        is_read.then(|| fs::read_to_string(&path).ok())?
    }

    /// Replaces it. What can't be written is learned again.
    pub(super) fn write(&self, store: &Store, notes: &impl Serialize) {
        if self.try_write(store, notes).is_err() {
            tracing::debug!(name = self.name, "notes could not be written");
        }
    }

    /// Replaces it.
    /// Errors: The folder or the file can't be written.
    pub(super) fn try_write(&self, store: &Store, notes: &impl Serialize) -> Result<()> {
        let fail = |error| StoreError::Io {
            what: format!("can't write {}", self.name),
            source: error,
        };
        private_file::folder(&store.folder(), store.permissions())?;
        let text = serde_json::to_string(notes).map_err(|error| fail(error.into()))?;
        let scratch = store
            .permissions()
            .own_scratch(self.unfinished, &store.folder());
        let mut scratch = scratch.map_err(fail)?;
        scratch.write_all(text.as_bytes()).map_err(fail)?;
        let kept = platform::persist_file(scratch, &store.folder().join(self.name));
        kept.map(drop).map_err(|error| fail(error.into()))
    }
}
