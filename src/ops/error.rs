//! The only error front ends see: what happened, what kind of thing that is, and what to do next.

use std::fmt;

use crate::index::IndexError;
use crate::model::id::IdError;
use crate::model::limits::ValueError;
use crate::store::{Failure, StoreError, Unreadable};

/// Classes of errors; each has one exit code and one family of `code`s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitClass {
    /// Not found, or a bad value.
    Invalid,
    /// An unknown verb or option.
    Usage,
    /// Somebody else's state is in the way.
    Conflict,
    /// No issues are kept here yet.
    NoStore,
    /// A remote failed; local state is safe.
    Remote,
    /// Disk, permissions, corruption.
    Io,
    /// Not a git repository.
    NotARepository,
}

impl ExitClass {
    /// The exit code of the contract.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Invalid => 1,
            Self::Usage => 2,
            Self::Conflict => 3,
            Self::NoStore => 4,
            Self::Remote => 5,
            Self::Io => 6,
            Self::NotARepository => 128,
        }
    }
}

/// An error with its remedy.
#[derive(Debug, Clone)]
pub struct Error {
    /// The class.
    pub kind: ExitClass,
    /// A stable word for programs: `not_found`, `cycle`, ...
    pub code: &'static str,
    /// What happened, as a sentence without full stop.
    pub message: String,
    /// The exact next command, or what to change.
    pub hint: Option<String>,
}

/// The result of operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A value that can't be accepted.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ExitClass::Invalid, "invalid", message)
    }

    /// Something that is not there.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ExitClass::Invalid, "not_found", message)
    }

    /// A state that stands in the way.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ExitClass::Conflict, code, message)
    }

    /// An error of any kind.
    pub fn new(kind: ExitClass, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            code,
            message: message.into(),
            hint: None,
        }
    }

    /// Adds the exact next command.
    pub fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::NotARepository(_) => {
                Self::new(ExitClass::NotARepository, "not_a_repository", message)
                    .hinted("run it inside a git repository, or name one: git beads -C DIR ...")
            }
            StoreError::Refused(_) => Self::new(ExitClass::Io, "refused", message),
            StoreError::NoStore(_) => {
                Self::new(ExitClass::NoStore, "no_store", message).hinted("git beads init")
            }
            StoreError::Unreadable { .. } => {
                let hint = match message.contains("packed reference") {
                    true => {
                        "git can't read its packed-refs either; see what it says: git for-each-ref"
                    }
                    false => "git beads doctor --fix",
                };
                Self::new(ExitClass::Io, "damaged", message).hinted(hint)
            }
            StoreError::TooManyPacks { .. } => {
                Self::new(ExitClass::Io, "too_many_packs", message).hinted("run the command again")
            }
            StoreError::Busy(_) => {
                Self::conflict("busy", message).hinted("run the command again in a moment")
            }
            StoreError::LostRace => {
                Self::conflict("lost_race", message).hinted("run the command again")
            }
            StoreError::Remote {
                ref remote,
                failure,
                ..
            } => {
                let hint = remote_remedy(remote, failure);
                Self::new(ExitClass::Remote, "remote", message).hinted(hint)
            }
            StoreError::Setting { key, example, .. } => {
                Self::invalid(message).hinted(format!("git config {key} {example}"))
            }
            StoreError::NoRemote { .. } => Self::not_found(message).hinted("git remote -v"),
            StoreError::Rejected(_) => Self::new(ExitClass::Remote, "rejected", message).hinted(
                "nothing of it was taken; ask whoever pushes there to look at refs/beads/main",
            ),
            StoreError::Limit(why) => why.into(),
            StoreError::Io { .. } | StoreError::Write { .. } | StoreError::Git { .. } => {
                let hint = remedy(&message);
                Self {
                    hint,
                    ..Self::new(ExitClass::Io, "io", message)
                }
            }
        }
    }
}

/// What to do about a remote. All that was done here is safe.
fn remote_remedy(remote: &str, failure: Failure) -> String {
    match failure {
        Failure::Refused => {
            "the host refuses this ref; name another: git config beads.remoteRef refs/heads/beads"
                .to_owned()
        }
        Failure::Unknown => format!("let git ask once: git fetch {remote}"),
        Failure::OtherFormat => {
            "nothing was begun; clone it again with git 2.41 or newer: git beads clone URL"
                .to_owned()
        }
        Failure::InTheWay => format!(
            "ask the owner of {remote} to rename that ref (git ls-remote {remote} shows it), or name another for the issues: git config beads.remoteRef refs/heads/beads"
        ),
        Failure::Silent(seconds) => format!(
            "everything is safe here; to wait longer: git config --global beads.timeout {}",
            seconds * 5
        ),
        Failure::Outage => format!(
            "everything is safe here; try again when the remote answers: git beads sync --remote {remote}"
        ),
    }
}

fn remedy(message: &str) -> Option<String> {
    let lower = message.to_lowercase();
    let hint = if lower.contains("no space")
        || lower.contains("diskspace")
        || lower.contains("quota")
    {
        "free some space on the disk of the repository and run the command again; nothing was changed"
    } else if lower.contains("read-only")
        || lower.contains("permission")
        || lower.contains("denied")
    {
        "make the git directory writable for you and run the command again; reading works as it is"
    } else {
        return None;
    };
    Some(hint.to_owned())
}

impl From<IndexError> for Error {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Store(error) => error.into(),
            IndexError::Stale => {
                Self::conflict("stale", error.to_string()).hinted("run the command again")
            }
            IndexError::Sql(ref error) => {
                Self::new(ExitClass::Io, "index", format!("the index: {error}"))
            }
        }
    }
}

/// An argument as a shell takes it, quoted where it needs it.
pub fn shell_quote(arg: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    if !arg.is_empty() && arg.chars().all(plain) {
        arg.to_owned()
    } else {
        format!("'{}'", arg.replace('\'', r"'\''"))
    }
}

impl From<Unreadable> for Error {
    fn from(error: Unreadable) -> Self {
        Self::new(
            ExitClass::Io,
            "unreadable",
            format!("this issue can't be read: {error}"),
        )
        .hinted("update git-beads to its newest version, from its own repository")
    }
}

impl From<ValueError> for Error {
    fn from(error: ValueError) -> Self {
        let hint = match error {
            ValueError::EmptyTitle => "git beads create \"What is to be done\"",
            ValueError::TooLong { .. } => "shorten it and run the command again",
            ValueError::TooDeep(..) => "nest it less and run the command again",
            ValueError::Full { .. } => {
                "go on in another issue: git beads create \"What is left to be done\""
            }
            ValueError::Word(_) => "git beads help update",
        };
        Self::invalid(error.to_string()).hinted(hint)
    }
}

impl From<IdError> for Error {
    fn from(error: IdError) -> Self {
        let hint = match error {
            IdError::Prefix(_) => "git beads init --prefix bd",
            IdError::Shape(_) | IdError::TooDeep(_) => "git beads list --all",
        };
        Self::invalid(error.to_string()).hinted(hint)
    }
}
