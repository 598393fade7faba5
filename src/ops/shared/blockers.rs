//! The open issues that an issue waits for.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Neighbour, Row};
use crate::model::edge::{BLOCKS, PARENT_CHILD};
use crate::model::issue::StatusRegister;
use crate::model::limits::check_text;
use crate::model::{Issue, Status, Uid, Writer};
use crate::ops::answer::{Reference, Summary};
use crate::ops::shared::claim;
use crate::ops::{Result, Tx, View};

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
    let found = view.index.edges().dependencies(row.num)?;
    let named = |(id, (_, title, _)): (String, NeighbourIssue)| Reference { id, title };
    Ok(waits(row, found).map(named).collect())
}

/// The two ends of the open dependencies of an issue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relations {
    /// Open issues that it waits for.
    pub blocked_by: Vec<Summary>,
    /// Open issues that wait for it.
    pub blocks: Vec<Summary>,
}

/// Returns what an issue waits for and what waits for it, at most so many of each.
pub(crate) fn both_ways(view: &View<'_>, row: &Row, most: usize) -> Result<Relations> {
    let edges = view.index.edges();
    let summaries = |found: Vec<Neighbour>| {
        let uids = waits(row, found).map(|(_, (uid, ..))| uid);
        let summaries = uids.take(most).map(|uid| Summary::of(view, uid));
        summaries.collect::<Result<Vec<_>>>()
    };
    let blocks = match row.status.is_done() {
        // What has ended holds nothing up.
        true => Vec::new(),
        false => edges.dependents(row.uid, &row.id)?,
    };
    Ok(Relations {
        blocked_by: summaries(edges.dependencies(row.num)?)?,
        blocks: summaries(blocks)?,
    })
}

/// Ids of issues, by the type of a link or by an issue.
pub(crate) type LinkedIds = BTreeMap<String, Vec<String>>;

/// The ids at both ends of the links of an issue, by their types.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllLinks {
    /// Those that it was linked to.
    pub to: LinkedIds,
    /// Those that were linked to it.
    pub from: LinkedIds,
}

/// Returns all links of an issue but those to its parent and its children.
pub(crate) fn all_links(view: &View<'_>, row: &Row) -> Result<AllLinks> {
    let edges = view.index.edges();
    let mut links = AllLinks::default();
    for link in edges.dependencies(row.num)? {
        // A further parent is a link.
        if link.kind != PARENT_CHILD || Some(&link.id) != row.parent.as_ref() {
            links.to.entry(link.kind).or_default().push(link.id);
        }
    }
    for link in edges.dependents(row.uid, &row.id)? {
        if link.kind != PARENT_CHILD {
            links.from.entry(link.kind).or_default().push(link.id);
        }
    }
    Ok(links)
}

/// An issue at the other end of a dependency: who it is, its title, its status.
type NeighbourIssue = (Uid, String, Status);

/// Keeps of the neighbours of an issue those whose dependency is in effect, with their ids.
fn waits(
    row: &Row,
    found: Vec<Neighbour>,
) -> impl Iterator<Item = (String, NeighbourIssue)> + use<> {
    let own = row.uid;
    found.into_iter().filter_map(move |neighbour| {
        let issue = neighbour.issue?;
        let counts = neighbour.kind == BLOCKS && !neighbour.suspended;
        (counts && holds_up(&issue, own)).then_some((neighbour.id, issue))
    })
}

/// Returns whether an issue at the other end is open; a suspended edge is part of a cycle, and none waits for itself.
fn holds_up((uid, _, status): &NeighbourIssue, own: Uid) -> bool {
    !status.is_done() && *uid != own
}

/// Sets an issue to `blocked`. Without a reason, and while it waits for an open issue, that is why: it is open again once
/// it waits for none. What was said before stays where this says nothing.
pub(crate) fn block_one(
    tx: &Tx<'_>,
    issue: &mut Issue,
    writer: &Writer,
    reason: Option<&str>,
) -> Result<()> {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    check_text("the reason", reason.unwrap_or_default())?;
    let before = issue.state();
    if before.status != Status::Blocked || reason.is_some() {
        claim::end(tx, issue, writer, "block").map_err(|error| claim::repeating(error, reason))?;
    }
    if before.status == Status::Blocked && before.reason.is_some() && reason.is_none() {
        return Ok(());
    }
    let state = StatusRegister {
        until_free: reason.is_none() && !tx.open_blockers(issue.uid())?.is_empty(),
        ..StatusRegister::new(Status::Blocked, reason)
    };
    issue.set_state(writer, &state);
    Ok(())
}
