//! The types of the facts of a tool, beside its call.

use serde_json::{Map, Value};

use crate::ops::{Command, Intent};

/// Domain of a tool; the two-tool profile lists it as an agent of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    /// The daily work of an agent.
    Task,
    Query,
    Edit,
    Context,
    Sync,
    /// Tools that call or describe others.
    Meta,
}

impl Domain {
    /// The domains that an index lists.
    pub(super) const LISTED: [Self; 5] = [
        Self::Task,
        Self::Query,
        Self::Edit,
        Self::Context,
        Self::Sync,
    ];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Query => "query",
            Self::Edit => "edit",
            Self::Context => "context",
            Self::Sync => "sync",
            Self::Meta => "meta",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    /// Changes issues, and may talk to a remote.
    Remote,
    /// Changes the repository that this process uses.
    Session,
}

impl Access {
    /// Returns whether it writes to the repository.
    pub(super) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Remote)
    }

    /// Returns what it is about to do in the repository.
    pub(super) fn intent(self) -> Intent {
        match self.writes() {
            true => Intent::Write,
            false => Intent::Read,
        }
    }
}

/// Set of profiles that a tool belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// `task`, and all profiles that include it.
    Task,
    /// Only profiles that include everything.
    Full,
    /// Like `Full`: another name for the operation of an agent's tool.
    Alias,
    /// `lazy`, and profiles that include everything.
    Discovery,
    /// Only the profile `lazy`.
    Lazy,
    /// Only the profile `two`.
    Two,
    /// No profile: a person asks for it, as a prompt.
    Prompt,
}

/// Tools that call or describe others; they need no repository of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meta {
    Discover,
    Info,
    Read,
    Call,
    GetTools,
    UseTools,
}

/// A command that a tool does, so that a hint names a call of it.
pub(super) struct Does {
    pub(super) verb: &'static str,
    /// Returns the arguments of the call; none for a command of this verb that the tool does not do.
    pub(super) call: fn(&Command) -> Option<String>,
}

/// An argument that the tool of a call does not take.
pub(super) struct Stray<'a> {
    pub(super) tool: &'static str,
    pub(super) field: &'a str,
    pub(super) arguments: &'a Map<String, Value>,
}

impl Stray<'_> {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).and_then(Value::as_str)
    }
}

/// Arguments that are the work of a tool, for calls of others that have one too many.
pub(super) struct Home {
    pub(super) fields: &'static [&'static str],
    pub(super) when: fn(&Stray<'_>) -> bool,
    /// Returns the arguments of the call that takes it, if enough is known for one.
    pub(super) call: fn(&Stray<'_>) -> Option<String>,
}

/// A text that a client can read without a call: the answer of a tool.
pub(super) struct Resource {
    /// Its address; an id follows if the tool is about an issue.
    pub(super) uri: &'static str,
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) mime: &'static str,
}
