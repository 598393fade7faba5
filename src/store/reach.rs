//! The objects that a commit leads to, as far as they can be read.
//!
//! Nothing is written: a state counts as whole before any of its objects is put back, so that one with a hole never
//! gets into the repository.

use std::collections::HashSet;

use gix::objs::{CommitRefIter, Kind, TreeRefIter};

use super::rewritten::Rewritten;
use super::{Oid, Store, TreePath, look_twice};

/// A repository in which objects may be missing.
pub(super) struct Reach<'s> {
    store: &'s Store,
    cut: HashSet<gix::ObjectId>,
}

/// The relation between the history of a tip that the ref lacks and that of the ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinship {
    /// They share a commit.
    Shared,
    /// They share none: one was begun separately, or was rewritten.
    Apart,
    /// A part of it is gone, so that this can't be known.
    Broken,
}

/// A commit, as far as walking needs it.
struct Node {
    tree: gix::ObjectId,
    parents: Vec<gix::ObjectId>,
}

impl<'s> Reach<'s> {
    pub(super) fn new(store: &'s Store) -> Self {
        // Where the cuts can't be read, a history counts as incomplete, and nothing is done with it.
        let shallow =
            std::fs::read_to_string(store.common_dir().join("shallow")).unwrap_or_default();
        Self {
            store,
            cut: shallow
                .lines()
                .filter_map(Oid::parse)
                .map(|oid| oid.0)
                .collect(),
        }
    }

    /// Returns the first of a commit and its ancestors that is asked for, nearest first. One that can't be read hides
    /// its own ancestors, not itself.
    pub(super) fn first(&self, tip: Oid, asked: impl Fn(Oid) -> bool) -> Option<Oid> {
        // Level by level, so that the first one found is a nearest one.
        let (mut seen, mut level) = (HashSet::from([tip]), vec![tip]);
        while !level.is_empty() {
            if let Some(found) = level.iter().find(|commit| asked(**commit)) {
                return Some(*found);
            }
            let parents = level.iter().flat_map(|commit| self.parents(*commit));
            level = parents.filter(|commit| seen.insert(*commit)).collect();
        }
        None
    }

    /// Returns a commit and its ancestors, as far as they can be read.
    pub(super) fn history(&self, tip: Oid) -> HashSet<Oid> {
        let (mut seen, mut left) = (HashSet::from([tip]), vec![tip]);
        while let Some(commit) = left.pop() {
            if self.cut.contains(&commit.0) {
                continue;
            }
            let parents = self.parents(commit).into_iter();
            left.extend(parents.filter(|commit| seen.insert(*commit)));
        }
        seen
    }

    /// Returns how the history of a commit that is left out relates to that of another.
    pub(super) fn kinship(&self, left: Oid, tip: Oid) -> Kinship {
        // None are found as well where a part of the history is gone.
        let bases = self.store.merging().merge_bases(left, tip);
        if bases.is_ok_and(|bases| !bases.is_empty()) {
            return Kinship::Shared;
        }
        let (of_left, of_tip) = (self.history(left), self.history(tip));
        let is_whole = of_left.iter().all(|commit| self.is_readable(*commit));
        match (is_whole, of_left.is_disjoint(&of_tip)) {
            (true, false) => Kinship::Shared,
            (true, true) => Kinship::Apart,
            // What they had in common may be behind the part that is gone.
            (false, _) => Kinship::Broken,
        }
    }

    /// Returns true for a commit that can be read.
    pub(super) fn is_readable(&self, commit: Oid) -> bool {
        self.node(commit.0).is_some()
    }

    /// Returns true if `new` has all operations of `old`: all of its commits but merges, as they are or as a purge has
    /// rewritten them.
    pub(super) fn has_operations_of(&self, new: Oid, old: Oid) -> bool {
        if new == old {
            return true;
        }
        let rewritten = Rewritten::of(self.store);
        // This reads no more than what only one of the two has.
        if let Ok(distance) = self.store.ancestry().distance(new, old)
            && (distance.behind == 0 || rewritten.is_empty())
        {
            return distance.behind == 0;
        }
        // A part is in a journal alone, or gone: what can be read decides.
        let known = self.history(new);
        let (mut seen, mut left) = (HashSet::new(), vec![old]);
        while let Some(commit) = left.pop() {
            // What came before one that was rewritten is before the one in its place too.
            let in_place = rewritten.first(commit, |it| Ok(known.contains(&it)));
            if in_place.is_ok_and(|it| it.is_some()) || !seen.insert(commit) {
                continue;
            }
            match self.parents(commit) {
                merged if merged.len() > 1 => left.extend(merged),
                _ => return false,
            }
        }
        true
    }

