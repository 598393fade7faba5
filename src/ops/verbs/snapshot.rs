//! `snapshot`: prints what is worked on for clones that can't fetch issues, or writes it into the work tree.

use crate::ops::answer::{After, Answer, AnswerKind, Next};
pub(crate) use crate::ops::shared::snapshot::SnapshotReport;
use crate::ops::shared::snapshot::{snapshot_file, write_snapshot};
use crate::ops::{Result, Tracker};

impl Answer for SnapshotReport {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
    fn next(&self) -> Next {
        After::of_file(self.committed).next()
    }
}

/// Returns the text of a snapshot: of the issues that are left and what they need, or of all.
pub(crate) fn snapshot_text(tracker: &Tracker, all: bool) -> Result<String> {
    Ok(snapshot_file(tracker, all)?.encode())
}

/// Writes a snapshot into the work tree, unless the same one is there.
pub(crate) fn snapshot(tracker: &Tracker, all: bool) -> Result<SnapshotReport> {
    write_snapshot(tracker, all, false)
}
