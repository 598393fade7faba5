//! Our own lock: one writer at a time. The kernel releases it when its holder dies.
//!
//! Git's lock of a ref is another matter: `main.lock` is a file, and one that its maker was killed over
//! stays for ever. So before we make one we note the ref and its new value in our own lock file, and take the
//! note back afterwards. The next holder of our lock who finds the note still there knows that its writer is dead,
//! and may remove what that writer left behind. A lock of anybody else is never touched.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::child::patience;
use super::journal::Journal;
use super::{Cancel, Oid, REF, Result, Store, StoreError, io, private_file};
use crate::env::{Env, start_thread};
use crate::platform::{self, FileId};

/// The time that a writer waits for another: the key, and the seconds unless it says otherwise.
const TIMEOUT: (&str, &str) = ("beads.lockTimeout", "20");
/// The pause between two looks of a waiting writer whether its answer is still wanted.
pub(super) const LOOK: Duration = Duration::from_millis(50);
/// The pause between two tries where a writer can't wait in the queue of the system.
const PAUSE: Duration = Duration::from_millis(10);
/// A writer makes the lock of a ref this soon after its note.
pub(super) const SOON: Duration = Duration::from_secs(10);
/// The note while the lock is held and no ref is being moved.
const HOLDS: &str = "holds";
/// The beginning of the note while a ref is being moved: its new value follows, and its name unless it is the main ref.
const MOVING: &str = "moving ";
/// The shortest and the longest note; one length lets it be written in one step.
const NOTE: usize = 120;
const LONGEST_NOTE: usize = 500;

/// The task of the next holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockState {
    /// Nothing.
    Free,
    /// To look whether all objects are still there: git was removing some.
    CheckObjects,
}

impl LockState {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::CheckObjects => "check",
        }
    }
}

/// A move of a ref that a writer had announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefMove {
    pub(super) name: String,
    pub(super) new: Oid,
}

/// The end of the last holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Previous {
    /// It released the lock, in this state.
    Released(LockState),
    /// It was killed, perhaps while it moved a ref.
    Died(Option<RefMove>),
}

/// The lock, held until it is dropped.
pub(super) struct WriteLock {
    env: Env,
    file: File,
    state: LockState,
}

impl WriteLock {
    /// Notes that a ref is about to be moved.
    pub(super) fn begin_move(&self, name: &str, new: Oid) {
        let name = if name == REF { "" } else { name };
        self.note(format!("{MOVING}{new} {name}").trim_end());
    }

    /// Takes that back.
    pub(super) fn end_move(&self) {
        self.note(HOLDS);
    }

    /// Returns a handle for a child: the kernel keeps the lock until that has ended too.
    pub(super) fn shared(&self) -> std::io::Result<File> {
        self.file.try_clone()
    }

    /// Releases the lock and leaves to the next holder what `state` says.
    pub(super) fn release(mut self, state: LockState) {
        // Only raised: what `clean_up` has left to the next holder stays to be done.
        if state == LockState::CheckObjects {
            self.state = state;
        }
    }

    /// A note that can't be written only makes a message poorer, or leaves a lock to a person.
    fn note(&self, state: &str) {
        let note = format!("{} {} {state}", std::process::id(), self.env.now());
        let _ = platform::write_all_at(&self.file, format!("{note:<NOTE$}\n").as_bytes(), 0);
    }
}

impl Drop for WriteLock {
    fn drop(&mut self) {
        // While the lock is still held: closing the file releases it.
        self.note(self.state.as_str());
    }
}

/// Reads a lock file: the process, since when in milliseconds, and the state.
pub(super) fn read(file: &File) -> Option<(u32, u64, String)> {
    let mut bytes = [0; LONGEST_NOTE];
    let n = platform::read_at(file, &mut bytes, 0).ok()?;
    // What follows the first line is left of a longer note.
    let line = bytes[..n].split(|byte| *byte == b'\n').next()?;
    let text = std::str::from_utf8(line).ok()?;
    let mut words = text.trim().splitn(3, ' ');
    Some((
        words.next()?.parse().ok()?,
        words.next()?.parse().ok()?,
        words.next()?.to_owned(),
    ))
}

pub(super) fn previous(file: &File) -> Previous {
    match read(file) {
        None => Previous::Released(LockState::Free),
        Some((_, _, state)) => [LockState::Free, LockState::CheckObjects]
            .into_iter()
            .find(|released| released.as_str() == state)
            .map_or_else(|| Previous::Died(ref_move(&state)), Previous::Released),
    }
}

