//! The query language: what a query says, as a tree. `parse.rs` reads it, `print.rs` writes it.
//!
//! Every part knows its place in the text, so that an error can point at it. Places do not count when
//! trees are compared.

mod group;
mod parse;
mod print;
#[cfg(test)]
mod tests;
mod words;

use std::ops::Range;

use super::edge::BLOCKS;

pub(crate) use group::Grouping;
pub(crate) use parse::parse;
pub(crate) use words::parse_term;

/// Longest query in characters.
pub(crate) const LONGEST: usize = 4096;
/// Most brackets and negations around a part.
pub(crate) const DEEPEST: usize = 32;
/// Most words and values of a query: each is a condition of its own.
pub(crate) const MOST_PARTS: usize = 256;

/// A place in the text of a query, in bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place(pub(crate) Range<usize>);

impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A query: its condition, and what is said about the list as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AskQuery {
    pub(crate) tree: AskTree,
    /// The order: `updated`, `updated-asc`.
    pub(crate) sort: Option<AskWord>,
    /// What issues of the list are put together by.
    pub(crate) group: Option<AskWord>,
    /// The revision.
    pub(crate) at: Option<AskWord>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AskTree {
    /// All of them; none is no condition.
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    Term(AskTerm),
    /// A word of a text, or a phrase.
    Text(AskWord),
    /// A saved query, by its name.
    Saved(AskWord),
}

impl Default for AskTree {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl AskTree {
    /// Returns the condition that all of them hold; of one that is itself such a list, its parts.
    pub(crate) fn all(trees: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Vec::new();
        for tree in trees {
            match tree {
                Self::All(parts) => all.extend(parts),
                one => all.push(one),
            }
        }
        Self::All(all)
    }
}

/// A word as it was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AskWord {
    pub(crate) text: String,
    /// In quotes: these words, next to each other; of a value: to the letter.
    pub(crate) is_quoted: bool,
    pub(crate) place: Place,
}

/// A key with its values: any of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AskTerm {
    pub(crate) key: AskKey,
    pub(crate) compared: Compared,
    pub(crate) values: Vec<AskValue>,
    pub(crate) place: Place,
}

/// Comparison of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    Equal,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// One value of a term.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AskValue {
    One(AskWord),
    /// From one to the other, both included; an empty one has no bound.
    Between(AskWord, AskWord),
}

impl AskValue {
    /// Returns the place of the value.
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::One(word) => word.place.clone(),
            Self::Between(from, to) => Place(from.place.0.start..to.place.0.end),
        }
    }
}

/// Subject of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskKey {
    Is,
    Has,
    No,
    Status,
    Type,
    Priority,
    Assignee,
    Label,
    Author,
    Actor,
    Parent,
    In,
    BlockedBy,
    Blocks,
    Created,
    Updated,
    Closed,
    Due,
    Title,
    Text,
    Memory,
    Id,
    Source,
    Sort,
    Group,
    At,
}

/// The keys, each under its name and under others; the first is the one that is printed.
pub(crate) const KEYS: [(AskKey, &[&str]); 26] = [
    (AskKey::Is, &["is"]),
    (AskKey::Has, &["has"]),
    (AskKey::No, &["no"]),
    (AskKey::Status, &["status"]),
    (AskKey::Type, &["type"]),
    (AskKey::Priority, &["priority", "p"]),
    (AskKey::Assignee, &["assignee", "a"]),
    (AskKey::Label, &["label", "l"]),
    (AskKey::Author, &["author", "by"]),
    (AskKey::Actor, &["actor"]),
    (AskKey::Parent, &["parent", "epic"]),
    (AskKey::In, &["in"]),
    (AskKey::BlockedBy, &["blocked-by", "on"]),
    (AskKey::Blocks, &[BLOCKS]),
    (AskKey::Created, &["created"]),
    (AskKey::Updated, &["updated"]),
    (AskKey::Closed, &["closed"]),
    (AskKey::Due, &["due"]),
    (AskKey::Title, &["title"]),
    (AskKey::Text, &["text"]),
    (AskKey::Memory, &["memory"]),
    (AskKey::Id, &["id"]),
    (AskKey::Source, &["source"]),
    (AskKey::Sort, &["sort"]),
    (AskKey::Group, &["group"]),
    (AskKey::At, &["at"]),
];

/// The words of `is:`.
pub(crate) const STATES: [&str; 14] = [
    "open",
    "closed",
    "any",
    "ready",
    "blocked",
    "waiting",
    "stale",
    "landed",
    "conflicted",
    "deleted",
    "deferred",
    "overdue",
    "mine",
    "epic",
];

impl AskKey {
    /// Returns the key of a name, in any case.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let has = |names: &&[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let found = KEYS.iter().find(|(_, names)| has(names));
        found.map(|(key, _)| *key)
    }

    /// Returns its first name.
    pub(crate) fn name(self) -> &'static str {
        KEYS[self as usize].1[0]
    }

    /// Returns whether its values can be compared by more than equality.
    pub(crate) const fn is_ordered(self) -> bool {
        matches!(
            self,
            Self::Priority | Self::Created | Self::Updated | Self::Closed | Self::Due
        )
    }
}

// `name` finds the names of a key by its number.
const _: () = {
    let mut i = 0;
    while i < KEYS.len() {
        assert!(KEYS[i].0 as usize == i, "KEYS is out of order");
        i += 1;
    }
};

/// Fault of a query, and its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AskFault {
    pub(crate) kind: FaultKind,
    pub(crate) place: Place,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FaultKind {
    /// A key that is none.
    UnknownKey(String),
    /// Something that can't be read; a sentence without full stop.
    Syntax(&'static str),
    /// Something of another language, and what it is here.
    Foreign { what: &'static str, meant: String },
}

impl AskFault {
    pub(crate) fn new(what: &'static str, place: Range<usize>) -> Self {
        Self {
            kind: FaultKind::Syntax(what),
            place: Place(place),
        }
    }
}

/// Treatment of a word that looks like a key and is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownKeys {
    /// A fault.
    Refused,
    /// Text.
    Words,
}
