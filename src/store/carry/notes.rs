//! Which carry files were taken over, so that a branch that has not moved costs nothing.
//!
//! Nothing depends on it: where the file is gone, or can't be read, every file is looked at once more, which changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;

use serde::{Deserialize, Serialize};

use crate::store::{Oid, Result, Store, StoreError, private_file};

/// Its file below `.git/beads`, and how that begins while it is being written.
pub(in crate::store) const NOTES: (&str, &str) = ("carried.json", "carried-new-");
/// The largest file that is read.
const LARGEST: u64 = 8 << 20;
/// So many files are remembered.
const MOST: usize = 20_000;

/// The files that were looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CarryNotes {
    v: u32,
    /// The commits whose trees were looked at, each with the files that are still to be taken over.
    #[serde(default)]
    tips: BTreeMap<String, Vec<String>>,
    /// The blobs of files that are part of our history.
    #[serde(default)]
    done: BTreeSet<String>,
    /// The sums of the files that were written here.
    #[serde(default)]
    written: BTreeSet<String>,
}

impl CarryNotes {
    /// Returns what is remembered.
    pub(crate) fn of(store: &Store) -> Self {
        let path = store.folder().join(NOTES.0);
        let is_read = |meta: fs::Metadata| meta.is_file() && meta.len() <= LARGEST;
        let text = fs::symlink_metadata(&path)
            .ok()
            .filter(|meta| is_read(meta.clone()))
            .and_then(|_| fs::read_to_string(&path).ok());
        let notes = text.and_then(|text| serde_json::from_str(&text).ok());
        notes.unwrap_or_default()
    }

    /// Remembers it. What can't be written is looked at again.
    pub(crate) fn keep(&self, store: &Store) {
        if *self != Self::of(store) && self.write(store).is_err() {
            tracing::debug!("which files were taken over could not be noted");
        }
    }

    /// Returns true if all files in the tree of a commit were taken over.
    pub(crate) fn is_done_with(&self, tip: Oid) -> bool {
        let left = self.tips.get(&tip.to_string());
        left.is_some_and(|left| left.iter().all(|blob| self.done.contains(blob)))
    }

    /// Returns true if a file was taken over.
    pub(crate) fn is_done(&self, file: Oid) -> bool {
        self.done.contains(&file.to_string())
    }

    /// Notes a file that was taken over.
    pub(crate) fn done(&mut self, file: Oid) {
        if self.done.len() >= MOST {
            self.done.clear();
        }
        self.done.insert(file.to_string());
    }

    /// Notes a commit whose tree was looked at, with the files that wait.
    pub(crate) fn looked_at(&mut self, tip: Oid, waiting: &[Oid]) {
        let waiting = waiting.iter().map(ToString::to_string).collect();
        self.tips.insert(tip.to_string(), waiting);
    }

    /// Forgets commits that no branch of any remote leads to any more.
    pub(crate) fn forget_gone(&mut self, store: &Store) -> Result<()> {
        let tips = store.refs().below("refs/remotes/")?;
        let tips: BTreeSet<String> = tips
            .iter()
            .filter_map(|(_, tip)| Some(tip.as_ref()?.to_string()))
            .collect();
        self.tips.retain(|tip, _| tips.contains(tip));
        Ok(())
    }

    /// Returns true if the file with a sum was written here.
    pub(crate) fn has_written(&self, sum: &str) -> bool {
        self.written.contains(sum)
    }

    /// Notes the sums of files that are written here, and forgets those that are gone.
    pub(crate) fn wrote(&mut self, sums: impl Iterator<Item = String>, gone: &[String]) {
        self.written.retain(|sum| !gone.contains(sum));
        if self.written.len() >= MOST {
            self.written.clear();
        }
        self.written.extend(sums);
    }

    fn write(&self, store: &Store) -> Result<()> {
        let fail = |error| StoreError::Io {
            what: format!("can't write {}", NOTES.0),
            source: error,
        };
        private_file::folder(&store.folder(), store.permissions())?;
        let notes = Self {
            v: 1,
            ..self.clone()
        };
        let text = serde_json::to_string(&notes).map_err(|error| fail(error.into()))?;
        let scratch = store.permissions().own_scratch(NOTES.1, &store.folder());
        let mut scratch = scratch.map_err(fail)?;
        scratch.write_all(text.as_bytes()).map_err(fail)?;
        let kept = scratch.persist(store.folder().join(NOTES.0));
        kept.map(drop).map_err(|error| fail(error.into()))
    }
}