fn ref_move(state: &str) -> Option<RefMove> {
    let rest = state.strip_prefix(MOVING)?;
    let (new, name) = rest.split_once(' ').unwrap_or((rest, REF));
    Some(RefMove {
        name: name.to_owned(),
        new: Oid::parse(new)?,
    })
}

impl Store {
    /// Waits for the lock, and cleans up after a holder that was killed.
    pub(super) fn lock(&self) -> Result<WriteLock> {
        self.lock_unless(&Cancel::default())
    }

    /// The same, and gives up waiting when that is cancelled.
    pub(super) fn lock_unless(&self, cancel: &Cancel) -> Result<WriteLock> {
        let file = self.locked_file(cancel)?;
        // Before our own note, which would replace the note of the holder that died.
        let state = clean_up(self, &file, previous(&file))?;
        let lock = WriteLock {
            env: self.env().clone(),
            file,
            state,
        };
        // From now on a kill leaves this note, and the next holder cleans up.
        lock.note(HOLDS);
        tracing::trace!("holds the lock");
        Ok(lock)
    }

    /// Changes files of the user under the lock, so that no other git-beads changes them meanwhile. Where nothing
    /// can be written below the git directory, there is no lock.
    pub(crate) fn while_locked<T>(&self, change: impl FnOnce() -> T) -> Result<T> {
        let lock = match self.lock() {
            Err(StoreError::Io { source, .. }) if is_denied(source.kind()) => None,
            lock => Some(lock?),
        };
        let changed = change();
        // Where there are no issues, nothing stays. Who waits for the file takes the next one.
        if lock.is_some() && matches!(self.tip(), Ok(None)) {
            self.uninstall().remove_lock();
        }
        Ok(changed)
    }

    /// Opens the file of the lock and waits until the lock is held; again where it has gone meanwhile.
    fn locked_file(&self, cancel: &Cancel) -> Result<File> {
        let path = self.folder().join("lock");
        loop {
            private_file::folder(&self.folder(), self.permissions())?;
            // Opened where it is, never replaced: all writers must lock the same file.
            let file = match private_file::open(&path, self.permissions()) {
                // The folder has gone since.
                Err(StoreError::Io { source, .. })
                    if source.kind() == std::io::ErrorKind::NotFound =>
                {
                    continue;
                }
                opened => opened?,
            };
            if !take(self, &path, &file, cancel)? {
                return Err(busy(self, &file));
            }
            // An uninstall meanwhile has taken the file away.
            if private_file::is_named(&path, &file) {
                return Ok(file);
            }
        }
    }

    /// Returns why nothing can be written here, where that is since the file system knows no locks.
    pub(crate) fn lacks_locks(&self) -> Option<StoreError> {
        let path = self.folder().join("lock");
        let file = private_file::existing(&path).ok()??;
        match file.try_lock_shared() {
            Err(TryLockError::Error(error)) if platform::knows_no_locks(&error) => {
                Some(without_locks(&path))
            }
            _ => None,
        }
    }

    /// Returns true if a writer holds the lock, or died holding it.
    pub(super) fn is_interrupted(&self) -> bool {
        let Ok(Some(file)) = private_file::existing(&self.folder().join("lock")) else {
            return false;
        };
        // Where a lock keeps others from reading, a file that can't be read is locked.
        let is_shut =
            platform::LOCKS_ARE_MANDATORY && platform::read_at(&file, &mut [0], 0).is_err();
        is_shut || matches!(previous(&file), Previous::Died(_))
    }
}

fn is_denied(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}

/// Locks the file; false when that takes too long, or is cancelled.
fn take(store: &Store, path: &Path, file: &File, cancel: &Cancel) -> Result<bool> {
    // Before the first try: a setting that means nothing is said each time, and not only where someone waits.
    let patience = lock_patience(store)?;
    let began = Instant::now();
    let waited = match file.try_lock() {
        Ok(()) => return Ok(true),
        Err(TryLockError::WouldBlock) => {
            tracing::debug!("waits for the lock");
            // Where locks are mandatory, a file whose lock is waited for can't be used for anything else meanwhile.
            match platform::LOCKS_ARE_MANDATORY {
                true => poll_lock(file, patience, cancel),
                false => wait(file, patience, cancel),
            }
        }
        Err(TryLockError::Error(error)) if platform::knows_no_locks(&error) => {
            return Err(without_locks(path));
        }
        Err(TryLockError::Error(error)) => Err(error),
    };
    let held = matches!(waited, Ok(true));
    tracing::debug!(
        held,
        ms = began.elapsed().as_millis(),
        "waited for the lock"
    );
    waited.map_err(io(format!("can't lock {}", path.display())))
}

