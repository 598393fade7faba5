//! The meeting point of two histories that share no commit, since one of them began from a snapshot file.
//!
//! Its first commit names the commit that the file was made of. That is text of others: it decides only which commit of the
//! other history is the base, and one that is not part of that history decides nothing.

use super::{Distance, Merging};
use crate::store::{Oid, Result, Snapshot, StoreError, unreadable};

/// A first commit that was made of a snapshot file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SnapshotRoot {
    pub(crate) commit: Oid,
    /// The commit that the file was made of.
    pub(crate) of: Oid,
}

impl<'s> Merging<'s> {
    /// Returns the first commits of a history that were made of snapshot files, the newest first.
    pub(crate) fn snapshot_roots(self, tip: Oid) -> Result<Vec<SnapshotRoot>> {
        let unread = || unreadable("the history");
        let mut roots = Vec::new();
        for info in self.store.repo.rev_walk([tip.0]).all().map_err(unread())? {
            let info = info.map_err(unread())?;
            if !info.parent_ids.is_empty() {
                continue;
            }
            let commit = self.store.ancestry().commit(Oid(info.id))?;
            roots.extend(commit.snapshot_root().map(|root| (commit.at, root)));
        }
        roots.sort_by_key(|(at, root)| std::cmp::Reverse((*at, root.commit)));
        Ok(roots.into_iter().map(|(_, root)| root).collect())
    }

    /// Returns the commits of either history that the other one began from a snapshot of; of several the last ones.
    pub(super) fn snapshot_bases(self, a: Oid, b: Oid) -> Result<Vec<Snapshot<'s>>> {
        let mut bases: Vec<Oid> = Vec::new();
        for (one, other) in [(a, b), (b, a)] {
            for root in self.snapshot_roots(one)? {
                let is_news = !bases.contains(&root.of) && self.store.is_commit(root.of)?;
                if is_news && self.contains(other, root.of)? {
                    bases.push(root.of);
                }
            }
        }
        let mut last = Vec::new();
        for base in &bases {
            let is_below =
                |other: &Oid| other != base && self.contains(*other, *base).unwrap_or(false);
            if !bases.iter().any(is_below) {
                last.push(Snapshot::at(self.store, *base)?);
            }
        }
        Ok(last)
    }

    /// Returns the distance of two histories that share no commit, counted from where they meet by a snapshot, if they do.
    pub(super) fn beyond_snapshot(
        self,
        found: Distance,
        ours: Oid,
        theirs: Oid,
    ) -> Result<Distance> {
        let Some(base) = self
            .snapshot_bases(ours, theirs)?
            .first()
            .map(Snapshot::commit)
        else {
            return Ok(found);
        };
        let beyond = |tip| Ok::<_, StoreError>(self.store.ancestry().apart(tip, base)?.ahead);
        Ok(Distance {
            ahead: beyond(ours)?,
            behind: beyond(theirs)?,
            related: true,
            ..found
        })
    }

    /// Returns the commit up to which one history knows another: its own tip, or the commit of the other that it began from a
    /// snapshot of.
    pub(crate) fn known_of(self, ours: Oid, theirs: Oid) -> Result<Oid> {
        if self.store.ancestry().apart(ours, theirs)?.related {
            return Ok(ours);
        }
        let bases = self.snapshot_bases(ours, theirs)?;
        Ok(bases.first().map_or(ours, Snapshot::commit))
    }
}
