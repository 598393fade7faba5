//! What is here and others are not known to have, as one carry file or as parts of one.

use std::collections::BTreeMap;

use super::lines::{self, Blobs, TreeKey, line};
use super::parse::is_sum;
use super::rebuild::CARRIED;
use super::{CarryFile, CarryHeader, CarryNotes, LARGEST_PART, LONGEST_OP, MOST_EARLIER, MOST_OPS};
use crate::store::{Commit, Oid, Result, Snapshot, Store, StoreError, TreePath, decode};

/// The changes of a clone since a commit that others have.
#[derive(Debug)]
pub(crate) struct CarryDelta {
    header: CarryHeader,
    blobs: Blobs,
    /// All that was done since, the oldest first.
    operations: Vec<CarriedOp>,
    /// Paths that no file can have: what could not be read, and marks that texts were removed.
    pub(crate) left_out: Vec<String>,
}

/// What was done by one commit.
#[derive(Debug)]
struct CarriedOp {
    /// The beginning of its first line.
    subject: String,
    /// The paths that it has changed.
    paths: Vec<TreeKey>,
}

/// The newest state of a history that others are known to have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownState {
    /// The commit of it that others have.
    base: Oid,
    /// The commit of it that is here: another one where the history began from a snapshot of the former.
    here: Oid,
}

/// Returns the newest state of our history that a remote is known to have, or others where it never had one; none where no one
/// ever had one.
///
/// What another remote has, such as a fork, need not ever reach those who read the one that a file is for.
pub(crate) fn known_elsewhere(store: &Store, remote: Option<&str>) -> Result<Option<KnownState>> {
    let Some(ours) = store.tip()? else {
        return Ok(None);
    };
    if let Some(remote) = remote
        && let Some(base) = newest_common(store, ours, &|name| {
            name.strip_suffix("/main") == Some(remote)
        })?
    {
        return Ok(Some(KnownState { base, here: base }));
    }
    if let Some(base) = newest_common(store, ours, &|_| true)? {
        return Ok(Some(KnownState { base, here: base }));
    }
    // Who has written a snapshot has the commit that it was made of.
    let roots = store.merging().snapshot_roots(ours)?;
    if let Some(root) = roots.first() {
        return Ok(Some(KnownState {
            base: root.of,
            here: root.commit,
        }));
    }
    // Who collects the files that were taken over here has what they build on.
    let commits = store.snapshot_at(ours)?.history(None)?;
    let carried = commits.iter().filter(|commit| commit.is_carried());
    for base in carried.filter_map(Commit::only_parent) {
        if store.is_commit(base)? {
            return Ok(Some(KnownState { base, here: base }));
        }
    }
    Ok(None)
}

/// Returns the newest commit that our history shares with what remotes are known to have, of those whose names are meant.
fn newest_common(store: &Store, ours: Oid, is_meant: &dyn Fn(&str) -> bool) -> Result<Option<Oid>> {
    let mut best: Option<Oid> = None;
    for known in known_tips(store, is_meant)? {
        for base in store.merging().merge_bases(ours, known)? {
            let base = base.commit();
            best = match best {
                Some(other) if !is_newer(store, base, other)? => Some(other),
                _ => Some(base),
            };
        }
    }
    Ok(best)
}

/// Returns the tips that remotes had when they were last asked, also remotes that are gone, of those whose names are meant.
fn known_tips(store: &Store, is_meant: &dyn Fn(&str) -> bool) -> Result<Vec<Oid>> {
    let mut tips = Vec::new();
    for space in ["refs/beads-remotes/", "refs/beads-seen/"] {
        let is_main = |name: &str| {
            let own = name.strip_prefix(space).is_some_and(is_meant);
            own && name.ends_with("/main") && !name.contains("/mailbox/")
        };
        for (name, tip) in store.refs().below(space)? {
            // A tip that a fetch with a filter left out says nothing of what it holds.
            if let (true, Some(tip)) = (is_main(&name), tip)
                && store.is_commit(tip)?
                && !tips.contains(&tip)
            {
                tips.push(tip);
            }
        }
    }
    Ok(tips)
}

fn is_newer(store: &Store, one: Oid, other: Oid) -> Result<bool> {
    if store.merging().contains(one, other)? {
        return Ok(true);
    }
    if store.merging().contains(other, one)? {
        return Ok(false);
    }
    let rank = |commit: Oid| {
        Ok::<_, crate::store::StoreError>((store.ancestry().commit(commit)?.at, commit))
    };
    Ok(rank(one)? > rank(other)?)
}

/// Returns the operations among some commits, the oldest first.
fn operations(store: &Store, commits: &[Commit]) -> Result<Vec<CarriedOp>> {
    let mut operations = Vec::new();
    for commit in commits.iter().rev().filter(|commit| commit.is_operation()) {
        let before = match commit.only_parent() {
            Some(parent) if store.is_commit(parent)? => Some(store.snapshot_at(parent)?.tree()),
            _ => None,
        };
        let (tree, mut paths) = (store.snapshot_at(commit.oid)?.tree(), Vec::new());
        store.diff::<StoreError>(before, tree, &mut |change| {
            paths.push(TreeKey(change.text.clone()));
            Ok(())
        })?;
        operations.push(CarriedOp {
            subject: commit.subject.chars().take(LONGEST_OP).collect(),
            paths,
        });
    }
    Ok(operations)
}

/// Returns the sums of the files that this clone has written before or that some commits were rebuilt of, the newest.
fn earlier_files(store: &Store, commits: &[Commit]) -> Vec<String> {
    let notes = CarryNotes::of(store);
    let taken = commits.iter().filter(|commit| commit.is_carried());
    let taken = taken.filter_map(|commit| commit.trailer(CARRIED));
    let mut sums: Vec<String> = Vec::new();
    for sum in notes.written().map(String::as_str).chain(taken) {
        if is_sum(sum) && sums.iter().all(|known| known != sum) {
            sums.push(sum.to_owned());
        }
    }
    sums.truncate(MOST_EARLIER);
    sums
}

