//! Texts that a user has typed and not sent: a file for each user in each repository, a line for each text.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::env::user_id;
use crate::files::replace;
use crate::ops::{Error, Result, Tracker};

/// Mode of the file: it is read by its user alone, also where others share the repository.
const MODE: u32 = 0o600;
/// Texts that are kept, the newest.
const MOST: usize = 100;

/// A text that was not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TextDraft {
    /// The identity of the issue.
    pub(crate) uid: String,
    /// The title of what has asked for it.
    pub(crate) prompt: String,
    pub(crate) text: String,
}

impl TextDraft {
    /// Returns whether another one is an answer to the same.
    pub(crate) fn is_for_same(&self, other: &Self) -> bool {
        (&self.uid, &self.prompt) == (&other.uid, &other.prompt)
    }
}

/// Returns the texts of the user; none where they can't be read.
pub(crate) fn drafts(tracker: &Tracker) -> Vec<TextDraft> {
    let text = file(tracker).and_then(fs::read_to_string);
    let text = text.unwrap_or_default();
    let lines = text.lines().map(serde_json::from_str);
    lines.filter_map(std::result::Result::ok).collect()
}

/// Keeps a text in the place of another one for the same; an empty one is only taken away.
/// Errors: the file can't be written.
pub(crate) fn keep(tracker: &Tracker, draft: &TextDraft) -> Result<()> {
    let mut kept = drafts(tracker);
    kept.retain(|old| !old.is_for_same(draft));
    if !draft.text.is_empty() {
        kept.push(draft.clone());
    }
    kept.drain(..kept.len().saturating_sub(MOST));
    let lines = kept
        .iter()
        .map(|draft| serde_json::json!(draft).to_string() + "\n");
    let lines: String = lines.collect();
    let written = file(tracker).and_then(|file| replace(&file, lines.as_bytes(), MODE));
    written.map_err(|error| Error::io("can't keep what was typed", &error))
}

/// Returns the place of the file, where nothing else is there: others who share the repository could lead elsewhere by a link.
fn file(tracker: &Tracker) -> io::Result<PathBuf> {
    let name = format!("drafts-{}", user_id());
    let file = tracker.store().common_dir().join("beads").join(name);
    match fs::symlink_metadata(&file) {
        Ok(found) if !found.is_file() => Err(io::ErrorKind::AlreadyExists.into()),
        _ => Ok(file),
    }
}
