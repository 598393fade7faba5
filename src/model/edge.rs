//! Dependencies: an edge from one issue to another, to an id that no issue here has, or to something external.

use serde_json::{Map, Value};

use super::blob::Element;
use super::stamp::{Stamp, Uid};

/// The type of a dependency that decides readiness.
pub(crate) const BLOCKS: &str = "blocks";
/// The type that an issue's parent has among the dependencies.
pub(crate) const PARENT_CHILD: &str = "parent-child";
/// The types of dependencies with a meaning here or in most trackers.
pub(crate) const EDGE_KINDS: [&str; 6] = [
    BLOCKS,
    "related",
    PARENT_CHILD,
    "discovered-from",
    "duplicates",
    "supersedes",
];

/// Target of a dependency or parent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// An issue of this store.
    Uid(Uid),
    /// An id that no issue here has, or an external one.
    Literal(String),
}

impl Target {
    /// Parses `<uid>` or `=<literal>`.
    pub fn parse(text: &str) -> Self {
        match text.strip_prefix('=') {
            Some(literal) => Self::Literal(literal.to_owned()),
            None => text
                .parse()
                .map_or_else(|_| Self::Literal(text.to_owned()), Self::Uid),
        }
    }

    pub fn to_key(&self) -> String {
        match self {
            Self::Uid(uid) => uid.to_string(),
            Self::Literal(literal) => format!("={literal}"),
        }
    }
}

/// A dependency that is present.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    pub kind: String,
    /// Issue that it waits for or refers to.
    pub target: Target,
    /// Stamp of its addition.
    pub at: Stamp,
    /// Further data from an import.
    pub payload: Map<String, Value>,
}

impl Edge {
    /// Returns the key in `set:deps`.
    pub fn key(kind: &str, target: &Target) -> String {
        format!("{kind}:{}", target.to_key())
    }

    /// Parses a member of `set:deps`.
    pub(crate) fn parse(key: &str, element: &Element) -> Option<Self> {
        let (kind, target) = key.split_once(':')?;
        let payload = element.payload.clone();
        Some(Self {
            kind: kind.to_owned(),
            target: Target::parse(target),
            at: element.at,
            payload,
        })
    }
}
