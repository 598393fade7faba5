//! Epics whose children have all ended and that wait to be closed: they are no work.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Condition, Fact, Order, Row};
use crate::model::Issue;
use crate::model::graph::is_open_below;
use crate::ops::{Command, Result, Tx, View};

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
    Command::of("done").id(id).to_string()
}

/// Says how many children of an issue are open; nothing where none is.
pub(crate) fn open_children(tx: &Tx<'_>, issue: &Issue) -> Result<Option<String>> {
    let children = tx.children(issue.uid())?;
    let open = children.iter().filter(|(_, status)| !status.is_done());
    Ok(match open.count() {
        0 => None,
        1 => Some(format!("{} has 1 open child", issue.id())),
        n => Some(format!("{} has {n} open children", issue.id())),
    })
}

/// Says of an epic with open children that work happens on those.
pub(crate) fn remark_on_children(tx: &Tx<'_>, issue: &Issue) -> Result<()> {
    if issue.kind() == "epic"
        && let Some(children) = open_children(tx, issue)?
    {
        let remark = format!("{children}: work happens on the children");
        tx.remarks.borrow_mut().push(remark);
    }
    Ok(())
}

/// Returns the first of those that a condition lets through, and how many they are.
pub(crate) fn finished(
    view: &View<'_>,
    condition: &Condition,
    limit: usize,
) -> Result<(Vec<FinishedEpic>, u64)> {
    let finished = condition.clone().and(Fact::Finished);
    let page = view.index.page(&finished, Order::Priority, limit, 0)?;
    Ok((
        page.rows.iter().map(FinishedEpic::from).collect(),
        page.total,
    ))
}

/// Returns whether an issue is an epic that can be closed.
pub(crate) fn is_finished(view: &View<'_>, row: &Row) -> Result<bool> {
    let children = |uid| view.index.edges().children_with_status(uid);
    Ok(row.is_finished_epic() && !is_open_below(row.uid, children)?)
}
