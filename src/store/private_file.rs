//! Files of our own, under `<common dir>/beads`: closed to others unless the repository is shared, and never another's
//! by a link.

use std::fs::{self, File, OpenOptions};
use std::path::Path;

use super::{Permissions, Result, StoreError, io};
use crate::platform::{self, FileId};

/// Makes the folder, if it is not there.
pub(super) fn folder(path: &Path, permissions: Permissions) -> Result<()> {
    // Also where it is there: what follows is a file in it.
    let made = io(format!("can't write below {}", path.display()));
    permissions.check().map_err(made)?;
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(refused(path, "is not a folder")),
        Err(_) => permissions
            .own_folder(path)
            .map_err(io(format!("can't make {}", path.display()))),
    }
}

const REPLACED: &str = "was replaced while it was opened";

/// How often a file is opened again that another program of ours has replaced at that moment.
const TRIES: usize = 16;

/// Opens a file to read and write, and makes it where it is not there.
pub(super) fn open(path: &Path, permissions: Permissions) -> Result<File> {
    for _ in 0..TRIES {
        plain(path)?;
        // Opened by its name: a link may have come into its place since that look, so it is compared afterwards.
        let open = permissions.open_own(path);
        let file = open.map_err(io(format!("can't open {}", path.display())))?;
        if is_named(path, &file) {
            return Ok(file);
        }
    }
    Err(refused(path, REPLACED))
}

/// Opens a file to read and write, to read alone where that is all that is allowed; none where it is not there.
pub(super) fn existing(path: &Path) -> Result<Option<File>> {
    for _ in 0..TRIES {
        if !plain(path)? {
            return Ok(None);
        }
        let both = OpenOptions::new().read(true).write(true).open(path);
        match both.or_else(|_| File::open(path)) {
            Ok(file) if is_named(path, &file) => return Ok(Some(file)),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(io(format!("can't open {}", path.display()))(error)),
        }
    }
    Err(refused(path, REPLACED))
}

/// Moves a file out of the way, under a name of our own.
pub(super) fn set_aside(path: &Path, aside: &Path, permissions: Permissions) -> Result<()> {
    let fail = || io(format!("can't move {} aside", path.display()));
    match platform::rename_file(path, aside) {
        Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices && plain(path)? => {
            let copied = fs::copy(path, aside).and_then(|_| platform::sync_file(aside));
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

fn refused(path: &Path, what: &'static str) -> StoreError {
    let path = path.to_owned();
    StoreError::NotOurs { path, what }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_file_that_is_replaced_meanwhile_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "0").unwrap();
        let (done, renamed) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let next = folder.path().join("next");
                while !done.load(Ordering::Relaxed) {
                    fs::write(&next, "1").unwrap();
                    // Wine replaces no file that is open, so some of these fail there.
                    if platform::rename_file(&next, &path).is_ok() {
                        renamed.store(true, Ordering::Relaxed);
                    }
                }
            });
            let (mut opened, mut tries) = (None, 0);
            // Until it was replaced: the thread may begin late.
            while opened.is_none() && (tries < 2000 || !renamed.load(Ordering::Relaxed)) {
                opened = existing(&path).err();
                tries += 1;
            }
            done.store(true, Ordering::Relaxed);
            assert!(opened.is_none(), "{}", opened.unwrap());
        });
        assert!(renamed.into_inner());
    }
}
