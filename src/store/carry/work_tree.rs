//! Carry files in the user's work tree: the one place of it where something is written, and only on request.
//!
//! A file that git tracks is never written, renamed or removed here: branches that did so to the same file would conflict.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::delta::is_known_elsewhere;
use super::place::CarryContents;
use super::{CarryFile, CarryNotes, FOLDER, LARGEST_FILE, OWN_FOLDER, carried_in, is_named_well};
use crate::files;
use crate::model::Uid;
use crate::store::git::{checked, output};
use crate::store::{Oid, Result, Store, StoreError, io};

/// The folder of the files, in a work tree.
pub(crate) struct CarryFolder<'s> {
    store: &'s Store,
    top: PathBuf,
    /// The names of those that git tracks.
    tracked: BTreeSet<String>,
}

/// A carry file of the work tree whose changes HEAD does not have in the same place.
pub(crate) struct UncommittedFile {
    /// Its path, from the top of the work tree.
    pub(crate) path: String,
    /// The operations in it.
    pub(crate) changes: usize,
    /// True if HEAD has something else at its path.
    pub(crate) is_in_place: bool,
}

/// Returns whether the work tree has a folder for carry files.
pub(crate) fn has_folder(store: &Store) -> bool {
    store
        .work_tree()
        .is_some_and(|top| top.join(FOLDER).is_dir())
}

/// Returns the carry files of the work tree that a commit does not have; without a folder of such files nothing is read.
pub(crate) fn uncommitted(
    store: &Store,
    head: impl Fn() -> Option<Oid>,
) -> Result<Vec<UncommittedFile>> {
    let folder = store.work_tree().map(|top| top.join(FOLDER));
    let entries = folder.map(|folder| files::entries(folder).collect::<Vec<_>>());
    let entries = entries.unwrap_or_default();
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let committed = head().map_or(Ok(Vec::new()), |head| carried_in(store, head))?;
    let mut found = Vec::new();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !is_named_well(&name) {
            continue;
        }
        let bytes = read(&entry.path());
        let Some(file) = bytes.and_then(|bytes| CarryContents::of(&bytes)) else {
            continue;
        };
        let in_place = committed.iter().find(|blob| blob.name == name);
        if let Some(blob) = in_place
            && blob.contents(store)?.is_some_and(|it| it.name == file.name)
        {
            continue;
        }
        // What was sent in the meantime waits for no one.
        if let Some(tip) = file.tip
            && is_known_elsewhere(store, tip)?
        {
            continue;
        }
        found.push(UncommittedFile {
            path: format!("{FOLDER}/{name}"),
            changes: file.operations,
            is_in_place: in_place.is_some(),
        });
    }
    Ok(found)
}

