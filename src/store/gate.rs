//! The gate: what comes from a remote passes here before it can reach our ref.
//!
//! Names, modes, depth and sizes are checked, sizes before anything is inflated. What is sound in these
//! and can't be read otherwise is carried as it is; anything else refuses the whole fetch.

use std::collections::{HashMap, HashSet};

use gix::objs::TreeRefIter;

use super::{Oid, Path, Result, Snapshot, Store, StoreError, unreadable};
use crate::model::Blob;

/// Components of the longest path: `issues/h/h/h/uid/entry.json`, and room for one more.
const DEEPEST: usize = 7;
/// Longest name in bytes.
const LONGEST_NAME: usize = 200;
/// Largest blob in bytes: far above what its limits can add up to in practice.
const LARGEST_BLOB: u64 = 64 << 20;
/// Largest tree in bytes.
const LARGEST_TREE: u64 = 64 << 20;
/// Most entries that one fetch may bring.
const MOST_ENTRIES: u64 = 50_000_000;

impl Store {
    /// Checks all that a tip brings beyond what is known.
    ///
    /// # Errors
    /// [`StoreError::Rejected`] naming the first thing that is not sound, and the limit it breaks.
    pub fn inspect(&self, tip: Oid, known: Option<Oid>) -> Result<()> {
        let new = Snapshot::at(self, tip)?;
        let mut gate = Gate { store: self, checked: HashMap::new() };
        let old = known.map(|known| Snapshot::at(self, known)).transpose()?;
        gate.tree(old.map(|old| old.tree().0), new.tree().0, "", 0)?;
        // What hides in the history would go on to every host and clone.
        for commit in new.history(known)? {
            gate.tree(None, Snapshot::at(self, commit.oid)?.tree().0, "", 0)?;
        }
        match new.find(Path::Meta)? {
            None if known.is_none() => Err(rejected("there is no meta.json: not a store of issues".to_owned())),
            None => Ok(()),
            Some((_, bytes)) => {
                Blob::parse(&bytes).map_err(|why| rejected(format!("meta.json: {why}")))?;
                Ok(())
            }
        }
    }
}

struct Gate<'s> {
    store: &'s Store,
    /// Entries below each tree that was found sound, by tree and depth: a tree is looked at once, however
    /// often it is named.
    checked: HashMap<(gix::ObjectId, usize), u64>,
}

fn rejected(what: String) -> StoreError {
    StoreError::Rejected(what)
}

impl Gate<'_> {
    /// Checks a tree and returns how many entries are below it, those of `old` left out.
    fn tree(&mut self, old: Option<gix::ObjectId>, new: gix::ObjectId, path: &str, depth: usize) -> Result<u64> {
        if old == Some(new) {
            return Ok(0);
        }
        if let Some(entries) = self.checked.get(&(new, depth)) {
            return Ok(*entries);
        }
        if depth >= DEEPEST {
            return Err(rejected(format!("{path}: deeper than {DEEPEST} folders")));
        }
        let known = old.map(|old| self.entries(old)).transpose()?.unwrap_or_default();
        self.size(new, gix::objs::Kind::Tree, LARGEST_TREE, path)?;
        let bytes = self.bytes(new)?;
        let mut names = HashSet::new();
        let mut below = 0u64;
        for entry in TreeRefIter::from_bytes(&bytes, self.store.repo.object_hash()) {
            let entry = entry.map_err(|_| rejected(format!("{path}: a malformed tree")))?;
            let name = name(entry.filename, path)?;
            if !names.insert(entry.filename) {
                return Err(rejected(format!("{path}/{name}: twice in one folder")));
            }
            let inside = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            let before = known.get(name);
            let oid = entry.oid.to_owned();
            below = below.saturating_add(1);
            if before.is_some_and(|(known, _)| *known == oid) {
                continue;
            }
            if entry.mode.is_tree() {
                let old = before.filter(|(_, tree)| *tree).map(|(oid, _)| *oid);
                below = below.saturating_add(self.tree(old, oid, &inside, depth + 1)?);
            } else if entry.mode.kind() == gix::objs::tree::EntryKind::Blob {
                self.size(oid, gix::objs::Kind::Blob, LARGEST_BLOB, &inside)?;
            } else {
                return Err(rejected(format!("{inside}: neither a plain file nor a folder")));
            }
            if below > MOST_ENTRIES {
                return Err(rejected(format!("more than {MOST_ENTRIES} entries")));
            }
        }
        self.checked.insert((new, depth), below);
        Ok(below)
    }

    fn bytes(&self, id: gix::ObjectId) -> Result<Vec<u8>> {
        Ok(self.store.repo.find_tree(id).map_err(unreadable(format!("tree {id}")))?.data.clone())
    }

    /// The entries of a tree that passed before: object and whether it is a folder, by name.
    fn entries(&self, id: gix::ObjectId) -> Result<HashMap<String, (gix::ObjectId, bool)>> {
        let bytes = self.bytes(id)?;
        let entries =
            TreeRefIter::from_bytes(&bytes, self.store.repo.object_hash()).filter_map(std::result::Result::ok);
        Ok(entries.map(|entry| (entry.filename.to_string(), (entry.oid.to_owned(), entry.mode.is_tree()))).collect())
    }

    fn size(&self, id: gix::ObjectId, kind: gix::objs::Kind, limit: u64, path: &str) -> Result<()> {
        let header = self.store.repo.find_header(id).map_err(unreadable(format!("{path} ({id})")))?;
        if header.kind() != kind {
            return Err(rejected(format!("{path}: not what its mode says")));
        }
        if header.size() > limit {
            return Err(rejected(format!("{path}: {} bytes; the limit is {limit}", header.size())));
        }
        Ok(())
    }
}

/// A name of letters, digits, `.`, `_` and `-` that no tool takes for an option or a place of its own.
fn name<'n>(bytes: &'n gix::bstr::BStr, path: &str) -> Result<&'n str> {
    let text = std::str::from_utf8(bytes).ok();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let sound = |text: &&str| {
        (1..=LONGEST_NAME).contains(&text.len()) && !text.starts_with(['.', '-']) && text.chars().all(plain)
    };
    text.filter(sound).ok_or_else(|| {
        let shown: String = bytes.iter().take(40).map(|byte| std::ascii::escape_default(*byte).to_string()).collect();
        rejected(format!("a bad name in `{path}`: \"{shown}\""))
    })
}
