//! The state that a carry file brings, in memory only: no object of it is in the repository before it is admitted.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use gix::ObjectId;
use gix::objs::{Kind, TreeRefIter};

use super::bundle::unpack;
use super::{CarryFault, CarryFile, bad};
use crate::model::{Issue, Uid};
use crate::store::object::Object;
use crate::store::{
    Commit, Oid, Result, Snapshot, Store, StoreError, TreeChange, TreePath, decode,
};

/// The state that a file brings.
#[derive(Clone, Debug)]
pub(crate) struct CarriedState {
    pub(crate) tip: Oid,
    pub(in crate::store) objects: Arc<[Object]>,
    /// The number of operations that became one commit, where they did.
    pub(in crate::store) joined: Option<usize>,
}

/// The changes of a state, against what is here.
#[derive(Clone, Debug, Default)]
pub(crate) struct CarriedChanges {
    /// The operations in it.
    pub(crate) operations: usize,
    /// The issues that it changes.
    pub(crate) issues: BTreeSet<Uid>,
    /// The issues that it deletes, and that are otherwise here.
    pub(crate) deleted: usize,
    /// The issues whose blobs are in it, as they are there.
    pub(crate) shown: Vec<Issue>,
}

impl CarriedState {
    /// Returns the state that a file brings.
    pub(crate) fn of(store: &Store, file: &CarryFile) -> Result<Self, CarryFault> {
        Ok(Self {
            tip: file.tip,
            objects: unpack(store, file)?,
            joined: None,
        })
    }

    /// Returns the number of operations that became one commit, where they did.
    pub(crate) const fn joined(&self) -> Option<usize> {
        self.joined
    }

    /// Returns the bytes of what it brings.
    pub(crate) fn size(&self) -> usize {
        self.objects.iter().map(|object| object.bytes.len()).sum()
    }

    /// Returns the repository with what this state brings.
    pub(crate) fn overlaid(&self, store: &Store) -> Result<Store> {
        store.overlaid(self.objects.iter())
    }

    /// Returns what it changes, or why no file may do so. `known` are the states of this store: ours, and what the remote has.
    /// Errors: a part of those that can't be read.
    pub(crate) fn changes(
        &self,
        store: &Store,
        known: &[Oid],
    ) -> Result<Result<CarriedChanges, CarryFault>> {
        let overlaid = self.overlaid(store)?;
        let commits = match brought(&overlaid, self, known) {
            Ok(commits) => commits,
            Err(why) => return Ok(Err(why)),
        };
        // It may be anything: it is walked once it is known to be bounded and whole.
        let (incoming, sound) = (overlaid.incoming(), known.last().copied());
        let checked = incoming.check_commits(self.tip, sound);
        match checked.and_then(|()| incoming.validate(self.tip, sound)) {
            Ok(()) => {}
            Err(StoreError::Rejected(why)) => return Ok(Err(bad(why))),
            Err(error) => return Ok(Err(bad(error.to_string()))),
        }
        let now = known.iter().map(|known| overlaid.snapshot_at(*known));
        let now: Vec<Snapshot<'_>> = now.collect::<Result<_>>()?;
        for commit in &commits {
            if let Err(why) = check_blobs(&overlaid, commit, &now) {
                return Ok(Err(why));
            }
        }
        let mut changes = CarriedChanges {
            operations: self.joined.unwrap_or_else(|| {
                let operations = commits.iter().filter(|commit| commit.is_operation());
                operations.count()
            }),
            ..CarriedChanges::default()
        };
        let state = overlaid.snapshot_at(self.tip)?;
        let before = common(&overlaid, known, self.tip)?;
        overlaid.diff(before, state.tree(), &mut |change| -> Result<()> {
            let (Some(path), Some(oid)) = (change.path, change.oid) else {
                return Ok(());
            };
            changes.issues.extend(path.issue());
            if let TreePath::Issue(uid) = path
                && let Ok(blob) = decode(path, &state.read(oid)?)
            {
                let issue = Issue::from_blob(uid, blob);
                if issue.is_deleted() && is_there(&now, uid)? {
                    changes.deleted += 1;
                }
                changes.shown.push(issue);
            }
            Ok(())
        })?;
        Ok(Ok(changes))
    }
}

