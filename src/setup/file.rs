//! Files of the user: never torn, never outside of the work tree, never written where they may not be.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::ops::{Error, Kind, Result};

/// More than this is no configuration.
const LARGEST: u64 = 4 << 20;

/// A work tree, and what in it is not for us.
pub(super) struct Tree {
    /// Its top, without symbolic links.
    pub(super) root: PathBuf,
    /// The directories of git.
    pub(super) closed: Vec<PathBuf>,
}

/// A file of the user as it was found.
pub(super) struct Found {
    /// Its name in the work tree.
    pub(super) name: &'static str,
    /// Where its name leads.
    path: PathBuf,
    /// Where it really is, behind symbolic links.
    place: PathBuf,
    /// What it says; none where there is no file.
    pub(super) text: Option<String>,
}

fn failed(what: &str, name: &str, error: &io::Error) -> Error {
    let hint = match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("make it writable for you and run the command again: ls -ld {name}")
        }
        _ => format!("look what is there: ls -ld {name}"),
    };
    Error::new(Kind::Io, "io", format!("can't {what} {name}: {error}")).hinted(hint)
}

fn refused(name: &str, why: &str) -> Error {
    Error::new(Kind::Io, "refused", format!("{name} {why}; nothing was read or written there"))
        .hinted(format!("look what it is: ls -ld {name}"))
}

impl Tree {
    /// Reads the first of these files that is there, else says where the first one would be.
    ///
    /// # Errors
    /// What is no plain text file of the work tree, or can't be read.
    pub(super) fn read(&self, names: &[&'static str]) -> Result<Found> {
        let there = |name: &&&'static str| fs::symlink_metadata(self.root.join(name)).is_ok();
        let name = *names.iter().find(there).unwrap_or(&names[0]);
        let path = self.root.join(name);
        if fs::symlink_metadata(&path).is_err() {
            // No folder on the way may lead elsewhere.
            let folder = path.ancestors().skip(1).find(|folder| fs::symlink_metadata(folder).is_ok());
            let folder = self.inside(name, folder.unwrap_or(&self.root))?;
            if !folder.is_dir() {
                return Err(refused(name, "is in a folder that is none"));
            }
            return Ok(Found { name, place: path.clone(), path, text: None });
        }
        let place = self.inside(name, &path)?;
        let meta = fs::metadata(&place).map_err(|error| failed("read", name, &error))?;
        if !meta.is_file() || meta.len() > LARGEST {
            return Err(refused(name, "is no small plain file"));
        }
        let bytes = fs::read(&place).map_err(|error| failed("read", name, &error))?;
        let text = String::from_utf8(bytes).map_err(|_| refused(name, "is not UTF-8"))?;
        Ok(Found { name, path, place, text: Some(text) })
    }

    /// A path without symbolic links, if it lies in the work tree and not in git's own directory.
    fn inside(&self, name: &str, path: &Path) -> Result<PathBuf> {
        let place = path.canonicalize().map_err(|_| refused(name, "is a link to nothing"))?;
        if place.starts_with(&self.root) && !self.closed.iter().any(|closed| place.starts_with(closed)) {
            return Ok(place);
        }
        Err(refused(name, "is a link out of the work tree"))
    }
}

impl Found {
    fn folder(&self) -> &Path {
        self.place.parent().unwrap_or(Path::new("/"))
    }

    /// Looks whether it may be written, and is still as it was found.
    ///
    /// # Errors
    /// A file or folder that may not be written, or a file that somebody has just changed.
    pub(super) fn check(&self) -> Result<()> {
        // The superuser would not be stopped by the system.
        let closed = |path: &Path| fs::metadata(path).is_ok_and(|meta| meta.permissions().readonly());
        let there = self.folder().ancestors().find(|folder| folder.exists());
        if there.is_some_and(closed) || closed(&self.place) {
            return Err(failed("write", self.name, &ErrorKind::PermissionDenied.into()));
        }
        if fs::read(&self.place).ok().as_deref() == self.text.as_deref().map(str::as_bytes) {
            return Ok(());
        }
        Err(Error::conflict("busy", format!("{} was changed meanwhile", self.name)).hinted("run the command again"))
    }

    /// Writes another text in its place, or removes the file.
    ///
    /// # Errors
    /// As [`Self::check`]; a disk that is full.
    pub(super) fn settle(&self, text: Option<&str>) -> Result<()> {
        self.check()?;
        let done = match text {
            None if !self.path.is_symlink() => self.remove(),
            text => self.replace(text.unwrap_or_default()),
        };
        done.map_err(|error| failed("write", self.name, &error))
    }

    /// Removes the file, and a folder of its agent that holds nothing else.
    fn remove(&self) -> io::Result<()> {
        fs::remove_file(&self.place)?;
        if self.name.contains('/') && self.place == self.path {
            // A folder that holds something else stays.
            let _ = fs::remove_dir(self.folder());
        }
        Ok(())
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        let folder = self.folder();
        fs::create_dir_all(folder)?;
        let mode = fs::metadata(&self.place).ok().map(|meta| meta.permissions());
        let made = Permissions::from_mode(0o666);
        let mut scratch = tempfile::Builder::new().prefix(".git-beads-").permissions(made).tempfile_in(folder)?;
        scratch.write_all(text.as_bytes())?;
        if let Some(mode) = mode {
            scratch.as_file().set_permissions(mode)?;
        }
        scratch.as_file().sync_all()?;
        scratch.persist(&self.place).map_err(|error| error.error)?;
        Ok(())
    }
}
