//! What changed between two trees, in time proportional to the change.

use std::cmp::Ordering;

use gix::objs::{TreeRefIter, tree::EntryRef};

use super::{Oid, Result, Store, TreePath, unreadable};
use crate::model::Uid;

/// A path whose blob differs.
#[derive(Clone, Debug)]
pub struct TreeChange {
    /// The path, where it is one of ours.
    pub path: Option<TreePath>,
    /// Its text, for a path that is not.
    pub text: String,
    /// The blob before; none where the path is new.
    pub old: Option<Oid>,
    /// The blob now; none where the path is gone.
    pub oid: Option<Oid>,
}

impl Store {
    /// Calls `each` for every path that differs between two trees; `None` stands for the empty tree.
    ///
    /// # Errors
    /// A tree that can't be read, or what `each` fails with.
    pub fn diff<E: From<super::StoreError>>(
        &self,
        old: Option<Oid>,
        new: Oid,
        each: &mut dyn FnMut(&TreeChange) -> Result<(), E>,
    ) -> Result<(), E> {
        diff_trees(
            &self.repo,
            old.map(|oid| oid.0),
            Some(new.0),
            &mut String::new(),
            each,
        )
    }

    /// The same in the folder of one issue, whose paths are told in full; `None` is where there is no such folder.
    ///
    /// # Errors
    /// As [`Store::diff`].
    pub fn diff_issue<E: From<super::StoreError>>(
        &self,
        uid: Uid,
        old: Option<Oid>,
        new: Option<Oid>,
        each: &mut dyn FnMut(&TreeChange) -> Result<(), E>,
    ) -> Result<(), E> {
        diff_trees(
            &self.repo,
            old.map(|oid| oid.0),
            new.map(|oid| oid.0),
            &mut TreePath::issue_dir(uid),
            each,
        )
    }
}

fn tree_bytes(repo: &gix::Repository, id: Option<gix::ObjectId>) -> Result<Vec<u8>> {
    let Some(id) = id else { return Ok(Vec::new()) };
    let tree = repo
        .find_tree(id)
        .map_err(unreadable(format!("tree {id}")))?;
    Ok(tree.data.clone())
}

fn diff_trees<E: From<super::StoreError>>(
    repo: &gix::Repository,
    old: Option<gix::ObjectId>,
    new: Option<gix::ObjectId>,
    prefix: &mut String,
    each: &mut dyn FnMut(&TreeChange) -> Result<(), E>,
) -> Result<(), E> {
    if old == new {
        return Ok(());
    }
    let (old_bytes, new_bytes) = (tree_bytes(repo, old)?, tree_bytes(repo, new)?);
    let kind = repo.object_hash();
    let mut olds = TreeRefIter::from_bytes(&old_bytes, kind)
        .filter_map(std::result::Result::ok)
        .peekable();
    let mut news = TreeRefIter::from_bytes(&new_bytes, kind)
        .filter_map(std::result::Result::ok)
        .peekable();
    loop {
        let order = match (olds.peek(), news.peek()) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.cmp(b),
        };
        let a = if order.is_le() { olds.next() } else { None };
        let b = if order.is_ge() { news.next() } else { None };
        diff_entries(repo, a, b, prefix, each)?;
    }
}

fn diff_entries<E: From<super::StoreError>>(
    repo: &gix::Repository,
    old: Option<EntryRef<'_>>,
    new: Option<EntryRef<'_>>,
    prefix: &mut String,
    each: &mut dyn FnMut(&TreeChange) -> Result<(), E>,
) -> Result<(), E> {
    let same = |a: &EntryRef<'_>, b: &EntryRef<'_>| a.oid == b.oid && a.mode == b.mode;
    if let (Some(a), Some(b)) = (&old, &new)
        && same(a, b)
    {
        return Ok(());
    }
    let Some(either) = new.as_ref().or(old.as_ref()) else {
        return Ok(());
    };
    let length = prefix.len();
    if length > 0 {
        prefix.push('/');
    }
    prefix.push_str(&String::from_utf8_lossy(either.filename));
    let tree = |entry: &Option<EntryRef<'_>>| {
        entry
            .as_ref()
            .filter(|entry| entry.mode.is_tree())
            .map(|entry| entry.oid.to_owned())
    };
    let blob = |entry: &Option<EntryRef<'_>>| {
        entry
            .as_ref()
            .filter(|entry| entry.mode.is_blob())
            .map(|entry| Oid(entry.oid.to_owned()))
    };
    let result = if either.mode.is_tree() {
        diff_trees(repo, tree(&old), tree(&new), prefix, each)
    } else {
        each(&TreeChange {
            path: TreePath::parse(prefix),
            text: prefix.clone(),
            old: blob(&old),
            oid: blob(&new),
        })
    };
    prefix.truncate(length);
    result
}
