//! Windows, as far as the standard library reaches without unsafe code.
//!
//! Files have no modes: as for git, the read-only attribute is all there is of them, and access lists are not looked
//! at. Processes of others can't be asked about or signalled, and boots have no names: callers then take nobody for
//! gone, and every boot for another one.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::windows::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use winapi_util::file::information;

use super::{CreateMode, FileFingerprint, FileId, Owner, Process};

/// The variable that names this host, where the system does not.
pub(crate) const HOST_VARIABLE: &str = "COMPUTERNAME";
/// Whether a folder has to say that what is made in it belongs to its group.
pub(crate) const MARKS_GROUP: bool = false;
/// The signals that ask a program to end: those of the C library, of which a console sends the first.
pub(crate) const ENDING_SIGNALS: [i32; 2] = [2, 15];

/// Returns none: keys are not read here.
pub(super) fn hide_keys() -> Option<Box<dyn Fn()>> {
    None
}

/// Returns no keys.
pub(super) fn pressed_keys() -> Vec<u8> {
    Vec::new()
}

/// Lets a folder be opened too.
const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
/// Opens a link itself.
const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
/// Keeps Ctrl-C in our console from a child.
const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
/// Errors of a file system without locks.
const ERROR_INVALID_FUNCTION: i32 = 1;
const ERROR_NOT_SUPPORTED: i32 = 50;
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

/// Returns true if the system's own time of a file is a whole multiple of so many nanoseconds, as it always is where the
/// file system has no finer ones.
pub(crate) fn has_whole_times(path: &Path, nanos: u32) -> bool {
    let made = |meta: Metadata| meta.creation_time() % TICKS * TICK % u64::from(nanos) == 0;
    std::fs::metadata(path).is_ok_and(made)
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

/// Asks a child to end: only a console can do that, and does it by itself where it ends us.
pub(super) fn ask_to_end(_child: u32, _leads_group: bool) {}

/// Ends a child; what it has started goes on.
pub(super) fn kill(child: &mut Child, _leads_group: bool) {
    // One that has ended by now needs no end.
    let _ = child.kill();
}

/// Lets a child lead a group of its own, which Ctrl-C in our console does not reach.
pub(crate) fn lead_group(command: &mut Command) -> &mut Command {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP)
}

/// Leaves the terminal: a console can't be left.
pub(crate) fn leave_terminal() {}

/// Returns whether there is a terminal on which a user can be asked, wherever our output goes.
pub(crate) fn has_terminal() -> bool {
    File::open("CONIN$").is_ok()
}

/// Returns the signals that this process ignores: none, as the system does not say.
pub(crate) fn ignored_signals() -> u64 {
    0
}

/// Returns whether no process has a number, for sure: that can't be asked.
pub(crate) fn has_ended(_process: i32) -> bool {
    false
}

/// Returns when a process began: that can't be asked.
pub(crate) fn process_start(_process: i32) -> Option<String> {
    None
}

/// Returns whether the system shows who has a file open.
pub(crate) fn shows_open_files() -> bool {
    false
}

/// Returns a process that has a file open: that can't be asked.
pub(crate) fn opened_by(_file: FileId) -> Option<String> {
    None
}

/// Returns the name of this host: a variable has it.
pub(crate) fn host_name() -> String {
    String::new()
}

/// Returns the name of the container of this process: that can't be asked.
pub(crate) fn process_namespace() -> String {
    String::new()
}

/// Returns the id of the present boot of this machine: boots have none.
pub(crate) fn boot_id() -> String {
    String::new()
}

/// Returns the time since the system was started: it is of no use where boots have no names.
pub(crate) fn uptime() -> Option<Duration> {
    None
}

/// Returns the most memory that this process has had, in KiB: it is not asked for.
pub(crate) fn most_memory() -> Option<u64> {
    None
}

/// Returns the processes that have led to this one: they can't be asked about.
pub(crate) fn ancestors() -> Vec<Process> {
    Vec::new()
}

/// Returns the end of a pipe that can't be read, as on a broken machine.
#[cfg(test)]
pub(crate) fn unreadable_pipe<P: From<std::os::windows::io::OwnedHandle>>() -> P {
    let written = OpenOptions::new().write(true).open("NUL");
    P::from(written.expect("NUL can be opened").into())
}
