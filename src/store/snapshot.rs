//! An immutable state: the tree at one commit.

use gix::objs::tree::EntryMode;

use super::{
    Oid, REF, Result, Store, StoreError, TreeChange, TreePath, journal, look_twice, unreadable,
};
use crate::model::blob::{Blob, BlobError};
use crate::model::stamp::MAX_MILLIS;
use crate::model::{Issue, Memory, Uid};

/// The tree at a commit.
#[derive(Clone, Copy)]
pub struct Snapshot<'s> {
    store: &'s Store,
    commit: Oid,
    tree: Oid,
}

/// A blob that is there and can't be shown.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {why}")]
pub struct Unreadable {
    /// Its path.
    pub path: String,
    /// The reason.
    #[source]
    pub why: BlobError,
}

impl Store {
    /// Returns the newest state, read without a lock.
    ///
    /// # Errors
    /// [`StoreError::NoStore`] where there is none.
    pub(crate) fn snapshot(&self) -> Result<Snapshot<'_>> {
        Snapshot::at(self, self.head()?)
    }

    /// Returns the state at a commit of any ref.
    pub fn snapshot_at(&self, commit: Oid) -> Result<Snapshot<'_>> {
        Snapshot::at(self, commit)
    }

    /// Returns the state at a commit whose tree the caller knows: no object is read.
    pub(crate) fn known(&self, commit: Oid, tree: Oid) -> Snapshot<'_> {
        Snapshot::known(self, commit, tree)
    }

    /// Returns the commit of the newest state, read without a lock.
    ///
    /// # Errors
    /// [`StoreError::NoStore`] where there is none.
    pub fn head(&self) -> Result<Oid> {
        self.tip()?.map_or_else(|| Err(self.absence()), Ok)
    }

    /// Returns the reason why there is no ref: none was ever made here, or it has gone.
    pub(super) fn absence(&self) -> StoreError {
        let known = match journal::all(self.env(), &self.folder()) {
            Ok(known) => known,
            Err(error) => return error,
        };
        let first = known.moves().filter(|record| record.new.is_some()).count() <= 1;
        match known.newest() {
            // The one that makes the store is at it, or was killed over it.
            Some(_) if first && self.is_interrupted() => StoreError::NoStore(self.place()),
            Some(tip) => {
                let why = format!("it is gone; the journal remembers {tip}");
                StoreError::Unreadable {
                    what: REF.into(),
                    why,
                }
            }
            None => match self.refs().log_entries(1).first().and_then(|last| last.new) {
                Some(tip) => StoreError::Unreadable {
                    what: REF.into(),
                    why: format!("it is gone; its reflog remembers {tip}"),
                },
                None => StoreError::NoStore(self.place()),
            },
        }
    }
}

impl<'s> Snapshot<'s> {
    pub(super) fn at(store: &'s Store, commit: Oid) -> Result<Self> {
        if commit.0.kind() != store.repo.object_hash() {
            return Err(StoreError::Unreadable {
                what: format!("commit {commit}"),
                why: "it is no id of this repository".to_owned(),
            });
        }
        let found = look_twice(|| store.repo.find_commit(commit.0))
            .map_err(unreadable(format!("commit {commit}")))?;
        let tree = found
            .tree_id()
            .map_err(unreadable(format!("commit {commit}")))?;
        Ok(Self {
            store,
            commit,
            tree: Oid(tree.detach()),
        })
    }

    pub(super) fn known(store: &'s Store, commit: Oid, tree: Oid) -> Self {
        Self {
            store,
            commit,
            tree,
        }
    }

    /// Returns true if it holds no issue.
    pub(crate) fn is_empty(&self) -> Result<bool> {
        let tree = self
            .store
            .repo
            .find_tree(self.tree.0)
            .map_err(unreadable(format!("tree {}", self.tree)))?;
        Ok(tree
            .lookup_entry(["issues"])
            .map_err(unreadable("issues"))?
            .is_none())
    }

