//! The join of two trees: which blobs the result has, and on which side nothing changes.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::object::Objects;
use super::super::{Oid, Result, Snapshot, StoreError, TreeChange, TreePath};
use crate::model::blob::Blob;
use crate::model::join::{Side, merge};
use crate::model::limits::ValueError;
use crate::model::{Stamp, Uid};

/// The sides whose decoded values a joined path has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) ours: bool,
    pub(super) theirs: bool,
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
pub(super) struct Edits<'o> {
    pub(super) blobs: BTreeMap<String, Oid>,
    pub(super) objects: &'o mut Objects,
}

impl<'o> Edits<'o> {
    pub(super) fn new(objects: &'o mut Objects) -> Self {
        let blobs = BTreeMap::new();
        Self { blobs, objects }
    }
}

/// The result of the join of the blobs of a path.
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

/// The side whose commit the other descends from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Above {
    pub(super) ours: bool,
    pub(super) theirs: bool,
}

/// Joins two trees: the blobs that the join has and ours lacks, by path, and on which side it changes nothing.
pub(super) fn join_trees<'o>(
    objects: &'o mut Objects,
    (us, them): (&Snapshot<'_>, &Snapshot<'_>),
    bases: &[Snapshot<'_>],
    above: Above,
) -> Result<(Edits<'o>, Sides)> {
    let before = bases.iter().map(|base| replaced(base, us));
    let mut join = TreeJoin {
        us,
        them,
        above,
        before: before.collect::<Result<Vec<_>>>()?,
        edits: Edits::new(objects),
        same: Sides::default(),
        only_ours: HashSet::new(),
        only_theirs: HashSet::new(),
        issues: BTreeMap::new(),
    };
    us.store()
        .diff::<StoreError>(Some(us.tree()), them.tree(), &mut |change| {
            join.path(change)
        })?;
    join.check_folders()?;
    // Only now: a purge reaches memory that either side has written, and the blobs of both have been seen.
    join.spread_purges()?;
    Ok((join.edits, join.same))
}

/// A join on its way through the paths that differ.
struct TreeJoin<'j, 's, 'o> {
    us: &'j Snapshot<'s>,
    them: &'j Snapshot<'s>,
    above: Above,
    /// The blobs that ours has replaced since each of the merge bases.
    before: Vec<HashMap<String, Option<Oid>>>,
    edits: Edits<'o>,
    same: Sides,
    only_ours: HashSet<String>,
    only_theirs: HashSet<String>,
    /// The issues whose blob or memory differs; the purge of one whose blob was joined is known.
    issues: BTreeMap<Uid, Option<Option<Stamp>>>,
}