/// Returns true if a carry file that was written here holds an issue, or if that can't be known any more: it may be in any
/// branch by now.
pub(crate) fn has_carried(store: &Store, issue: Uid) -> Result<bool> {
    let notes = CarryNotes::of(store);
    for name in notes.written() {
        // A sum of an earlier version names no commit.
        let state = Oid::parse(name).map(|tip| store.snapshot_at(tip));
        let held = state.map(|state| state.and_then(|state| state.issue_folder(issue)));
        if !matches!(held, Some(Ok(None))) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl<'s> CarryFolder<'s> {
    /// Returns the folder; none in a repository without a work tree.
    pub(crate) fn of(store: &'s Store) -> Result<Option<Self>> {
        let Some(top) = store.work_tree() else {
            return Ok(None);
        };
        let mut command = store.git().users_git(&top);
        let listed = output(command.args(["ls-files", "-z", "--cached", "--", FOLDER]))?;
        checked("ls-files", listed.status.success(), &listed.stderr)?;
        let listed = String::from_utf8_lossy(&listed.stdout);
        let names = listed
            .split('\0')
            .filter_map(|path| path.rsplit('/').next());
        let tracked = names.map(str::to_owned).collect();
        Ok(Some(Self {
            store,
            top,
            tracked,
        }))
    }

    /// Returns the names of all files that are there.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = files::entries(self.top.join(FOLDER)).map(|entry| entry.file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    }

    /// Returns the names of the files that git tracks.
    pub(crate) fn tracked(&self) -> impl Iterator<Item = &String> {
        self.tracked.iter()
    }

    /// Returns the bytes of a file; none where it is not there or is no file of a moderate size.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        read(&self.path(name))
    }

    /// Writes a file that is not there yet, under a name that git does not track, in the place of what this clone has written
    /// before and no one has committed.
    pub(crate) fn write(&self, file: &CarryFile, name: &str) -> Result<()> {
        check_are_folders(&self.top, &[OWN_FOLDER, FOLDER])?;
        let mut notes = CarryNotes::of(self.store);
        let replaced = self.replaced((file.tip, name), &notes)?;
        // Before it is written: killed in between, the next command knows what it may replace.
        notes.wrote(file.tip);
        notes.keep(self.store);
        // The new one first: at no moment is a change in none of the files.
        self.write_one(file, name)?;
        let mut gone = Vec::new();
        for (name, written) in replaced {
            let removed = fs::remove_file(self.path(&name));
            removed.map_err(io(format!("can't remove {FOLDER}/{name}")))?;
            gone.push(written);
        }
        notes.forget_written(&gone);
        notes.keep(self.store);
        Ok(())
    }

    fn write_one(&self, file: &CarryFile, name: &str) -> Result<()> {
        let path = self.path(name);
        // A link would lead the text to another file.
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            let what = "is not a file";
            return Err(StoreError::NotOurs { path, what });
        }
        let written = files::replace(&path, file.encode().as_bytes(), 0o666);
        written.map_err(io(format!("can't write {FOLDER}/{name}")))
    }

    /// Returns the files that a new one replaces, each with the name in the notes: what a slower command has made of an older
    /// state replaces nothing.
    fn replaced(
        &self,
        (tip, new): (Oid, &str),
        notes: &CarryNotes,
    ) -> Result<Vec<(String, String)>> {
        let (store, mut replaced) = (self.store, Vec::new());
        for name in self.names() {
            if name == new || self.tracked.contains(&name) {
                continue;
            }
            let bytes = self.read(&name);
            let file = bytes.and_then(|bytes| CarryContents::of(&bytes));
            let Some(file) = file.filter(|file| notes.has_written(&file.name)) else {
                continue;
            };
            let is_contained = match file.tip {
                Some(old) => store.is_commit(old)? && store.merging().contains(tip, old)?,
                None => true,
            };
            if is_contained {
                replaced.push((name, file.name));
            }
        }
        Ok(replaced)
    }

    /// Returns true if git tracks another file of a name.
    pub(crate) fn tracks(&self, name: &str) -> bool {
        self.tracked.contains(name)
    }

    /// Takes files out of the work tree and the index, as `git rm` does: what was changed since it was committed stays.
    pub(crate) fn remove(&self, names: &[String]) -> Result<()> {
        let mut command = self.store.git().users_git(&self.top);
        command.args(["--literal-pathspecs", "rm", "--quiet", "--"]);
        let removed = output(command.args(names.iter().map(|name| format!("{FOLDER}/{name}"))))?;
        checked("rm", removed.status.success(), &removed.stderr)
    }

    /// Returns the top of the work tree.
    pub(crate) fn top(&self) -> &Path {
        &self.top
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.join(Path::new(FOLDER)).join(name)
    }
}

/// Returns the bytes of a file; none where it is not there or is no file of a moderate size.
pub(in crate::store) fn read(path: &Path) -> Option<Vec<u8>> {
    let meta = fs::symlink_metadata(path).ok()?;
    match meta.is_file() && meta.len() <= LARGEST_FILE {
        true => fs::read(path).ok(),
        false => None,
    }
}

/// Refuses folders that lead elsewhere: whoever has written the branch could choose where.
pub(in crate::store) fn check_are_folders(top: &Path, folders: &[&str]) -> Result<()> {
    let mut paths = folders.iter().map(|folder| top.join(folder));
    let is_other = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| !found.is_dir());
    let what = "is not a folder";
    match paths.find(is_other) {
        Some(path) => Err(StoreError::NotOurs { path, what }),
        None => Ok(()),
    }
}
