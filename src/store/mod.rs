//! The repository: the only place that names gix.
//!
//! A [`Store`] is the repository that encloses a directory. Reading takes a [`Snapshot`], an immutable
//! tree at one commit, and no lock; writing begins with [`Store::begin`], which gives a [`Transaction`]: a commit
//! that is made and published in steps, again on the new tip when somebody else was faster.

mod bulk_read;
mod cancel;
mod changes;
mod child;
mod exchange;
mod failure;
mod fast_import;
mod fsck;
pub mod git;
mod history;
mod incoming;
mod incoming_ref;
pub mod journal;
mod journal_pack;
mod lock_file;
mod loose;
mod maintenance;
mod merge;
mod object;
pub mod own_files;
mod pack;
mod permissions;
mod private_file;
mod reach;
mod ref_locks;
mod ref_update;
mod refspec;
mod remote;
mod replay;
mod repository;
mod revision;
mod set_back;
mod snapshot;
mod transaction;
mod tree_diff;
mod tree_path;
mod tree_writer;
mod uninstall;
mod user_branch;
mod write_lock;

use std::fmt;
use std::path::PathBuf;

use crate::model::limits::ValueError;

pub use bulk_read::BulkReader;
pub use cancel::Cancel;
pub use changes::Changes;
pub use child::end_children;
pub use failure::Failure;
pub use fsck::FsckReport;
pub use history::{Before, Commit, TouchedBlobs, Written};
pub use merge::{Distance, Merge};
pub use object::Objects;
pub use permissions::{Permissions, owns};
pub(crate) use reach::Kinship;
pub use ref_locks::LeftLock;
pub use remote::Push;
pub use replay::Replayed;
pub use repository::{Located, Location, RefFingerprint, Store, global_config};
pub use revision::{Back, Base, Revision};
pub use set_back::LeftOut;
pub(crate) use snapshot::decode;
pub use snapshot::{Snapshot, Unreadable};
pub(crate) use transaction::MAX_RACES;
pub use transaction::{Message, Publish, Published, Transaction, Unpublished};
pub use tree_diff::TreeChange;
pub use tree_path::TreePath;
pub use user_branch::UserCommit;

/// The ref that holds everything.
pub const REF: &str = "refs/beads/main";

/// The id of a git object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid(gix::ObjectId);

impl Oid {
    /// Reads the hexadecimal form.
    pub fn parse(hex: &str) -> Option<Self> {
        gix::ObjectId::from_hex(hex.as_bytes()).ok().map(Self)
    }

    /// Reads the form of [`Oid::as_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        gix::ObjectId::try_from(bytes).ok().map(Self)
    }

    /// The hash itself: 20 bytes, or 32.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_slice()
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// What can go wrong below the operations.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No repository encloses the directory.
    #[error("not a git repository (or any of the parent directories): {0}")]
    NotARepository(PathBuf),
    /// A repository we must not open or write.
    #[error("{0}")]
    Refused(String),
    /// The repository has no issues yet.
    #[error("no issues are kept in this repository yet ({})", .0.display())]
    NoStore(PathBuf),
    /// The ref, a commit or a tree cannot be read; never the same as empty.
    #[error("{what} can't be read: {why}")]
    Unreadable {
        /// The ref or object.
        what: String,
        /// What git says of it.
        why: String,
    },
    /// There are more packs than there was room for when the repository was opened: opened again, it has room.
    #[error("{what} can't be read yet: packs have come faster than they were noticed")]
    TooManyPacks {
        /// The ref or object.
        what: String,
    },
    /// Another writer holds the lock.
    #[error("another writer is busy here ({0})")]
    Busy(String),
    /// The ref kept moving.
    #[error("others kept writing at the same time; nothing was changed")]
    LostRace,
    /// Reading or writing a file failed.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// Git could not write an object or a ref.
    #[error("{what}: {why}")]
    Write {
        /// What was being written.
        what: String,
        /// What git says.
        why: String,
    },
    /// No such remote.
    #[error("`{name}` is not a remote of this repository ({})", if .known.is_empty() { "it has none".to_owned() } else { format!("it has: {known}") })]
    NoRemote {
        /// The name.
        name: String,
        /// Those it has.
        known: String,
    },
    /// A remote did not do what was asked of it.
    #[error("{remote}: {said}")]
    Remote {
        /// Its name.
        remote: String,
        /// The ref that was exchanged.
        reference: String,
        /// What git and the remote said.
        said: String,
        /// What kind of failure that is.
        failure: Failure,
    },
    /// A value of the configuration that means nothing.
    #[error("{key} is `{value}`")]
    Setting {
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
        /// A value that means something.
        example: &'static str,
    },
    /// What a remote has must not reach our ref.
    #[error("rejected what the remote has: {0}")]
    Rejected(String),
    /// A write that others would refuse.
    #[error(transparent)]
    Limit(#[from] ValueError),
    /// A git command failed.
    #[error("`git {command}` failed: {stderr}")]
    Git {
        /// The subcommand.
        command: String,
        /// What it printed.
        stderr: String,
    },
}

/// The result of store functions.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Renders an error with everything below it on one line.
fn explain(error: &gix::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in error.iter_errors() {
        let text = cause.to_string();
        if parts.last().is_none_or(|last| !last.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}

fn unreadable(what: impl Into<String>) -> impl FnOnce(gix::Error) -> StoreError {
    let what = what.into();
    move |error| match explain(&error) {
        why if lacks_room(&why) => StoreError::TooManyPacks { what },
        why => StoreError::Unreadable { what, why },
    }
}

/// Whether gix says that its table of packs, which is made when a repository is opened, is full.
fn lacks_room(why: &str) -> bool {
    why.contains("too few index slots")
}

fn unwritable(what: &str) -> impl FnOnce(gix::Error) -> StoreError {
    move |error| match explain(&error) {
        why if lacks_room(&why) => StoreError::TooManyPacks {
            what: what.to_owned(),
        },
        why => StoreError::Write {
            what: what.to_owned(),
            why,
        },
    }
}

fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> StoreError {
    let what = what.into();
    move |source| StoreError::Io { what, source }
}
