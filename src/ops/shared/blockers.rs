//! The open issues that an issue waits for.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::Row;
use crate::model::Status;
use crate::model::edge::BLOCKS;
use crate::ops::answer::{Reference, Summary};
use crate::ops::{Result, View};

/// An issue and what it waits for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Waiting")]
pub struct BlockedRow {
    /// The issue.
    #[serde(flatten)]
    pub summary: Summary,
    /// What else it waits for, as `block` was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The open issues it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<Reference>,
}

/// An issue with what it waits for.
pub(crate) fn waiting(view: &View<'_>, row: &Row) -> Result<BlockedRow> {
    let reason = if row.status == Status::Blocked {
        view.issue(row.uid)?.state().reason
    } else {
        None
    };
    Ok(BlockedRow {
        summary: Summary::listed(row.clone()),
        reason,
        blocked_by: open_blockers(view, row)?,
    })
}

/// Returns the open issues that an issue waits for.
pub(crate) fn open_blockers(view: &View<'_>, row: &Row) -> Result<Vec<Reference>> {
    let mut blockers = Vec::new();
    for neighbour in view.index.edges().dependencies(row.num)? {
        // A suspended edge is part of a cycle, and none waits for itself.
        if let (BLOCKS, Some((uid, title, status))) = (neighbour.kind.as_str(), neighbour.issue)
            && !status.is_done()
            && !neighbour.suspended
            && uid != row.uid
        {
            blockers.push(Reference {
                id: neighbour.id,
                title,
            });
        }
    }
    Ok(blockers)
}
