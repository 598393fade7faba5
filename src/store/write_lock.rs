//! Our own lock: one writer at a time. The kernel releases it when its holder dies.
//!
//! Git's lock of the ref is another matter: `main.lock` is a file, and one that its maker was killed over
//! stays for ever. So before we let it be made we note that in our own lock file, and take the note back
//! afterwards. Whoever holds our lock and finds the note still there knows that its writer is dead, and may
//! remove what that writer left behind. A lock of anybody else is never touched.

use std::cell::Cell;
use std::fs::{self, File, TryLockError};
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::{Oid, REF, Result, Store, StoreError, io, private_file};
use crate::env;

const PATIENCE: Duration = Duration::from_secs(20);
/// How often who waits looks whether anybody still wants the answer.
const LOOK: Duration = Duration::from_millis(50);
/// A writer makes the lock of the ref this soon after its note.
const SOON: Duration = Duration::from_secs(10);
/// What the note says when nobody holds the lock.
const FREE: &str = "free";
/// And where git was removing objects meanwhile: the next holder looks whether all are there.
const CHECK: &str = "check";
/// A note has one length, so that writing it is one step.
const NOTE: usize = 120;

/// Holds the lock until it is dropped.
pub(super) struct Lock {
    file: File,
    leaves: Cell<&'static str>,
    /// Whether the last holder did not come to its end.
    pub(super) inherited: bool,
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

    /// Leaves it to the next holder to look whether all objects are still there.
    pub(super) fn distrust(&self) {
        self.leaves.set(CHECK);
    }

    /// A note that can't be written only makes a message poorer, or leaves a lock to a person.
    fn note(&self, state: &str) {
        let note = format!("{} {} {state}", std::process::id(), env::now());
        let _ = self
            .file
            .write_all_at(format!("{note:<NOTE$}\n").as_bytes(), 0);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.note(self.leaves.get());
    }
}

/// What a lock file says: the process, since when in milliseconds, and the state.
fn read(file: &File) -> Option<(u32, u64, String)> {
    let mut bytes = [0; NOTE];
    let n = file.read_at(&mut bytes, 0).ok()?;
    let text = std::str::from_utf8(&bytes[..n]).ok()?;
    let mut words = text.trim().splitn(3, ' ');
    Some((
        words.next()?.parse().ok()?,
        words.next()?.parse().ok()?,
        words.next()?.to_owned(),
    ))
}

fn is_unfinished(file: &File) -> bool {
    read(file).is_some_and(|(_, _, state)| state != FREE && state != CHECK)
}

impl Store {
    /// Waits for the lock.
    pub(super) fn lock(&self) -> Result<Lock> {
        let path = self.folder().join("lock");
        let file = loop {
            private_file::folder(&self.folder())?;
            let file = match private_file::open(&path) {
                // The folder has gone since.
                Err(StoreError::Io { source, .. })
                    if source.kind() == std::io::ErrorKind::NotFound =>
                {
                    continue;
                }
                opened => opened?,
            };
            if !self
                .wait(&file)
                .map_err(io(format!("can't lock {}", path.display())))?
            {
                let holder = read(&file).map(|(process, since, _)| {
                    format!(
                        "process {process}, for {} s; ",
                        env::now().saturating_sub(since) / 1000
                    )
                });
                return Err(StoreError::Busy(format!(
                    "{}{}",
                    holder.unwrap_or_default(),
                    path.display()
                )));
            }
            // Whoever has uninstalled us meanwhile has taken the file away.
            if private_file::is_named(&path, &file) {
                break file;
            }
        };
        let inherited = is_unfinished(&file);
        let leaves = self.clean_up(&file, inherited)?;
        let lock = Lock {
            file,
            leaves: Cell::new(leaves),
            inherited,
        };
        lock.note("holds");
        Ok(lock)
    }

    /// Waits for the lock of a file; false when that takes too long, or nobody waits for us any more.
    ///
    /// Waiting in the kernel's queue is fair, where asking again and again lets the luckiest in, but it can't be
    /// ended; so another thread does it, and gives the lock back if it comes too late.
    fn wait(&self, file: &File) -> std::io::Result<bool> {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let (queue, (done, turn)) = (file.try_clone()?, mpsc::channel());
        std::thread::spawn(move || done.send(queue.lock()));
        let start = Instant::now();
        while start.elapsed() < PATIENCE && !self.is_given_up() {
            match turn.recv_timeout(LOOK) {
                Ok(locked) => return locked.map(|()| true),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(false),
            }
        }
        Ok(false)
    }

    fn is_given_up(&self) -> bool {
        self.given_up
            .borrow()
            .as_ref()
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Whether a writer holds the lock, or died holding it.
    pub(super) fn is_interrupted(&self) -> bool {
        private_file::existing(&self.folder().join("lock"))
            .is_ok_and(|file| file.is_some_and(|file| is_unfinished(&file)))
    }

    /// Removes what the last holder left, if it did not come to its end, and looks whether all objects are still
    /// there, if git was removing some; while it still does, that is left to the next. Returns the note to leave.
    fn clean_up(&self, ours: &File, unfinished: bool) -> Result<&'static str> {
        if unfinished {
            self.remove_leftover(ours);
            super::loose::sweep(&self.folder());
        } else if read(ours).is_none_or(|(_, _, state)| state != CHECK) {
            return Ok(FREE);
        }
        if self.is_collecting() {
            return Ok(CHECK);
        }
        self.rewrite_missing()?;
        Ok(FREE)
    }

    /// Removes a `main.lock` that a killed writer of ours has left: its note is not taken back, the file was
    /// made right after the note, and holds nothing but what that writer would have written.
    fn remove_leftover(&self, ours: &File) {
        let Some((_, _, state)) = read(ours) else {
            return;
        };
        let Some(new) = state
            .strip_prefix("moving ")
            .filter(|oid| Oid::parse(oid).is_some())
        else {
            return;
        };
        let path = self.common_dir().join(format!("{REF}.lock"));
        let (Ok(text), Ok(found)) = (fs::read(&path), fs::symlink_metadata(&path)) else {
            return;
        };
        let noted = ours.metadata().and_then(|meta| meta.modified());
        let age = match (found.modified(), noted) {
            (Ok(found), Ok(noted)) => found.duration_since(noted).ok(),
            _ => None,
        };
        let text = text.trim_ascii();
        if found.is_file()
            && age.is_some_and(|age| age < SOON)
            && (text.is_empty() || text == new.as_bytes())
        {
            // If it can't be removed the write says so.
            let _ = fs::remove_file(path);
        }
    }
}
