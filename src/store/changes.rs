//! The blobs of an operation before they are committed.
//!
//! A few are kept in memory and written as loose objects. Many go through `git fast-import` as they
//! come, into one pack: ten times less disk, twice as fast.

use std::collections::BTreeMap;

use gix::objs::WriteTo;

use super::fast_import::FastImport;
use super::{Oid, Path, Result, Store, StoreError, unwritable};
use crate::model::Blob;
use crate::model::issue::BadValue;
use crate::model::limits::LARGEST_TREE;

/// More blobs than this become a pack.
const LOOSE: usize = 100;

/// Blobs by path.
pub struct Draft<'s> {
    store: &'s Store,
    held: BTreeMap<String, Vec<u8>>,
    bulk: Option<FastImport>,
}

impl<'s> Draft<'s> {
    /// Makes an empty draft.
    pub fn new(store: &'s Store) -> Self {
        Self {
            store,
            held: BTreeMap::new(),
            bulk: None,
        }
    }

    /// Whether there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && self.bulk.is_none()
    }

    /// Adds a blob; a later one at the same path replaces it.
    ///
    /// # Errors
    /// A blob past a limit of the format; a failing `git fast-import`.
    pub fn put(&mut self, path: Path, blob: &Blob) -> Result<()> {
        self.add(path, blob.to_checked_bytes()?)
    }

    /// Adds the bytes of a blob that was checked.
    ///
    /// # Errors
    /// A failing `git fast-import`.
    pub fn add(&mut self, path: Path, bytes: Vec<u8>) -> Result<()> {
        if let Some(bulk) = &mut self.bulk {
            return bulk.blob(&path.to_string(), &bytes);
        }
        self.held.insert(path.to_string(), bytes);
        if self.held.len() > LOOSE {
            let mut bulk = FastImport::start(self.store)?;
            for (path, bytes) in std::mem::take(&mut self.held) {
                bulk.blob(&path, &bytes)?;
            }
            self.bulk = Some(bulk);
        }
        Ok(())
    }

    /// Writes blobs, trees and the commit; moves no ref.
    pub(super) fn write(
        self,
        parent: Option<(Oid, Oid)>,
        commit: &gix::objs::Commit,
    ) -> Result<Oid> {
        match self.bulk {
            Some(bulk) => {
                let oid = bulk.commit(parent.map(|(commit, _)| commit), commit)?;
                self.store.sync_packs()?;
                Ok(oid)
            }
            None => self.write_loose(parent, commit),
        }
    }

    fn write_loose(self, parent: Option<(Oid, Oid)>, commit: &gix::objs::Commit) -> Result<Oid> {
        let repo = &self.store.repo;
        let base = parent.map_or_else(|| Oid(repo.empty_tree().id), |(_, tree)| tree);
        let mut edits = BTreeMap::new();
        for (path, bytes) in self.held {
            edits.insert(path, self.store.write_blob(&bytes)?);
        }
        let tree = write_tree(self.store, base, &edits)?.0;
        let parents = parent.into_iter().map(|(commit, _)| commit.0).collect();
        self.store.write_commit(&gix::objs::Commit {
            tree,
            parents,
            ..commit.clone()
        })
    }
}

/// Puts blobs into a tree, by path, and writes the trees that change, none of which others would refuse.
pub(super) fn write_tree(store: &Store, base: Oid, edits: &BTreeMap<String, Oid>) -> Result<Oid> {
    let mut editor = store
        .repo
        .edit_tree(base.0)
        .map_err(unwritable("can't edit the tree"))?
        .detach();
    for (path, blob) in edits {
        let kind = gix::objs::tree::EntryKind::Blob;
        editor
            .upsert(path.split('/'), kind, blob.0)
            .map_err(unwritable("can't edit the tree"))?;
    }
    let mut full = None;
    let tree = editor.write(|tree| {
        let size = usize::try_from(tree.size()).unwrap_or(usize::MAX);
        if size > LARGEST_TREE {
            full = Some(size);
            return Err(gix::Error::from_error(std::io::Error::other("too large")));
        }
        store
            .write_object(tree)
            .map(|oid| oid.0)
            .map_err(gix::Error::from_error)
    });
    match full {
        Some(size) => Err(too_many(size)),
        None => Ok(Oid(tree.map_err(unwritable("can't write a tree"))?)),
    }
}

fn too_many(size: usize) -> StoreError {
    StoreError::Limit(BadValue::Full {
        size,
        unit: "bytes of names in one folder",
        limit: LARGEST_TREE,
    })
}
