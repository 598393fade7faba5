//! Files on Windows.
//!
//! They have no modes: as for git, the read-only attribute is all there is of them, and access lists are not looked at.
//! A file that another process has open can resist a rename or a removal, so both are tried again for a moment, as git
//! does.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::windows::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tempfile::{NamedTempFile, PersistError};
use winapi_util::file::information;

use super::{CreateMode, FileFingerprint, FileId, Owner};

/// True if a path can begin with the letter of a drive.
pub(crate) const HAS_DRIVES: bool = true;
/// True if the lock of a file keeps others from reading it, and a wait for the lock keeps its file from all other use.
pub(crate) const LOCKS_ARE_MANDATORY: bool = true;
/// Whether a folder has to say that what is made in it belongs to its group.
pub(crate) const MARKS_GROUP: bool = false;
/// Lets a folder be opened too.
const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
/// Opens a link itself.
const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
/// Errors of a file system without locks.
const ERROR_INVALID_FUNCTION: i32 = 1;
const ERROR_NOT_SUPPORTED: i32 = 50;
/// Errors where another process has a file open.
const ERROR_ACCESS_DENIED: i32 = 5;
const ERROR_SHARING_VIOLATION: i32 = 32;
/// The pauses between tries on such a file, in milliseconds.
const PAUSES: [u64; 7] = [1, 5, 10, 20, 40, 80, 160];
/// Times of files count so many ticks a second, of so many nanoseconds, from 1601 on.
const TICKS: u64 = 10_000_000;
const TICK: u64 = 100;
const SECONDS_BEFORE_1970: i64 = 11_644_473_600;

fn open(path: &Path, flags: u32) -> io::Result<FileFingerprint> {
    // No access: that is enough to look at it, whatever others do with it.
    let mut options = OpenOptions::new();
    let options = options
        .access_mode(0)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | flags);
    fingerprint_of(&options.open(path)?)
}

pub(super) fn fingerprint_at(path: &Path) -> io::Result<FileFingerprint> {
    open(path, 0)
}

pub(super) fn fingerprint_at_link(path: &Path) -> io::Result<FileFingerprint> {
    open(path, FILE_FLAG_OPEN_REPARSE_POINT)
}

pub(super) fn fingerprint_of(file: &File) -> io::Result<FileFingerprint> {
    let found = information(file)?;
    let changed = found.last_write_time().unwrap_or_default();
    Ok(FileFingerprint {
        id: FileId {
            device: found.volume_serial_number(),
            inode: found.file_index(),
        },
        seconds: i64::try_from(changed / TICKS).unwrap_or(i64::MAX) - SECONDS_BEFORE_1970,
        nanos: u32::try_from(changed % TICKS * TICK).unwrap_or(0),
        length: found.file_size(),
    })
}

impl CreateMode for OpenOptions {
    fn create_mode(&mut self, _mode: u32) -> &mut Self {
        self
    }
}

impl CreateMode for DirBuilder {
    fn create_mode(&mut self, _mode: u32) -> &mut Self {
        self
    }
}

impl CreateMode for tempfile::Builder<'_, '_> {
    fn create_mode(&mut self, _mode: u32) -> &mut Self {
        self
    }
}

/// Returns the permission bits of a file or folder as git makes them up: its owner's alone.
pub(crate) fn mode(meta: &Metadata) -> u32 {
    let read = if meta.is_dir() { 0o500 } else { 0o400 };
    let write = if meta.permissions().readonly() {
        0
    } else {
        0o200
    };
    read | write
}

/// Sets the permission bits of a file or folder, of which the owner's right to write is kept.
pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_readonly(mode & 0o200 == 0);
    fs::set_permissions(path, permissions)
}

/// Sets the permission bits of an open file, of which the owner's right to write is kept.
pub(crate) fn set_mode_of(file: &File, mode: u32) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(mode & 0o200 == 0);
    file.set_permissions(permissions)
}

/// Returns whether something is a file: git runs any.
pub(crate) fn is_executable(meta: &Metadata) -> bool {
    meta.is_file()
}

/// Returns whether this process may set the time of a file: here who may write it may do that.
pub(crate) fn owns(_file: &Metadata) -> bool {
    true
}

/// Returns 0: a folder of the user belongs to no other one.
pub(crate) fn user_id() -> u32 {
    0
}

/// Returns false: files are given to no one.
pub(crate) fn is_superuser() -> bool {
    false
}

/// Returns none: access lists are not looked at.
pub(crate) fn owner(_meta: &Metadata) -> Option<Owner> {
    None
}

