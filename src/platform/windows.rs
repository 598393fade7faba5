//! Windows, as far as the standard library and small safe libraries reach.
//!
//! Processes of others can't be asked about or signalled: callers then take none for gone. A boot has the name that the
//! first of our processes gives it.

#[cfg(test)]
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, IsTerminal as _};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};

use jiff::tz::TimeZone;
use winapi_util::console::Console;
use windows_registry::CURRENT_USER;

use super::{FileId, Process};

/// The variable that names this host, where the system does not.
pub(crate) const HOST_VARIABLE: &str = "COMPUTERNAME";
/// The variables that name the user's folder; the first that is set counts, and git sets the first.
pub(crate) const HOME_VARIABLES: [&str; 2] = ["HOME", "USERPROFILE"];
/// The variables that name the folder of caches; the first that is set counts.
pub(crate) const CACHE_VARIABLES: [&str; 2] = ["XDG_CACHE_HOME", "LOCALAPPDATA"];
/// True if the user's shell takes the commands of POSIX.
pub(crate) const HAS_POSIX_SHELL: bool = false;
/// The signals that ask a program to end: those of the C library, of which a console sends the first.
pub(crate) const ENDING_SIGNALS: [i32; 2] = [2, 15];

/// Keeps Ctrl-C in our console from a child.
const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
/// Gives a child a console of its own that no one sees, so that it survives ours, and none opens where we have none.
const CREATE_NO_WINDOW: u32 = 0x0800_0000;
/// The key of the registry that holds the name of the boot. It is never on a disk, and goes with the user's last session.
const BOOT_KEY: &str = r"Software\git-beads\boot";

/// Asks a child to end: only a console can do that, and does it by itself where it ends us.
pub(super) fn ask_to_end(_child: u32, _leads_group: bool) {}

/// Ends a child; what it has started goes on.
pub(super) fn kill(child: &mut Child, _leads_group: bool) {
    // One that has ended by now needs no end.
    let _ = child.kill();
}

/// Lets a child lead a group of its own, which Ctrl-C in our console does not reach.
pub(crate) fn lead_group(command: &mut Command) -> &mut Command {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW)
}

/// Leaves the terminal: a console can't be left.
pub(crate) fn leave_terminal() {}

/// Returns whether there is a terminal on which a user can be asked. A console says nothing of it: those that work in the
/// background have one that no one sees.
pub(crate) fn has_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Returns whether the terminal of standard output takes escape sequences, which a console has to be asked for. One that
/// is no console is that of another system, such as Cygwin's, which does.
pub(crate) fn takes_escapes() -> bool {
    Console::stdout().map_or(true, |mut console| {
        console.set_virtual_terminal_processing(true).is_ok()
    })
}

/// Returns the time zone of the system; none where it does not say.
pub(crate) fn system_zone() -> Option<TimeZone> {
    TimeZone::try_system().ok()
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

/// Returns the id of the present boot of this machine, which is made when it is first asked for; empty where the registry
/// takes none. Of two processes that make it at once the first has another id than all later ones: it then passes for one
/// of another boot.
pub(crate) fn boot_id() -> String {
    const ID: &str = "id";
    let mut options = CURRENT_USER.options();
    let Ok(key) = options.read().write().create().volatile().open(BOOT_KEY) else {
        return String::new();
    };
    if let Ok(id) = key.get_string(ID) {
        return id;
    }
    // The standard library has no other randomness.
    let id = format!("{:016x}", RandomState::new().build_hasher().finish());
    match key.set_string(ID, &id) {
        Ok(()) => id,
        Err(_) => String::new(),
    }
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
    let written = File::options().write(true).open("NUL");
    P::from(written.expect("NUL can be opened").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boot_has_one_name() {
        assert_eq!(boot_id().len(), 16);
        assert_eq!(boot_id(), boot_id());
    }

    #[test]
    fn the_system_has_a_time_zone() {
        assert!(system_zone().is_some());
    }
}
