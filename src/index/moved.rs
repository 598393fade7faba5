//! What became of the file of a cache since it was opened.

use super::{Index, read_key};

/// Returns whether a cache still shows its state, by its own stamp. While another process changes the file it may not.
pub(crate) fn is_current(index: &Index<'_>) -> bool {
    let commit = index.snapshot.commit().to_string();
    match read_key(&index.conn) {
        _ if index.file.is_none() => true,
        Ok(key) => key.commit == commit,
        // One that can't be read is damaged, and has not moved.
        Err(error) => !error.is_contended(),
    }
}