/// Returns none, as [`owner`] does.
pub(crate) fn other_owner(_meta: &Metadata) -> Option<Owner> {
    None
}

/// Fails: files are given to no one.
pub(crate) fn set_owner(_path: &Path, _owner: Owner) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Fails: files are given to no one.
pub(crate) fn set_owner_of(_file: &File, _owner: Owner) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Reads from a place in a file, and returns how many bytes there were.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek_read(bytes, at)
}

/// Reads just so many bytes from a place in a file.
pub(crate) fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_read(bytes, at) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(length) => {
                bytes = &mut bytes[length..];
                at += length as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes all of the bytes to a place in a file.
pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_write(bytes, at) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(length) => {
                bytes = &bytes[length..];
                at += length as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns a path without links and without `..`, and without the `\\?\` that most programs can't read.
pub(crate) fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

/// Renames a file, in the place of one of that name.
pub(crate) fn rename_file(from: &Path, to: &Path) -> io::Result<()> {
    for pause in PAUSES {
        match fs::rename(from, to) {
            Err(error) if is_resisted(&error, to) => thread::sleep(Duration::from_millis(pause)),
            renamed => return renamed,
        }
    }
    fs::rename(from, to)
}

/// Gives a scratch file its name, in the place of a file of that name.
pub(crate) fn persist_file(mut scratch: NamedTempFile, path: &Path) -> Result<File, PersistError> {
    for pause in PAUSES {
        match scratch.persist(path) {
            Err(failed) if is_resisted(&failed.error, path) => {
                scratch = failed.file;
                thread::sleep(Duration::from_millis(pause));
            }
            persisted => return persisted,
        }
    }
    scratch.persist(path)
}

/// Removes a file from its folder.
pub(crate) fn delete_file(path: &Path) -> io::Result<()> {
    for pause in PAUSES {
        match fs::remove_file(path) {
            Err(error) if is_resisted(&error, path) => thread::sleep(Duration::from_millis(pause)),
            removed => return removed,
        }
    }
    fs::remove_file(path)
}

/// Returns whether an error says that another process has a file open, which may end soon. One that git has made
/// read-only is made writable: the next try goes through.
fn is_resisted(error: &io::Error, file: &Path) -> bool {
    if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) {
        return true;
    }
    let Ok(found) = fs::symlink_metadata(file) else {
        return error.raw_os_error() == Some(ERROR_ACCESS_DENIED);
    };
    if error.raw_os_error() != Some(ERROR_ACCESS_DENIED) || found.is_dir() {
        return false;
    }
    if found.permissions().readonly() {
        let _ = set_mode(file, 0o600);
    }
    true
}

/// Makes a file durable that another program has written.
pub(crate) fn sync_file(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.sync_all()
}

/// Makes the names in a folder durable: the file system does that by itself, and can't be asked to.
pub(crate) fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns whether an error says that a file system knows no locks.
pub(crate) fn knows_no_locks(error: &io::Error) -> bool {
    let missing = [ERROR_INVALID_FUNCTION, ERROR_NOT_SUPPORTED];
    error
        .raw_os_error()
        .is_some_and(|code| missing.contains(&code))
}

/// Returns a file that can't be made durable, as on a broken machine.
#[cfg(test)]
pub(crate) fn unsyncable_file() -> File {
    // It is open to read alone.
    let file = NamedTempFile::new().and_then(|file| File::open(file.path()));
    file.expect("a file can be made")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_read_only_or_open_is_replaced_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
        fs::write(&old, "0").unwrap();
        fs::write(&new, "1").unwrap();
        set_mode(&old, 0o400).unwrap();
        let open = File::open(&old).unwrap();
        thread::scope(|scope| {
            // It closes the file before the last try.
            scope.spawn(|| drop(open));
            rename_file(&new, &old).unwrap();
        });
        assert_eq!(fs::read(&old).unwrap(), b"1");
        let scratch = NamedTempFile::new_in(folder.path()).unwrap();
        set_mode(&old, 0o400).unwrap();
        persist_file(scratch, &old).unwrap();
        set_mode(&old, 0o400).unwrap();
        delete_file(&old).unwrap();
        assert!(!old.exists());
        assert_eq!(delete_file(&old).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn a_path_has_no_prefix_that_other_programs_cannot_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = canonicalize(folder.path()).unwrap();
        assert!(!path.display().to_string().starts_with(r"\\?\"));
        assert_eq!(canonicalize(&path.join(".")).unwrap(), path);
    }
}
