//! Files of our own, under `<common dir>/beads`: closed to others unless the repository is shared, and never another's
//! by a link.

use std::fs::{self, File, OpenOptions};
use std::path::Path;

use super::{Permissions, Result, StoreError, io};
use crate::platform::FileId;

/// Makes the folder, if it is not there.
pub(super) fn folder(path: &Path, permissions: Permissions) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(refused(path, "is not a folder")),
        Err(_) => permissions
            .own_folder(path)
            .map_err(io(format!("can't make {}", path.display()))),
    }
}

/// Opens a file to read and write, and makes it where it is not there.
pub(super) fn open(path: &Path, permissions: Permissions) -> Result<File> {
    plain(path)?;
    // Opened by its name: a link may have come into its place since that look, so it is compared afterwards.
    let open = permissions.open_own(path);
    same(
        path,
        open.map_err(io(format!("can't open {}", path.display())))?,
    )
}

/// Opens a file to read and write, to read alone where that is all that is allowed; none where it is not there.
pub(super) fn existing(path: &Path) -> Result<Option<File>> {
    if !plain(path)? {
        return Ok(None);
    }
    let both = OpenOptions::new().read(true).write(true).open(path);
    let file = both
        .or_else(|_| File::open(path))
        .map_err(io(format!("can't open {}", path.display())))?;
    same(path, file).map(Some)
}

/// Moves a file out of the way, under a name of our own.
pub(super) fn set_aside(path: &Path, aside: &Path, permissions: Permissions) -> Result<()> {
    let fail = || io(format!("can't move {} aside", path.display()));
    match fs::rename(path, aside) {
        Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices && plain(path)? => {
            let copied = fs::copy(path, aside).and_then(|_| File::open(aside)?.sync_all());
            copied.and_then(|()| fs::remove_file(path))
        }
        renamed => renamed,
    }
    .map_err(fail())?;
    permissions.close(aside).map_err(fail())
}

/// Returns true if there is a plain file; anything else in its place is refused.
fn plain(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok(true),
        Ok(_) => Err(refused(path, "is not a plain file")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(io(format!("can't look at {}", path.display()))(error)),
    }
}

/// Returns true if a file is still the one that its name means.
pub(super) fn is_named(path: &Path, file: &File) -> bool {
    let named = FileId::at_link(path).ok();
    named.is_some() && named == FileId::of(file).ok()
}

/// Returns the file, if it is still the one that its name means.
fn same(path: &Path, file: File) -> Result<File> {
    if is_named(path, &file) {
        Ok(file)
    } else {
        Err(refused(path, "was replaced while it was opened"))
    }
}

fn refused(path: &Path, what: &'static str) -> StoreError {
    let path = path.to_owned();
    StoreError::NotOurs { path, what }
}
