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
pub(crate) use print::exact_term;
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
pub(crate) struct ParsedQuery {
    pub(crate) tree: QueryTree,
    /// The order: `updated`, `updated-asc`.
    pub(crate) sort: Option<QueryWord>,
    /// What issues of the list are put together by.
    pub(crate) group: Option<QueryWord>,
    pub(crate) at: Option<QueryWord>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum QueryTree {
    /// All of them; none is no condition.
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    Term(Term),
    /// A part of a title, in any case, as tools ask for it: the language has no words for it.
    TitlePart(String),
    /// A word of a text, or a phrase.
    Text(QueryWord),
    Saved(QueryWord),
}

impl Default for QueryTree {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl QueryTree {
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

    /// Returns the list of what must all hold.
    pub(crate) fn parts(&self) -> &[Self] {
        match self {
            Self::All(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    /// Returns whether any term of it, negated ones too, is such a one.
    pub(crate) fn any_term(&self, holds: &impl Fn(&Term) -> bool) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.any_term(holds)),
            Self::Not(inner) => inner.any_term(holds),
            Self::Term(term) => holds(term),
            Self::TitlePart(_) | Self::Text(_) | Self::Saved(_) => false,
        }
    }

    /// Returns the values of a key that it asks for: those that are not negated, without beginnings such as `front*`.
    pub(crate) fn values_of(&self, key: Key) -> Vec<QueryWord> {
        match self {
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().flat_map(|part| part.values_of(key)).collect()
            }
            Self::Term(term) if term.key == key => {
                let whole = term.words().filter(|word| !word.is_beginning());
                whole.cloned().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A word as it was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct QueryWord {
    pub(crate) text: String,
    /// In quotes: these words, next to each other; of a value: to the letter.
    pub(crate) is_quoted: bool,
    pub(crate) place: Place,
}

/// A key with its values: any of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    pub(crate) key: Key,
    pub(crate) compared: Compared,
    pub(crate) values: Vec<QueryValue>,
    pub(crate) place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    Equal,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl QueryWord {
    /// Returns whether it stands for what begins so.
    pub(crate) fn is_beginning(&self) -> bool {
        !self.is_quoted && self.text.ends_with('*')
    }
}

impl Term {
    /// Returns its words; a range has none.
    pub(crate) fn words(&self) -> impl Iterator<Item = &QueryWord> {
        self.values.iter().filter_map(|value| match value {
            QueryValue::One(word) => Some(word),
            QueryValue::Between(..) => None,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum QueryValue {
    One(QueryWord),
    /// From one to the other, both included; an empty one has no bound.
    Between(QueryWord, QueryWord),
}

impl QueryValue {
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::One(word) => word.place.clone(),
            Self::Between(from, to) => Place(from.place.0.start..to.place.0.end),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
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
pub(crate) const KEYS: [(Key, &[&str]); 26] = [
    (Key::Is, &["is"]),
    (Key::Has, &["has"]),
    (Key::No, &["no"]),
    (Key::Status, &["status"]),
    (Key::Type, &["type"]),
    (Key::Priority, &["priority", "p"]),
    (Key::Assignee, &["assignee", "a"]),
    (Key::Label, &["label", "l"]),
    (Key::Author, &["author", "by"]),
    (Key::Actor, &["actor"]),
    (Key::Parent, &["parent", "epic"]),
    (Key::In, &["in"]),
    (Key::BlockedBy, &["blocked-by", "on"]),
    (Key::Blocks, &[BLOCKS]),
    (Key::Created, &["created"]),
    (Key::Updated, &["updated"]),
    (Key::Closed, &["closed"]),
    (Key::Due, &["due"]),
    (Key::Title, &["title"]),
    (Key::Text, &["text"]),
    (Key::Memory, &["memory"]),
    (Key::Id, &["id"]),
    (Key::Source, &["source"]),
    (Key::Sort, &["sort"]),
    (Key::Group, &["group"]),
    (Key::At, &["at"]),
];

/// The words of `is:`.
pub(crate) const STATES: [&str; 16] = [
    "open",
    "closed",
    "any",
    "ready",
    "blocked",
    "waiting",
    "question",
    "review",
    "stale",
    "landed",
    "conflicted",
    "deleted",
    "deferred",
    "overdue",
    "mine",
    "epic",
];

impl Key {
    pub(crate) fn named(name: &str) -> Option<Self> {
        let has = |names: &&[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let found = KEYS.iter().find(|(_, names)| has(names));
        found.map(|(key, _)| *key)
    }

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

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) place: Place,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FaultKind {
    UnknownKey(String),
    /// Something that can't be read; a sentence without full stop.
    Syntax(&'static str),
    /// Something of another language, and what it is here.
    Foreign {
        what: &'static str,
        meant: String,
    },
}

impl Fault {
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
    Refused,
    Words,
}
