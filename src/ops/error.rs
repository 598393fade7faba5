//! The only error front ends see: what happened, what kind of thing that is, and what to do next.

mod convert;
mod exit_class;

use std::fmt;

pub(crate) use convert::{CODEX_SANDBOX, where_it_is};
pub(crate) use exit_class::ExitClass;

use super::held::Held;
use super::hint::{self, Command, Hint};

/// The kinds of errors, by class. What is done about one depends on its code, never on its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A value that can't be accepted.
    Invalid,
    /// Something that is not there.
    NotFound,
    /// There is nothing to start.
    NothingReady,
    /// An argument that several ids begin with.
    Ambiguous,
    /// The history is cut before what is asked for.
    Cut,
    /// A time before the first commit.
    NothingYet,
    /// A folder that the server may not use.
    OutsideRoots,
    /// An argument that the tool has not.
    UnknownField,
    /// A tool that is not there.
    UnknownTool,
    /// A command line that can't be understood.
    Usage,
    /// A person would have to answer, at a terminal.
    NoTerminal,
    /// A removal that wants to be confirmed.
    Unconfirmed,
    /// Another process holds the lock.
    Busy,
    /// The issue is assigned to another person.
    Assigned,
    /// Another person or agent works on the issue.
    Claimed,
    /// Several issues have the id.
    SharedId,
    /// Something has changed since it was shown.
    Changed,
    /// The issue is closed.
    Closed,
    /// A dependency that would close a cycle.
    Cycle,
    /// The answer to a question was no.
    Declined,
    /// There is a store already.
    Exists,
    /// A manual page of something else.
    ForeignPage,
    /// An id that several issues have given up.
    FormerId,
    /// Others kept writing at the same time.
    LostRace,
    /// Clones with older versions hold claims that only they see.
    ClaimsOfOlder,
    /// The status of the issue is one that nothing changes by the way.
    Protected,
    /// Something that was to be removed has changed.
    Moved,
    /// The issue is not blocked.
    NotBlocked,
    /// The issue is not closed.
    NotClosed,
    /// The issue is not deleted.
    NotDeleted,
    /// Later operations have changed what is to be undone.
    Overwritten,
    /// The texts of the issue were removed for good.
    Purged,
    /// An issue that would depend on itself.
    SelfDependency,
    /// The index has moved on since the question began.
    Stale,
    /// The remote keeps the issues of another store.
    StoreMismatch,
    /// Another issue has the id.
    Taken,
    /// The repository to write to is not certain.
    UnclearContext,
    /// Several repositories were chosen, and the call could be about any of them.
    AmbiguousWorkspace,
    /// The ref lacks what a journal holds.
    LeftOut,
    /// The history is cut before an operation: what it changed is not known.
    UndoAtCut,
    /// The operation is undone already.
    Undone,
    /// No issues are kept here yet.
    NoStore,
    /// The commits of the remote must not reach our ref.
    Rejected,
    /// A remote did not do what was asked.
    Remote,
    /// A remote has not answered a push, and may have taken it.
    RemoteUnanswered,
    /// A remote does not take a ref.
    RemoteRefused,
    /// A remote does not take what a commit says.
    RemoteContent,
    /// A remote can be read, and takes nothing from here.
    RemoteReadOnly,
    /// Others kept pushing at the same time.
    RemoteRace,
    /// The repository that is pushed to has what no fetch brings.
    PushesElsewhere,
    /// The reader of the answer has gone.
    ClosedPipe,
    /// The ref, a commit or a tree can't be read.
    Damaged,
    /// The editor failed.
    Editor,
    /// The index can't be read.
    Index,
    /// A fault of this program.
    Internal,
    /// Reading or writing failed.
    Io,
    /// A clone that its next fetch overwrites.
    Mirror,
    /// A repository or a file that must not be used.
    Refused,
    /// More packs than there is room for until the repository is opened again.
    TooManyPacks,
    /// An issue that can't be read.
    Unreadable,
    /// No repository encloses the directory.
    NotARepository,
}

