//! The blobs of all issues at once.
//!
//! To find one issue takes five objects; who reads them all goes through the trees once and then reads a blob each.

use super::snapshot::{Unreadable, decode};
use super::{Oid, Result, Snapshot, TreePath};
use crate::model::{Issue, Memory, Uid};

/// The places of the blobs of each issue of a snapshot.
pub(crate) struct BulkReader<'s> {
    snapshot: Snapshot<'s>,
    /// In the order of the issues.
    found: Vec<(Uid, TreePath, Oid)>,
}

impl<'s> Snapshot<'s> {
    /// Goes through the trees.
    pub(crate) fn bulk_reader(&self) -> Result<BulkReader<'s>> {
        let mut found = Vec::new();
        self.store()
            .diff(None, self.tree(), &mut |change| -> Result<()> {
                if let (Some(path @ (TreePath::Issue(uid) | TreePath::Entry(uid, _))), Some(oid)) =
                    (change.path, change.oid)
                {
                    found.push((uid, path, oid));
                }
                Ok(())
            })?;
        found.sort_unstable_by_key(|(uid, ..)| *uid);
        Ok(BulkReader {
            snapshot: *self,
            found,
        })
    }
}

impl BulkReader<'_> {
    fn of(&self, uid: Uid) -> impl Iterator<Item = (TreePath, Oid)> {
        let first = self.found.partition_point(|(other, ..)| *other < uid);
        let of = self.found[first..]
            .iter()
            .take_while(move |(other, ..)| *other == uid);
        of.map(|(_, path, oid)| (*path, *oid))
    }

    /// As [`Snapshot::issue`].
    pub(crate) fn issue(&self, uid: Uid) -> Result<Option<Result<Issue, Unreadable>>> {
        let Some((path, oid)) = self
            .of(uid)
            .find(|(path, _)| matches!(path, TreePath::Issue(_)))
        else {
            return Ok(None);
        };
        let bytes = self.snapshot.read(oid)?;
        Ok(Some(
            decode(path, &bytes).map(|blob| Issue::from_blob(uid, blob)),
        ))
    }

    /// As [`Snapshot::memory`], without a count of what can't be read.
    pub(crate) fn memory(&self, uid: Uid) -> Result<Vec<Memory>> {
        let mut memory = Vec::new();
        for (path, oid) in self.of(uid) {
            if let TreePath::Entry(_, entry) = path
                && let Ok(blob) = decode(path, &self.snapshot.read(oid)?)
            {
                memory.push(Memory::from_blob(entry, blob));
            }
        }
        memory.sort_unstable_by_key(|entry| (entry.at(), entry.uid()));
        Ok(memory)
    }
}
