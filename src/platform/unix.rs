//! Unix; what only Linux shows below `/proc` is missing elsewhere.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown, lchown,
};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, geteuid, getpgrp, kill_process, kill_process_group, setsid, test_kill_process,
};
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
};

use super::{CreateMode, FileFingerprint, FileId, Owner, Process};

/// The variable that names this host, where the system does not.
pub(crate) const HOST_VARIABLE: &str = "HOSTNAME";
/// Whether a folder has to say that what is made in it belongs to its group; elsewhere that is so anyway.
pub(crate) const MARKS_GROUP: bool = cfg!(any(target_os = "linux", target_os = "android"));
/// The signals that ask a program to end.
pub(crate) const ENDING_SIGNALS: [i32; 3] = [
    Signal::TERM.as_raw(),
    Signal::INT.as_raw(),
    Signal::HUP.as_raw(),
];

/// Lets keys of the terminal be read one by one, and not be shown; returns what ends that. None where standard input is no
/// terminal, or is read by another job.
pub(super) fn hide_keys() -> Option<Box<dyn Fn()>> {
    if !is_in_front() {
        return None;
    }
    let before = tcgetattr(io::stdin()).ok()?;
    read_keys(before.clone()).ok()?;
    Some(Box::new(move || {
        if is_in_front() {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
        }
    }))
}

/// Returns the keys that were pressed since the last time.
pub(super) fn pressed_keys() -> Vec<u8> {
    if !is_in_front() {
        return Vec::new();
    }
    // A shell gives a job that goes on the terminal as it was: a read would wait for a whole line.
    match tcgetattr(io::stdin()) {
        Ok(modes) if !modes.local_modes.contains(LocalModes::ICANON) => {}
        Ok(modes) if read_keys(modes.clone()).is_ok() => {}
        _ => return Vec::new(),
    }
    let mut keys = [0; 64];
    let read = rustix::io::read(io::stdin(), &mut keys).unwrap_or(0);
    keys[..read].to_vec()
}

/// Sets the terminal so that a read takes what there is, and waits for nothing.
fn read_keys(mut modes: Termios) -> rustix::io::Result<()> {
    modes
        .local_modes
        .remove(LocalModes::ICANON | LocalModes::ECHO);
    modes.special_codes[SpecialCodeIndex::VMIN] = 0;
    modes.special_codes[SpecialCodeIndex::VTIME] = 0;
    // It would end this process at once, and leave the terminal so.
    modes.special_codes[SpecialCodeIndex::VQUIT] = 0;
    tcsetattr(io::stdin(), OptionalActions::Now, &modes)
}

/// Returns whether the terminal is that of this job: any other one is stopped when it sets it.
fn is_in_front() -> bool {
    tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp())
}

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

/// Returns true if the system's own time of a file is a whole multiple of so many nanoseconds, as it always is where the
/// file system has no finer ones.
pub(crate) fn has_whole_times(path: &Path, nanos: u32) -> bool {
    let changed = |meta: Metadata| meta.ctime_nsec() % i64::from(nanos) == 0;
    fs::metadata(path).is_ok_and(changed)
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

/// Returns the signals that this process ignores, a bit each; none where the system does not say.
pub(crate) fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}

/// Returns whether no process has a number, for sure.
pub(crate) fn has_ended(process: i32) -> bool {
    // Any other error means that it runs: `EPERM` says that it is another user's.
    Pid::from_raw(process).is_none_or(|process| test_kill_process(process) == Err(Errno::SRCH))
}

/// Returns when a process began, in a unit of the system, where that shows it.
pub(crate) fn process_start(process: i32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before may hold spaces and brackets.
    let (_, rest) = stat.rsplit_once(')')?;
    // Field 22 of proc(5), counted from the third, the first after the name.
    rest.split_whitespace().nth(19).map(str::to_owned)
}

/// Returns whether the system shows who has a file open.
pub(crate) fn shows_open_files() -> bool {
    Path::new("/proc/self/fd").is_dir()
}

/// Returns a process that has a file open, where the system shows that.
pub(crate) fn opened_by(file: FileId) -> Option<String> {
    let same = |path: PathBuf| FileId::at(&path).is_ok_and(|open| open == file);
    let processes = fs::read_dir("/proc").ok()?.flatten();
    for process in processes.map(|entry| entry.path()) {
        // Files of other users' processes can't be read: these are passed over, so none found is no proof.
        let opened = fs::read_dir(process.join("fd"))
            .into_iter()
            .flatten()
            .flatten();
        if opened.map(|entry| entry.path()).any(same) {
            let number = process.file_name()?.to_string_lossy().into_owned();
            let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
            return Some(format!("process {number} ({})", name.trim()));
        }
    }
    None
}

/// Returns the name of this host; empty where the system does not say.
pub(crate) fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

/// Returns the name of the container of this process, as each counts its processes by itself; empty where the system
/// does not say.
pub(crate) fn process_namespace() -> String {
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    namespace.display().to_string()
}

/// Returns the id of the present boot of this machine; empty where the system does not say.
pub(crate) fn boot_id() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// Returns the time since the system was started, asleep or not; none where it does not say.
pub(crate) fn uptime() -> Option<Duration> {
    // Linux counts it as CLOCK_BOOTTIME (proc(5)).
    let text = fs::read_to_string("/proc/uptime").ok()?;
    let seconds = text.split_whitespace().next()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Returns the most memory that this process has had, in KiB; none where the system does not say.
pub(crate) fn most_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let most = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    most.split_whitespace().next()?.parse().ok()
}

/// Returns the processes that have led to this one, the nearest first; none where the system does not list them.
pub(crate) fn ancestors() -> Vec<Process> {
    // No chain is longer, but a number that was used again could make a circle.
    const MOST: usize = 64;
    let mut found = Vec::new();
    let mut number = std::os::unix::process::parent_id();
    while number > 1 && found.len() < MOST {
        let Some((process, parent)) = process_and_parent(number) else {
            break;
        };
        found.push(process);
        number = parent;
    }
    found
}

/// Returns a process with the number of the one that has started it.
fn process_and_parent(number: u32) -> Option<(Process, u32)> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name may hold spaces and brackets: the last bracket ends it.
    let (head, rest) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // Fields 4 and 22 of proc(5), counted from the third, the first after the name.
    let (parent, start) = (fields.get(1)?.parse().ok()?, (*fields.get(19)?).to_owned());
    let process = Process {
        number,
        name,
        start,
    };
    Some((process, parent))
}

/// Returns the end of a pipe that can't be read, as on a broken machine.
#[cfg(test)]
pub(crate) fn unreadable_pipe<P: From<std::os::fd::OwnedFd>>() -> P {
    // Reading a folder fails.
    let folder = File::open("/").expect("the root can be opened");
    P::from(folder.into())
}