/// The remedies that the program has itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    /// None: the error is for the caller.
    No,
    /// The same question on the newest state.
    Again,
    /// The store is repaired from its journal first.
    RepairStore,
    /// The index is built first.
    RebuildIndex,
    /// The repository is opened again first, by who owns the tracker.
    ReopenRepository,
    /// A store that a clone has brought along is looked for first.
    FindStore,
}

impl Code {
    /// Returns the stable word for programs.
    pub(crate) const fn as_str(self) -> &'static str {
        // Where two codes share a word, a program does the same about both; their exit codes differ.
        match self {
            Self::Invalid => "invalid",
            Self::NotFound => "not_found",
            Self::NothingReady => "nothing_ready",
            Self::Ambiguous | Self::FormerId => "ambiguous",
            Self::Cut | Self::UndoAtCut => "cut",
            Self::NothingYet => "nothing_yet",
            Self::OutsideRoots => "outside_roots",
            Self::UnknownField => "unknown_field",
            Self::UnknownTool => "unknown_tool",
            Self::Usage => "usage",
            Self::NoTerminal => "no_terminal",
            Self::Unconfirmed => "unconfirmed",
            Self::Busy => "busy",
            Self::Assigned => "assigned",
            Self::Claimed => "claimed",
            Self::ClaimsOfOlder => "claims_of_older",
            Self::SharedId => "claimed_id",
            Self::Changed => "changed",
            Self::Closed => "closed",
            Self::Cycle => "cycle",
            Self::Declined => "declined",
            Self::Exists => "exists",
            Self::ForeignPage => "foreign_page",
            Self::LostRace | Self::RemoteRace => "lost_race",
            Self::PushesElsewhere => "pushes_elsewhere",
            Self::Moved => "moved",
            Self::Protected => "protected",
            Self::NotBlocked => "not_blocked",
            Self::NotClosed => "not_closed",
            Self::NotDeleted => "not_deleted",
            Self::Overwritten => "overwritten",
            Self::Purged => "purged",
            Self::SelfDependency => "self_dependency",
            Self::Stale => "stale",
            Self::StoreMismatch => "store_mismatch",
            Self::Taken => "taken",
            Self::UnclearContext => "unclear_context",
            Self::AmbiguousWorkspace => "ambiguous_workspace",
            Self::LeftOut => "left_out",
            Self::Undone => "undone",
            Self::NoStore => "no_store",
            Self::Rejected => "rejected",
            Self::Remote | Self::RemoteUnanswered => "remote",
            Self::ClosedPipe => "closed_pipe",
            Self::Damaged => "damaged",
            Self::Editor => "editor",
            Self::Index => "index",
            Self::Internal => "internal",
            Self::Io => "io",
            Self::Mirror => "mirror",
            Self::Refused | Self::RemoteRefused | Self::RemoteReadOnly => "refused",
            Self::RemoteContent => "refused_content",
            Self::TooManyPacks => "too_many_packs",
            Self::Unreadable => "unreadable",
            Self::NotARepository => "not_a_repository",
        }
    }

    /// Returns the class, which decides the exit code.
    pub(crate) const fn class(self) -> ExitClass {
        match self {
            Self::Invalid
            | Self::NotFound
            | Self::NothingReady
            | Self::Ambiguous
            | Self::Cut
            | Self::NothingYet
            | Self::OutsideRoots
            | Self::UnknownField
            | Self::UnknownTool => ExitClass::Invalid,
            Self::Usage | Self::NoTerminal | Self::Unconfirmed => ExitClass::Usage,
            Self::Busy
            | Self::Assigned
            | Self::Claimed
            | Self::SharedId
            | Self::Changed
            | Self::Closed
            | Self::Cycle
            | Self::Declined
            | Self::Exists
            | Self::ForeignPage
            | Self::FormerId
            | Self::LostRace
            | Self::Moved
            | Self::Protected
            | Self::NotBlocked
            | Self::NotClosed
            | Self::NotDeleted
            | Self::Overwritten
            | Self::Purged
            | Self::SelfDependency
            | Self::Stale
            | Self::StoreMismatch
            | Self::Taken
            | Self::UnclearContext
            | Self::AmbiguousWorkspace
            | Self::LeftOut
            | Self::UndoAtCut
            | Self::Undone => ExitClass::Conflict,
            Self::NoStore => ExitClass::NoStore,
            Self::PushesElsewhere
            | Self::Rejected
            | Self::Remote
            | Self::RemoteUnanswered
            | Self::RemoteRefused
            | Self::RemoteContent
            | Self::RemoteReadOnly
            | Self::RemoteRace
            | Self::ClaimsOfOlder => ExitClass::Remote,
            Self::ClosedPipe
            | Self::Damaged
            | Self::Editor
            | Self::Index
            | Self::Internal
            | Self::Io
            | Self::Mirror
            | Self::Refused
            | Self::TooManyPacks
            | Self::Unreadable => ExitClass::Io,
            Self::NotARepository => ExitClass::NotARepository,
        }
    }

    /// Returns what the program itself can do before it tries again.
    pub(crate) const fn retry(self) -> Retry {
        match self {
            Self::Stale => Retry::Again,
            Self::Damaged => Retry::RepairStore,
            Self::Index => Retry::RebuildIndex,
            // What runs borrows the repository, so nothing below the owner of the tracker can open it again.
            Self::TooManyPacks => Retry::ReopenRepository,
            Self::NoStore => Retry::FindStore,
            _ => Retry::No,
        }
    }
}

