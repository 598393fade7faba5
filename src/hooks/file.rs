//! Changing a file of somebody else: whole or not at all, with its mode, through a link to where it leads.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the name of an unfinished file begins with, and how many characters follow.
const SCRATCH: (&str, usize) = (".git-beads-", 6);
/// When nobody can be writing an unfinished file any more.
const STALE: Duration = Duration::from_secs(60 * 60);
/// What a script gets that was not there before, less what the user's mask takes.
const SCRIPT: u32 = 0o777;

/// The bytes of a file; none where there is none.
pub(super) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Removes what killed writes have left in a folder; what can't be removed stays.
pub(super) fn sweep(folder: &Path) {
    let is_ours = |name: &str| name.strip_prefix(SCRATCH.0).is_some_and(|rest| rest.len() == SCRATCH.1);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_stale = |meta: fs::Metadata| {
            meta.is_file() && meta.modified().is_ok_and(|then| then.elapsed().is_ok_and(|age| age > STALE))
        };
        if entry.file_name().to_str().is_some_and(is_ours) && entry.metadata().is_ok_and(is_stale) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Removes the folder that a file was in, where nothing else is in it.
pub(super) fn remove_folder(path: &Path) {
    // The system refuses where it holds something.
    let _ = path.parent().map(fs::remove_dir);
}

/// A path as a shell reads it.
pub(super) fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = path.chars().all(|c| c.is_alphanumeric() || "-_./:=,@%+".contains(c));
    if is_plain { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// Replaces what a script holds, or removes it, unless somebody has changed it meanwhile.
pub(super) fn replace(path: &Path, old: Option<&[u8]>, new: Option<&[u8]>) -> io::Result<()> {
    if read(path)?.as_deref() != old {
        return Err(changed());
    }
    let Some(new) = new else { return fs::remove_file(path) };
    let target = target(path)?;
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mode = fs::metadata(&target).map(|meta| meta.permissions());
    let mut builder = tempfile::Builder::new();
    builder.prefix(SCRATCH.0).rand_bytes(SCRATCH.1).permissions(Permissions::from_mode(SCRIPT));
    let mut scratch = builder.tempfile_in(folder)?;
    scratch.write_all(new)?;
    if let Ok(mode) = mode {
        fs::set_permissions(scratch.path(), mode)?;
    }
    scratch.as_file().sync_all()?;
    scratch.persist(&target)?;
    Ok(())
}

/// Replaces git's configuration under the lock that git itself takes.
pub(super) fn replace_config(path: &Path, old: &[u8], new: &[u8]) -> io::Result<()> {
    let target = target(path)?;
    let lock = lock(&target);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&lock)?;
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

/// The file that a path means, at the end of all links.
pub(super) fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(_) => path.canonicalize(),
        Err(_) => Ok(path.to_owned()),
    }
}

fn changed() -> io::Error {
    io::Error::other("somebody has just changed it")
}
