//! The places of the snapshot file: the tree of HEAD, from which it is read, and the work tree, where it is written on
//! request.

use std::path::PathBuf;

use super::SnapshotFile;
use crate::files;
use crate::store::carry::lines::{bad, too_large};
use crate::store::carry::place::read_blob;
use crate::store::carry::work_tree::{check_are_folders, read};
use crate::store::carry::{CarryFault, OWN_FOLDER};
use crate::store::{Oid, Result, Store, StoreError, io};

/// Its path in the user's tree.
pub(crate) const PATH: &str = ".git-beads/snapshot.jsonl";
/// A part of every file that this program has written, also of one in which a merge has left its marks.
const MARK: &[u8] = b"\"beads\":\"snapshot\"";

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

/// Writes the file into the work tree.
/// Errors: something else is in its place, or there is no work tree.
pub(crate) fn write_file(store: &Store, file: &SnapshotFile) -> Result<()> {
    let path = place(store)?;
    files::replace(&path, file.encode().as_bytes(), 0o666)
        .map_err(io(format!("can't write {PATH}")))
}

/// Removes the file from the work tree; false where there is none.
/// Errors: something else is in its place, or there is no work tree.
pub(crate) fn remove_file(store: &Store) -> Result<bool> {
    let path = place(store)?;
    match std::fs::remove_file(&path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(io(format!("can't remove {PATH}"))(error)),
    }
}

/// Returns the path of the file, where nothing but a snapshot is there.
fn place(store: &Store) -> Result<PathBuf> {
    let none = || StoreError::Refused("there is no work tree".into());
    let top = store.work_tree().ok_or_else(none)?;
    check_are_folders(&top, &[OWN_FOLDER])?;
    let path = top.join(PATH);
    let is_free = std::fs::symlink_metadata(&path).is_err();
    let holds_mark = |bytes: Vec<u8>| bytes.windows(MARK.len()).any(|part| part == MARK);
    match is_free || read(&path).is_some_and(holds_mark) {
        true => Ok(path),
        false => Err(StoreError::NotOurs {
            path,
            what: "is no snapshot",
        }),
    }
}
