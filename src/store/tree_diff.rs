//! The difference of two trees, in time proportional to the change.

use std::cmp::Ordering;

use gix::objs::{TreeRefIter, tree::EntryRef};

use super::{Oid, Result, Store, TreePath, unreadable};
use crate::model::Uid;

/// A path whose blob differs.
#[derive(Clone, Debug)]
pub struct TreeChange {
    /// The path, where it is one of the format.
    pub path: Option<TreePath>,
    /// Its text, for a path that is not.
    pub text: String,
    /// The blob before; none where the path is new.
    pub old: Option<Oid>,
    /// The blob now; none where the path is gone.
    pub oid: Option<Oid>,
}

impl Store {
    /// Calls `each` for every path that differs between two trees; `None` is the empty tree.
    pub fn diff<E: From<super::StoreError>>(
        &self,
        old: Option<Oid>,
        new: Oid,
        each: &mut dyn FnMut(&TreeChange) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut walk = TreePair {
            repo: &self.repo,
            prefix: String::new(),
            each,
        };
        walk.trees(old.map(|oid| oid.0), Some(new.0))
    }

    /// The same in the folder of one issue, whose paths are given in full; `None` is where there is no such folder.
    pub(crate) fn diff_issue<E: From<super::StoreError>>(
        &self,
        uid: Uid,
        old: Option<Oid>,
        new: Option<Oid>,
        each: &mut dyn FnMut(&TreeChange) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut walk = TreePair {
            repo: &self.repo,
            prefix: TreePath::issue_dir(uid),
            each,
        };
        walk.trees(old.map(|oid| oid.0), new.map(|oid| oid.0))
    }
}

/// Two trees on a walk through both at once.
struct TreePair<'w, E> {
    repo: &'w gix::Repository,
    /// The folder that is looked at; empty at the top.
    prefix: String,
    each: &'w mut dyn FnMut(&TreeChange) -> Result<(), E>,
}

impl<E: From<super::StoreError>> TreePair<'_, E> {
    fn bytes(&self, id: Option<gix::ObjectId>) -> Result<Vec<u8>> {
        let Some(id) = id else { return Ok(Vec::new()) };
        let tree = self
            .repo
            .find_tree(id)
            .map_err(unreadable(format!("tree {id}")))?;
        Ok(tree.data.clone())
    }

    fn trees(&mut self, old: Option<gix::ObjectId>, new: Option<gix::ObjectId>) -> Result<(), E> {
        // A tree with the same id is the same all the way down: this is why the time goes by the change.
        if old == new {
            return Ok(());
        }
        let (old_bytes, new_bytes) = (self.bytes(old)?, self.bytes(new)?);
        let kind = self.repo.object_hash();
        let mut olds = TreeRefIter::from_bytes(&old_bytes, kind)
            .filter_map(std::result::Result::ok)
            .peekable();
        let mut news = TreeRefIter::from_bytes(&new_bytes, kind)
            .filter_map(std::result::Result::ok)
            .peekable();
        loop {
            // A folder sorts as if its name ended with a slash: one in the place of a file is an entry of its own.
            let order = match (olds.peek(), news.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.cmp(b),
            };
            let a = if order.is_le() { olds.next() } else { None };
            let b = if order.is_ge() { news.next() } else { None };
            self.entries(a, b)?;
        }
    }

    fn entries(&mut self, old: Option<EntryRef<'_>>, new: Option<EntryRef<'_>>) -> Result<(), E> {
        if let (Some(a), Some(b)) = (&old, &new)
            && a.oid == b.oid
            && a.mode == b.mode
        {
            return Ok(());
        }
        let Some(either) = new.as_ref().or(old.as_ref()) else {
            return Ok(());
        };
        let length = self.prefix.len();
        if length > 0 {
            self.prefix.push('/');
        }
        self.prefix
            .push_str(&String::from_utf8_lossy(either.filename));
        let result = if either.mode.is_tree() {
            self.trees(tree_of(old), tree_of(new))
        } else {
            (self.each)(&TreeChange {
                path: TreePath::parse(&self.prefix),
                text: self.prefix.clone(),
                old: blob_of(old),
                oid: blob_of(new),
            })
        };
        self.prefix.truncate(length);
        result
    }
}

fn tree_of(entry: Option<EntryRef<'_>>) -> Option<gix::ObjectId> {
    entry
        .filter(|entry| entry.mode.is_tree())
        .map(|entry| entry.oid.to_owned())
}

fn blob_of(entry: Option<EntryRef<'_>>) -> Option<Oid> {
    entry
        .filter(|entry| entry.mode.is_blob())
        .map(|entry| Oid(entry.oid.to_owned()))
}