/// Returns the error of a file system on which one of two writers at once could lose what it was answered.
fn without_locks(path: &Path) -> StoreError {
    let device = |path: &Path| FileId::at_link(path).ok().map(|id| id.device);
    let of_path = device(path);
    let here = path.ancestors().take_while(|it| device(it) == of_path);
    let mount = here.last().unwrap_or(path).display();
    StoreError::Refused(format!(
        "the file system at {mount} knows no file locks (flock), so nothing is written to it; reading works. Mount it with \
         locks, or keep the repository on a local disk"
    ))
}

/// Names the holder of the lock.
fn busy(store: &Store, file: &File) -> StoreError {
    let holder = read(file).map(|(process, since, _)| {
        let seconds = store.env().now().saturating_sub(since) / 1000;
        format!("process {process}, for {seconds} s; ")
    });
    let path = store.folder().join("lock");
    StoreError::Busy(format!("{}{}", holder.unwrap_or_default(), path.display()))
}

/// Removes what a killed holder left, and looks whether all objects are still there, if git was removing
/// some; while it still does, that is left to the next holder.
///
/// The order matters: the note that names a leftover is still in the file, and is overwritten by our own only
/// when this is done.
fn clean_up(store: &Store, ours: &File, previous: Previous) -> Result<LockState> {
    match previous {
        Previous::Released(LockState::Free) => return Ok(LockState::Free),
        Previous::Released(LockState::CheckObjects) => {}
        Previous::Died(begun) => {
            let moving = begun.is_some();
            tracing::debug!(moving, "cleans up after a holder that died");
            if let Some(begun) = begun {
                store.refs().remove_leftover(ours, &begun);
            }
            // Under the lock no other writer is at work, so every unfinished file is that of the one that died.
            store.loose().sweep();
            take_back_unfinished_move(store);
        }
    }
    if store.maintenance().is_collecting() {
        return Ok(LockState::CheckObjects);
    }
    // A `git gc` may have taken objects of a write that was answered; the journal still has them.
    store.replay().rewrite_missing()?;
    Ok(LockState::Free)
}

/// Takes the last record of the journal back, if its writer was killed before the ref moved.
fn take_back_unfinished_move(store: &Store) {
    // What can't be read here is an error for the next step, which needs it. After a reboot neither lock nor ref
    // say what was answered: only the journal does.
    if let (Ok(Some(journal)), Ok(tip)) = (Journal::open(&store.folder()), store.tip())
        && journal.is_of_here(store.env())
    {
        journal.take_back_unless_at(tip);
    }
}

/// Returns how long a writer waits for another one.
pub(super) fn lock_patience(store: &Store) -> Result<Duration> {
    let patience = patience(TIMEOUT, store.config(TIMEOUT.0))?;
    Ok(patience.unwrap_or(Duration::MAX))
}

/// Tries again and again to lock a file that someone has; false when that takes too long, or is cancelled.
fn poll_lock(file: &File, patience: Duration, cancel: &Cancel) -> std::io::Result<bool> {
    let start = Instant::now();
    while start.elapsed() < patience && !cancel.is_cancelled() {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

/// Waits for the lock of a file that someone has; false when that takes too long, or is cancelled.
///
/// Waiting in the kernel's queue is fair, where asking again and again lets the luckiest in, but it can't be
/// ended; so another thread does it, and gives the lock back if it comes too late.
fn wait(file: &File, patience: Duration, cancel: &Cancel) -> std::io::Result<bool> {
    // A handle of the same open file, so the lock it gets is that of `file` too, and goes when both are closed.
    let (queue, (done, turn)) = (file.try_clone()?, mpsc::channel());
    start_thread(move || done.send(queue.lock()))?;
    let start = Instant::now();
    while start.elapsed() < patience && !cancel.is_cancelled() {
        match turn.recv_timeout(LOOK) {
            Ok(locked) => return locked.map(|()| true),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(false),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_polled_is_taken_when_it_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let open = || File::create(folder.path().join("lock")).unwrap();
        let (held, asked) = (open(), open());
        held.lock().unwrap();
        let locked = |patience| poll_lock(&asked, patience, &Cancel::default()).unwrap();
        assert!(!locked(PAUSE));
        drop(held);
        assert!(locked(Duration::MAX));
        assert!(open().try_lock().is_err());
    }
}
