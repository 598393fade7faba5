//! Two snapshots become one: path by path, every path of both sides carried.
//!
//! A merge commit is made only where ours has an operation that theirs lacks. Of two histories with the same operations
//! one is greater, and everybody takes that: what brings nothing new to anybody makes no commit, so clones come to rest
//! over any number of remotes.
//!
//! Two clones that merge the same heads make the same commit: its parents are sorted, its author is
//! fixed and its time is the later of theirs. Bytes are rewritten only where a decoded value changes,
//! so clones that disagree about spelling do not answer each other for ever.

mod carried;
mod operations;
mod snapshots;
mod trees;

use super::object::Objects;
use super::tree_writer::write_tree;
use super::{Oid, Result, Snapshot, Store, StoreError, unreadable};
pub(crate) use operations::Distance;
pub(crate) use snapshots::SnapshotRoot;
use trees::{Above, Edits, Sides, join_trees, too_much};

/// The result of a merge of another tip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The other tip brings nothing.
    Nothing,
    /// The other tip holds all of our operations and values: the ref can move there, though it need not descend.
    Forward(Oid),
    /// A commit with both as parents.
    Commit(Oid),
}

/// The merge of another tip.
#[derive(Clone, Copy)]
pub struct Merging<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the merge of another tip.
    pub fn merging(&self) -> Merging<'_> {
        Merging { store: self }
    }
}

impl<'s> Merging<'s> {
    /// Joins two tips and makes the commit, where one is needed; writes nothing.
    pub fn merge(self, objects: &mut Objects, ours: Oid, theirs: Oid) -> Result<Merge> {
        if ours == theirs {
            return Ok(Merge::Nothing);
        }
        let (us, them) = (
            Snapshot::at(self.store, ours)?,
            Snapshot::at(self.store, theirs)?,
        );
        let distance = self.store.ancestry().distance(ours, theirs)?;
        let above = Above {
            ours: distance.ours_is_ancestor,
            theirs: distance.theirs_is_ancestor,
        };
        let (edits, same) = if us.tree() == them.tree() {
            (Edits::new(objects), Sides::default())
        } else {
            let mut bases = self.merge_bases(ours, theirs)?;
            if !above.ours && !above.theirs {
                bases.extend(self.carried_bases(ours, theirs)?);
            }
            join_trees(objects, (&us, &them), &bases, above)?
        };
        // Values that no operation accounts for count like an operation: a tree may have been made by other means.
        let ours_has_all = distance.behind == 0 && same.ours;
        let theirs_has_all = distance.ahead == 0 && same.theirs;
        match (ours_has_all, theirs_has_all) {
            // The same values and operations on both sides: everybody takes the greater history.
            (true, true) if self.store.ancestry().outranks(theirs, ours)? => {
                return Ok(Merge::Forward(theirs));
            }
            (true, true) => return Ok(Merge::Nothing),
            (false, true) => return Ok(Merge::Forward(theirs)),
            // Ours descends from theirs, so there is nothing to join.
            (true, false) if above.theirs => return Ok(Merge::Nothing),
            _ => {}
        }
        let tree =
            write_tree(self.store, us.tree(), &edits.blobs, edits.objects).map_err(|error| {
                match error {
                    StoreError::Limit(why) => too_much("a folder", &why),
                    other => other,
                }
            })?;
        Ok(Merge::Commit(self.merge_commit(
            edits.objects,
            tree,
            (ours, theirs),
        )?))
    }

    /// Returns true if two commits have the same values.
    pub(crate) fn are_equal(self, a: Oid, b: Oid) -> Result<bool> {
        Ok(Snapshot::at(self.store, a)?.tree() == Snapshot::at(self.store, b)?.tree())
    }

    /// Returns the best common ancestors of two commits; where they share none, the commit of one of which the other began
    /// from a snapshot; none for unrelated histories.
    pub(crate) fn merge_bases(self, a: Oid, b: Oid) -> Result<Vec<Snapshot<'s>>> {
        let found = self
            .store
            .repo
            .merge_bases_many(a.0, &[b.0])
            .map_err(unreadable("the history"))?;
        if found.is_empty() {
            return self.snapshot_bases(a, b);
        }
        found
            .into_iter()
            .map(|id| Snapshot::at(self.store, Oid(id.detach())))
            .collect()
    }

    /// Returns true if `old` is an ancestor of `new`, or the same commit.
    pub(crate) fn contains(self, new: Oid, old: Oid) -> Result<bool> {
        Ok(new == old || self.store.ancestry().apart(new, old)?.theirs_is_ancestor)
    }

    fn merge_commit(
        self,
        objects: &mut Objects,
        tree: Oid,
        (ours, theirs): (Oid, Oid),
    ) -> Result<Oid> {
        // Everything in the commit follows from the two tips, so that clones which merge the same tips make the same
        // commit.
        let mut parents = [ours, theirs];
        // In this order for either side.
        parents.sort_unstable();
        let mut seconds = 0;
        for parent in parents {
            let snapshot = Snapshot::at(self.store, parent)?;
            seconds = seconds.max(i64::try_from(snapshot.time()? / 1000).unwrap_or(0));
        }
        let signature = gix::actor::Signature {
            name: "git-beads".into(),
            email: "git-beads@localhost".into(),
            time: gix::date::Time { seconds, offset: 0 },
        };
        let commit = gix::objs::Commit {
            tree: tree.0,
            parents: parents.iter().map(|parent| parent.0).collect(),
            author: signature.clone(),
            committer: signature,
            encoding: None,
            message: "merge\n\nIssues: *\n".into(),
            extra_headers: Vec::new(),
        };
        objects.add(&commit)
    }
}
