//! The blobs of a store that are in a snapshot: those of the work that is left, and what that refers to.

use std::collections::BTreeSet;

use super::SnapshotFile;
use crate::model::edge::{BLOCKS, Target};
use crate::model::{Issue, Status, Uid};
use crate::store::carry::carried;
use crate::store::carry::lines::{self, Blobs, TreeKey};
use crate::store::{Oid, Result, Snapshot, TreePath};

/// The blobs of a store, of which some are chosen.
struct Contents {
    /// The paths and ids of all blobs of the format.
    paths: Vec<(TreePath, Oid)>,
    /// The issues that can be read, in the order of their uids.
    issues: Vec<Issue>,
    /// The number of all issues.
    known: u64,
}

impl SnapshotFile {
    /// Makes one of a state: of the issues that are neither closed nor deleted and of what they need, or of all that can be
    /// read.
    pub(crate) fn of(store: Snapshot<'_>, all: bool) -> Result<Self> {
        let meta = store.meta()?;
        let contents = Contents::of(store)?;
        let chosen = (!all).then(|| contents.needed());
        let mut blobs = Blobs::new();
        for (path, oid) in &contents.paths {
            let is_chosen = match (path.issue(), &chosen) {
                (Some(uid), Some(chosen)) => chosen.contains(&uid),
                _ => path.issue().is_none_or(|uid| contents.issue(uid).is_some()),
            };
            // What no file can have stays out: marks that texts were removed, and what can't be read here.
            if is_chosen && let Some(bytes) = carried(*path, &store.read(*oid)?) {
                blobs.insert(TreeKey(path.to_string()), bytes);
            }
        }
        Ok(Self {
            at: i64::try_from(store.time()? / 1000).unwrap_or(0),
            known: contents.known,
            stores: meta.live("stores").map(|(id, _)| id.to_owned()).collect(),
            sum: lines::sum(&blobs),
            tip: store.commit(),
            blobs,
        })
    }
}

impl Contents {
    fn of(store: Snapshot<'_>) -> Result<Self> {
        let mut paths = Vec::new();
        store
            .store()
            .diff(None, store.tree(), &mut |change| -> Result<()> {
                paths.extend(change.path.zip(change.oid));
                Ok(())
            })?;
        let (mut issues, mut known) = (Vec::new(), 0);
        for (path, oid) in &paths {
            if let TreePath::Issue(uid) = path {
                known += 1;
                issues.extend(store.issue_in(*uid, *oid)?);
            }
        }
        issues.retain(|issue| !issue.is_purged());
        issues.sort_unstable_by_key(Issue::uid);
        Ok(Self {
            paths,
            issues,
            known,
        })
    }

    fn issue(&self, uid: Uid) -> Option<&Issue> {
        let at = self.issues.binary_search_by_key(&uid, Issue::uid).ok()?;
        self.issues.get(at)
    }

    /// Returns the issues that are neither closed nor deleted, what blocks them, and what they are parts of.
    fn needed(&self) -> BTreeSet<Uid> {
        let is_left = |issue: &&Issue| issue.status() != Status::Closed && !issue.is_deleted();
        let mut needed = BTreeSet::new();
        for issue in self.issues.iter().filter(is_left) {
            needed.insert(issue.uid());
            needed.extend(blockers(issue));
            self.add_parents(issue, &mut needed);
        }
        needed
    }

    /// Adds the issues that one is part of, up to the topmost; an imported circle ends where it began.
    fn add_parents(&self, issue: &Issue, needed: &mut BTreeSet<Uid>) {
        let (mut at, mut seen) = (Some(issue), BTreeSet::from([issue.uid()]));
        while let Some(parent) = at.and_then(parent).filter(|uid| seen.insert(*uid)) {
            needed.insert(parent);
            at = self.issue(parent);
            needed.extend(at.into_iter().flat_map(blockers));
        }
    }
}

fn parent(issue: &Issue) -> Option<Uid> {
    match issue.parent()?.0 {
        Target::Uid(uid) => Some(uid),
        Target::Literal(_) => None,
    }
}

fn blockers(issue: &Issue) -> Vec<Uid> {
    let edges = issue.edges().into_iter();
    let blocking = edges.filter(|edge| edge.kind == BLOCKS);
    let uids = blocking.filter_map(|edge| match edge.target {
        Target::Uid(uid) => Some(uid),
        Target::Literal(_) => None,
    });
    uids.collect()
}
