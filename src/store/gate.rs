//! The gate: what comes from a remote passes here before it can reach our ref.
//!
//! Names, modes, depth and sizes are checked, sizes before anything is inflated. What is sound in these
//! and can't be read otherwise is carried as it is; anything else refuses the whole fetch.

use gix::objs::TreeRefIter;

use super::{Oid, Result, Snapshot, Store, StoreError, unreadable};

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
        let old = known.map(|known| Snapshot::at(self, known)).transpose()?;
        let mut gate = Gate { store: self, entries: 0 };
        gate.tree(old.map(|old| old.tree().0), new.tree().0, "", 0)
    }
}

struct Gate<'s> {
    store: &'s Store,
    entries: u64,
}

fn rejected(what: String) -> StoreError {
    StoreError::Rejected(what)
}

impl Gate<'_> {
    fn tree(&mut self, old: Option<gix::ObjectId>, new: gix::ObjectId, path: &str, depth: usize) -> Result<()> {
        if old == Some(new) {
            return Ok(());
        }
        if depth >= DEEPEST {
            return Err(rejected(format!("{path}: deeper than {DEEPEST} folders")));
        }
        self.size(new, gix::objs::Kind::Tree, LARGEST_TREE, path)?;
        let read = |id: gix::ObjectId| -> Result<Vec<u8>> {
            Ok(self.store.repo.find_tree(id).map_err(unreadable(format!("tree {id}")))?.data.clone())
        };
        let old_bytes = old.map(read).transpose()?.unwrap_or_default();
        let new_bytes = read(new)?;
        let kind = self.store.repo.object_hash();
        let known: std::collections::HashMap<&[u8], (gix::ObjectId, bool)> = TreeRefIter::from_bytes(&old_bytes, kind)
            .filter_map(std::result::Result::ok)
            .map(|entry| (entry.filename.as_ref(), (entry.oid.to_owned(), entry.mode.is_tree())))
            .collect();
        let mut names = std::collections::HashSet::new();
        for entry in TreeRefIter::from_bytes(&new_bytes, kind) {
            let entry = entry.map_err(|_| rejected(format!("{path}: a malformed tree")))?;
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                return Err(rejected(format!("more than {MOST_ENTRIES} entries")));
            }
            let name = name(entry.filename, path)?;
            if !names.insert(entry.filename) {
                return Err(rejected(format!("{path}/{name}: twice in one folder")));
            }
            let below = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            let before = known.get(entry.filename.as_ref() as &[u8]);
            if before.is_some_and(|(oid, _)| **oid == *entry.oid) {
                continue;
            }
            let oid = entry.oid.to_owned();
            if entry.mode.is_tree() {
                self.tree(before.filter(|(_, tree)| *tree).map(|(oid, _)| *oid), oid, &below, depth + 1)?;
            } else if entry.mode.kind() == gix::objs::tree::EntryKind::Blob {
                self.size(oid, gix::objs::Kind::Blob, LARGEST_BLOB, &below)?;
            } else {
                return Err(rejected(format!("{below}: neither a plain file nor a folder")));
            }
        }
        Ok(())
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
