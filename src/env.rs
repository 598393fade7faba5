//! The one place that reads the environment, the current directory, the clock and randomness.
//!
//! Everything else receives values. Tests fix them: `GIT_BEADS_NOW` (milliseconds; with a sign, so far from the real
//! time) stands for the clock, `GIT_BEADS_SEED` for randomness, and `GIT_BEADS_UPTIME` names a file with the milliseconds
//! since this machine was started, which tests move while programs run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use crate::platform;

/// The file with the uptime of a test.
const UPTIME: &str = "GIT_BEADS_UPTIME";

pub(crate) mod agent;
pub(crate) mod sandbox;
pub(crate) mod time_zone;

/// Returns an environment variable that is set, not empty, and UTF-8.
#[expect(clippy::disallowed_methods, reason = "the sanctioned place")]
pub fn var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns an environment variable as the system has it.
#[expect(clippy::disallowed_methods, reason = "the sanctioned place")]
pub(crate) fn var_os(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Returns true if any environment variable begins so.
pub(crate) fn is_any_set(beginning: &str) -> bool {
    std::env::vars_os().any(|(name, _)| name.to_string_lossy().starts_with(beginning))
}

/// Returns the absolute paths of a list such as `PATH`.
pub(crate) fn paths(name: &str) -> Vec<PathBuf> {
    let paths = var_os(name).map(|list| std::env::split_paths(&list).collect::<Vec<_>>());
    paths
        .into_iter()
        .flatten()
        .filter(|path| path.is_absolute())
        .collect()
}

/// Returns the arguments of the process.
pub fn args() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// Returns the current directory; an error where it was removed or may not be read.
#[expect(clippy::disallowed_methods, reason = "the sanctioned place")]
pub(crate) fn current_dir() -> std::io::Result<PathBuf> {
    std::env::current_dir()
}

/// Returns the user's cache directory for this program.
pub(crate) fn cache_dir() -> Option<PathBuf> {
    let base = var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    base.or_else(|| var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .map(|base| base.join("git-beads"))
}

/// Returns the time in milliseconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the sanctioned place")]
pub(crate) fn now() -> u64 {
    let test = var("GIT_BEADS_NOW").unwrap_or_default();
    if let (false, Ok(fixed)) = (test.starts_with(['+', '-']), test.parse()) {
        return fixed;
    }
    let elapsed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let real = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    real.saturating_add_signed(test.parse().unwrap_or(0))
}

/// Returns the present as the time of a file, with another part of a second.
#[expect(clippy::disallowed_methods, reason = "the sanctioned place")]
pub(crate) fn file_time(nanos: u32) -> SystemTime {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    UNIX_EPOCH + std::time::Duration::new(seconds, nanos)
}

/// Returns 80 or more random bits; a reproducible sequence under a seed.
pub(crate) fn random() -> u128 {
    static DRAWN: AtomicU64 = AtomicU64::new(0);
    match var("GIT_BEADS_SEED") {
        None => ulid::Ulid::generate().0,
        Some(seed) => {
            let n = DRAWN.fetch_add(1, Ordering::Relaxed);
            let hash = Sha256::digest(format!("{seed}/{n}"));
            hash[..16]
                .iter()
                .fold(0, |bits, byte| (bits << 8) | u128::from(*byte))
        }
    }
}

/// Returns the time since this machine was started, with the time that it has slept; none where the system does not say.
pub(crate) fn uptime() -> Option<Duration> {
    let Some(file) = var_os(UPTIME) else {
        return platform::uptime();
    };
    let millis = std::fs::read_to_string(file).ok()?.parse().ok()?;
    Some(Duration::from_millis(millis))
}

/// Waits; where tests move the uptime, until so much of it has passed.
pub(crate) fn pause(length: Duration) {
    let end = uptime().map(|now| now + length);
    if var_os(UPTIME).is_none() {
        return std::thread::sleep(length);
    }
    loop {
        std::thread::sleep(Duration::from_millis(5));
        if uptime() >= end {
            return;
        }
    }
}

/// Returns whether standard error is a terminal.
pub(crate) fn stderr_is_terminal() -> bool {
    std::io::IsTerminal::is_terminal(&std::io::stderr())
}

/// Passes on what a child has written to standard error.
pub(crate) fn pass_to_stderr(bytes: &[u8]) {
    // Who does not read progress misses nothing else.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), bytes);
}

/// Returns the name of the file of this program.
pub(crate) fn program_name() -> String {
    format!("{}{}", env!("CARGO_PKG_NAME"), std::env::consts::EXE_SUFFIX)
}

/// Returns this program's own file; none where the library runs inside of another program. The file can have another name
/// than the one by which it was run, as at the end of a link.
pub(crate) fn program() -> Option<PathBuf> {
    let is_named = |path: &std::path::Path| {
        path.file_stem()
            .is_some_and(|name| name == env!("CARGO_PKG_NAME"))
    };
    let file = std::env::current_exe().ok()?;
    let run_as = std::env::args_os().next().map(PathBuf::from);
    (is_named(&file) || run_as.is_some_and(|path| is_named(&path))).then_some(file)
}

/// Returns the name of this host with that of the container, as each counts its processes by itself.
pub(crate) fn host() -> String {
    let (name, container) = (machine(), platform::process_namespace());
    format!("{name} {container}").trim_end().to_owned()
}

/// Returns the name of this host.
pub(crate) fn machine() -> String {
    match platform::host_name() {
        name if !name.is_empty() => name,
        _ => var(platform::HOST_VARIABLE).unwrap_or_else(|| "unknown".to_owned()),
    }
}

/// Returns the id of the present boot of this machine; empty where the system does not say. Tests fix it by
/// `GIT_BEADS_BOOT`.
pub(crate) fn boot_id() -> String {
    if let Some(fixed) = var("GIT_BEADS_BOOT") {
        return fixed.trim().to_owned();
    }
    platform::boot_id()
}
