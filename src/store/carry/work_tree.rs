//! Carry files in the user's work tree: the one place of it where something is written, and only on request.
//!
//! A file that git tracks is never written, renamed or removed here: branches that did so to the same file would conflict.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

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
        let Some(Ok(file)) = bytes.map(|bytes| CarryFile::parse(&bytes)) else {
            continue;
        };
        let in_place = committed.iter().find(|blob| blob.name == name);
        if let Some(blob) = in_place
            && blob.has(store, &file.header.sum)?
        {
            continue;
        }
        found.push(UncommittedFile {
            path: format!("{FOLDER}/{name}"),
            changes: file.header.changes,
            is_in_place: in_place.is_some(),
        });
    }
    Ok(found)
}

/// Returns true if a carry file that was written here holds an issue, or has gone: it may be in any branch by now.
pub(crate) fn has_carried(store: &Store, issue: Uid) -> Result<bool> {
    let notes = CarryNotes::of(store);
    let mut gone: BTreeSet<&String> = notes.written().collect();
    if gone.is_empty() {
        return Ok(false);
    }
    let Some(folder) = CarryFolder::of(store)? else {
        return Ok(true);
    };
    for name in folder.names() {
        let file = folder.read(&name).map(|bytes| CarryFile::parse(&bytes));
        if let Some(Ok(file)) = file
            && gone.remove(&file.header.sum)
            && file.issues().contains(&issue)
        {
            return Ok(true);
        }
    }
    Ok(!gone.is_empty())
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

    /// Writes files that are not there yet, in the place of what this clone has written before and no one has committed, but
    /// for those of some names.
    pub(crate) fn write(&self, carried: &[&CarryFile], kept: &[&String]) -> Result<()> {
        check_are_folders(&self.top, &[OWN_FOLDER, FOLDER])?;
        let mut notes = CarryNotes::of(self.store);
        let new = carried.iter().map(|file| file.name());
        let names: BTreeSet<String> = new.chain(kept.iter().copied().cloned()).collect();
        let replaced = self.replaced(&names, &notes);
        // Before they are written: killed in between, the next command knows what it may replace.
        notes.wrote(carried.iter().map(|file| file.header.sum.clone()), &[]);
        notes.keep(self.store);
        // The new ones first: at no moment is a change in none of the files.
        for file in carried {
            self.write_one(file)?;
        }
        let mut gone = Vec::new();
        for (name, sum) in replaced {
            let removed = fs::remove_file(self.path(&name));
            removed.map_err(io(format!("can't remove {FOLDER}/{name}")))?;
            gone.push(sum);
        }
        notes.wrote(std::iter::empty(), &gone);
        notes.keep(self.store);
        Ok(())
    }

    fn write_one(&self, file: &CarryFile) -> Result<()> {
        let name = file.name();
        // Two branches that rewrite a file which both have would conflict.
        if self.tracked.contains(&name) {
            return Ok(());
        }
        let text = file.encode();
        let known = self.read(&name);
        if known.is_some_and(|known| known == text.as_bytes()) {
            return Ok(());
        }
        let path = self.path(&name);
        // A link would lead the text to another file.
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            let what = "is not a file";
            return Err(StoreError::NotOurs { path, what });
        }
        let written = files::replace(&path, text.as_bytes(), 0o666);
        written.map_err(io(format!("can't write {FOLDER}/{name}")))
    }

    /// Returns the files that new ones replace, with their sums.
    fn replaced(&self, names: &BTreeSet<String>, notes: &CarryNotes) -> Vec<(String, String)> {
        let mut replaced = Vec::new();
        for name in self.names() {
            if names.contains(&name) || self.tracked.contains(&name) {
                continue;
            }
            let parsed = self.read(&name).and_then(|it| CarryFile::parse(&it).ok());
            if let Some(file) = parsed.filter(|file| notes.has_written(&file.header.sum)) {
                replaced.push((name, file.header.sum));
            }
        }
        replaced
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
