//! Whether a file of the cache is as we left it.
//!
//! SQLite keeps no checksums: a page that something else has changed, or a copy made while it was being
//! written, would be believed. So after each change of ours the time of the file is set to one that follows from
//! the stamp and the file's own number; whatever else writes to it, and any copy, has another time.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::{IndexKey, Result, file_of, read_key};
use crate::env;

/// File systems that keep coarser times than this can't tell.
const COARSE: u32 = 1_000_000;
/// How often to look again: a writer sets the time right after its change.
const LOOKS: u32 = 20;

/// Marks the file of a connection as ours.
pub(super) fn stamp_mtime(conn: &Connection) -> Result<()> {
    if let Some(path) = file_of(conn) {
        set_mtime(&path, &key_text(&read_key(conn)?));
    }
    Ok(())
}

/// Marks a file of ours, by what it says.
pub(super) fn set_mtime(path: &Path, said: &str) {
    // Without the mark the next reader makes the cache anew.
    let Ok(file) = OpenOptions::new().write(true).open(path) else {
        return;
    };
    if let Ok(meta) = file.metadata() {
        let _ = file.set_modified(env::file_time(nanos(said, &meta)));
    }
}

/// The stamp of the file of a connection, if nobody but us has changed the file.
pub(super) fn verify(conn: &Connection) -> Result<IndexKey> {
    let path = file_of(conn);
    let sealed = retry(|| {
        let stamp = read_key(conn)?;
        let holds = path
            .as_deref()
            .is_none_or(|path| is_marked(path, &key_text(&stamp)));
        Ok(holds.then_some(stamp))
    })?;
    sealed.ok_or_else(|| rusqlite::Error::InvalidQuery.into())
}

/// Whether nobody but us has changed a file that says this.
pub(super) fn matches(path: &Path, said: &str) -> Result<bool> {
    Ok(retry(|| Ok(is_marked(path, said).then_some(())))?.is_some())
}

/// What is found within a few looks.
fn retry<T>(look: impl Fn() -> Result<Option<T>>) -> Result<Option<T>> {
    for _ in 0..LOOKS {
        if let Some(found) = look()? {
            return Ok(Some(found));
        }
        sleep(Duration::from_millis(1));
    }
    Ok(None)
}

fn is_marked(path: &Path, said: &str) -> bool {
    let Ok(meta) = fs::metadata(path) else {
        return false;
    };
    let found = u32::try_from(meta.mtime_nsec()).unwrap_or(0);
    found.is_multiple_of(COARSE) || found == nanos(said, &meta)
}

fn key_text(stamp: &IndexKey) -> String {
    format!(
        "{} {} {} {}",
        stamp.version, stamp.commit, stamp.tree, stamp.boot
    )
}

/// The part of a second: whole microseconds, and never whole milliseconds.
fn nanos(said: &str, meta: &fs::Metadata) -> u32 {
    let digest = Sha256::digest(format!("{said} {}", meta.ino()));
    let drawn = digest[..4]
        .iter()
        .fold(0, |bits: u32, byte| (bits << 8) | u32::from(*byte));
    drawn % 1000 * COARSE + (1 + (drawn / 1000) % 999) * 1000
}
