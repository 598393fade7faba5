//! A mark on each file of the cache that is lost when another program writes to it.
//!
//! SQLite keeps no checksums: a page that something else has changed, or a copy made while it was
//! being written, would be believed. So after each change the modification time of the file is set
//! to one computed from the stamp and the file's inode; another program's write, and any copy, has
//! another time.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::{IndexFile, IndexKey, Result, file_of, read_key};
use crate::env;
use crate::platform::{self, FileFingerprint, FileId};
use crate::store::Oid;

/// Resolution in nanoseconds: a file system with coarser times can't hold the mark, which is not
/// checked there.
const COARSE: u32 = 1_000_000;
/// Number of tries: a writer sets the time right after its change.
const LOOKS: u32 = 20;
/// A writer whose change is not older than this may be held up before it sets the time.
const JUST_NOW: Duration = Duration::from_millis(200);
/// The longest wait for those that write one after another.
const PATIENCE: Duration = Duration::from_secs(2);

/// Marks the file of a connection after a change by this process.
pub(super) fn stamp_mtime(conn: &Connection) -> Result<()> {
    if let Some(path) = file_of(conn) {
        set_mtime(&path, &key_text(&read_key(conn)?));
    }
    Ok(())
}

/// Marks a file with the time that belongs to its key.
pub(super) fn set_mtime(path: &Path, key: &str) {
    // Without the mark the next reader builds the cache again.
    let Ok(file) = OpenOptions::new().write(true).open(path) else {
        return;
    };
    if let Ok(id) = FileId::of(&file) {
        let _ = file.set_modified(env::file_time(nanos(key, id)));
    }
}

/// A stamp that no other program has changed.
pub(super) struct SealedKey {
    pub(super) key: IndexKey,
    /// The file as it was then, with the mark as its nanoseconds; none in memory.
    pub(super) file: Option<FileFingerprint>,
}

/// Returns the stamp of the file of a connection, if no other program has changed the file.
pub(super) fn verify(conn: &Connection) -> Result<SealedKey> {
    let path = file_of(conn);
    let sealed = retry(path.as_deref(), || {
        // Read again in each round: a writer commits a new stamp first and sets the time after it.
        let key = read_key(conn)?;
        let Some(path) = &path else {
            return Ok(Some(SealedKey { key, file: None }));
        };
        let marked = marked(path, &key_text(&key));
        Ok(marked.map(|file| SealedKey {
            key,
            file: Some(file),
        }))
    })?;
    sealed.ok_or_else(|| rusqlite::Error::InvalidQuery.into())
}

/// Returns the mark of the file of a connection, if it shows a commit.
pub(super) fn mark_at(conn: &Connection, commit: Oid) -> Option<u32> {
    let key = read_key(conn).ok()?;
    let is_there = key.commit == commit.to_string();
    let file = file_of(conn).filter(|_| is_there)?;
    marked(&file, &key_text(&key)).map(|found| found.nanos)
}

/// Returns whether a file still has a mark. A write takes it away before any process can read what was written.
pub(super) fn has_mark(file: &IndexFile, mark: u32) -> bool {
    FileFingerprint::at(&file.path).is_ok_and(|found| {
        found.id == file.id && (found.nanos == mark || can_hold_none(&file.path, found.nanos))
    })
}

/// Returns whether no other program has changed a file with this key.
pub(super) fn matches(path: &Path, key: &str) -> Result<bool> {
    Ok(retry(Some(path), || Ok(marked(path, key)))?.is_some())
}

/// Returns what is found within a few tries, or while the file is being written.
fn retry<T>(path: Option<&Path>, look: impl Fn() -> Result<Option<T>>) -> Result<Option<T>> {
    let (began, mut looks) = (Instant::now(), 0);
    loop {
        if let Some(found) = look()? {
            return Ok(Some(found));
        }
        looks += 1;
        let is_written = || path.is_some_and(was_just_written) && began.elapsed() < PATIENCE;
        if looks >= LOOKS && !is_written() {
            return Ok(None);
        }
        sleep(Duration::from_millis(1));
    }
}

fn was_just_written(path: &Path) -> bool {
    let modified = fs::metadata(path).and_then(|found| found.modified());
    let age = modified.map(|at| at.elapsed());
    matches!(age, Ok(Ok(age)) if age < JUST_NOW)
}

/// Returns a file that no other program has changed.
fn marked(path: &Path, key: &str) -> Option<FileFingerprint> {
    let found = FileFingerprint::at(path).ok()?;
    let is_marked = found.nanos == nanos(key, found.id) || can_hold_none(path, found.nanos);
    is_marked.then_some(found)
}

/// Returns whether the time of a file is one that no mark has, on a file system that knows no others, or can be any.
fn can_hold_none(path: &Path, found: u32) -> bool {
    // A whole millisecond is never drawn by `nanos`. Where the system's own time is one too, the file system has no finer
    // ones; else the file was copied, by what keeps no more than seconds.
    !platform::KEEPS_SET_TIMES
        || found.is_multiple_of(COARSE) && platform::has_whole_times(path, COARSE)
}

fn key_text(stamp: &IndexKey) -> String {
    format!(
        "{} {} {} {}",
        stamp.version, stamp.commit, stamp.tree, stamp.boot
    )
}

/// Returns the part of a second: whole microseconds, and never whole milliseconds.
fn nanos(key: &str, id: FileId) -> u32 {
    // The inode is part of it, so that a copy of the file, which keeps the time, does not match.
    let digest = Sha256::digest(format!("{key} {}", id.inode));
    let bits = digest[..4]
        .iter()
        .fold(0, |sum: u32, byte| (sum << 8) | u32::from(*byte));
    bits % 1000 * COARSE + (1 + (bits / 1000) % 999) * 1000
}