/// An error with its remedy.
#[derive(Debug, Clone)]
pub struct Error {
    /// The kind of error, for programs.
    pub code: Code,
    /// A sentence without full stop that says what happened.
    pub message: String,
    /// The next steps, the first one first.
    pub(crate) hints: Vec<Hint>,
    /// The claim that is in the way.
    pub(crate) claim: Option<Box<Held>>,
}

/// The result of operations.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error without a hint.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hints: Vec::new(),
            claim: None,
        }
    }

    /// A value that can't be accepted.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::Invalid, message)
    }

    /// Something that is not there.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// Returns the error for an issue that is not there, by its id or uid.
    pub(crate) fn no_issue(id: impl fmt::Display) -> Self {
        Self::not_found(format!("Issue {id} not found"))
    }

    /// Returns the error for something of the system that failed: `what` reads as in "can't write the page".
    pub(crate) fn io(what: &str, error: &std::io::Error) -> Self {
        Self::new(Code::Io, format!("{what}: {error}"))
    }

    /// Returns the refusal of an issue that is deleted.
    pub(crate) fn deleted(id: &str) -> Self {
        Self::invalid(format!("{id} is deleted")).hinted(Command::of("restore").id(id))
    }

    /// Refuses to write in a mirror: its next fetch would overwrite what is written here.
    pub(crate) fn mirror() -> Self {
        let message =
            "this clone mirrors its remote: its next fetch would overwrite what is written here";
        let clone = Command::of("clone").placeholder("URL");
        Self::new(Code::Mirror, message).hinted(Hint::run("work in an ordinary clone: ", clone))
    }

    /// The same error with this hint alone.
    pub(crate) fn hinted(mut self, hint: impl Into<Hint>) -> Self {
        self.hints = vec![hint.into()];
        self
    }

    /// The same error with one more hint.
    pub(crate) fn also(mut self, hint: impl Into<Hint>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Returns true if the error has this code.
    pub(crate) fn is(&self, code: Code) -> bool {
        self.code == code
    }

    /// Returns the class of the code, which decides the exit code.
    pub(crate) const fn class(&self) -> ExitClass {
        self.code.class()
    }

    /// Returns what the program itself can do before it tries again.
    pub(crate) const fn retry(&self) -> Retry {
        self.code.retry()
    }

    /// Returns the hints as a person at a command line follows them.
    pub(crate) fn hint(&self) -> Option<String> {
        hint::joined(self.hints.iter().map(ToString::to_string))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
