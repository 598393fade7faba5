//! Which carry files were taken over, so that a branch that has not moved costs nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::store::notes_file::NotesFile;
use crate::store::{Oid, Result, Store};

/// Its file.
pub(in crate::store) const NOTES: NotesFile = NotesFile {
    name: "carried.json",
    unfinished: "carried-new-",
    largest: 8 << 20,
};
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
    /// The blobs of files that were left alone, and named.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    named: BTreeSet<String>,
    /// The tips of the files that were written here, the newest last; of files of earlier versions, their sums.
    #[serde(default)]
    written: Vec<String>,
}

impl CarryNotes {
    /// Returns what is remembered.
    pub(crate) fn of(store: &Store) -> Self {
        NOTES.read(store)
    }

    /// Remembers it.
    pub(crate) fn keep(&mut self, store: &Store) {
        self.v = 1;
        NOTES.write(store, self);
    }

    /// Takes over what an exchange has learned since it has read them.
    pub(crate) fn learn(&mut self, learned: &Self) {
        self.tips.extend(learned.tips.clone());
        self.done.extend(learned.done.iter().cloned());
        self.named.extend(learned.named.iter().cloned());
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

    /// Notes a file that is left alone, and named.
    pub(crate) fn name(&mut self, file: Oid) {
        self.named.insert(file.to_string());
    }

    /// Returns true if a file was left alone, and named.
    pub(crate) fn has_named(&self, file: Oid) -> bool {
        self.named.contains(&file.to_string())
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
        let waiting: BTreeSet<&String> = self.tips.values().flatten().collect();
        self.named.retain(|file| waiting.contains(file));
        Ok(())
    }

    /// Returns true if the file with a tip, or a sum, was written here.
    pub(crate) fn has_written(&self, name: &str) -> bool {
        self.written.iter().any(|written| written == name)
    }

    /// Returns the tips of the files that were written here, and the sums.
    pub(super) fn written(&self) -> impl Iterator<Item = &String> {
        self.written.iter()
    }

    /// Returns true if a file that was written here can have such a name, which ends with the beginning of its tip or sum.
    pub(crate) fn has_written_name(&self, name: &str) -> bool {
        let stem = name.split('.').next().unwrap_or_default();
        let digits = stem.rsplit('-').next().filter(|it| !it.is_empty());
        digits.is_some_and(|digits| self.written.iter().any(|it| it.starts_with(digits)))
    }

    /// Notes at once that a file with a tip has left this clone.
    pub(crate) fn note_written(store: &Store, tip: Oid) {
        let mut notes = Self::of(store);
        notes.wrote(tip);
        notes.keep(store);
    }

    /// Notes the tip of a file that is written here.
    pub(super) fn wrote(&mut self, tip: Oid) {
        let tip = tip.to_string();
        self.written.retain(|written| *written != tip);
        if self.written.len() >= MOST {
            self.written.drain(..MOST / 2);
        }
        self.written.push(tip);
    }

    /// Forgets files that were written here and that no one can have.
    pub(super) fn forget_written(&mut self, gone: &[String]) {
        self.written.retain(|written| !gone.contains(written));
    }
}
