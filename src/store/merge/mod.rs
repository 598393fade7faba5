//! Two snapshots become one: path by path, every path of both sides carried.
//!
//! A merge commit is made only where ours has an operation that theirs lacks. Of two histories with the same operations
//! one is greater, and everybody takes that: what brings nothing new to anybody makes no commit, so clones come to rest
//! over any number of remotes.
//!
//! Two clones that merge the same heads make the same commit: its parents are sorted, its author is
//! fixed and its time is the later of theirs. Bytes are rewritten only where a decoded value changes,
//! so clones that disagree about spelling do not answer each other for ever.

mod operations;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::object::Objects;
use super::tree_writer::write_tree;
use super::{Oid, Result, Snapshot, Store, StoreError, TreePath, unreadable};
use crate::model::blob::Blob;
use crate::model::join::{Side, merge};
use crate::model::limits::ValueError;
use crate::model::{Stamp, Uid};
pub use operations::Distance;

/// What a merge of another tip comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The other tip brings nothing.
    Nothing,
    /// The other tip holds all operations and values of ours: the ref can move there, though it need not descend.
    Forward(Oid),
    /// A commit with both as parents.
    Commit(Oid),
}

/// Whose decoded values a joined path has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sides {
    ours: bool,
    theirs: bool,
}

impl Default for Sides {
    /// Of two trees that are equal.
    fn default() -> Self {
        Self {
            ours: true,
            theirs: true,
        }
    }
}

/// The blobs that a merge puts into our tree, by path, with the objects that are new.
struct Edits<'o> {
    blobs: BTreeMap<String, Oid>,
    objects: &'o mut Objects,
}

impl<'o> Edits<'o> {
    fn new(objects: &'o mut Objects) -> Self {
        let blobs = BTreeMap::new();
        Self { blobs, objects }
    }
}

/// What the join of the blobs of a path comes to.
struct Joined {
    blob: Joint,
    same: Sides,
    purged: Option<Stamp>,
}

/// The blob that a join leaves.
enum Joint {
    /// One side's.
    Old(Oid),
    /// Another one.
    New(Vec<u8>),
}