/// Returns true if an issue is in the newest of some states, and not deleted there.
fn is_there(states: &[Snapshot<'_>], uid: Uid) -> Result<bool> {
    for state in states.iter().rev() {
        match state.issue(uid)? {
            Some(Ok(issue)) => return Ok(!issue.is_deleted()),
            Some(Err(_)) => return Ok(true),
            None => {}
        }
    }
    Ok(false)
}

/// Returns the tree of what a state has in common with the newest of those known; none where that is nothing.
fn common(overlaid: &Store, known: &[Oid], tip: Oid) -> Result<Option<Oid>> {
    for known in known.iter().rev() {
        let bases = overlaid.merging().merge_bases(*known, tip)?;
        if let Some(base) = bases.first() {
            return Ok(Some(base.tree()));
        }
    }
    Ok(None)
}

/// Returns the commits that a file brings, the newest first. Each of its objects is part of one of them, and each of them builds
/// on others of these, or on the history of this store: so nothing else of the repository gets into that.
fn brought(
    overlaid: &Store,
    state: &CarriedState,
    known: &[Oid],
) -> Result<Vec<Commit>, CarryFault> {
    let unread = |error: StoreError| bad(error.to_string());
    let objects = state.objects.iter().map(|object| (object.id, object));
    let objects: HashMap<ObjectId, &Object> = objects.collect();
    let (mut seen, mut left) = (HashSet::from([state.tip.0]), vec![state.tip.0]);
    let mut commits = Vec::new();
    while let Some(id) = left.pop() {
        let Some(object) = objects.get(&id) else {
            let mut is_known = false;
            for known in known {
                is_known |= overlaid
                    .merging()
                    .contains(*known, Oid(id))
                    .map_err(unread)?;
            }
            match is_known {
                true => continue,
                false => return Err(bad("it builds on a commit that is none of these issues")),
            }
        };
        if object.kind != Kind::Commit {
            return Err(bad("its history leads to what is no commit"));
        }
        let commit = overlaid.ancestry().commit(Oid(id)).map_err(unread)?;
        let here = overlaid.snapshot_at(Oid(id)).map_err(unread)?;
        if commit.is_root() && here.find(TreePath::Meta).map_err(unread)?.is_none() {
            return Err(bad("its history begins with what is no store of issues"));
        }
        mark(&objects, here.tree().0, &mut seen)?;
        left.extend(
            commit
                .parents()
                .map(|parent| parent.0)
                .filter(|id| seen.insert(*id)),
        );
        commits.push(commit);
    }
    match objects.keys().all(|id| seen.contains(id)) {
        true => Ok(commits),
        false => Err(bad("it has objects that are part of no commit")),
    }
}

/// Marks what a tree of a file leads to, as far as the file has it.
fn mark(
    objects: &HashMap<ObjectId, &Object>,
    tree: ObjectId,
    seen: &mut HashSet<ObjectId>,
) -> Result<(), CarryFault> {
    let mut left = vec![tree];
    while let Some(id) = left.pop() {
        let Some(object) = objects.get(&id).filter(|_| seen.insert(id)) else {
            continue;
        };
        if object.kind == Kind::Tree {
            for entry in TreeRefIter::from_bytes(&object.bytes, id.kind()) {
                let entry = entry.map_err(|_| bad("a tree of it can't be read"))?;
                left.push(entry.oid.to_owned());
            }
        }
    }
    Ok(())
}

/// Checks the blobs that a commit has changed, of which none is as in one of its parents. `now` are the states of this store.
fn check_blobs(overlaid: &Store, commit: &Commit, now: &[Snapshot<'_>]) -> Result<(), CarryFault> {
    let unread = |error: StoreError| bad(error.to_string());
    let parents = commit.parents().map(|parent| overlaid.snapshot_at(parent));
    let parents: Vec<Snapshot<'_>> = parents.collect::<Result<_>>().map_err(unread)?;
    let state = overlaid.snapshot_at(commit.oid).map_err(unread)?;
    let before = parents.first().map(Snapshot::tree);
    let mut fault = None;
    let walked = overlaid.diff(before, state.tree(), &mut |change| -> Result<()> {
        let Some(oid) = change.oid.filter(|_| fault.is_none()) else {
            return Ok(());
        };
        let mut was = Vec::new();
        for parent in &parents {
            match parent.entry(&change.text)? {
                Some(same) if same == oid => return Ok(()),
                Some(other) => was.push(parent.read(other)?),
                None => {}
            }
        }
        let is_known = match change.path.and_then(TreePath::issue) {
            Some(uid) => is_there(now, uid)?,
            None => true,
        };
        fault = carried_blob(change, &state.read(oid)?, &was, is_known).err();
        Ok(())
    });
    walked.map_err(unread)?;
    fault.map_or(Ok(()), Err)
}

/// Checks a blob that a file brings: anybody can have written one, so it is narrower than what a remote has. A mark that texts
/// were removed is a matter of those who may push, where the issue is known to others.
pub(super) fn carried_blob(
    change: &TreeChange,
    bytes: &[u8],
    was: &[Vec<u8>],
    is_known: bool,
) -> Result<(), CarryFault> {
    let text = &change.text;
    let path = change.path.ok_or_else(|| {
        let shown: String = text
            .chars()
            .take(80)
            .flat_map(char::escape_default)
            .collect();
        bad(format!("{shown}: no path of an issue"))
    })?;
    let blob = decode(path, bytes).map_err(|unread| bad(format!("{text}: {}", unread.why)))?;
    let is_same = |was: &Vec<u8>| decode(path, was).is_ok_and(|was| was.purged == blob.purged);
    match blob.purged.is_some() && is_known && !was.iter().any(is_same) {
        true => Err(bad(format!(
            "{text}: texts are removed by those who may push alone"
        ))),
        false => Ok(()),
    }
}
