//! The operating system behind one interface: the only place that names what Unix and Windows do differently.
//!
//! What a system can't do answers as if it were not there: nothing here panics. Locks of files are the standard
//! library's, and paths become bytes as gix has it.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

#[cfg(target_vendor = "apple")]
mod apple;
#[cfg(target_os = "linux")]
mod folder_watch;
#[cfg(all(unix, not(target_os = "linux")))]
#[path = "no_folder_watch.rs"]
mod folder_watch;
#[cfg(unix)]
#[cfg_attr(
    target_vendor = "apple",
    expect(dead_code, reason = "some of it the kernel says in another way")
)]
mod proc;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod unix_wake;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
mod windows_files;
#[cfg(windows)]
mod windows_wake;

#[cfg(target_vendor = "apple")]
use apple as kernel;
#[cfg(all(unix, not(target_vendor = "apple")))]
use proc as kernel;
#[cfg(unix)]
use proc as processes;
#[cfg(unix)]
use unix as files;
#[cfg(unix)]
use unix as system;
#[cfg(unix)]
use unix_wake as wake;
#[cfg(windows)]
use windows as kernel;
#[cfg(windows)]
use windows as processes;
#[cfg(windows)]
use windows as system;
#[cfg(windows)]
use windows_files as files;
#[cfg(windows)]
use windows_wake as wake;

pub(crate) use files::{
    HAS_DRIVES, LOCKS_ARE_MANDATORY, MARKS_GROUP, canonicalize, delete_file, is_executable,
    is_superuser, knows_no_locks, mode, other_owner, owner, owns, persist_file, read_at,
    read_exact_at, rename_file, set_mode, set_mode_of, set_owner, set_owner_of, sync_file,
    sync_folder, user_id, write_all_at,
};
pub(crate) use kernel::{boot_id, host_name};
pub(crate) use processes::{
    ancestors, ignored_signals, most_memory, opened_by, process_namespace, process_start,
    shows_open_files,
};
pub(crate) use system::{
    CACHE_VARIABLES, ENDING_SIGNALS, HAS_POSIX_SHELL, HOME_VARIABLES, HOST_VARIABLE, has_ended,
    has_terminal, lead_group, leave_terminal, system_zone, takes_escapes,
};

pub(crate) use wake::{Wake, Waker, are_reported, read_input, suspend, write_output};

#[cfg(test)]
pub(crate) use {files::unsyncable_file, system::unreadable_pipe};

/// The time between two looks where the system reports no changes.
const LOOK: Duration = Duration::from_millis(100);
/// The longest pause where it does: a change that it has missed is found then.
const LONGEST: Duration = Duration::from_secs(60);

/// What has happened during a pause; nothing where its time is over, and it is time to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Woken {
    /// A signal or another thread has called.
    pub(crate) call: bool,
    /// There is input, or the terminal has gone.
    pub(crate) input: bool,
    /// Something has changed in a folder that is watched.
    pub(crate) change: bool,
}

/// The user and the group that a file belongs to, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) user: u32,
    pub(crate) group: u32,
}

/// The identity of a file, by which it is known under any name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileId {
    /// The device or volume that holds it.
    pub(crate) device: u64,
    /// Its number there.
    pub(crate) inode: u64,
}

impl FileId {
    /// Returns the id of the file at the end of all links.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        FileFingerprint::at(path).map(|state| state.id)
    }

    /// Returns the id of what has a name, be it a link.
    pub(crate) fn at_link(path: &Path) -> io::Result<Self> {
        FileFingerprint::at_link(path).map(|state| state.id)
    }

    /// Returns the id of an open file.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        files::fingerprint_of(file).map(|state| state.id)
    }
}

/// A state of a file or folder, as far as it shows without reading: a later one differs in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileFingerprint {
    /// The file itself.
    pub(crate) id: FileId,
    /// The time of its last change, since 1970.
    pub(crate) seconds: i64,
    /// The part of a second of that time.
    pub(crate) nanos: u32,
    /// Its length in bytes.
    pub(crate) length: u64,
}

impl FileFingerprint {
    /// Returns the state of the file at the end of all links.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        files::fingerprint_at(path)
    }

    /// Returns the state of what has a name, be it a link.
    pub(crate) fn at_link(path: &Path) -> io::Result<Self> {
        files::fingerprint_at_link(path)
    }
}

/// A child of this process, by its number, which is its own until it was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChildProcess {
    number: u32,
    leads_group: bool,
}

impl ChildProcess {
    /// Names a child that leads a group of its own, or does not.
    pub(crate) fn new(child: &Child, leads_group: bool) -> Self {
        Self {
            number: child.id(),
            leads_group,
        }
    }

    /// Asks it to end, with all that it has started where it leads a group.
    pub(crate) fn ask_to_end(self) {
        system::ask_to_end(self.number, self.leads_group);
    }

    /// Ends it, with all that it has started where it leads a group.
    pub(crate) fn kill(self, child: &mut Child) {
        system::kill(child, self.leads_group);
    }
}

/// A process that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    /// Its number.
    pub(crate) number: u32,
    /// The name of its program, as far as the system keeps it.
    pub(crate) name: String,
    /// Its start, in the system's own count: numbers are used again.
    pub(crate) start: String,
}

impl Process {
    /// Returns this process; none where its start is not known.
    pub(crate) fn own() -> Option<Self> {
        let number = std::process::id();
        Some(Self {
            number,
            name: String::new(),
            start: process_start(i32::try_from(number).ok()?)?,
        })
    }
}

/// A builder of files or folders that takes the mode to create them with.
pub(crate) trait CreateMode {
    /// Sets the mode of what is created, less what the user's mask takes; nothing where files have no modes.
    fn create_mode(&mut self, mode: u32) -> &mut Self;
}
