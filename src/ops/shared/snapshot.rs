//! The snapshot file: what is worked on, as text in the user's own branch, for clones that can't fetch issues.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::shared::carry::check_content;
use crate::ops::shared::user_file::Uncommitted;
use crate::ops::{Command, Error, Hint, Result, Tracker};
pub(crate) use crate::store::snapshot_file::PATH;
use crate::store::snapshot_file::{SnapshotFile, head_file, write_file};
use crate::store::{Store, carry::LARGEST_FILE};

/// The contents of a snapshot file, and the result of writing it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct SnapshotReport {
    /// The file, from the top of the work tree.
    pub file: String,
    /// The issues in it.
    pub issues: usize,
    /// All issues that are here.
    pub known: u64,
    /// Its size.
    pub bytes: usize,
    /// True if it was written, or would be: the work tree or HEAD had another one.
    pub written: bool,
    /// True if HEAD has it.
    pub committed: bool,
    #[serde(flatten)]
    pub uncommitted: Uncommitted,
}

/// Returns the snapshot of what is here.
/// Errors: no store, or one of which a file would be larger than is read.
pub(crate) fn snapshot_file(tracker: &Tracker, all: bool) -> Result<SnapshotFile> {
    let made = || Ok(SnapshotFile::of(tracker.store().snapshot()?, all)?);
    let file = tracker.with_repair(made)?;
    let size = file.encode().len();
    match size as u64 > LARGEST_FILE {
        true => Err(too_large(size, all)),
        false => Ok(file),
    }
}

fn too_large(size: usize, all: bool) -> Error {
    let message = format!("a snapshot would have {size} bytes; the limit is {LARGEST_FILE}");
    let hint = match all {
        true => Hint::run("of the issues that are left: ", Command::of("snapshot")),
        false => Hint::run(
            "without one: ",
            Command::of("init").flag("--from").word("URL"),
        ),
    };
    Error::invalid(message).hinted(hint)
}

/// Writes the snapshot into the work tree, unless it is there or in HEAD already; a dry run says what it would do.
/// Errors: as [`snapshot_file`]; no work tree, or something else in the place of the file.
pub(crate) fn write_snapshot(
    tracker: &Tracker,
    all: bool,
    dry_run: bool,
) -> Result<SnapshotReport> {
    let store = tracker.store();
    check_work_tree(store)?;
    let file = snapshot_file(tracker, all)?;
    let is_same = |other: &SnapshotFile| other.is_same(&file);
    let committed = matches!(head_file(store)?, Some(Ok(head)) if is_same(&head));
    let here = crate::store::snapshot_file::work_file(store);
    // What is committed is not written once more where the work tree has no such file.
    let written = !here.map_or(committed, |here| is_same(&here));
    if written && !dry_run {
        check_content(store)?;
        write_file(store, &file)?;
    }
    let mut uncommitted = Uncommitted::default();
    if !committed
        && !dry_run
        && let Some(top) = store.work_tree()
    {
        uncommitted = Uncommitted::of(store, &top, &[PATH.to_owned()]);
        let in_head = head_file(store)?;
        uncommitted
            .in_place
            .extend(in_head.map(|_| PATH.to_owned()));
    }
    warn_of_unsent(tracker, &file)?;
    Ok(SnapshotReport {
        file: PATH.to_owned(),
        issues: file.issues(),
        known: file.known,
        bytes: file.encode().len(),
        written,
        committed,
        uncommitted,
    })
}

/// Warns where the usual remote lacks what the snapshot was made of: what begins from it joins exactly with that alone.
fn warn_of_unsent(tracker: &Tracker, file: &SnapshotFile) -> Result<()> {
    let store = tracker.store();
    let Some(remote) = store.remotes().remote(None)? else {
        return Ok(());
    };
    let Some(there) = store.remotes().remote_tip(&remote)? else {
        return Ok(());
    };
    let lacks = store.ancestry().distance(file.tip, there)?.ahead;
    if lacks > 0 {
        let again = "git beads sync, then git beads snapshot --write";
        tracker.warn(format!("{remote} lacks {lacks} of these changes: {again}"));
    }
    Ok(())
}

fn check_work_tree(store: &Store) -> Result<()> {
    if store.work_tree().is_some() {
        return Ok(());
    }
    let print = Command::of("snapshot").then(" prints it, for a file that you keep");
    Err(Error::invalid("a bare repository has no work tree for a snapshot").hinted(print))
}
