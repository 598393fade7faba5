//! What Linux shows below `/proc`; other systems show none of it there, and then nothing is known.

use std::fs;
use std::path::{Path, PathBuf};

use super::{FileId, Process};

/// Returns the signals that this process ignores, a bit each; none where the system does not say.
pub(crate) fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
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