/// Whose commit the other descends from.
#[derive(Clone, Copy, Debug)]
struct Above {
    ours: bool,
    theirs: bool,
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
    ///
    /// # Errors
    /// Objects that can't be read.
    pub fn merge(self, objects: &mut Objects, ours: Oid, theirs: Oid) -> Result<Merge> {
        if ours == theirs {
            return Ok(Merge::Nothing);
        }
        let (us, them) = (
            Snapshot::at(self.store, ours)?,
            Snapshot::at(self.store, theirs)?,
        );
        let distance = self.store.history().distance(ours, theirs)?;
        let above = Above {
            ours: distance.ours_is_ancestor,
            theirs: distance.theirs_is_ancestor,
        };
        let (edits, same) = if us.tree() == them.tree() {
            (Edits::new(objects), Sides::default())
        } else {
            let bases = self.merge_bases(ours, theirs)?;
            self.join_trees(objects, (&us, &them), &bases, above)?
        };
        // Values that no operation accounts for count like an operation: a tree may have been made by other means.
        let ours_has_all = distance.behind == 0 && same.ours;
        let theirs_has_all = distance.ahead == 0 && same.theirs;
        match (ours_has_all, theirs_has_all) {
            (true, true) if self.store.history().outranks(theirs, ours)? => {
                return Ok(Merge::Forward(theirs));
            }
            (true, true) => return Ok(Merge::Nothing),
            (false, true) => return Ok(Merge::Forward(theirs)),
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

    /// Whether a merge of theirs would leave ours as it is: so without a look at any value.
    ///
    /// # Errors
    /// Commits that can't be read.
    pub fn has_nothing_for(self, ours: Oid, theirs: Oid, distance: &Distance) -> Result<bool> {
        Ok(distance.theirs_is_ancestor
            || (distance.is_even()
                && self.are_equal(ours, theirs)?
                && !self.store.history().outranks(theirs, ours)?))
    }

    /// Whether theirs lacks an operation of ours, or what a merge of ours made of the operations that both have.
    ///
    /// # Errors
    /// Commits that can't be read.
    pub fn has_something_for(self, ours: Oid, theirs: Oid, distance: &Distance) -> Result<bool> {
        Ok(distance.ahead > 0 || (distance.theirs_is_ancestor && !self.are_equal(ours, theirs)?))
    }

    fn are_equal(self, a: Oid, b: Oid) -> Result<bool> {
        Ok(Snapshot::at(self.store, a)?.tree() == Snapshot::at(self.store, b)?.tree())
    }

    /// The best common ancestors of two commits; none for unrelated histories.
    ///
    /// # Errors
    /// A history that can't be read.
    pub fn merge_bases(self, a: Oid, b: Oid) -> Result<Vec<Snapshot<'s>>> {
        let found = self
            .store
            .repo
            .merge_bases_many(a.0, &[b.0])
            .map_err(unreadable("the history"))?;
        found
            .into_iter()
            .map(|id| Snapshot::at(self.store, Oid(id.detach())))
            .collect()
    }

    /// Whether `old` is an ancestor of `new`, or the same commit.
    ///
    /// # Errors
    /// A history that can't be read.
    pub fn contains(self, new: Oid, old: Oid) -> Result<bool> {
        Ok(new == old || self.store.history().distance(new, old)?.theirs_is_ancestor)
    }

    /// The blobs that the join has and ours lacks, by path.
    fn join_trees<'o>(
        self,
        objects: &'o mut Objects,
        (us, them): (&Snapshot<'_>, &Snapshot<'_>),
        bases: &[Snapshot<'_>],
        above: Above,
    ) -> Result<(Edits<'o>, Sides)> {
        let (mut edits, mut same) = (Edits::new(objects), Sides::default());
        let (mut only_ours, mut only_theirs) = (HashSet::new(), HashSet::new());
        // The issues whose blob or memory differs; the purge of one whose blob was joined is known.
        let mut issues: BTreeMap<Uid, Option<Option<Stamp>>> = BTreeMap::new();
        let before = bases
            .iter()
            .map(|base| self.replaced(base, us))
            .collect::<Result<Vec<_>>>()?;
        self.store
            .diff::<StoreError>(Some(us.tree()), them.tree(), &mut |change| {
                if let Some(TreePath::Issue(uid) | TreePath::Entry(uid, _)) = change.path {
                    issues.entry(uid).or_default();
                }
                match (change.old, change.oid) {
                    // Absence is never deletion: what only one side has is carried.
                    (_, None) => {
                        same.theirs = false;
                        only_ours.insert(change.text.clone());
                    }
                    (None, Some(theirs)) => {
                        same.ours = false;
                        only_theirs.insert(change.text.clone());
                        edits.blobs.insert(change.text.clone(), theirs);
                    }
                    (Some(ours), Some(theirs)) => {
                        let old = before
                            .iter()
                            .filter_map(|old| old.get(&change.text).copied().unwrap_or(Some(ours)));
                        let joined = self.join_blobs(
                            us,
                            &change.text,
                            (ours, theirs),
                            &old.collect::<Vec<_>>(),
                            above,
                        )?;
                        same.ours &= joined.same.ours;
                        same.theirs &= joined.same.theirs;
                        let blob = match joined.blob {
                            Joint::Old(oid) => oid,
                            Joint::New(bytes) => edits.objects.add_blob(&bytes)?,
                        };
                        if blob != ours {
                            edits.blobs.insert(change.text.clone(), blob);
                        }
                        if let Some(TreePath::Issue(uid)) = change.path {
                            issues.insert(uid, Some(joined.purged));
                        }
                    }
                }
                Ok(())
            })?;
        for (files, others) in [(&only_ours, &only_theirs), (&only_theirs, &only_ours)] {
            if let Some(path) = others.iter().find(|path| lies_below(path, files)) {
                return Err(StoreError::Rejected(format!(
                    "{path}: a folder there and a file here, or the other way round"
                )));
            }
        }
        for (uid, purged) in issues {
            let purged = purged.map_or_else(|| purge_of(uid, us, &edits), Ok)?;
            if let Some(at) = purged {
                self.spread_purge(uid, at, (us, them), &mut edits, &mut same)?;
            }
        }
        Ok((edits, same))
    }

    /// What ours has replaced since a base: the blob there, by path, where it is another or none.
    fn replaced(
        self,
        base: &Snapshot<'_>,
        us: &Snapshot<'_>,
    ) -> Result<HashMap<String, Option<Oid>>> {
        let mut old = HashMap::new();
        self.store
            .diff::<StoreError>(Some(base.tree()), us.tree(), &mut |change| {
                old.insert(change.text.clone(), change.old);
                Ok(())
            })?;
        Ok(old)
    }

    /// Memory that was written beside a purge is purged with its issue.
    fn spread_purge(
        self,
        uid: Uid,
        at: Stamp,
        (us, them): (&Snapshot<'_>, &Snapshot<'_>),
        edits: &mut Edits<'_>,
        same: &mut Sides,
    ) -> Result<()> {
        for (side, ours) in [(us, true), (them, false)] {
            for entry in side
                .memory(uid)?
                .0
                .iter()
                .filter(|entry| entry.blob().purged.is_none())
            {
                let mut blob = entry.blob().clone();
                blob.purge(at);
                let purged = edits.objects.add_blob(&blob.to_bytes())?;
                let path = TreePath::Entry(uid, entry.uid()).to_string();
                edits.blobs.insert(path, purged);
                if ours {
                    same.ours = false;
                } else {
                    same.theirs = false;
                }
            }
        }
        Ok(())
    }

    /// Joins the blobs of a path; `bases` are those that the merge bases have there.
    fn join_blobs(
        self,
        us: &Snapshot<'_>,
        path: &str,
        (ours, theirs): (Oid, Oid),
        bases: &[Oid],
        above: Above,
    ) -> Result<Joined> {
        let read = |oid: Oid| Ok::<_, StoreError>(Blob::parse(&us.read(oid)?));
        let (Ok(a), Ok(b)) = (read(ours)?, read(theirs)?) else {
            let (oid, same) = unreadable_side(ours, theirs, bases, above);
            return Ok(Joined {
                blob: Joint::Old(oid),
                same,
                purged: None,
            });
        };
        let mut others = Vec::new();
        for base in bases
            .iter()
            .filter(|base| **base != ours && **base != theirs)
        {
            others.extend(read(*base)?);
        }
        // What one side has not touched is the base, and is not read again.
        let mut common: Vec<&Blob> = others.iter().collect();
        common.extend(bases.contains(&ours).then_some(&a));
        common.extend(bases.contains(&theirs).then_some(&b));
        let (us, them) = (ours.to_string(), theirs.to_string());
        let joined = merge(
            Side { blob: &a, oid: &us },
            Side {
                blob: &b,
                oid: &them,
            },
            &common,
        );
        let same = Sides {
            ours: joined == a,
            theirs: joined == b,
        };
        let blob = match same {
            Sides {
                ours: true,
                theirs: true,
            } => Joint::Old(ours.max(theirs)),
            Sides { ours: true, .. } => Joint::Old(ours),
            Sides { theirs: true, .. } => Joint::Old(theirs),
            Sides { .. } => Joint::New(
                joined
                    .to_checked_bytes()
                    .map_err(|why| too_much(path, &why))?,
            ),
        };
        Ok(Joined {
            blob,
            same,
            purged: joined.purged,
        })
    }

    fn merge_commit(
        self,
        objects: &mut Objects,
        tree: Oid,
        (ours, theirs): (Oid, Oid),
    ) -> Result<Oid> {
        let mut parents = [ours, theirs];
        parents.sort();
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

/// When an issue was purged, if it was, with the edits made.
fn purge_of(uid: Uid, us: &Snapshot<'_>, edits: &Edits<'_>) -> Result<Option<Stamp>> {
    let path = TreePath::Issue(uid).to_string();
    let issue = match edits.blobs.get(&path) {
        Some(oid) => Some(*oid),
        None => us.entry(&path)?,
    };
    let Some(issue) = issue else { return Ok(None) };
    let bytes = match edits.objects.get(issue) {
        Some(bytes) => bytes.to_vec(),
        None => us.read(issue)?,
    };
    Ok(Blob::parse(&bytes).ok().and_then(|blob| blob.purged))
}

/// A merge that others would refuse is not made.
fn too_much(path: &str, why: &ValueError) -> StoreError {
    StoreError::Rejected(format!("{path}: merged with what is here, {why}"))
}

fn lies_below(path: &str, files: &HashSet<String>) -> bool {
    path.match_indices('/')
        .any(|(at, _)| files.contains(&path[..at]))
}

/// Chooses between two blobs of which one can't be parsed: the descendant's, else the one that differs
/// from a base, else the larger id. The other stays in history.
fn unreadable_side(ours: Oid, theirs: Oid, bases: &[Oid], above: Above) -> (Oid, Sides) {
    let takes_ours = if above.theirs {
        true
    } else if above.ours {
        false
    } else if bases.contains(&theirs) {
        true
    } else if bases.contains(&ours) {
        false
    } else {
        ours > theirs
    };
    if takes_ours {
        (
            ours,
            Sides {
                ours: true,
                theirs: false,
            },
        )
    } else {
        (
            theirs,
            Sides {
                ours: false,
                theirs: true,
            },
        )
    }
}
