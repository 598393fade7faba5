//! Unix, as far as all of its kinds have it.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown, lchown,
};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use jiff::tz::TimeZone;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, geteuid, kill_process, kill_process_group, setsid, test_kill_process,
};
use tempfile::{NamedTempFile, PersistError};

use super::{CreateMode, FileFingerprint, FileId, Owner};

/// The variable that names this host, where the system does not.
pub(crate) const HOST_VARIABLE: &str = "HOSTNAME";
/// The variables that name the user's folder; the first that is set counts.
pub(crate) const HOME_VARIABLES: [&str; 1] = ["HOME"];
/// The variables that name the folder of caches; the first that is set counts.
pub(crate) const CACHE_VARIABLES: [&str; 1] = ["XDG_CACHE_HOME"];
/// True if a path can begin with the letter of a drive.
pub(crate) const HAS_DRIVES: bool = false;
/// True if the user's shell takes the commands of POSIX.
pub(crate) const HAS_POSIX_SHELL: bool = true;
/// True if the lock of a file keeps others from reading it, and a wait for the lock keeps its file from all other use.
pub(crate) const LOCKS_ARE_MANDATORY: bool = false;
/// The time zone of the system.
const ZONE: &str = "/etc/localtime";
/// Whether a folder has to say that what is made in it belongs to its group; elsewhere that is so anyway.
pub(crate) const MARKS_GROUP: bool = cfg!(any(target_os = "linux", target_os = "android"));
/// The signals that ask a program to end.
pub(crate) const ENDING_SIGNALS: [i32; 3] = [
    Signal::TERM.as_raw(),
    Signal::INT.as_raw(),
    Signal::HUP.as_raw(),
];

fn fingerprint(meta: &Metadata) -> FileFingerprint {
    FileFingerprint {
        id: FileId {
            device: meta.dev(),
            inode: meta.ino(),
        },
        seconds: meta.mtime(),
        nanos: u32::try_from(meta.mtime_nsec()).unwrap_or(0),
        length: meta.len(),
    }
}

pub(super) fn fingerprint_at(path: &Path) -> io::Result<FileFingerprint> {
    fs::metadata(path).map(|meta| fingerprint(&meta))
}

pub(super) fn fingerprint_at_link(path: &Path) -> io::Result<FileFingerprint> {
    fs::symlink_metadata(path).map(|meta| fingerprint(&meta))
}

pub(super) fn fingerprint_of(file: &File) -> io::Result<FileFingerprint> {
    file.metadata().map(|meta| fingerprint(&meta))
}

impl CreateMode for OpenOptions {
    fn create_mode(&mut self, mode: u32) -> &mut Self {
        self.mode(mode)
    }
}

impl CreateMode for DirBuilder {
    fn create_mode(&mut self, mode: u32) -> &mut Self {
        self.mode(mode)
    }
}

impl CreateMode for tempfile::Builder<'_, '_> {
    fn create_mode(&mut self, mode: u32) -> &mut Self {
        self.permissions(PermissionsExt::from_mode(mode))
    }
}

/// Returns the permission bits of a file or folder.
pub(crate) fn mode(meta: &Metadata) -> u32 {
    // With the bits above the permissions: folders of a shared repository have setgid.
    meta.mode() & 0o7777
}

/// Sets the permission bits of a file or folder.
pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, PermissionsExt::from_mode(mode))
}

/// Sets the permission bits of an open file.
pub(crate) fn set_mode_of(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(PermissionsExt::from_mode(mode))
}

/// Returns whether something is a file that can be run, by any user.
pub(crate) fn is_executable(meta: &Metadata) -> bool {
    meta.is_file() && mode(meta) & 0o111 != 0
}

/// Returns whether this process may set the time of a file: as its owner, or as the superuser.
pub(crate) fn owns(file: &Metadata) -> bool {
    let user = geteuid();
    user.is_root() || user.as_raw() == file.uid()
}

/// Returns the number of the user of this process.
pub(crate) fn user_id() -> u32 {
    geteuid().as_raw()
}

/// Returns whether this process may give files to others.
pub(crate) fn is_superuser() -> bool {
    geteuid().is_root()
}

