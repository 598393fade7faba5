//! Changes to files of the user: complete or not at all, with their mode, through links to the
//! target.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::files;
use crate::files::target;
use crate::platform::{self, CreateMode as _};

/// Mode of a new script, before the user's umask.
const SCRIPT: u32 = 0o777;

/// Returns the bytes of a file; none where there is none.
pub(super) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Removes the folder that a file was in, where nothing else is in it.
pub(super) fn remove_folder(path: &Path) {
    // The system refuses to remove a folder that is not empty.
    let _ = path.parent().map(fs::remove_dir);
}

/// Replaces the contents of a script, or removes it, unless another process has changed it
/// meanwhile.
pub(super) fn replace(path: &Path, old: Option<&[u8]>, new: Option<&[u8]>) -> io::Result<()> {
    // Scripts have no lock; a comparison directly before the change leaves only a moment to lose an edit.
    if read(path)?.as_deref() != old {
        return Err(changed());
    }
    match new {
        Some(new) => files::replace(path, new, SCRIPT),
        None => fs::remove_file(path),
    }
}

/// Replaces git's configuration under the lock that git itself takes.
pub(super) fn replace_config(path: &Path, old: &[u8], new: &[u8]) -> io::Result<()> {
    let target = target(path)?;
    let lock = lock(&target);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .create_mode(0o600)
        .open(&lock)?;
    let mut write = || {
        // Compared under the lock: git itself can't write the file from here on.
        if fs::read(&target)? != old {
            return Err(changed());
        }
        file.write_all(new)?;
        fs::set_permissions(&lock, fs::metadata(&target)?.permissions())?;
        // Before the rename: after a crash the name must never lead to a file without its contents.
        file.sync_all()?;
        platform::rename_file(&lock, &target)
    };
    write().inspect_err(|_| {
        // This process has created the lock, so no other git is using it.
        let _ = platform::delete_file(&lock);
    })
}

/// Returns the lock of a file, as git names it.
pub(super) fn lock(path: &Path) -> PathBuf {
    let mut lock = path.as_os_str().to_owned();
    lock.push(".lock");
    PathBuf::from(lock)
}

fn changed() -> io::Error {
    io::Error::other("it was changed just now")
}
