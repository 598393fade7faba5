//! Carry files: changes of issues as a bundle of git, which travels in a branch of the user's where nothing can be sent.
//!
//! A file holds all that a clone has and others are not known to have. It is text, so that no host and no attribute changes it:
//! some lines for those who review it, which are not trusted, an empty line, and the bundle in base64 (RFC 4648):
//!
//! ```text
//! git-beads bundle 1
//! Base: 19f311f9b1c14a3d4f6e0c1f4b9a8d7c6e5f4a3b
//! Tip: 6f1c0b7a...
//! Ops: 1
//!   start bd-a1b2
//!
//! IyB2MiBnaXQgYnVuZGxlCi0xOWYzMTFmOWIxYzE0YTNkNGY2ZTBjMWY0YjlhOGQ3YzZl
//! ```
//!
//! Its commits are those of the clone that wrote it: it does not matter who collects it, how often, or by which branch.

mod bundle;
mod delta;
mod notes;
pub(super) mod place;
mod state;
mod text;
pub(super) mod work_tree;

pub(crate) use delta::{CarryDelta, KnownState, NoFile, known_elsewhere, whole};
pub(crate) use notes::CarryNotes;
pub(super) use notes::NOTES;
pub(crate) use place::{
    CarryBlob, CarryContents, WorkBranch, carried_in, is_named_well, is_opted_in, tips_of,
};
pub(crate) use state::{CarriedChanges, CarriedState};
pub(crate) use text::CarryFile;
pub(crate) use work_tree::{CarryFolder, UncommittedFile, has_carried, has_folder, uncommitted};

/// The folder of this program in the user's tree.
pub(super) const OWN_FOLDER: &str = ".git-beads";
/// The folder of the files there.
pub(crate) const FOLDER: &str = ".git-beads/carry";
/// The file by which a team says that they are welcome there.
pub(crate) const OPT_IN: &str = ".git-beads/README.md";
/// The end of the name of a file.
pub(super) const ENDING: &str = ".bundle.txt";
/// The largest file that is read, in bytes.
pub(crate) const LARGEST_FILE: u64 = 16 << 20;
/// The largest file that is written, in bytes: what is larger burdens the history of the user's own work.
pub(crate) const LARGEST_WRITTEN: usize = 1 << 20;

/// The reason why a file is not collected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CarryFault {
    /// Its bytes are not those that were written.
    #[error("edited after it was written")]
    Edited,
    /// A newer version has written it.
    #[error("written by a newer git-beads")]
    Newer,
    /// It breaks a rule.
    #[error("{0}")]
    Bad(String),
}

pub(in crate::store) fn bad(what: impl Into<String>) -> CarryFault {
    CarryFault::Bad(what.into())
}

/// Returns the fault of a file of so many bytes.
pub(in crate::store) fn too_large(size: u64) -> CarryFault {
    bad(format!("{size} bytes; the limit is {LARGEST_FILE}"))
}
