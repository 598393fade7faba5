//! The repository: the only place that names gix.
//!
//! A [`Store`] is the repository that encloses a directory. Reading takes a `Snapshot`, an immutable
//! tree at one commit, and no lock; writing begins with [`Store::begin`], which gives a `Transaction`: a commit
//! that is made and published in steps, again on the new tip when someone else was faster.

pub(crate) mod agents;
mod aside;
mod bulk_read;
mod cancel;
pub(crate) mod carry;
mod changes;
mod child;
mod command_config;
pub(crate) mod contexts;
pub mod door;
mod durability;
mod error;
mod exchange_lock;
mod failure;
mod fast_import;
mod fsck;
pub mod git;
mod global_values;
mod history;
mod identity;
mod incoming;
mod incoming_ref;
pub mod journal;
mod journal_pack;
mod known;
mod loose;
mod maintenance;
mod merge;
mod notes_file;
pub(crate) mod notices;
mod object;
pub mod own_files;
mod pack;
mod permissions;
mod private_file;
pub(crate) mod push_url;
mod reach;
mod reach_notes;
mod ref_locks;
mod refs;
mod refspec;
mod relay;
mod remote;
mod replaced_packs;
mod replay;
mod repository;
mod restore;
mod revision;
mod rewrite;
mod rewritten;
mod run;
pub(crate) mod seen_claims;
pub(crate) mod seen_marks;
mod set_back;
mod shown_commit;
mod snapshot;
mod transaction;
mod tree_diff;
mod tree_path;
mod tree_writer;
mod uninstall;
mod unsent;
mod user_branch;
pub(crate) mod user_file;
mod write_lock;

use std::fmt;
use std::path::PathBuf;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use aside::Aside;
pub(crate) use bulk_read::BulkReader;
pub use cancel::Cancel;
pub use changes::Changes;
pub(crate) use child::{end_children, leave_signals};
pub use error::StoreError;
pub(crate) use error::{DiskFault, Result};
use error::{explain, io, refusal, unreadable, unwritable};
pub(crate) use exchange_lock::ExchangeLock;
pub(crate) use failure::Failure;
pub(crate) use fsck::FsckReport;
pub(crate) use global_values::{GlobalValue, global_values};
pub(crate) use history::{Ancestry, Before, Commit, TouchedBlobs, Written};
pub(crate) use incoming_ref::KeptCommit;
pub(crate) use merge::Distance;
pub use merge::Merge;
pub(crate) use merge::SnapshotRoot;
pub(crate) use object::look_twice;
pub(crate) use permissions::Permissions;
pub(crate) use refs::format::RefWatch;
pub(crate) use refs::short;
pub(crate) use remote::address::{BRANCH, Destination};
pub(crate) use remote::mailbox::{Mailbox, Removal};
pub(crate) use remote::{HistoryPart, OlderClaim, Push, Remotes, mailbox};
#[cfg(test)]
pub(crate) use repository::tests::scratch_store;
pub use repository::{Intent, Location, Store};
pub(crate) use repository::{Located, global_config};
pub(crate) use restore::{Restore, Restored};
pub(crate) use revision::{Back, Base, Revision};
pub(crate) use rewrite::Rewriting;
pub(crate) use rewritten::Rewritten;
pub(crate) use shown_commit::ShownCommit;
pub(crate) use snapshot::{Snapshot, Unreadable, decode};

pub(crate) use transaction::MAX_RACES;
pub use transaction::{Message, Publish, Transaction, Unpublished};
pub use tree_diff::TreeChange;
pub use tree_path::TreePath;
pub(crate) use unsent::unsent;
pub(crate) use user_branch::{UserBranches, UserCommit};

/// Returns the path that git or SQLite means by some bytes; none where paths are Unicode and the bytes are not.
pub(crate) fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    gix::path::from_byte_slice(bytes).ok().map(Into::into)
}

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
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        gix::ObjectId::try_from(bytes).ok().map(Self)
    }

    /// Returns the hash itself: 20 bytes, or 32.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_slice()
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Serialize for Oid {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Oid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let hex = String::deserialize(deserializer)?;
        Self::parse(&hex).ok_or_else(|| D::Error::custom("no object id"))
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
