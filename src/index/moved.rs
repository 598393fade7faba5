//! What became of the file of a cache since it was opened.

use super::{Index, fingerprint, read_key};
use crate::platform;

/// Returns whether another process has moved the file on since it was opened: what was read of it is not of one state
/// then. Costs one look at the disk, or a query where files have no marks.
pub(crate) fn has_moved(index: &Index<'_>) -> bool {
    match (&index.file, index.mark) {
        (Some(_), _) if !platform::KEEPS_SET_TIMES => !is_current(index),
        (Some(file), Some(mark)) => !fingerprint::has_mark(file, mark),
        _ => false,
    }
}

/// Returns whether a cache still shows its state, by its own stamp.
pub(crate) fn is_current(index: &Index<'_>) -> bool {
    let commit = index.snapshot.commit().to_string();
    // One that can't be read is damaged, and has not moved.
    index.file.is_none() || read_key(&index.conn).map_or(true, |stamp| stamp.commit == commit)
}

/// Returns whether the file of a cache is next to the journal.
pub(crate) fn is_beside_journal(index: &Index<'_>) -> bool {
    let folder = index.snapshot.store().folder();
    let file = index.file.as_ref();
    file.is_some_and(|file| file.path.parent() == Some(&folder))
}