/// Returns the owner of a file; none where files have none.
pub(crate) fn owner(meta: &Metadata) -> Option<Owner> {
    let (user, group) = (meta.uid(), meta.gid());
    Some(Owner { user, group })
}

/// Returns the owner of a file that belongs to another user than the one of this process.
pub(crate) fn other_owner(meta: &Metadata) -> Option<Owner> {
    owner(meta).filter(|owner| owner.user != geteuid().as_raw())
}

/// Gives a file or folder to a user; a link itself, not what it leads to.
pub(crate) fn set_owner(path: &Path, owner: Owner) -> io::Result<()> {
    lchown(path, Some(owner.user), Some(owner.group))
}

/// Gives an open file to a user.
pub(crate) fn set_owner_of(file: &File, owner: Owner) -> io::Result<()> {
    fchown(file, Some(owner.user), Some(owner.group))
}

/// Reads from a place in a file, and returns how many bytes there were.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    file.read_at(bytes, at)
}

/// Reads just so many bytes from a place in a file.
pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(bytes, at)
}

/// Writes all of the bytes to a place in a file.
pub(crate) fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.write_all_at(bytes, at)
}

/// Returns a path without links and without `..`.
pub(crate) fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Renames a file, in the place of one of that name.
pub(crate) fn rename_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Gives a scratch file its name, in the place of a file of that name.
pub(crate) fn persist_file(scratch: NamedTempFile, path: &Path) -> Result<File, PersistError> {
    scratch.persist(path)
}

/// Removes a file from its folder.
pub(crate) fn delete_file(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Makes a file durable that another program has written.
pub(crate) fn sync_file(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Returns whether an error says that a file system knows no `flock`.
pub(crate) fn knows_no_locks(error: &io::Error) -> bool {
    // The last two are one number on Linux and two elsewhere.
    let missing = [Errno::NOLCK, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP];
    Errno::from_io_error(error).is_some_and(|errno| missing.contains(&errno))
}

/// Asks a child to end, with all that it has started where it leads a group.
pub(super) fn ask_to_end(child: u32, leads_group: bool) {
    let pid = i32::try_from(child).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        signal(pid, leads_group, Signal::TERM);
    }
}

/// Ends a child, with all that it has started where it leads a group.
pub(super) fn kill(child: &mut Child, leads_group: bool) {
    signal(Pid::from_child(child), leads_group, Signal::KILL);
}

fn signal(pid: Pid, leads_group: bool, signal: Signal) {
    // One that has ended by now needs no signal.
    let _ = if leads_group {
        kill_process_group(pid, signal)
    } else {
        kill_process(pid, signal)
    };
}

/// Lets a child lead a group of its own, so that a signal reaches all that it starts.
pub(crate) fn lead_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Leaves the terminal, so that no child can prompt there.
pub(crate) fn leave_terminal() {
    // The leader of a process group can't leave; it was started by hand.
    let _ = setsid();
}

/// Returns whether there is a terminal on which a user can be asked, wherever our output goes.
pub(crate) fn has_terminal() -> bool {
    // Not the standard streams: this one can be opened just where the process has a terminal at all.
    File::open("/dev/tty").is_ok()
}

/// Returns whether the terminal of standard output takes escape sequences.
pub(crate) fn takes_escapes() -> bool {
    true
}

/// Returns the time zone of the system; none where it does not say.
pub(crate) fn system_zone() -> Option<TimeZone> {
    TimeZone::tzif("Local", &fs::read(ZONE).ok()?).ok()
}

/// Returns whether no process has a number, for sure.
pub(crate) fn has_ended(process: i32) -> bool {
    // Any other error means that it runs: `EPERM` says that it is another user's.
    Pid::from_raw(process).is_none_or(|process| test_kill_process(process) == Err(Errno::SRCH))
}

/// Returns the end of a pipe that can't be read, as on a broken machine.
#[cfg(test)]
pub(crate) fn unreadable_pipe<P: From<std::os::fd::OwnedFd>>() -> P {
    // Reading a folder fails.
    let folder = File::open("/").expect("the root can be opened");
    P::from(folder.into())
}

/// Returns a file that can't be made durable, as on a broken machine.
#[cfg(test)]
pub(crate) fn unsyncable_file() -> File {
    File::open("/dev/null").expect("it can be opened")
}
