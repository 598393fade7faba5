//! `hook`: what is done beside the user. Nobody waits for it, and nothing depends on it.

use super::{Result, Tracker};

/// Does what an event asks for; an event that this version does not know asks for nothing.
///
/// # Errors
/// A repository that can't be written; everything then stays as it is.
pub fn hook(tracker: &Tracker, event: &str) -> Result<()> {
    if event == "fold" {
        tracker.store().fold()?;
    }
    Ok(())
}
