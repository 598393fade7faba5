//! Statuses of an issue.

use std::fmt;

/// The status of an issue; imports may bring others, which are kept as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Work on it has not begun.
    Open,
    /// Work on it has begun.
    InProgress,
    /// Waits for something that no dependency expresses.
    Blocked,
    /// Paused on purpose, perhaps until a date.
    Deferred,
    /// Work on it is done.
    Closed,
    /// Deleted; shown, never stored.
    Tombstone,
    /// Protected from automatic closing.
    Pinned,
    /// Attached to an agent's hook; protected too.
    Hooked,
    /// A status of another tracker.
    Custom(String),
}

/// The stored word of [`Status::InProgress`].
pub(crate) const IN_PROGRESS: &str = "in_progress";
/// The statuses of the contract, in the order they are listed in.
pub(crate) const KNOWN: [&str; 8] = [
    "open",
    IN_PROGRESS,
    "blocked",
    "deferred",
    "closed",
    "tombstone",
    "pinned",
    "hooked",
];

impl Status {
    /// Parses a status as stored; any other word is custom.
    pub fn new(text: &str) -> Self {
        match text {
            "open" => Self::Open,
            IN_PROGRESS => Self::InProgress,
            "blocked" => Self::Blocked,
            "deferred" => Self::Deferred,
            "closed" => Self::Closed,
            "tombstone" => Self::Tombstone,
            "pinned" => Self::Pinned,
            "hooked" => Self::Hooked,
            other => Self::Custom(other.to_owned()),
        }
    }

    /// Parses a status as a person writes it: any case, `-` for `_`, and no custom ones.
    pub fn parse(text: &str) -> Option<Self> {
        match Self::new(&text.trim().to_lowercase().replace('-', "_")) {
            Self::Custom(_) => None,
            known => Some(known),
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Open => "open",
            Self::InProgress => IN_PROGRESS,
            Self::Blocked => "blocked",
            Self::Deferred => "deferred",
            Self::Closed => "closed",
            Self::Tombstone => "tombstone",
            Self::Pinned => "pinned",
            Self::Hooked => "hooked",
            Self::Custom(other) => other,
        }
    }

    /// Returns whether work on it has ended.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self, Self::Closed | Self::Tombstone)
    }

    /// Returns whether it is never closed automatically.
    pub(crate) fn is_protected(&self) -> bool {
        matches!(self, Self::Pinned | Self::Hooked)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