/// Returns the time of the newest of some commits, in seconds.
fn newest(commits: &[Commit]) -> i64 {
    let newest = commits.iter().map(|commit| commit.at).max().unwrap_or(0);
    i64::try_from(newest / 1000).unwrap_or(0)
}

impl CarryDelta {
    /// Returns what is here and not in a state that others have; none where that is nothing.
    pub(crate) fn since(store: &Store, known: KnownState, actor: &str) -> Result<Option<Self>> {
        let Some(tip) = store.tip()? else {
            return Ok(None);
        };
        let KnownState { base, here } = known;
        let ours = store.snapshot_at(tip)?;
        let (blobs, left_out) = changed(store, store.snapshot_at(here)?, ours)?;
        // Merges too, but they are no operations: what they join is counted by itself.
        let commits = ours.history(Some(here))?;
        if blobs.is_empty() && left_out.is_empty() {
            return Ok(None);
        }
        let after = earlier_files(store, &commits);
        let meta = ours.meta()?;
        let header = CarryHeader {
            actor: actor.chars().take(crate::model::limits::MAX_NAME).collect(),
            after,
            stores: meta.live("stores").map(|(id, _)| id.to_owned()).collect(),
            ..CarryHeader::new(base, newest(&commits), String::new())
        };
        Ok(Some(Self {
            header,
            blobs,
            left_out,
            operations: operations(store, &commits)?,
        }))
    }

    /// Returns how many operations have changed what files can have.
    pub(crate) fn changes(&self) -> usize {
        self.operations_on(&self.blobs).count()
    }

    /// Returns the operations that have changed one of some paths: what others have by an earlier file is not among these.
    fn operations_on<'d>(&'d self, blobs: &'d Blobs) -> impl Iterator<Item = &'d CarriedOp> {
        let has_any = |it: &&CarriedOp| it.paths.iter().any(|path| blobs.contains_key(path));
        self.operations.iter().filter(has_any)
    }

    /// Returns all of it as one file; none where it holds nothing that a file can have.
    pub(crate) fn whole(&self) -> Option<CarryFile> {
        (!self.blobs.is_empty()).then(|| self.file(self.blobs.clone(), (1, 1)))
    }

    /// Returns it as files of a moderate size, each of which is a sound state by itself.
    pub(crate) fn parts(&self) -> Vec<CarryFile> {
        let mut parts: Vec<Blobs> = Vec::new();
        let (mut size, mut folder) = (0, String::new());
        for (path, blob) in &self.blobs {
            let own = path.0.rsplit_once('/').map_or("", |(folder, _)| folder);
            // What belongs to one issue stays together, as far as it has room in one part.
            let is_full = match own == folder {
                true => size > LARGEST_PART,
                false => size + self.size_of(own) > LARGEST_PART,
            };
            if parts.is_empty() || is_full {
                parts.push(Blobs::new());
                size = 0;
            }
            folder = own.to_owned();
            size += line(path, blob).len() + 1;
            if let Some(part) = parts.last_mut() {
                part.insert(path.clone(), blob.clone());
            }
        }
        let all = parts.len();
        let numbered = parts.into_iter().enumerate();
        numbered
            .map(|(at, blobs)| self.file(blobs, (at + 1, all)))
            .collect()
    }

    /// Returns the bytes that a folder takes.
    fn size_of(&self, folder: &str) -> usize {
        let within = format!("{folder}/");
        let first = self.blobs.range(TreeKey(within.clone())..);
        let own = first.take_while(|(path, _)| path.0.starts_with(&within));
        own.map(|(path, blob)| line(path, blob).len() + 1).sum()
    }

    fn file(&self, blobs: Blobs, part: (usize, usize)) -> CarryFile {
        let ops = self.operations_on(&blobs).map(|it| it.subject.clone());
        let sum = lines::sum(&blobs);
        let mut after = self.header.after.clone();
        // Where the same is written again.
        after.retain(|earlier| *earlier != sum);
        let header = CarryHeader {
            after,
            changes: self.operations_on(&blobs).count(),
            ops: ops.take(MOST_OPS).collect(),
            part,
            sum,
            ..self.header.clone()
        };
        CarryFile { header, blobs }
    }
}

/// Returns the blobs that are new or differ, in their canonical form, and the paths of those that no file can have.
fn changed(store: &Store, known: Snapshot<'_>, ours: Snapshot<'_>) -> Result<(Blobs, Vec<String>)> {
    let (mut blobs, mut left_out) = (BTreeMap::new(), Vec::new());
    store.diff(
        Some(known.tree()),
        ours.tree(),
        &mut |change| -> Result<()> {
            // What is missing in a tree is not deleted: a deletion is a mark in the blob.
            let Some(oid) = change.oid else { return Ok(()) };
            let carried = match change.path {
                Some(path) => carried(path, &ours.read(oid)?),
                None => None,
            };
            match carried {
                Some(bytes) => {
                    blobs.insert(TreeKey(change.text.clone()), bytes);
                }
                None => left_out.push(change.text.clone()),
            }
            Ok(())
        },
    )?;
    Ok((blobs, left_out))
}

/// Returns the bytes of a blob as every reader of a file accepts them.
pub(in crate::store) fn carried(path: TreePath, bytes: &[u8]) -> Option<Vec<u8>> {
    let blob = decode(path, bytes).ok()?;
    blob.to_checked_bytes()
        .ok()
        .filter(|_| blob.purged.is_none())
}
