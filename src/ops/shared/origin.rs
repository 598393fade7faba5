//! The operations that made the stamps of an issue.

use std::collections::{HashMap, HashSet};

use crate::index::{OpFilter, OpRecord};
use crate::model::delta::{Edit, own_edits};
use crate::model::{Blob, Stamp, Uid};
use crate::ops::shared::field_diff::{BlobStates, steps_of};
use crate::ops::{Result, View};
use crate::store::Written;

/// An operation is committed within so many seconds of the stamp it made, as a rule.
const NEAR: u64 = 3;

/// Returns the operation that made each stamp, where the history still has it. Only operations on the issue are looked
/// into: those of about the time of a stamp first, which is nearly always right, then from the oldest on until nothing
/// is missing.
pub(crate) fn writers_of(
    view: &View<'_>,
    uid: Uid,
    mut missing: HashSet<Stamp>,
) -> Result<HashMap<Stamp, OpRecord>> {
    let operations = view.index.oplog().operations(&OpFilter::of(uid))?;
    let near = |operation: &&OpRecord| {
        let seconds = operation.at / 1000;
        missing
            .iter()
            .any(|stamp| (stamp.millis() / 1000).abs_diff(seconds) <= NEAR)
    };
    let (likely, others): (Vec<&OpRecord>, Vec<&OpRecord>) =
        operations.iter().rev().partition(near);
    let mut found = HashMap::new();
    for operation in likely.into_iter().chain(others) {
        if missing.is_empty() {
            break;
        }
        for stamp in stamps(view, uid, operation)? {
            if missing.remove(&stamp) {
                found.insert(stamp, operation.clone());
            }
        }
    }
    Ok(found)
}

/// Returns the operation that wrote to an issue at a time, in milliseconds by the writer's clock; none where the history
/// has it no more.
pub(crate) fn writer_at(view: &View<'_>, uid: Uid, written: u64) -> Result<Option<OpRecord>> {
    let operations = view.index.oplog().operations(&OpFilter::of(uid))?;
    let is_near = |it: &OpRecord| (it.at / 1000).abs_diff(written / 1000) <= NEAR;
    // The oldest one: those that say it again come later.
    for operation in operations.into_iter().rev().filter(is_near) {
        let mut made = stamps(view, uid, &operation)?.into_iter();
        if made.any(|stamp| stamp.millis() == written) {
            return Ok(Some(operation));
        }
    }
    Ok(None)
}

/// Returns the stamps that an operation made in an issue.
fn stamps(view: &View<'_>, uid: Uid, operation: &OpRecord) -> Result<Vec<Stamp>> {
    let commit = view
        .snapshot()
        .store()
        .ancestry()
        .commit(operation.commit)?;
    let made = |step: &BlobStates| {
        let nothing = Blob::default();
        let after = step.after.as_ref().unwrap_or(&nothing);
        let edits = own_edits(&step.before, after, &nothing);
        edits.iter().filter_map(Edit::stamp).collect::<Vec<_>>()
    };
    Ok(match steps_of(view, &commit, Some(uid))? {
        Written::Paths(steps) => steps.iter().flat_map(made).collect(),
        // It holds stamps of all that came before it.
        Written::Cut => Vec::new(),
    })
}
