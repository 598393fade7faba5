//! The files of versions before this one, which are read for one release and written no more: carry files as lines of blobs,
//! and snapshot files.
//!
//! Of each a commit is rebuilt that enters like any other. What `store/merge/carried.rs` and `store/merge/snapshots.rs` know of
//! such commits goes with them: histories that meet only there then join with more conflicts, and lose nothing.

mod carry_file;
mod lines;
mod rebuild;
mod snapshot_file;

pub(crate) use carry_file::CarryFile;
pub(in crate::store) use rebuild::{CARRIED, CARRIED_AFTER};
pub(crate) use snapshot_file::{PATH, SnapshotFile, head_file, remove_file, work_file};

/// The end of the name of a carry file.
pub(in crate::store) const ENDING: &str = ".jsonl";
