//! Profiles: which tools of the one list a client is offered.

use super::tool::{Access, Set, Tool};
use crate::ops::{Command, Error, Result};

/// A view of the list, fixed for a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Profile {
    /// An agent's day.
    Task,
    /// What changes nothing, each under one name.
    Read,
    /// Everything.
    Full,
    /// Three tools that lead to the others.
    Lazy,
    /// Two tools that lead to the others.
    Two,
}

impl Profile {
    /// Reads a name.
    ///
    /// # Errors
    /// A name that there is not; `place` says where it stands.
    pub(super) fn parse(name: &str, place: &str) -> Result<Self> {
        match name.trim() {
            "task" => Ok(Self::Task),
            "read" => Ok(Self::Read),
            "full" => Ok(Self::Full),
            "lazy" => Ok(Self::Lazy),
            "two" => Ok(Self::Two),
            other => Err(Error::invalid(format!(
                "{place} is `{other}`; profiles are task, read, full, lazy, two"
            ))
            .hinted(Command::of("mcp").flag("--profile").word("task"))),
        }
    }

    fn holds(self, tool: &Tool) -> bool {
        match self {
            Self::Task => tool.set == Set::Task,
            Self::Read => tool.access == Access::Read && matches!(tool.set, Set::Task | Set::Full),
            Self::Full => !matches!(tool.set, Set::Lazy | Set::Two),
            Self::Lazy => matches!(tool.set, Set::Lazy | Set::Discovery),
            Self::Two => tool.set == Set::Two,
        }
    }
}

/// The tools of a profile. Where writes wait for a workspace to be named, it can be named in all of them.
pub(super) fn offered(
    tools: &[Tool],
    profile: Profile,
    strict: bool,
) -> impl Iterator<Item = &Tool> {
    let names_it = |tool: &Tool| matches!(tool.name, "set_context" | "where_am_i");
    tools
        .iter()
        .filter(move |tool| profile.holds(tool) || (strict && names_it(tool)))
}
