//! Replacing a file of another program: as a whole or not at all, with its mode, through a link to its target.

use std::fs::{self, DirEntry, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::platform::{self, CreateMode as _, Owner};

/// Prefix of the name of a file that takes the place of another one when it is complete.
const SCRATCH: &str = ".git-beads-scratch-";
/// Age of a scratch file whose writer was killed: none writes for as long as this.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Returns what is in a folder; nothing where it can't be read.
pub(crate) fn entries(folder: impl AsRef<Path>) -> impl Iterator<Item = DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// A file that is being written in the folder of the one that it replaces.
pub(crate) struct AtomicFile {
    scratch: NamedTempFile,
    target: PathBuf,
}

impl AtomicFile {
    /// Begins one, and creates its folder where it is missing. `made` is the mode of a file that was not there before,
    /// less what the user's mask takes. What a killed writer has left in the folder is removed after an hour. What the
    /// superuser writes belongs to the owner of the file that was there, or of the folder.
    pub(crate) fn of(path: &Path, made: u32) -> io::Result<Self> {
        let target = target(path)?;
        let folder = target
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        make_folder(folder)?;
        sweep(folder);
        let mut builder = tempfile::Builder::new();
        let scratch = builder
            .prefix(SCRATCH)
            .create_mode(made)
            .tempfile_in(folder)?;
        let replaced = fs::metadata(&target).ok();
        let found = replaced.clone().or_else(|| fs::metadata(folder).ok());
        if let Some(owner) = found.as_ref().and_then(heir) {
            // Before the mode, which a change of the owner may take bits from.
            let _ = platform::set_owner_of(scratch.as_file(), owner);
        }
        if let Some(meta) = replaced {
            scratch.as_file().set_permissions(meta.permissions())?;
        }
        Ok(Self { scratch, target })
    }

    /// Returns the file to write to.
    pub(crate) fn file(&mut self) -> &mut File {
        self.scratch.as_file_mut()
    }

    /// Makes it durable and puts it in its place; after an error the old file is still there.
    pub(crate) fn finish(self) -> io::Result<()> {
        // Before the rename: after a crash the name must never lead to a file without its contents.
        self.scratch.as_file().sync_all()?;
        platform::persist_file(self.scratch, &self.target)
            .map(drop)
            .map_err(|error| error.error)
    }
}

/// Makes a folder, and those that it is in.
fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let parent = folder
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    make_folder(parent)?;
    match fs::create_dir(folder) {
        Ok(()) => {
            if let Some(owner) = heir(&fs::metadata(parent)?) {
                let _ = platform::set_owner(folder, owner);
            }
            Ok(())
        }
        // Another writer was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns the other user to whom the superuser gives what is made beside a file or in a folder.
fn heir(found: &fs::Metadata) -> Option<Owner> {
    platform::other_owner(found).filter(|_| platform::is_superuser())
}

/// Replaces the contents of a file.
pub(crate) fn replace(path: &Path, bytes: &[u8], made: u32) -> io::Result<()> {
    let mut new = AtomicFile::of(path, made)?;
    new.file().write_all(bytes)?;
    new.finish()
}

/// Returns the file at the end of all links; an error for a link that leads nowhere.
pub(crate) fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(_) => platform::canonicalize(path),
        Err(_) => Ok(path.to_owned()),
    }
}

/// Removes what writers that were killed have left in a folder, an hour ago or more.
pub(crate) fn sweep(folder: &Path) {
    let abandoned = |entry: &fs::DirEntry| {
        let old = |meta: fs::Metadata| {
            meta.modified()
                .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > ABANDONED))
        };
        entry.file_name().to_string_lossy().starts_with(SCRATCH)
            && entry
                .metadata()
                .is_ok_and(|meta| meta.is_file() && old(meta))
    };
    for entry in entries(folder).filter(abandoned) {
        // What can't be removed does no harm.
        let _ = fs::remove_file(entry.path());
    }
}
