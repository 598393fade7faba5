//! The snapshot file of earlier versions: a part of a store as lines of blobs in the tree of the user's branch, from which
//! clones began that could not fetch the issues.
//!
//! Every clone makes the same first commit of it, whose message names the commit that the file was made of: what is written on
//! top of it joins exactly with the whole store.

use serde_json::Value;

use super::lines::{Blobs, Lines};
use super::rebuild::{OlderFile, rebuild};
use crate::model::stamp::MAX_MILLIS;
use crate::store::carry::place::read_blob;
use crate::store::carry::work_tree::{check_are_folders, read};
use crate::store::carry::{CarriedState, CarryFault, OWN_FOLDER, bad, too_large};
use crate::store::{Commit, Oid, Result, SnapshotRoot, Store, StoreError, TreePath, io};

/// Its path in the user's tree.
pub(crate) const PATH: &str = ".git-beads/snapshot.jsonl";
/// A part of every such file, also of one in which a merge has left its marks.
const MARK: &[u8] = b"\"beads\":\"snapshot\"";
/// The value of `beads` in the first line.
const KIND: &str = "snapshot";
const VERSION: i64 = 1;
/// More issues than so many are in no store.
const MOST_KNOWN: u64 = 100_000_000;
/// The trailer of the first commit, which names the commit that the file was made of.
const TRAILER: &str = "Snapshot-Of";

/// The contents of a snapshot file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SnapshotFile {
    /// The time of the commit that it was made of, in seconds.
    pub(crate) at: i64,
    /// The number of issues at that commit.
    pub(crate) known: u64,
    /// The SHA-256 of the lines after the first one.
    sum: String,
    /// The commit that it was made of.
    pub(crate) tip: Oid,
    blobs: Blobs,
}

impl SnapshotFile {
    /// Returns the number of issues in it.
    pub(crate) fn issues(&self) -> usize {
        let paths = self
            .blobs
            .keys()
            .filter_map(|path| TreePath::parse(&path.0));
        let issues = paths.filter(|path| matches!(path, TreePath::Issue(_)));
        issues.count()
    }

    /// Reads a file, and checks all of it that can be checked without a repository.
    fn parse(bytes: &[u8]) -> Result<Self, CarryFault> {
        let lines = Lines::of(bytes, KIND, VERSION)?;
        let mut file = header(&lines.header).ok_or_else(|| bad("its first line is not sound"))?;
        file.blobs = lines.blobs(&file.sum)?;
        let has_meta = file.blobs.keys().any(|path| path.0 == "meta.json");
        match has_meta {
            true => Ok(file),
            false => Err(bad("there is no meta.json: not a store of issues")),
        }
    }

    /// Makes its commit: the first one of a history, and the same one in every clone.
    /// Errors: a commit or a tree that others would refuse.
    pub(crate) fn root(&self, store: &Store) -> Result<CarriedState> {
        let (issues, known) = (self.issues(), self.known);
        let subject = format!("snapshot: {issues} of {known} issues");
        let message = format!("{subject}\n\n{TRAILER}: {}\n", self.tip);
        let (blobs, at) = (&self.blobs, self.at);
        let file = OlderFile {
            blobs,
            at,
            message,
            changes: None,
        };
        rebuild(store, None, file)
    }
}

/// Reads the first line; none where it is not one that was written.
fn header(value: &Value) -> Option<SnapshotFile> {
    let at = value["at"].as_i64()?;
    let known = value["known"].as_u64()?;
    let is_time = u64::try_from(at).is_ok_and(|at| at <= MAX_MILLIS / 1000);
    let is_known = value["v"].as_i64() == Some(VERSION);
    (is_time && known <= MOST_KNOWN && is_known).then_some(SnapshotFile {
        at,
        known,
        sum: value["sum"].as_str()?.to_owned(),
        tip: Oid::parse(value["tip"].as_str()?)?,
        blobs: Blobs::new(),
    })
}

impl Commit {
    /// Returns what it was made of, where it is the first commit of a history that began from a snapshot file.
    pub(crate) fn snapshot_root(&self) -> Option<SnapshotRoot> {
        let named = self.is_root().then(|| self.trailer(TRAILER))?;
        let of = Oid::parse(named?)?;
        // An id of another length is none of this repository.
        let is_of_here = of.as_bytes().len() == self.oid.as_bytes().len();
        let commit = self.oid;
        is_of_here.then_some(SnapshotRoot { commit, of })
    }
}

/// The file in the tree of HEAD: what it holds, or why it is not used.
pub(super) type HeadFile = Result<SnapshotFile, CarryFault>;

/// Returns the file in the tree of HEAD, if there is one; never that of the work tree, which no one has committed.
pub(crate) fn head_file(store: &Store) -> Result<Option<HeadFile>> {
    let Some(head) = head(store)? else {
        return Ok(None);
    };
    let Some(oid) = store.snapshot_at(head)?.entry(PATH)? else {
        return Ok(None);
    };
    let file = match read_blob(store, oid, PATH) {
        Ok(Ok(bytes)) => SnapshotFile::parse(&bytes),
        Ok(Err(size)) => Err(too_large(size)),
        Err(error) if error.is_unreadable() => Err(bad("its text is not here")),
        Err(error) => return Err(error),
    };
    // An id of another length can name no commit here.
    let is_of_here = |file: &SnapshotFile| file.tip.as_bytes().len() == oid.as_bytes().len();
    Ok(Some(file.and_then(|file| match is_of_here(&file) {
        true => Ok(file),
        false => Err(bad("its tip is no commit of such a repository")),
    })))
}

/// Returns the commit that is checked out. Git is asked only where that is no branch.
fn head(store: &Store) -> Result<Option<Oid>> {
    match store.refs().head_branch() {
        Some(branch) => store.refs().id(&format!("refs/heads/{branch}")),
        None => Ok(store.user_branches().commit_named("HEAD")),
    }
}

/// Returns the file in the work tree, as far as it is one.
pub(crate) fn work_file(store: &Store) -> Option<SnapshotFile> {
    let bytes = read(&store.work_tree()?.join(PATH))?;
    SnapshotFile::parse(&bytes).ok()
}

/// Removes the file from the work tree; false where there is none.
/// Errors: something else is in its place, or there is no work tree.
pub(crate) fn remove_file(store: &Store) -> Result<bool> {
    let none = || StoreError::Refused("there is no work tree".into());
    let top = store.work_tree().ok_or_else(none)?;
    check_are_folders(&top, &[OWN_FOLDER])?;
    let path = top.join(PATH);
    let is_free = std::fs::symlink_metadata(&path).is_err();
    let holds_mark = |bytes: Vec<u8>| bytes.windows(MARK.len()).any(|part| part == MARK);
    if !is_free && !read(&path).is_some_and(holds_mark) {
        let what = "is no snapshot";
        return Err(StoreError::NotOurs { path, what });
    }
    match std::fs::remove_file(&path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(io(format!("can't remove {PATH}"))(error)),
    }
}
