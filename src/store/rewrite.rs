//! Rewriting commits without the text of an issue, for a purge: what was sent to no one need not be kept for anyone.
//!
//! The marks of the purge are in the place of its blobs, and messages lose what they say of it, as the index forgets it. All
//! else stays: authors, times, merges, the order, and what other issues say of this one.

use std::collections::HashMap;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice as _};
use gix::objs::{Commit, Tree, TreeRef};

use super::object::Objects;
use super::{Oid, Result, Store, StoreError, TreePath, unreadable};
use crate::model::{Context, Uid};

/// The trailer that names commits.
const UNDOES: &str = "Undoes: ";

/// The commits to be rewritten without the text of an issue.
#[derive(Clone, Debug)]
pub(crate) struct Rewriting {
    /// The issue.
    pub(crate) issue: Uid,
    /// All commits that hold it, each after its parents.
    pub(crate) commits: Vec<Oid>,
}

impl Rewriting {
    /// Rewrites the commits into new objects, with the marks that a tree has, which may be one of these objects; returns each
    /// commit with the one in its place.
    pub(super) fn run(
        &self,
        store: &Store,
        marked: Oid,
        objects: &mut Objects,
    ) -> Result<Vec<(Oid, Oid)>> {
        let folder = TreePath::issue_dir(self.issue);
        let mut rewrite = Rewrite {
            store,
            objects,
            path: folder.split('/').collect(),
            marks: HashMap::new(),
            trees: HashMap::new(),
            new: HashMap::new(),
        };
        rewrite.find_marks(marked.0)?;
        let mut pairs = Vec::new();
        for old in &self.commits {
            let new = rewrite.commit(*old, self.issue)?;
            pairs.push((*old, new));
        }
        Ok(pairs)
    }
}

struct Rewrite<'r> {
    store: &'r Store,
    objects: &'r mut Objects,
    /// The folder of the issue, part by part.
    path: Vec<&'r str>,
    /// The marks, by their names in that folder.
    marks: HashMap<BString, ObjectId>,
    /// The new trees, by the old ones.
    trees: HashMap<ObjectId, ObjectId>,
    /// The new commits, by the old ones.
    new: HashMap<ObjectId, ObjectId>,
}

impl Rewrite<'_> {
    /// Returns a tree of the repository, or one that is not written yet.
    fn tree(&self, oid: ObjectId) -> Result<Tree> {
        if let Some(bytes) = self.objects.get(Oid(oid)) {
            let tree = TreeRef::from_bytes(bytes, oid.kind());
            return Ok(tree.map_err(|error| damaged(Oid(oid), &error))?.into());
        }
        let unread = || unreadable(format!("tree {oid}"));
        let found = self.store.repo.find_tree(oid).map_err(unread())?;
        let decoded = found.decode().map_err(|error| damaged(Oid(oid), &error))?;
        Ok(decoded.into())
    }

    fn find_marks(&mut self, marked: ObjectId) -> Result<()> {
        let mut tree = self.tree(marked)?;
        for part in &self.path {
            let below = tree.entries.iter().find(|entry| entry.filename == *part);
            tree = match below {
                Some(below) => self.tree(below.oid)?,
                None => Tree::empty(),
            };
        }
        let marks = tree.entries.into_iter();
        self.marks = marks.map(|entry| (entry.filename, entry.oid)).collect();
        Ok(())
    }

    fn commit(&mut self, old: Oid, issue: Uid) -> Result<Oid> {
        let unread = || unreadable(format!("commit {old}"));
        let found = self.store.repo.find_commit(old.0).map_err(unread())?;
        let decoded = found.decode().map_err(|error| damaged(old, &error))?;
        let commit = Commit::try_from(decoded).map_err(|error| damaged(old, &error))?;
        let has_written = self.has_written(&commit, old, issue)?;
        let tree = self.marked(commit.tree, 0)?;
        let parents = commit.parents.iter();
        let parents = parents.map(|parent| *self.new.get(parent).unwrap_or(parent));
        // A signature would be one of something else.
        let headers = commit.extra_headers.iter();
        let headers = headers.filter(|(key, _)| !key.starts_with(b"gpgsig"));
        let new = self.objects.add(&Commit {
            tree,
            parents: parents.collect(),
            message: self.message(&commit.message, has_written).into(),
            extra_headers: headers.cloned().collect(),
            ..commit.clone()
        })?;
        self.new.insert(old.0, new.0);
        Ok(new)
    }

    /// Returns true if a commit has written the issue: none of its parents has it so.
    fn has_written(&self, commit: &Commit, old: Oid, issue: Uid) -> Result<bool> {
        let folder = |commit| self.store.snapshot_at(commit)?.issue_folder(issue);
        let here = folder(old)?;
        for parent in &commit.parents {
            if folder(Oid(*parent))? == here {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns a tree with the marks in the place of the blobs of the issue; `depth` parts of its folder lead to the tree.
    fn marked(&mut self, old: ObjectId, depth: usize) -> Result<ObjectId> {
        if let Some(known) = self.trees.get(&old) {
            return Ok(*known);
        }
        let mut tree = self.tree(old)?;
        match self.path.get(depth).copied() {
            Some(part) => {
                for entry in tree.entries.iter_mut().filter(|it| it.filename == part) {
                    entry.oid = self.marked(entry.oid, depth + 1)?;
                }
            }
            None => {
                // Nothing else of the issue stays.
                tree.entries
                    .retain(|entry| self.marks.contains_key(&entry.filename));
                for entry in &mut tree.entries {
                    entry.oid = self
                        .marks
                        .get(&entry.filename)
                        .copied()
                        .unwrap_or(entry.oid);
                }
            }
        }
        let new = self.objects.add(&tree)?.0;
        self.trees.insert(old, new);
        Ok(new)
    }

    /// Returns a message that names the new commits, and of one that has written the issue without what it says of it.
    fn message(&self, text: &[u8], has_written: bool) -> Vec<u8> {
        let mut lines = Vec::new();
        for (at, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let is_of_context = |key: &&str| line.starts_with(format!("{key}: ").as_bytes());
            if at == 0 && has_written {
                // Before the first colon are the verb and the id, which a purge keeps.
                lines.push(
                    line.split(|byte| *byte == b':')
                        .next()
                        .unwrap_or(line)
                        .to_vec(),
                );
            } else if has_written && Context::KEYS.iter().any(is_of_context) {
                continue;
            } else if let Some(undone) = line.strip_prefix(UNDOES.as_bytes()) {
                let ids = undone.split_str(" ").map(|id| self.named(id));
                lines.push([UNDOES.as_bytes(), &ids.collect::<Vec<_>>().join(&b' ')].concat());
            } else {
                lines.push(line.to_vec());
            }
        }
        lines.join(&b'\n')
    }

    /// Returns the id of the commit in the place of one that is named.
    fn named(&self, id: &[u8]) -> Vec<u8> {
        let named = ObjectId::from_hex(id).ok();
        let new = named.and_then(|named| self.new.get(&named));
        new.map_or_else(|| id.to_vec(), |new| new.to_string().into_bytes())
    }
}

fn damaged(object: Oid, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Unreadable {
        what: object.to_string(),
        why: error.to_string(),
    }
}
