//! The blobs that a write has collected, before they are committed.
//!
//! A few are kept in memory and written as loose objects. Many go through `git fast-import` as they
//! come, into one pack: ten times less disk, twice as fast.

use std::collections::BTreeMap;

use super::fast_import::FastImport;
use super::object::Objects;
use super::rewrite::Rewriting;
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
    rewriting: Option<Rewriting>,
}

impl<'s> Changes<'s> {
    /// Makes an empty set.
    pub fn new(store: &'s Store) -> Self {
        Self {
            store,
            held: BTreeMap::new(),
            bulk: None,
            rewriting: None,
        }
    }

    /// Returns true if there is nothing to commit.
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty() && self.bulk.is_none()
    }

    /// Has commits rewritten before these changes.
    pub(crate) fn rewrite(&mut self, rewriting: Rewriting) {
        self.rewriting = Some(rewriting);
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

    /// Makes blobs, trees and the commit on top of a state; moves no ref. Returns it with the commits that were rewritten, each
    /// with the one in its place.
    ///
    /// Objects that came through `git fast-import` are in its pack already, all others in `objects`.
    pub(super) fn write(
        mut self,
        base: Option<&Snapshot<'_>>,
        commit: gix::objs::Commit,
        objects: &mut Objects,
    ) -> Result<(Oid, Vec<(Oid, Oid)>)> {
        let store = self.store;
        let Some(rewriting) = self.rewriting.take() else {
            return Ok((self.write_on(base, commit, objects)?, Vec::new()));
        };
        let tree = self.write_tree(base, &commit, objects)?;
        let rewritten = rewriting.run(store, tree, objects)?;
        // The last one is the state that these changes were made to.
        let parents = rewritten.last().map(|(_, new)| new.0).into_iter().collect();
        let tip = objects.add(&gix::objs::Commit {
            tree: tree.0,
            parents,
            ..commit
        })?;
        Ok((tip, rewritten))
    }

    fn write_on(
        self,
        base: Option<&Snapshot<'_>>,
        commit: gix::objs::Commit,
        objects: &mut Objects,
    ) -> Result<Oid> {
        if let Some(bulk) = self.bulk {
            let oid = bulk.commit(base.map(Snapshot::commit), &commit)?;
            // Git syncs the pack, but not the folder that names it.
            self.store.packs().sync_packs()?;
            return Ok(oid);
        }
        let tree = self.write_tree(base, &commit, objects)?.0;
        objects.add(&gix::objs::Commit {
            tree,
            parents: base.map(|base| base.commit().0).into_iter().collect(),
            ..commit
        })
    }

    /// Makes the blobs and trees alone. Git makes many of them with a commit, to which nothing leads then.
    fn write_tree(
        mut self,
        base: Option<&Snapshot<'_>>,
        commit: &gix::objs::Commit,
        objects: &mut Objects,
    ) -> Result<Oid> {
        if let Some(bulk) = self.bulk.take() {
            let oid = bulk.commit(base.map(Snapshot::commit), commit)?;
            self.store.packs().sync_packs()?;
            return Ok(Snapshot::at(self.store, oid)?.tree());
        }
        let mut edits = BTreeMap::new();
        for (path, bytes) in self.held {
            edits.insert(path, objects.add_blob(&bytes)?);
        }
        let empty = Oid(self.store.repo.empty_tree().id);
        let tree = base.map_or(empty, Snapshot::tree);
        write_tree(self.store, tree, &edits, objects)
    }
}