    /// Returns the commits that it follows.
    pub(crate) fn parents(&self) -> Result<Vec<Oid>> {
        let commit = self
            .store
            .repo
            .find_commit(self.commit.0)
            .map_err(unreadable(format!("commit {}", self.commit)))?;
        Ok(commit
            .parent_ids()
            .map(|parent| Oid(parent.detach()))
            .collect())
    }

    /// Returns the repository.
    pub(crate) fn store(&self) -> &'s Store {
        self.store
    }

    /// Returns the commit.
    pub(crate) fn commit(&self) -> Oid {
        self.commit
    }

    /// Returns its tree.
    pub fn tree(&self) -> Oid {
        self.tree
    }

    /// Returns the time of the commit, in milliseconds.
    pub(crate) fn time(&self) -> Result<u64> {
        let unread = || unreadable(format!("commit {}", self.commit));
        let commit = self
            .store
            .repo
            .find_commit(self.commit.0)
            .map_err(unread())?;
        let seconds = committed_at(&commit).map_err(unread())?;
        Ok(millis(seconds))
    }

    /// Returns the blob at a path, with its bytes.
    pub(crate) fn find(&self, path: TreePath) -> Result<Option<(Oid, Vec<u8>)>> {
        match self.entry(&path.to_string())? {
            Some(oid) => Ok(Some((oid, self.read(oid)?))),
            None => Ok(None),
        }
    }

    /// Returns the id of the blob at a path, which need not be one of ours.
    pub(super) fn entry(&self, path: &str) -> Result<Option<Oid>> {
        let found = self.lookup(path)?;
        Ok(found.filter(|(mode, _)| mode.is_blob()).map(|(_, oid)| oid))
    }

    /// Returns the id of a folder, or of the whole tree; none where there is no such folder.
    pub(super) fn folder(&self, path: Option<&str>) -> Result<Option<Oid>> {
        let Some(path) = path else {
            return Ok(Some(self.tree));
        };
        let found = self.lookup(path)?;
        Ok(found.filter(|(mode, _)| mode.is_tree()).map(|(_, oid)| oid))
    }

    /// Returns what a path names: its mode and its object.
    fn lookup(&self, path: &str) -> Result<Option<(EntryMode, Oid)>> {
        let what = || format!("{path} at {}", self.commit);
        let tree = look_twice(|| self.store.repo.find_tree(self.tree.0));
        let tree = tree.map_err(unreadable(what()))?;
        let entry = look_twice(|| tree.lookup_entry(path.split('/')));
        let entry = entry.map_err(unreadable(what()))?;
        Ok(entry.map(|entry| (entry.mode(), Oid(entry.object_id()))))
    }

    /// Returns the folder of an issue, with its memory; none where it is not there.
    pub(crate) fn issue_folder(&self, uid: Uid) -> Result<Option<Oid>> {
        self.folder(Some(&TreePath::issue_dir(uid)))
    }

    /// Returns the bytes of a blob.
    pub fn read(&self, oid: Oid) -> Result<Vec<u8>> {
        let blob = look_twice(|| self.store.repo.find_blob(oid.0));
        let blob = blob.map_err(unreadable(format!("blob {oid}")))?;
        Ok(blob.detach().data)
    }

    /// Returns the text of an entry in the memory of an issue; none where it can't be shown.
    pub(crate) fn entry_text(&self, issue: Uid, entry: Uid) -> Result<Option<String>> {
        Ok(self
            .remembered(issue, entry)?
            .map(|entry| entry.text().to_owned()))
    }

    /// Returns an entry in the memory of an issue; none where it can't be shown.
    pub(crate) fn remembered(&self, issue: Uid, entry: Uid) -> Result<Option<Memory>> {
        let path = TreePath::Entry(issue, entry);
        let Some((_, bytes)) = self.find(path)? else {
            return Ok(None);
        };
        Ok(decode(path, &bytes)
            .ok()
            .map(|blob| Memory::from_blob(entry, blob)))
    }

    /// Returns an issue, if its blob is there; the inner error is a blob that can't be shown.
    pub fn issue(&self, uid: Uid) -> Result<Option<Result<Issue, Unreadable>>> {
        let Some(blob) = self.entry(&TreePath::Issue(uid).to_string())? else {
            return Ok(None);
        };
        self.issue_in(uid, blob).map(Some)
    }

    /// Returns an issue in the blob that is known to be its own: no tree is read.
    pub(crate) fn issue_in(&self, uid: Uid, blob: Oid) -> Result<Result<Issue, Unreadable>> {
        Ok(decode(TreePath::Issue(uid), &self.read(blob)?).map(|blob| Issue::from_blob(uid, blob)))
    }

    /// Returns the memory of an issue, oldest first; what can't be read is left out and counted.
    pub fn memory(&self, uid: Uid) -> Result<(Vec<Memory>, usize)> {
        let directory = TreePath::issue_dir(uid);
        let Some(folder) = self.folder(Some(&directory))? else {
            return Ok((Vec::new(), 0));
        };
        let mut memory = Vec::new();
        let mut bad = 0;
        let mut each = |change: &TreeChange| -> Result<()> {
            let path = TreePath::parse(&format!("{directory}/{}", change.text));
            if let (Some(TreePath::Entry(_, entry)), Some(oid)) = (path, change.oid) {
                match decode(TreePath::Entry(uid, entry), &self.read(oid)?) {
                    Ok(blob) => memory.push(Memory::from_blob(entry, blob)),
                    Err(_) => bad += 1,
                }
            }
            Ok(())
        };
        self.store.diff(None, folder, &mut each)?;
        memory.sort_unstable_by_key(|entry| (entry.at(), entry.uid()));
        Ok((memory, bad))
    }

    /// Returns the store's own registers.
    pub fn meta(&self) -> Result<Blob> {
        let error = |why: String| StoreError::Unreadable {
            what: format!("meta.json at {}", self.commit),
            why,
        };
        let (_, bytes) = self
            .find(TreePath::Meta)?
            .ok_or_else(|| error("it is missing".into()))?;
        decode(TreePath::Meta, &bytes).map_err(|bad| error(bad.why.to_string()))
    }

    /// Memory that belongs to no issue, oldest first.
    pub fn notes(&self) -> Result<Vec<Memory>> {
        let Some(folder) = self.folder(Some("memory"))? else {
            return Ok(Vec::new());
        };
        let mut notes = Vec::new();
        let mut each = |change: &TreeChange| -> Result<()> {
            if let (Some(TreePath::Note(uid)), Some(oid)) = (
                TreePath::parse(&format!("memory/{}", change.text)),
                change.oid,
            ) && let Ok(blob) = decode(TreePath::Note(uid), &self.read(oid)?)
            {
                notes.push(Memory::from_blob(uid, blob));
            }
            Ok(())
        };
        self.store.diff(None, folder, &mut each)?;
        notes.sort_unstable_by_key(Memory::uid);
        Ok(notes)
    }
}