impl TreeJoin<'_, '_, '_> {
    fn path(&mut self, change: &TreeChange) -> Result<()> {
        if let Some(TreePath::Issue(uid) | TreePath::Entry(uid, _)) = change.path {
            self.issues.entry(uid).or_default();
        }
        match (change.old, change.oid) {
            // Absence is never deletion: what only one side has is carried.
            (_, None) => {
                self.same.theirs = false;
                self.only_ours.insert(change.text.clone());
            }
            (None, Some(theirs)) => {
                self.same.ours = false;
                self.only_theirs.insert(change.text.clone());
                self.edits.blobs.insert(change.text.clone(), theirs);
            }
            (Some(ours), Some(theirs)) => self.blob(change, ours, theirs)?,
        }
        Ok(())
    }

    /// Joins the blobs of a path that both sides have.
    fn blob(&mut self, change: &TreeChange, ours: Oid, theirs: Oid) -> Result<()> {
        // A base that says nothing of a path has there what ours has.
        let bases = self.before.iter();
        let bases: Vec<Oid> = bases
            .filter_map(|old| old.get(&change.text).copied().unwrap_or(Some(ours)))
            .collect();
        let joined = join_blobs(self.us, &change.text, (ours, theirs), &bases, self.above)?;
        self.same.ours &= joined.same.ours;
        self.same.theirs &= joined.same.theirs;
        let blob = match joined.blob {
            Joint::Old(oid) => oid,
            Joint::New(bytes) => self.edits.objects.add_blob(&bytes)?,
        };
        if blob != ours {
            self.edits.blobs.insert(change.text.clone(), blob);
        }
        if let Some(TreePath::Issue(uid)) = change.path {
            self.issues.insert(uid, Some(joined.purged));
        }
        Ok(())
    }

    /// Refuses a path that is a folder on one side and a file on the other: no tree can hold both.
    fn check_folders(&self) -> Result<()> {
        let (ours, theirs) = (&self.only_ours, &self.only_theirs);
        for (files, others) in [(ours, theirs), (theirs, ours)] {
            if let Some(path) = others.iter().find(|path| lies_below(path, files)) {
                return Err(StoreError::Rejected(format!(
                    "{path}: a folder there and a file here, or the other way round"
                )));
            }
        }
        Ok(())
    }

    fn spread_purges(&mut self) -> Result<()> {
        for (uid, purged) in std::mem::take(&mut self.issues) {
            let purged = purged.map_or_else(|| purge_of(uid, self.us, &self.edits), Ok)?;
            if let Some(at) = purged {
                self.spread_purge(uid, at)?;
            }
        }
        Ok(())
    }

    /// Purges memory that was written at the same time as a purge of its issue.
    fn spread_purge(&mut self, uid: Uid, at: Stamp) -> Result<()> {
        for (side, ours) in [(self.us, true), (self.them, false)] {
            let memory = side.memory(uid)?.0;
            for entry in memory.iter().filter(|entry| entry.blob().purged.is_none()) {
                let mut blob = entry.blob().clone();
                blob.purge(at);
                let purged = self.edits.objects.add_blob(&blob.to_bytes())?;
                let path = TreePath::Entry(uid, entry.uid()).to_string();
                self.edits.blobs.insert(path, purged);
                if ours {
                    self.same.ours = false;
                } else {
                    self.same.theirs = false;
                }
            }
        }
        Ok(())
    }
}

/// Returns the blobs that ours has replaced since a base, as they are there, by path; none where there was none.
fn replaced(base: &Snapshot<'_>, us: &Snapshot<'_>) -> Result<HashMap<String, Option<Oid>>> {
    let mut old = HashMap::new();
    us.store()
        .diff::<StoreError>(Some(base.tree()), us.tree(), &mut |change| {
            old.insert(change.text.clone(), change.old);
            Ok(())
        })?;
    Ok(old)
}

/// Joins the blobs of a path; `bases` are those that the merge bases have there.
fn join_blobs(
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
    let is_other = |base: &&Oid| **base != ours && **base != theirs;
    for base in bases.iter().filter(is_other) {
        others.extend(read(*base)?);
    }
    // A side that did not touch the blob has the base's, which need not be read again.
    let mut common: Vec<&Blob> = others.iter().collect();
    common.extend(bases.contains(&ours).then_some(&a));
    common.extend(bases.contains(&theirs).then_some(&b));
    let (us, them) = (ours.to_string(), theirs.to_string());
    let sides = (
        Side { blob: &a, oid: &us },
        Side {
            blob: &b,
            oid: &them,
        },
    );
    let joined = merge(sides.0, sides.1, &common);
    let same = Sides {
        ours: joined == a,
        theirs: joined == b,
    };
    let blob = match (same.ours, same.theirs) {
        // Two spellings of the same values: the same choice in every clone.
        (true, true) => Joint::Old(ours.max(theirs)),
        (true, false) => Joint::Old(ours),
        (false, true) => Joint::Old(theirs),
        (false, false) => {
            let bytes = joined.to_checked_bytes();
            Joint::New(bytes.map_err(|why| too_much(path, &why))?)
        }
    };
    Ok(Joined {
        blob,
        same,
        purged: joined.purged,
    })
}

/// Returns the time at which an issue was purged, if it was, with the edits made.
fn purge_of(uid: Uid, us: &Snapshot<'_>, edits: &Edits<'_>) -> Result<Option<Stamp>> {
    let path = TreePath::Issue(uid).to_string();
    // The edit first: the blob may have come from theirs, purged.
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

/// Returns the error for a merge that others would refuse.
pub(super) fn too_much(path: &str, why: &ValueError) -> StoreError {
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
