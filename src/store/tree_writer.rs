//! Putting blobs into a tree.

use std::collections::BTreeMap;

use gix::objs::WriteTo;

use super::object::Objects;
use super::{Oid, Result, Store, StoreError, unwritable};
use crate::model::limits::LARGEST_TREE;
use crate::model::limits::ValueError;

/// Puts blobs into a tree, by path, and makes the trees that change, none of which others would refuse.
pub(super) fn write_tree(
    store: &Store,
    base: Oid,
    edits: &BTreeMap<String, Oid>,
    objects: &mut Objects,
) -> Result<Oid> {
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
    // The editor takes errors of gix alone, so the size that was too large is handed out separately.
    let mut full = None;
    let tree = editor.write(|tree| {
        let size = usize::try_from(tree.size()).unwrap_or(usize::MAX);
        if size > LARGEST_TREE {
            full = Some(size);
            return Err(gix::Error::from_error(std::io::Error::other("too large")));
        }
        objects
            .add(tree)
            .map(|oid| oid.0)
            .map_err(gix::Error::from_error)
    });
    match full {
        Some(size) => Err(too_many(size)),
        None => Ok(Oid(tree.map_err(unwritable("can't write a tree"))?)),
    }
}

fn too_many(size: usize) -> StoreError {
    StoreError::Limit(ValueError::Full {
        size,
        unit: "bytes of names in one folder",
        limit: LARGEST_TREE,
    })
}
