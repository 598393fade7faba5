//! The blobs that a write has collected, before they are committed.
//!
//! A few are kept in memory and written as loose objects. Many go through `git fast-import` as they
//! come, into one pack: ten times less disk, twice as fast.

use std::collections::BTreeMap;

use super::fast_import::FastImport;
use super::object::Objects;
use super::tree_writer::write_tree;
use super::{Oid, Result, Snapshot, Store, TreePath};
use crate::model::Blob;

/// More blobs than this become a pack.
const LOOSE: usize = 100;

/// Blobs by path.
pub struct Changes<'s> {
    store: &'s Store,
    held: BTreeMap<String, Vec<u8>>,
    bulk: Option<FastImport>,
}

impl<'s> Changes<'s> {
    /// Makes an empty set.
    pub fn new(store: &'s Store) -> Self {
        Self {
            store,
            held: BTreeMap::new(),
            bulk: None,
        }
    }

    /// Returns true if there is nothing to commit.
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty() && self.bulk.is_none()
    }

    /// Adds a blob; a later one at the same path replaces it.
    pub(crate) fn put(&mut self, path: TreePath, blob: &Blob) -> Result<()> {
        self.add(path, blob.to_checked_bytes()?)
    }

    /// Adds the bytes of a blob that was checked.
    pub fn add(&mut self, path: TreePath, bytes: Vec<u8>) -> Result<()> {
        if let Some(bulk) = &mut self.bulk {
            return bulk.blob(&path.to_string(), &bytes);
        }
        self.held.insert(path.to_string(), bytes);
        if self.held.len() > LOOSE {
            let mut bulk = FastImport::start(self.store)?;
            // Those that were held too: a pack that has one part of a change would be no gain.
            for (path, bytes) in std::mem::take(&mut self.held) {
                bulk.blob(&path, &bytes)?;
            }
            self.bulk = Some(bulk);
        }
        Ok(())
    }

    /// Makes blobs, trees and the commit on top of a state; moves no ref.
    ///
    /// Objects that came through `git fast-import` are in its pack already, all others in `objects`.
    pub(super) fn write(
        self,
        base: Option<&Snapshot<'_>>,
        commit: gix::objs::Commit,
        objects: &mut Objects,
    ) -> Result<Oid> {
        match self.bulk {
            Some(bulk) => {
                let oid = bulk.commit(base.map(Snapshot::commit), &commit)?;
                // Git syncs the pack, but not the folder that names it.
                self.store.packs().sync_packs()?;
                Ok(oid)
            }
            None => {
                let mut edits = BTreeMap::new();
                for (path, bytes) in self.held {
                    edits.insert(path, objects.add_blob(&bytes)?);
                }
                let empty = Oid(self.store.repo.empty_tree().id);
                let tree = base.map_or(empty, Snapshot::tree);
                let tree = write_tree(self.store, tree, &edits, objects)?.0;
                objects.add(&gix::objs::Commit {
                    tree,
                    parents: base.map(|base| base.commit().0).into_iter().collect(),
                    ..commit
                })
            }
        }
    }
}
