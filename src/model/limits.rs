//! Limits of a blob: part of format 1, and the same for written, merged and fetched blobs.
//!
//! Parts that a merge can't make larger (a register, a member of a set, a name) have limits that
//! every reader checks, so that a merge of two accepted blobs is accepted. The limits of a whole
//! blob bound the memory of its readers; a write or a merge that would exceed them is refused
//! before it is made.

use super::id::is_format;

/// Largest blob in bytes.
pub(crate) const LARGEST_BLOB: usize = 8 << 20;
/// Heaviest blob: each value counts one, each array, object and key of the blob itself [`HEAVY`] more.
pub(crate) const HEAVIEST_BLOB: usize = 1 << 17;
/// Weight of an array, an object or a key of the blob itself, in addition to its value.
pub(crate) const HEAVY: usize = 16;
/// Largest folder in bytes, as git writes it: 59 bytes for each entry of an issue's memory.
pub(crate) const LARGEST_TREE: usize = 4 << 20;
/// Most entries of memory that an import gives one issue.
pub(crate) const MOST_MEMORY: usize = 50_000;
/// Longest id that a dependency names, in bytes.
pub(crate) const LONGEST_TARGET: usize = 800;
/// Longest title in characters.
pub(crate) const MAX_TITLE: usize = 500;
/// Longest text in bytes.
pub(crate) const MAX_TEXT: usize = 256 * 1024;
/// Longest label in characters.
pub(crate) const MAX_LABEL: usize = 120;
/// Longest type, dependency type or custom status in characters.
pub(crate) const MAX_WORD: usize = 50;
/// Longest actor or assignee in characters.
pub(crate) const MAX_NAME: usize = 250;

/// Longest part of an agent's description of its work, in characters.
pub(crate) const MAX_CONTEXT: usize = 1000;
/// Longest first line of a commit in characters: that of a carried one has an actor between its own words.
pub(crate) const MAX_SUBJECT: usize = 300;

/// A value that breaks a rule of its field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    #[error("the title is empty")]
    EmptyTitle,
    /// The value is longer than the format allows.
    #[error("{what} has {size} {unit}; the limit is {limit}")]
    TooLong {
        what: String,
        size: usize,
        /// The unit of both sizes.
        unit: &'static str,
        /// The largest allowed size.
        limit: usize,
    },
    /// Arrays and objects within each other beyond what the format allows.
    #[error("{0} is nested too deep; the limit is {1}")]
    TooDeep(String, usize),
    /// The whole issue, or an entry of its memory, would be too large.
    #[error("it would have {size} {unit}; the limit is {limit}")]
    Full {
        size: usize,
        /// The unit of both sizes.
        unit: &'static str,
        /// The largest allowed size.
        limit: usize,
    },
    /// Not a word of the field.
    #[error("{0}")]
    Word(String),
}

/// Returns the name of an actor as it is written: on one line, all of it shown, and within its limit.
pub(crate) fn name(text: &str) -> String {
    let shown = |c: &char| !c.is_control() && !is_format(*c);
    text.trim().chars().filter(shown).take(MAX_NAME).collect()
}

/// Returns a text as the line of a commit has it, and within a limit.
pub(crate) fn line(text: &str, limit: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    line.chars()
        .filter(|c| !c.is_control())
        .take(limit)
        .collect()
}

/// Refuses a text over 256 KiB.
pub(crate) fn check_text(what: &str, text: &str) -> Result<(), ValueError> {
    if text.len() > MAX_TEXT {
        return Err(ValueError::TooLong {
            what: what.into(),
            size: text.len(),
            unit: "bytes",
            limit: MAX_TEXT,
        });
    }
    Ok(())
}

/// Refuses a text of more than `limit` characters.
pub(crate) fn check_chars(what: &str, text: &str, limit: usize) -> Result<(), ValueError> {
    let size = text.chars().count();
    if size > limit {
        return Err(ValueError::TooLong {
            what: what.into(),
            size,
            unit: "characters",
            limit,
        });
    }
    Ok(())
}

/// Checks a type or dependency type: a short word.
pub fn check_word(what: &str, word: &str) -> Result<(), ValueError> {
    check_chars(what, word, MAX_WORD)?;
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if word.is_empty() || !word.chars().all(fits) {
        let word: String = word.chars().take(MAX_WORD).collect();
        return Err(ValueError::Word(format!(
            "`{word}` is not {what}: a short word of letters, digits, `-` and `_`"
        )));
    }
    Ok(())
}
