//! Epics whose children have all ended: they are no work. One closes with its last child, or waits to be closed.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Filter, Order, Row};
use crate::model::edge::PARENT_CHILD;
use crate::model::graph::is_rolled_up;
use crate::model::issue::{AUTO_CLOSED, StatusRegister};
use crate::model::{Status, Uid};
use crate::ops::{Result, Tx, View};

/// An epic whose children have all ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FinishedEpic {
    /// Its id.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The command that closes it.
    pub hint: String,
}

impl From<&Row> for FinishedEpic {
    fn from(row: &Row) -> Self {
        Self {
            id: row.id.clone(),
            title: row.title.clone(),
            hint: closing(&row.id),
        }
    }
}

/// Returns the command that closes an issue.
pub(crate) fn closing(id: &str) -> String {
    format!("git beads done {id}")
}

/// Returns the first of those that a filter lets through, and how many they are.
pub(crate) fn finished(
    view: &View<'_>,
    filter: &Filter,
    limit: usize,
) -> Result<(Vec<FinishedEpic>, u64)> {
    let filter = Filter {
        finished: true,
        ..filter.clone()
    };
    let page = view.index.page(&filter, Order::Priority, limit, 0)?;
    Ok((
        page.rows.iter().map(FinishedEpic::from).collect(),
        page.total,
    ))
}

/// Closes the epics above an issue that has ended, as long as all their children have; returns them.
pub(crate) fn close_finished_epics(tx: &mut Tx<'_>, uid: Uid) -> Result<Vec<Uid>> {
    let mut closed = Vec::new();
    let mut below = vec![uid];
    while let Some(child) = below.pop() {
        // Upwards: an epic that closes may be the last open child of the one above it.
        for parent in tx.targets(child, PARENT_CHILD)? {
            if parent != child && close_epic(tx, parent)? {
                closed.push(parent);
                below.push(parent);
            }
        }
    }
    Ok(closed)
}

fn close_epic(tx: &mut Tx<'_>, uid: Uid) -> Result<bool> {
    let status = tx.status(uid)?;
    // A protected status is a decision that no roll-up overrides.
    if status.is_protected() || status == Status::Tombstone {
        return Ok(false);
    }
    let mut epic = tx.issue(uid)?;
    if epic.kind() != "epic" {
        return Ok(false);
    }
    let status = epic.status();
    // Where a person closed it, their reason stays.
    if status.is_done() && !epic.state().auto {
        return Ok(false);
    }
    if !is_rolled_up(tx.children(uid)?.into_iter().map(|(_, status)| status)) {
        return Ok(false);
    }
    let writer = tx.writer(&epic)?;
    let state = StatusRegister {
        status: Status::Closed,
        reason: Some(AUTO_CLOSED.to_owned()),
        auto: true,
    };
    let changed = epic.set_state(&writer, &state);
    tx.put(epic);
    Ok(changed)
}
