//! Profiles: subsets of the one list of tools that a client is offered.

use super::facts::{Access, Set};
use super::tool::Tool;
use crate::ops::{Command, Error, Result};

/// A subset of the tools, fixed for a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Profile {
    /// The daily work of an agent.
    Task,
    /// Tools that change nothing, each under one name.
    Read,
    /// All tools under all names.
    Full,
    /// Three tools that describe and call the others.
    Lazy,
    /// Two tools that describe and call the others.
    Two,
}

impl Profile {
    const ALL: [(&str, Self); 5] = [
        ("task", Self::Task),
        ("read", Self::Read),
        ("full", Self::Full),
        ("lazy", Self::Lazy),
        ("two", Self::Two),
    ];

    pub(super) fn names() -> [&'static str; 5] {
        Self::ALL.map(|(name, _)| name)
    }

    /// Parses the name of a profile; `place` says where it was set.
    pub(super) fn parse(name: &str, place: &str) -> Result<Self> {
        let name = name.trim();
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, profile)| *profile).ok_or_else(|| {
            let known = Self::names().join(", ");
            Error::invalid(format!("{place} is `{name}`; profiles are {known}"))
                .hinted(Command::of("mcp").flag("--profile").word("task"))
        })
    }

    /// Returns whether prompts are offered: they ask for calls of the daily tools.
    pub(super) fn has_prompts(self) -> bool {
        matches!(self, Self::Task | Self::Full)
    }

    /// Returns whether resources are offered. With `lazy` all that is known is asked for by its four tools, with `two` each
    /// call carries its reason.
    pub(super) fn has_resources(self) -> bool {
        !matches!(self, Self::Lazy | Self::Two)
    }

    fn includes(self, tool: &Tool) -> bool {
        match self {
            Self::Task => tool.set == Set::Task,
            Self::Read => tool.access == Access::Read && matches!(tool.set, Set::Task | Set::Full),
            Self::Full => !matches!(tool.set, Set::Lazy | Set::Two | Set::Prompt),
            Self::Lazy => matches!(tool.set, Set::Lazy | Set::Discovery),
            Self::Two => tool.set == Set::Two,
        }
    }
}

/// Returns the tools of a profile. Where a workspace must be named before writes (`strict`), every profile has the tool for
/// it; where there was no store (`lost`), `task` has those that lead to one.
pub(super) fn offered(
    tools: &[Tool],
    profile: Profile,
    strict: bool,
    lost: bool,
) -> impl Iterator<Item = &Tool> {
    let lost = lost && profile == Profile::Task;
    tools.iter().filter(move |tool| {
        profile.includes(tool) || (strict && tool.names_place) || (lost && tool.leads_to_store)
    })
}
