//! What issues of a list are put together by.

use schemars::JsonSchema;
use serde::Serialize;

/// What issues of a list are put together by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Grouping {
    Status,
    Assignee,
    Priority,
    Type,
    Parent,
}

/// The words of `group:`, and what they stand for.
const NAMES: [(&str, Grouping); 6] = [
    ("status", Grouping::Status),
    ("assignee", Grouping::Assignee),
    ("priority", Grouping::Priority),
    ("type", Grouping::Type),
    ("parent", Grouping::Parent),
    ("epic", Grouping::Parent),
];

impl Grouping {
    /// Returns the words for all of them.
    pub(crate) fn names() -> [&'static str; NAMES.len()] {
        NAMES.map(|(name, _)| name)
    }

    /// Returns what a word stands for.
    pub(crate) fn named(word: &str) -> Option<Self> {
        let found = NAMES.iter().find(|(name, _)| *name == word);
        found.map(|(_, grouping)| *grouping)
    }
}
