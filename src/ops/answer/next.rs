//! `next`: what an agent should do after an answer, of a tool or of a command. The whole table is here; an answer only says
//! in which state it leaves its caller. Nothing in it depends on texts of issues.
//!
//! A caller that is free goes on with what is its own, else it starts what is ready for it, else a person decides.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::Code;

/// What an agent should do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Next {
    /// Go on.
    Continue,
    /// Start the issue that is ready next.
    StartNextReady,
    /// Ask the person.
    AwaitUser,
    /// Correct this call and repeat it.
    Retry,
    /// Commit the file that the answer names, with your work.
    CommitFile,
}

/// The state that a call leaves its caller in, as far as it decides what comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum After {
    /// Something was looked at.
    #[default]
    Looked,
    /// The time of a wait is over, and nothing has happened.
    WaitOver,
    /// The caller asked for work, or has ended some or put it aside; `has_own`: it has other work in progress; `claimable`:
    /// there is some that it may start.
    Free { has_own: bool, claimable: bool },
    /// The caller works on an issue from now on, or goes on with it.
    Working,
    /// Something was written that does not say what to work on.
    Changed,
    /// An epic has several new children.
    Split,
    /// Changes were written into a file of the work tree.
    Carried,
    /// The call was refused.
    Refused(Code),
}

impl After {
    /// Returns the state after a file was looked at that belongs into a commit.
    pub(crate) const fn of_file(is_committed: bool) -> Self {
        match is_committed {
            true => Self::Looked,
            false => Self::Carried,
        }
    }

    /// Returns the next step: the table.
    pub(crate) const fn next(self) -> Next {
        match self {
            Self::Looked | Self::Working | Self::Changed | Self::Free { has_own: true, .. } => {
                Next::Continue
            }
            Self::Split
            | Self::Free {
                claimable: true, ..
            } => Next::StartNextReady,
            Self::Free {
                claimable: false, ..
            } => Next::AwaitUser,
            Self::WaitOver => Next::Retry,
            Self::Carried => Next::CommitFile,
            Self::Refused(code) => after_refusal(code),
        }
    }
}

/// Retry: the call itself can be corrected, or succeeds when it is repeated. Await the user: a decision, or something
/// outside of the issues that only a person can put right.
const fn after_refusal(code: Code) -> Next {
    match code {
        Code::Invalid
        | Code::NotFound
        | Code::Ambiguous
        | Code::NothingYet
        | Code::OutsideRoots
        | Code::UnknownField
        | Code::UnknownTool
        | Code::Usage
        | Code::Busy
        | Code::Changed
        | Code::SharedId
        | Code::Cycle
        | Code::FormerId
        | Code::LostRace
        | Code::RemoteRace
        | Code::NoTerminal
        | Code::NotBlocked
        | Code::NotClosed
        | Code::NotDeleted
        | Code::SelfDependency
        | Code::Stale
        | Code::Taken
        | Code::UnclearContext
        | Code::AmbiguousWorkspace => Next::Retry,
        // It is for another one: there is other work.
        Code::Claimed | Code::Assigned => Next::StartNextReady,
        Code::Closed
        | Code::NothingReady
        | Code::Cut
        | Code::Unconfirmed
        | Code::Declined
        | Code::Exists
        | Code::ForeignPage
        | Code::Moved
        | Code::Overwritten
        | Code::Purged
        | Code::StoreMismatch
        | Code::LeftOut
        | Code::UndoAtCut
        | Code::Undone
        | Code::NoStore
        | Code::Rejected
        | Code::Remote
        | Code::RemoteUnanswered
        | Code::RemoteRefused
        | Code::ClaimsOfOlder
        | Code::RemoteContent
        | Code::RemoteReadOnly
        | Code::PushesElsewhere
        | Code::Protected
        | Code::ClosedPipe
        | Code::Damaged
        | Code::Editor
        | Code::Index
        | Code::Internal
        | Code::Io
        | Code::Mirror
        | Code::Refused
        | Code::TooManyPacks
        | Code::Unreadable
        | Code::NotARepository => Next::AwaitUser,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_race_is_tried_again_wherever_it_was_lost() {
        for code in [Code::LostRace, Code::RemoteRace, Code::Busy] {
            assert_eq!(After::Refused(code).next(), Next::Retry, "{code:?}");
        }
        for code in [Code::ClaimsOfOlder, Code::RemoteContent] {
            assert_eq!(After::Refused(code).next(), Next::AwaitUser, "{code:?}");
        }
    }
}
