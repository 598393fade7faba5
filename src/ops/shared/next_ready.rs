//! What can be started next.

use crate::index::{Filter, Order, Row};
use crate::model::Uid;
use crate::ops::{Result, View};

/// Returns whether there is anything that the caller may start.
pub(crate) fn is_any_claimable(view: &View<'_>) -> Result<bool> {
    Ok(first_claimable(view, None)?.is_some())
}

/// Narrows a filter to what the caller may start: ready, and not assigned to another.
pub(crate) fn may_start(view: &View<'_>, filter: Filter) -> Filter {
    Filter {
        ready: Some(view.now()),
        free_for: Some(view.tracker.actor().to_owned()),
        ..filter
    }
}

/// Returns the most urgent issue that the caller may start, of all or of the children of one.
pub(crate) fn first_claimable(view: &View<'_>, parent: Option<Uid>) -> Result<Option<Row>> {
    let asked = Filter {
        parent,
        ..Filter::default()
    };
    let filter = may_start(view, asked);
    Ok(view.index.first(&filter, Order::Priority, 1, 0)?.pop())
}