/// Returns the seconds of the committer. Not by gix, which trims the name too and unpacks tables of Unicode for it.
pub(super) fn committed_at(commit: &gix::Commit<'_>) -> Result<i64, gix::Error> {
    let time = commit.iter().committer()?.time.trim();
    Ok(time.parse::<gix::date::Time>()?.seconds)
}

/// Returns the time of a commit in milliseconds, within the bounds of a stamp: anybody can write any time.
pub(super) fn millis(seconds: i64) -> u64 {
    u64::try_from(seconds)
        .unwrap_or(0)
        .saturating_mul(1000)
        .min(MAX_MILLIS)
}

/// Parses a blob for showing and editing.
pub(crate) fn decode(path: TreePath, bytes: &[u8]) -> Result<Blob, Unreadable> {
    let blob = Blob::parse(bytes)
        .and_then(Blob::readable)
        .and_then(|blob| {
            let own = match path {
                TreePath::Meta => None,
                TreePath::Issue(uid) | TreePath::Entry(_, uid) | TreePath::Note(uid) => Some(uid),
            };
            if own.is_none() || blob.uid == own {
                Ok(blob)
            } else {
                Err(BlobError::Shape("its uid is not that of its path".into()))
            }
        });
    blob.map_err(|why| Unreadable {
        path: path.to_string(),
        why,
    })
}
