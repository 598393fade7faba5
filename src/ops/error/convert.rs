//! How the errors of the layers below become ours.

use super::{Code, Error};
use crate::index::IndexError;
use crate::model::id::IdError;
use crate::model::limits::ValueError;
use crate::store::{Failure, StoreError, Unreadable};

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::NotARepository(_) => Code::NotARepository,
            StoreError::Refused(_) => Code::Refused,
            StoreError::NoStore(_) => Code::NoStore,
            StoreError::Unreadable { .. } => Code::Damaged,
            StoreError::TooManyPacks { .. } => Code::TooManyPacks,
            StoreError::Busy(_) => Code::Busy,
            StoreError::LostRace => Code::LostRace,
            StoreError::Remote { .. } => Code::Remote,
            StoreError::Setting { .. } => Code::Invalid,
            StoreError::NoRemote { .. } => Code::NotFound,
            StoreError::Rejected(_) => Code::Rejected,
            StoreError::Limit(why) => return why.clone().into(),
            StoreError::Io { .. } | StoreError::Write { .. } | StoreError::Git { .. } => Code::Io,
        };
        Self {
            hint: remedy(&error),
            ..Self::new(code, error.to_string())
        }
    }
}

/// Returns what to do about an error of the store.
fn remedy(error: &StoreError) -> Option<String> {
    let hint = match error {
        StoreError::NotARepository(_) => {
            "run it inside a git repository, or name one: git beads -C DIR ..."
        }
        StoreError::NoStore(_) => "git beads init",
        StoreError::Unreadable { why, .. } if why.contains("packed reference") => {
            "git can't read its packed-refs either; see what it says: git for-each-ref"
        }
        StoreError::Unreadable { .. } => "git beads doctor --fix",
        StoreError::TooManyPacks { .. } | StoreError::LostRace => "run the command again",
        StoreError::Busy(_) => "run the command again in a moment",
        StoreError::Remote {
            remote, failure, ..
        } => return Some(remote_remedy(remote, *failure)),
        StoreError::Setting { key, example, .. } => {
            return Some(format!("git config {key} {example}"));
        }
        StoreError::NoRemote { .. } => "git remote -v",
        StoreError::Rejected(_) => {
            "nothing of it was taken; ask whoever pushes there to look at refs/beads/main"
        }
        StoreError::Refused(_) | StoreError::Limit(_) => return None,
        StoreError::Io { .. } | StoreError::Write { .. } | StoreError::Git { .. } => {
            return disk_remedy(&error.to_string());
        }
    };
    Some(hint.to_owned())
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

/// Returns what to do about a disk that takes no writes.
fn disk_remedy(message: &str) -> Option<String> {
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
                Self::new(Code::Stale, error.to_string()).hinted("run the command again")
            }
            IndexError::Sql(ref error) => Self::new(Code::Index, format!("the index: {error}")),
        }
    }
}

impl From<Unreadable> for Error {
    fn from(error: Unreadable) -> Self {
        Self::new(
            Code::Unreadable,
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
