//! The user's editor, chosen as git chooses it.

use std::path::Path;

use super::shell;
use crate::env;
use crate::ops::Tracker;

/// Opens a file in the user's editor, as git would; false if the editor failed.
pub(in crate::cli) fn edit(tracker: &Tracker, file: &Path) -> std::io::Result<bool> {
    let chosen = env::var("GIT_EDITOR")
        .or_else(|| tracker.config("core.editor"))
        .or_else(|| env::var("VISUAL"));
    let editor = chosen
        .or_else(|| env::var("EDITOR"))
        .unwrap_or_else(|| "vi".to_owned());
    // As git does: the setting is a command line with options, and the file its last argument.
    let status = shell(&format!("{editor} \"$@\""))
        .arg(&editor)
        .arg(file)
        .status()?;
    Ok(status.success())
}
