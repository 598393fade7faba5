//! Files of the user: written as a whole, never outside of the work tree, never where they are
//! read-only.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{Refusal, Result};
use crate::files::{replace, sweep};
use crate::ops::{Code, Command, Error, Hint};
use crate::platform;

/// Largest size of a configuration in bytes.
const LARGEST: u64 = 4 << 20;

/// A work tree, and the directories in it that are not written to.
pub(super) struct WorkTree {
    /// Its top, without symbolic links.
    pub(super) root: PathBuf,
    /// The directories of git.
    pub(super) closed: Vec<PathBuf>,
}

/// A file of the user as it was found.
pub(super) struct TargetFile {
    /// Its name in the work tree.
    pub(super) name: &'static str,
    /// Its path in the work tree.
    path: PathBuf,
    /// Its path with all symbolic links resolved.
    place: PathBuf,
    /// Its text; none where there is no file.
    pub(super) text: Option<String>,
}

fn failed(what: &str, name: &str, error: &io::Error) -> Refusal {
    let look = Command::line("ls -ld").word(name);
    let hint = match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Hint::again("make it writable for you and ", format!(": {look}"))
        }
        _ => Hint::run("look what is there: ", look),
    };
    let whole = Error::new(Code::Io, format!("can't {what} {name}: {error}")).hinted(hint);
    Refusal {
        why: format!("can't {what} it: {error}"),
        error: whole,
    }
}

fn refused(name: &str, why: &str) -> Refusal {
    let whole = Error::new(
        Code::Refused,
        format!("{name} {why}; nothing was read or written there"),
    )
    .hinted(Hint::run(
        "check what it is: ",
        Command::line("ls -ld").word(name),
    ));
    Refusal {
        why: why.to_owned(),
        error: whole,
    }
}

impl WorkTree {
    /// Returns whether there is anything by this name.
    pub(super) fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.root.join(name)).is_ok()
    }

    /// Reads a file, or finds the place where it would be.
    pub(super) fn read(&self, name: &'static str) -> Result<TargetFile, Refusal> {
        let path = self.root.join(name);
        if !self.has(name) {
            // No folder on the way may lead elsewhere.
            let folder = path
                .ancestors()
                .skip(1)
                .find(|folder| fs::symlink_metadata(folder).is_ok());
            let folder = self.inside(name, folder.unwrap_or(&self.root))?;
            if !folder.is_dir() {
                return Err(refused(name, "is in a folder that is none"));
            }
            return Ok(TargetFile {
                name,
                place: path.clone(),
                path,
                text: None,
            });
        }
        let place = self.inside(name, &path)?;
        let meta = fs::metadata(&place).map_err(|error| failed("read", name, &error))?;
        if !meta.is_file() || meta.len() > LARGEST {
            return Err(refused(name, "is no small plain file"));
        }
        let bytes = fs::read(&place).map_err(|error| failed("read", name, &error))?;
        let text = String::from_utf8(bytes).map_err(|_| refused(name, "is not UTF-8"))?;
        Ok(TargetFile {
            name,
            path,
            place,
            text: Some(text),
        })
    }

    /// Resolves the symbolic links of a path, if it is in the work tree and not in git's own
    /// directory.
    fn inside(&self, name: &str, path: &Path) -> Result<PathBuf, Refusal> {
        let place =
            platform::canonicalize(path).map_err(|_| refused(name, "is a link to nothing"))?;
        // After all links are resolved: a checkout can hold a link that leads into `.git` or out of it all.
        if place.starts_with(&self.root)
            && !self.closed.iter().any(|closed| place.starts_with(closed))
        {
            return Ok(place);
        }
        Err(refused(name, "is a link out of the work tree"))
    }
}

impl TargetFile {
    fn folder(&self) -> &Path {
        self.place.parent().unwrap_or(Path::new("/"))
    }

    /// Checks that it may be written, and is still as it was found.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        // The system would not stop the superuser.
        let closed =
            |path: &Path| fs::metadata(path).is_ok_and(|meta| meta.permissions().readonly());
        let there = self.folder().ancestors().find(|folder| folder.exists());
        if there.is_some_and(closed) || closed(&self.place) {
            return Err(failed(
                "write",
                self.name,
                &ErrorKind::PermissionDenied.into(),
            ));
        }
        if fs::read(&self.place).ok().as_deref() == self.text.as_deref().map(str::as_bytes) {
            return Ok(());
        }
        let why = "was changed meanwhile";
        let error =
            Error::new(Code::Busy, format!("{} {why}", self.name)).hinted(Hint::again("", ""));
        Err(Refusal {
            why: why.to_owned(),
            error,
        })
    }

    /// Replaces the text, or removes the file.
    pub(super) fn settle(&self, text: Option<&str>) -> Result<(), Refusal> {
        self.check()?;
        let done = match text {
            // A link is a person's: its target becomes empty, and the link stays.
            None if !self.path.is_symlink() => self.remove(),
            text => self.replace(text.unwrap_or_default()),
        };
        done.map_err(|error| failed("write", self.name, &error))
    }

    /// Removes the file, and the folders of its agent that hold nothing else.
    fn remove(&self) -> io::Result<()> {
        sweep(self.folder());
        fs::remove_file(&self.place)?;
        // Only folders of an agent (`.cursor/`), never the work tree itself.
        if self.place == self.path {
            let folders = self.place.ancestors().skip(1);
            let folders = folders.take(self.name.matches('/').count());
            // One that holds something else stays, and so do those above it.
            let _ = folders.map(fs::remove_dir).find(io::Result::is_err);
        }
        Ok(())
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        replace(&self.place, text.as_bytes(), 0o666)
    }
}
