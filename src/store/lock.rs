//! Our own lock: one writer at a time. The kernel releases it when its holder dies.
//!
//! Git's lock of the ref is another matter: `main.lock` is a file, and one that its maker was killed over
//! stays for ever. So before we let it be made we note that in our own lock file, and take the note back
//! afterwards. Whoever holds our lock and finds the note still there knows that its writer is dead, and may
//! remove what that writer left behind. A lock of anybody else is never touched.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Oid, REF, Result, Store, StoreError, io};
use crate::env;

const PATIENCE: Duration = Duration::from_secs(20);
const PAUSES: [u64; 6] = [1, 1, 2, 3, 5, 8];
/// A writer makes the lock of the ref this soon after its note.
const SOON: Duration = Duration::from_secs(10);
/// What the note says when nobody holds the lock.
const FREE: &str = "free";
/// A note has one length, so that writing it is one step.
const NOTE: usize = 120;

/// Holds the lock until it is dropped.
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Notes that the ref is about to be moved.
    pub(super) fn moving(&self, new: Oid) {
        self.note(&format!("moving {new}"));
    }

    /// Takes that back.
    pub(super) fn moved(&self) {
        self.note("holds");
    }

    /// A note that can't be written only makes a message poorer, or leaves a lock to a person.
    fn note(&self, state: &str) {
        let note = format!("{} {} {state}", std::process::id(), env::now());
        let _ = self.file.write_all_at(format!("{note:<NOTE$}\n").as_bytes(), 0);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.note(FREE);
    }
}

/// What a lock file says: the process, since when in milliseconds, and the state.
fn read(file: &File) -> Option<(u32, u64, String)> {
    let mut bytes = [0; NOTE];
    let n = file.read_at(&mut bytes, 0).ok()?;
    let text = std::str::from_utf8(&bytes[..n]).ok()?;
    let mut words = text.trim().splitn(3, ' ');
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?.to_owned()))
}

impl Store {
    /// Waits for the lock.
    pub(super) fn lock(&self) -> Result<Lock> {
        let folder = self.folder();
        let shown = folder.display().to_string();
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(io(format!("can't make {shown}")))?;
        let path = folder.join("lock");
        let open = OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(&path);
        let file = open.map_err(io(format!("can't open {}", path.display())))?;
        let start = Instant::now();
        for round in 0.. {
            match file.try_lock() {
                Ok(()) => {
                    self.clean_up(&file);
                    let lock = Lock { file };
                    lock.note("holds");
                    return Ok(lock);
                }
                Err(TryLockError::Error(error)) => return Err(io(format!("can't lock {}", path.display()))(error)),
                Err(TryLockError::WouldBlock) if start.elapsed() > PATIENCE || self.is_given_up() => break,
                Err(TryLockError::WouldBlock) => sleep(Duration::from_millis(PAUSES[round.min(PAUSES.len() - 1)])),
            }
        }
        let holder = read(&file).map(|(process, since, _)| {
            format!("process {process}, for {} s; ", env::now().saturating_sub(since) / 1000)
        });
        Err(StoreError::Busy(format!("{}{}", holder.unwrap_or_default(), path.display())))
    }

    fn is_given_up(&self) -> bool {
        self.given_up.borrow().as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Removes what the last holder left, if it did not come to its end.
    fn clean_up(&self, ours: &File) {
        if read(ours).is_some_and(|(_, _, state)| state != FREE) {
            self.remove_leftover(ours);
            super::loose::sweep(&self.folder());
        }
    }

    /// Removes a `main.lock` that a killed writer of ours has left: its note is not taken back, the file was
    /// made right after the note, and holds nothing but what that writer would have written.
    fn remove_leftover(&self, ours: &File) {
        let Some((_, _, state)) = read(ours) else { return };
        let Some(new) = state.strip_prefix("moving ").filter(|oid| Oid::parse(oid).is_some()) else { return };
        let path = self.common_dir().join(format!("{REF}.lock"));
        let (Ok(text), Ok(found)) = (fs::read(&path), fs::symlink_metadata(&path)) else { return };
        let noted = ours.metadata().and_then(|meta| meta.modified());
        let age = match (found.modified(), noted) {
            (Ok(found), Ok(noted)) => found.duration_since(noted).ok(),
            _ => None,
        };
        let text = text.trim_ascii();
        if found.is_file() && age.is_some_and(|age| age < SOON) && (text.is_empty() || text == new.as_bytes()) {
            // If it can't be removed the write says so.
            let _ = fs::remove_file(path);
        }
    }
}
