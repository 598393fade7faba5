//! A lock for file systems without `flock`: a file that says whose it is, made exclusively.
//!
//! The kernel does not remove it with its holder. So it names the process, its start, the boot of the machine and the
//! host: a holder that is gone under this boot, or was before this machine started again, is replaced; that of another
//! host can't be looked at, and is waited for and named.

use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::Permissions;
use crate::env;

/// The lock of writers.
pub(super) const HOLDER: &str = "lock-holder";
/// The lock of who packs journals.
pub(super) const PACKER: &str = "lock-packer";
/// The file that keeps two from removing a lock at once.
pub(super) const BREAKER: &str = "lock-breaker";
/// A file that names nobody, or a breaker, is this old only when its maker was killed over it.
const ABANDONED: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);

/// Returns whether an error says that a file system knows no `flock`.
pub(super) fn is_needed(error: &io::Error) -> bool {
    let missing = [Errno::NOLCK, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP];
    Errno::from_io_error(error).is_some_and(|errno| missing.contains(&errno))
}

/// A holder: its process, the start of that in ticks, its boot, its host.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Holder {
    process: i32,
    start: String,
    boot: String,
    host: String,
}

impl Holder {
    fn this() -> Self {
        let process = i32::try_from(std::process::id()).unwrap_or_default();
        let boot = env::boot_id();
        Self {
            process,
            start: start_of(process).unwrap_or_else(|| "-".to_owned()),
            boot: if boot.is_empty() {
                "-".to_owned()
            } else {
                boot
            },
            host: env::host(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.trim_end().splitn(4, ' ');
        Some(Self {
            process: words.next()?.parse().ok()?,
            start: words.next()?.to_owned(),
            boot: words.next()?.to_owned(),
            host: words.next()?.to_owned(),
        })
    }

    fn text(&self) -> String {
        let Self {
            process,
            start,
            boot,
            host,
        } = self;
        format!("{process} {start} {boot} {host}\n")
    }

    /// Returns whether it has ended for sure.
    fn is_gone(&self, age: Duration) -> bool {
        let this = Self::this();
        if self.host != this.host {
            return false;
        }
        if self.boot != this.boot {
            // The machine has started again, unless another one bears the same name.
            return age > ABANDONED;
        }
        let gone = Pid::from_raw(self.process)
            .is_none_or(|process| test_kill_process(process) == Err(Errno::SRCH));
        let reused = start_of(self.process).is_some_and(|start| start != self.start);
        gone || reused
    }
}

/// Returns when a process began, where the system shows that.
fn start_of(process: i32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before may hold spaces and brackets.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(19).map(str::to_owned)
}

/// The lock, held until it is dropped.
pub(super) struct LockFile {
    path: PathBuf,
    text: String,
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // One that was replaced meanwhile is another's.
        if fs::read_to_string(&self.path).is_ok_and(|text| text == self.text) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl LockFile {
    /// Takes the lock; none where somebody has it.
    ///
    /// # Errors
    /// A folder that can't be written.
    pub(super) fn attempt(path: &Path, permissions: Permissions) -> io::Result<Option<Self>> {
        if let Some(lock) = make(path, permissions)? {
            return Ok(Some(lock));
        }
        if !is_left(path) || !remove_left(path, permissions)? {
            return Ok(None);
        }
        make(path, permissions)
    }

    /// Takes the lock as soon as its holder ends; none when that takes too long, or is cancelled.
    ///
    /// # Errors
    /// A folder that can't be written.
    pub(super) fn wait(
        path: &Path,
        permissions: Permissions,
        patience: Duration,
        is_cancelled: impl Fn() -> bool,
    ) -> io::Result<Option<Self>> {
        let start = Instant::now();
        loop {
            if let Some(lock) = Self::attempt(path, permissions)? {
                return Ok(Some(lock));
            }
            if start.elapsed() >= patience || is_cancelled() {
                return Ok(None);
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Describes the holder of a lock, for a message.
pub(super) fn holder(path: &Path) -> Option<String> {
    let holder = Holder::parse(&fs::read_to_string(path).ok()?)?;
    let age = age(path).unwrap_or_default().as_secs();
    let host = holder.host.split(' ').next().unwrap_or_default();
    Some(format!(
        "process {} on host {host}, for {age} s",
        holder.process
    ))
}

fn age(path: &Path) -> Option<Duration> {
    let modified = fs::symlink_metadata(path).and_then(|meta| meta.modified());
    Some(modified.ok()?.elapsed().unwrap_or_default())
}

fn make(path: &Path, permissions: Permissions) -> io::Result<Option<LockFile>> {
    let text = Holder::this().text();
    let mut file = match permissions.create_new_own(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
        made => made?,
    };
    let lock = LockFile {
        path: path.to_owned(),
        text,
    };
    if let Err(error) = file.write_all(lock.text.as_bytes()) {
        // It names nobody, and would be waited for.
        let _ = fs::remove_file(path);
        return Err(error);
    }
    Ok(Some(lock))
}

/// Returns whether a lock was left by somebody who is gone.
fn is_left(path: &Path) -> bool {
    let Some(age) = age(path) else { return false };
    let text = fs::read_to_string(path).unwrap_or_default();
    match Holder::parse(&text) {
        Some(holder) => holder.is_gone(age),
        None => age > ABANDONED,
    }
}

/// Removes a lock that was left; false where somebody else is at it.
///
/// Between a look and the removal another may have removed it and made one of their own. So only who has made the
/// breaker removes, and looks once more before that.
fn remove_left(path: &Path, permissions: Permissions) -> io::Result<bool> {
    let breaker = path.with_file_name(BREAKER);
    match permissions.create_new_own(&breaker) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if age(&breaker).is_some_and(|age| age > ABANDONED) {
                let _ = fs::remove_file(&breaker);
            }
            return Ok(false);
        }
        made => made?,
    };
    let removed = !is_left(path) || fs::remove_file(path).is_ok();
    let _ = fs::remove_file(&breaker);
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(path: &Path) -> bool {
        LockFile::attempt(path, Permissions::Umask)
            .unwrap()
            .is_some()
    }

    #[test]
    fn a_holder_that_is_gone_is_replaced_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(HOLDER);
        let held = LockFile::attempt(&path, Permissions::Umask).unwrap();
        assert!(held.is_some() && !attempt(&path));
        drop(held);
        assert!(!path.exists());
        let this = Holder::this();
        let gone = Holder {
            process: 0x3fff_fff0,
            ..this.clone()
        };
        let reused = Holder {
            start: "1".to_owned(),
            ..this.clone()
        };
        let elsewhere = Holder {
            host: "elsewhere".to_owned(),
            ..gone.clone()
        };
        let rebooted = Holder {
            boot: "before".to_owned(),
            ..this.clone()
        };
        for (holder, replaced) in [
            (&gone, true),
            (&reused, start_of(this.process).is_some()),
            (&elsewhere, false),
            (&rebooted, false),
            (&this, false),
        ] {
            fs::write(&path, holder.text()).unwrap();
            assert_eq!(attempt(&path), replaced, "{holder:?}");
        }
        for text in [rebooted.text(), String::new()] {
            fs::write(&path, text).unwrap();
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(env::file_time(0) - ABANDONED * 2)
                .unwrap();
            assert!(attempt(&path));
        }
        fs::write(&path, elsewhere.text()).unwrap();
        assert!(holder(&path).unwrap().contains("on host elsewhere"));
        assert!(!path.with_file_name(BREAKER).exists());
    }
}
