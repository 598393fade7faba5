//! Objects that a write has made and that no ref leads to yet.
//!
//! They belong to the write, not to the store: they exist in memory until the journal has them, and a write that is
//! given up takes them along.

use std::collections::HashMap;

use gix::objs::{Kind, WriteTo};

use super::{Oid, Result, StoreError, explain};

/// Looks for an object, and once more where it is not found: gix sees its file and reads it, and a process that packs can
/// remove it in between.
pub(crate) fn look_twice<T, E>(
    look: impl Fn() -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    look().or_else(|_| look())
}

/// An object with its id and bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) id: gix::ObjectId,
    pub(super) kind: Kind,
    pub(super) bytes: Vec<u8>,
}

/// The new objects of one write, in the order in which they were made.
pub struct Objects {
    hash: gix::hash::Kind,
    list: Vec<Object>,
    by_id: HashMap<gix::ObjectId, usize>,
}

impl Objects {
    /// Makes an empty list of objects that are named by a hash.
    pub(super) fn new(hash: gix::hash::Kind) -> Self {
        Self {
            hash,
            list: Vec::new(),
            by_id: HashMap::new(),
        }
    }

    /// Makes a list of objects that were made before.
    pub(super) fn of(hash: gix::hash::Kind, made: Vec<Object>) -> Self {
        let mut objects = Self::new(hash);
        for object in made {
            let next = objects.list.len();
            if *objects.by_id.entry(object.id).or_insert(next) == next {
                objects.list.push(object);
            }
        }
        objects
    }

    /// Adds a blob.
    pub(super) fn add_blob(&mut self, bytes: &[u8]) -> Result<Oid> {
        self.insert(Kind::Blob, bytes.to_vec())
    }

    /// Adds a tree or a commit.
    pub(super) fn add(&mut self, object: &impl WriteTo) -> Result<Oid> {
        let mut bytes = Vec::new();
        object
            .write_to(&mut bytes)
            .map_err(|error| failed(error.to_string()))?;
        self.insert(object.kind(), bytes)
    }

    fn insert(&mut self, kind: Kind, bytes: Vec<u8>) -> Result<Oid> {
        let id = gix::objs::compute_hash(self.hash, kind, &bytes)
            .map_err(|error| failed(explain(&error)))?;
        let next = self.list.len();
        if *self.by_id.entry(id).or_insert(next) == next {
            self.list.push(Object { id, kind, bytes });
        }
        Ok(Oid(id))
    }

    /// Returns the bytes of an object, if it is one of these.
    pub(super) fn get(&self, id: Oid) -> Option<&[u8]> {
        let at = self.by_id.get(&id.0)?;
        Some(&self.list[*at].bytes)
    }

    pub(super) fn as_slice(&self) -> &[Object] {
        &self.list
    }

    pub(super) fn into_vec(self) -> Vec<Object> {
        self.list
    }
}

pub(super) fn failed(why: String) -> StoreError {
    StoreError::Write {
        what: "can't write an object".into(),
        why,
        kind: None,
    }
}
