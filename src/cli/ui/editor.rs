//! The user's editor, chosen as git chooses it.

use std::path::Path;

use super::shell;
use crate::ops::Tracker;

/// Returns the command line of the editor that the user has chosen.
pub(in crate::cli) fn configured(tracker: &Tracker) -> Option<String> {
    let core = || {
        tracker
            .config("core.editor")
            .filter(|text| !text.is_empty())
    };
    let chosen = tracker.env().var("GIT_EDITOR").or_else(core);
    chosen
        .or_else(|| tracker.env().var("VISUAL"))
        .or_else(|| tracker.env().var("EDITOR"))
}

/// Opens a file in the user's editor, as git would; false if the editor failed.
pub(in crate::cli) fn edit(tracker: &Tracker, file: &Path) -> std::io::Result<bool> {
    let editor = configured(tracker).unwrap_or_else(|| "vi".to_owned());
    // As git does: the setting is a command line with options, and the file its last argument.
    let status = shell(tracker.env(), &format!("{editor} \"$@\""))
        .arg(&editor)
        .arg(file)
        .status()?;
    Ok(status.success())
}
