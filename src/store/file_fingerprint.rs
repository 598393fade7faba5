//! Telling one state of a file from the next, without reading it.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What tells one state of a file from the next: device, inode, time, size.
pub(super) type FileFingerprint = (u64, u64, i64, i64, u64);

pub(super) fn fingerprint(path: &Path) -> Option<FileFingerprint> {
    let meta = std::fs::metadata(path).ok()?;
    Some((
        meta.dev(),
        meta.ino(),
        meta.mtime(),
        meta.mtime_nsec(),
        meta.len(),
    ))
}
