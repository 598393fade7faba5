//! The issue that is ready next.

use crate::index::{Filter, Order, Row};
use crate::model::Uid;
use crate::ops::answer::{Next, Summary};
use crate::ops::{Result, View};

/// The most urgent issue that can be started: a child of `parent` first, else any.
pub(crate) fn next_ready(view: &View<'_>, parent: Option<Uid>) -> Result<Option<Summary>> {
    let first = |parent| -> Result<Option<Row>> {
        let filter = Filter {
            ready: Some(view.now()),
            parent,
            ..Filter::default()
        };
        Ok(view.index.first(&filter, Order::Priority, 1, 0)?.pop())
    };
    let sibling = if parent.is_some() {
        first(parent)?
    } else {
        None
    };
    let row = match sibling {
        Some(row) => Some(row),
        None => first(None)?,
    };
    Ok(row.map(Summary::core))
}

/// Returns the next step that follows from an issue that is ready, or from none.
pub(crate) fn next_of(next_ready: Option<&Summary>) -> Next {
    if next_ready.is_some() {
        Next::StartNextReady
    } else {
        Next::AwaitUser
    }
}
