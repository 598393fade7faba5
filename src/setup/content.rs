//! The entries of a file in any format: their state, adding and removing them.

use super::agents::{Config, Content, WholeFile};
use super::block::Block;
use super::json::JsonEntry;
use super::{EditError, Result, SetupState, block, former, json};

/// Mark that some editors write first.
const BYTE_ORDER_MARK: &str = "\u{feff}";

fn split_mark(text: &str) -> (&str, &str) {
    text.strip_prefix(BYTE_ORDER_MARK)
        .map_or(("", text), |rest| (BYTE_ORDER_MARK, rest))
}

/// Returns the entries that a file of the user gets too.
fn lasting(entries: &[JsonEntry]) -> impl DoubleEndedIterator<Item = &JsonEntry> {
    entries.iter().filter(|entry| !entry.new_file)
}

/// Returns the text without an entry, unless a person has changed it.
fn without(text: Option<String>, entry: &JsonEntry) -> Result<Option<String>> {
    match text {
        Some(text) if json::state(&text, entry)? != SetupState::Changed => json::take(&text, entry),
        text => Ok(text),
    }
}

impl WholeFile {
    fn state(&self, text: &str) -> SetupState {
        // A checkout on Windows may have changed the newlines and nothing else.
        let found = text.replace("\r\n", "\n");
        if found == self.text {
            SetupState::Current
        } else if self.former.contains(&found.as_str()) {
            SetupState::Outdated
        } else {
            SetupState::Changed
        }
    }
}

impl Config {
    /// Returns the content with another block.
    pub(super) fn with_block(&self, block: Block) -> Content {
        match self.content {
            Content::Block(_) => Content::Block(block),
            other => other,
        }
    }
}

impl Content {
    /// Returns a file with these entries alone.
    pub(super) fn alone(&self) -> String {
        match self {
            Self::Json(entries) => json::document(entries),
            Self::Toml(table) => format!("{}\n", table.text),
            Self::Whole(file) => file.text.to_owned(),
            Self::Former(_) => String::new(),
            Self::Presence(text) => (*text).to_owned(),
            Self::Block(block) => format!("{}\n", block.text()),
        }
    }

    /// Returns the state of each entry in a text.
    pub(super) fn states(&self, text: Option<&str>) -> Result<Vec<SetupState>> {
        let Some(text) = text else {
            return Ok(vec![SetupState::Missing]);
        };
        let (_, text) = split_mark(text);
        match self {
            Self::Json(entries) => lasting(entries)
                .map(|entry| json::state(text, entry))
                .collect(),
            Self::Toml(table) => Ok(vec![table.state(text)?]),
            Self::Whole(file) => Ok(vec![file.state(text)]),
            Self::Former(texts) => Ok(vec![former::state(texts, text)]),
            Self::Presence(_) => Ok(vec![SetupState::Current]),
            Self::Block(block) => Ok(vec![block::state(text, *block)?]),
        }
    }

    /// Returns the text with missing and outdated entries written; entries changed by the user
    /// stay.
    pub(super) fn put(&self, text: Option<&str>) -> Result<String> {
        let Some(text) = text else {
            return Ok(self.alone());
        };
        let states = self.states(Some(text))?;
        let (mark, bare) = split_mark(text);
        let new = match self {
            _ if !states
                .iter()
                .any(|state| matches!(state, SetupState::Missing | SetupState::Outdated)) =>
            {
                bare.to_owned()
            }
            Self::Json(entries) => lasting(entries).zip(&states).try_fold(
                bare.to_owned(),
                |text, (entry, state)| match state {
                    SetupState::Missing => json::put(&text, entry),
                    SetupState::Outdated => json::renew(&text, entry),
                    SetupState::Current | SetupState::Changed | SetupState::Unreadable => Ok(text),
                },
            )?,
            Self::Toml(table) => table.put(bare),
            Self::Whole(file) => file.text.to_owned(),
            // What is there stays.
            Self::Former(_) | Self::Presence(_) => bare.to_owned(),
            Self::Block(block) => block::put(bare, *block)?,
        };
        let new = format!("{mark}{new}");
        let fits = |state: &SetupState| matches!(state, SetupState::Current | SetupState::Changed);
        let fits = self
            .states(Some(&new))
            .is_ok_and(|states| states.iter().all(fits));
        let was_missing = states.iter().all(|state| *state == SetupState::Missing);
        // An entry is only added if removing it would restore the text to the byte.
        let returns = !was_missing
            || self
                .take(&new)
                .is_ok_and(|old| old.as_deref() == Some(text));
        if fits && returns {
            Ok(new)
        } else {
            Err(EditError("there is no place for it".to_owned()))
        }
    }

    /// Returns the text without the entries; none where the file was created for them.
    pub(super) fn take(&self, text: &str) -> Result<Option<String>> {
        let (mark, bare) = split_mark(text);
        // A file that was made for it goes with all that is in it.
        if bare == self.alone() && !matches!(self, Self::Former(_)) {
            return Ok(None);
        }
        let rest = match self {
            // Backwards, so that each finds the text as its own addition left it.
            Self::Json(entries) => lasting(entries)
                .rev()
                .try_fold(Some(bare.to_owned()), without)?,
            Self::Toml(table) => table.take(bare),
            Self::Whole(file) => {
                Some(bare.to_owned()).filter(|_| file.state(bare) == SetupState::Changed)
            }
            Self::Former(texts) => {
                Some(bare.to_owned()).filter(|_| former::state(texts, bare) != SetupState::Current)
            }
            Self::Presence(_) => Some(bare.to_owned()),
            Self::Block(_) => block::take(bare)?,
        };
        Ok(rest.map(|rest| format!("{mark}{rest}")))
    }
}