    /// Returns true if all is there that a commit leads to, beyond what a known one leads to, which is not looked at.
    pub(super) fn is_whole(&self, tip: Oid, known: Option<Oid>) -> bool {
        self.hole(tip, known).is_none()
    }

    /// Returns a commit of that part of the history that can't be read, or whose tree is not whole.
    pub(super) fn hole(&self, tip: Oid, known: Option<Oid>) -> Option<Oid> {
        let mut seen = known.map_or_else(HashSet::new, |known| self.history(known));
        let mut objects = HashSet::new();
        if let Some(node) = known.and_then(|known| self.node(known.0)) {
            self.mark(node.tree, &mut objects);
        }
        let mut left = vec![tip];
        while let Some(commit) = left.pop() {
            if !seen.insert(commit) {
                continue;
            }
            let node = self.node(commit.0);
            let Some(node) = node.filter(|node| self.has_tree(node.tree, &mut objects)) else {
                return Some(commit);
            };
            if !self.cut.contains(&commit.0) {
                left.extend(node.parents.into_iter().map(Oid));
            }
        }
        None
    }

    /// Returns true for a commit whose tree can be read and is not that of a store.
    pub(super) fn is_foreign(&self, commit: Oid) -> bool {
        let tree = self.node(commit.0).map(|node| node.tree);
        let Some((tree, bytes)) = tree.and_then(|tree| Some((tree, self.read(tree, Kind::Tree)?)))
        else {
            return false;
        };
        let meta = TreePath::Meta.to_string();
        let mut entries = TreeRefIter::from_bytes(&bytes, tree.kind());
        !entries.any(|entry| entry.map_or(true, |entry| entry.filename == meta.as_str()))
    }

    /// Returns the parents of a commit; none of one that can't be read.
    pub(super) fn parents(&self, commit: Oid) -> Vec<Oid> {
        let node = self.node(commit.0);
        node.map(|node| node.parents.into_iter().map(Oid).collect())
            .unwrap_or_default()
    }

    fn node(&self, commit: gix::ObjectId) -> Option<Node> {
        let bytes = self.read(commit, Kind::Commit)?;
        let parsed = || CommitRefIter::from_bytes(&bytes, commit.kind());
        Some(Node {
            tree: parsed().tree_id().ok()?,
            parents: parsed().parent_ids().collect(),
        })
    }

    /// Returns true if a tree is there, to the leaves.
    fn has_tree(&self, tree: gix::ObjectId, seen: &mut HashSet<gix::ObjectId>) -> bool {
        let mut trees = vec![tree];
        while let Some(tree) = trees.pop() {
            if !seen.insert(tree) {
                continue;
            }
            let Some(bytes) = self.read(tree, Kind::Tree) else {
                return false;
            };
            for entry in TreeRefIter::from_bytes(&bytes, tree.kind()) {
                let Ok(entry) = entry else {
                    return false;
                };
                let id = entry.oid.to_owned();
                if entry.mode.is_tree() {
                    trees.push(id);
                } else if entry.mode.is_blob() && seen.insert(id) && !self.store.repo.has_object(id)
                {
                    return false;
                }
            }
        }
        true
    }

    /// Notes what a tree leads to.
    fn mark(&self, tree: gix::ObjectId, seen: &mut HashSet<gix::ObjectId>) {
        let mut trees = vec![tree];
        while let Some(tree) = trees.pop() {
            let Some(bytes) = self.read(tree, Kind::Tree).filter(|_| seen.insert(tree)) else {
                continue;
            };
            for entry in TreeRefIter::from_bytes(&bytes, tree.kind()).filter_map(Result::ok) {
                if entry.mode.is_tree() {
                    trees.push(entry.oid.to_owned());
                } else {
                    seen.insert(entry.oid.to_owned());
                }
            }
        }
    }

    fn read(&self, id: gix::ObjectId, kind: Kind) -> Option<Vec<u8>> {
        let object = look_twice(|| self.store.repo.find_object(id)).ok()?;
        (object.kind == kind).then(|| object.data.clone())
    }
}
