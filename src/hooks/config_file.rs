//! Changing a file of somebody else: whole or not at all, with its mode, through a link to where it leads.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::files;
use crate::files::target;
use crate::ops;

/// What a script gets that was not there before, less what the user's mask takes.
const SCRIPT: u32 = 0o777;

/// The bytes of a file; none where there is none.
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
    // The system refuses where it holds something.
    let _ = path.parent().map(fs::remove_dir);
}

/// A path as a shell reads it.
pub(super) fn quote_value(path: &Path) -> String {
    ops::shell_quote(&path.display().to_string())
}

/// Replaces what a script holds, or removes it, unless somebody has changed it meanwhile.
pub(super) fn replace(path: &Path, old: Option<&[u8]>, new: Option<&[u8]>) -> io::Result<()> {
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
        .mode(0o600)
        .open(&lock)?;
    let mut write = || {
        if fs::read(&target)? != old {
            return Err(changed());
        }
        file.write_all(new)?;
        fs::set_permissions(&lock, fs::metadata(&target)?.permissions())?;
        file.sync_all()?;
        fs::rename(&lock, &target)
    };
    write().inspect_err(|_| {
        // Only what we made: the lock is ours.
        let _ = fs::remove_file(&lock);
    })
}

/// The lock of a file, as git names it.
pub(super) fn lock(path: &Path) -> PathBuf {
    let mut lock = path.as_os_str().to_owned();
    lock.push(".lock");
    PathBuf::from(lock)
}

fn changed() -> io::Error {
    io::Error::other("somebody has just changed it")
}
