//! Our own lock: one writer at a time. The kernel releases it when its holder dies.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Result, Store, StoreError, io};

const PATIENCE: Duration = Duration::from_secs(20);
const PAUSES: [u64; 6] = [1, 1, 2, 3, 5, 8];

/// Holds the lock until it is dropped.
pub(super) struct Lock {
    _file: File,
}

impl Store {
    /// Waits for the lock.
    pub(super) fn lock(&self) -> Result<Lock> {
        let folder = self.folder();
        let shown = folder.display().to_string();
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(io(format!("can't make {shown}")))?;
        let path = folder.join("lock");
        let open = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let file = open.map_err(io(format!("can't open {}", path.display())))?;
        let start = Instant::now();
        for round in 0.. {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(TryLockError::Error(error)) => return Err(io(format!("can't lock {}", path.display()))(error)),
                Err(TryLockError::WouldBlock) if start.elapsed() > PATIENCE => break,
                Err(TryLockError::WouldBlock) => sleep(Duration::from_millis(PAUSES[round.min(PAUSES.len() - 1)])),
            }
        }
        Err(StoreError::Busy(path.display().to_string()))
    }
}
