//! The lock of the exchanges of a clone: one at a time sends, so that no two send the same objects at once.
//!
//! Only who sends, or rewrites what was not sent, takes it: reading and writing never wait for it. It is taken before the
//! lock of the store, never after.

use std::fs::{File, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Cancel, Result, Store, StoreError, private_file};
use crate::env;

/// Its file.
pub(super) const FILE: &str = "exchange";
/// The time that a command waits for another one that exchanges with a remote.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(10);

/// The lock, held until it is dropped.
pub(crate) struct ExchangeLock {
    _file: Option<File>,
}

impl ExchangeLock {
    /// Waits until no other process sends from a clone. Where files can't be locked the remote alone decides.
    /// Errors: `Busy` where that takes two minutes, or is cancelled.
    pub(crate) fn take(store: &Store, cancel: &Cancel) -> Result<Self> {
        let path = store.folder().join(FILE);
        let opened = private_file::folder(&store.folder(), store.permissions())
            .and_then(|()| private_file::open(&path, store.permissions()));
        // A repository that can only be read sends nothing that has to be noted here.
        let Ok(file) = opened else {
            return Ok(Self { _file: None });
        };
        let is_locked = wait_for(&file, (PATIENCE, "it exchanges with a remote"), cancel)?;
        Ok(Self {
            _file: is_locked.then_some(file),
        })
    }
}

/// Takes the lock of a file; false where files can't be locked.
/// Errors: `Busy` with what the other one does, where that takes too long or is cancelled.
pub(super) fn wait_for(
    file: &File,
    (patience, what): (Duration, &str),
    cancel: &Cancel,
) -> Result<bool> {
    let began = Instant::now();
    let mut locked = file.try_lock();
    if matches!(locked, Err(TryLockError::WouldBlock)) {
        tracing::debug!(what, "waits for another command");
    }
    loop {
        match locked {
            // Its age says that it is in use.
            Ok(()) => {
                let _ = file.set_modified(env::file_time());
                return Ok(true);
            }
            Err(TryLockError::Error(_)) => return Ok(false),
            Err(TryLockError::WouldBlock)
                if cancel.is_cancelled() || began.elapsed() > patience =>
            {
                return Err(StoreError::Busy(what.to_owned()));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(LOOK),
        }
        locked = file.try_lock();
    }
}
