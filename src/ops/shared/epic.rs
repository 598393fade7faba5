//! Epics whose children have all ended and that wait to be closed: they are no work.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Filter, Order, Row};
use crate::ops::{Result, View};

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
