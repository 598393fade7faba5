//! A table at the end of a TOML file. The parser finds the state; the edit is a splice of text.

use std::ops::Range;

use toml_edit::Document;

use super::{EditError, Result, SetupState, text_block};

/// A table that belongs into a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    /// The keys that lead to it.
    pub(super) path: &'static [&'static str],
    /// The text of it, a line each for the heading and the keys, without a final line ending.
    pub(super) text: &'static str,
}

impl Table {
    /// Returns the state of the table in a document.
    pub(super) fn state(&self, text: &str) -> Result<SetupState> {
        let document = Document::parse(text).map_err(|error| {
            let line = error
                .span()
                .map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            EditError(format!("line {line}: {}", error.message().trim()))
        })?;
        let mut item = document.as_item();
        for key in self.path {
            let Some(next) = item.as_table_like().and_then(|table| table.get(key)) else {
                return Ok(SetupState::Missing);
            };
            item = next;
        }
        let keys = item.as_table_like().map_or(0, |table| table.iter().count());
        // A line for the heading and one for each key: a key that the user has added makes a difference.
        let same = keys + 1 == self.text.lines().count() && self.place(text).is_some();
        Ok(if same {
            SetupState::Current
        } else {
            SetupState::Changed
        })
    }

    /// Adds the table at the end.
    pub(super) fn put(&self, text: &str) -> String {
        text_block::put(text, self.text)
    }

    /// Removes the table; returns none where the file was created for it.
    pub(super) fn take(&self, text: &str) -> Option<String> {
        match self.place(text) {
            None => Some(text.to_owned()),
            Some(place) => text_block::take(text, &place),
        }
    }

    /// Returns the range of the unchanged table, on lines of its own.
    fn place(&self, text: &str) -> Option<Range<usize>> {
        ["\n", "\r\n"].iter().find_map(|newline| {
            let wanted = self.text.replace('\n', newline);
            let whole = |start: &usize| {
                let (before, after) = (&text[..*start], &text[start + wanted.len()..]);
                (before.is_empty() || before.ends_with('\n'))
                    && (after.is_empty() || after.starts_with(['\n', '\r']))
            };
            let start = text
                .match_indices(&wanted)
                .map(|(start, _)| start)
                .find(whole)?;
            Some(start..start + wanted.len())
        })
    }
}
