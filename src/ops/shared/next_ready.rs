//! What can be started next.

use crate::index::{Filter, Order};
use crate::model::Uid;
use crate::ops::answer::Summary;
use crate::ops::{Result, View};

/// Returns whether there is anything that the caller may start.
pub(crate) fn is_any_claimable(view: &View<'_>) -> Result<bool> {
    Ok(first_claimable(view)?.is_some())
}

/// Narrows a filter to what the caller may start: ready, and not assigned to another.
pub(crate) fn may_start(view: &View<'_>, filter: Filter) -> Filter {
    Filter {
        ready: Some(view.now()),
        free_for: Some(view.tracker.actor().to_owned()),
        ..filter
    }
}

fn claimable(view: &View<'_>) -> Filter {
    may_start(view, Filter::default())
}

/// Returns the most urgent child that the caller may start.
pub(crate) fn claimable_child(view: &View<'_>, parent: Uid) -> Result<Option<Summary>> {
    let filter = Filter {
        parent: Some(parent),
        ..claimable(view)
    };
    let row = view.index.first(&filter, Order::Priority, 1, 0)?.pop();
    Ok(row.map(Summary::core))
}

/// Returns the most urgent issue that the caller may start.
pub(crate) fn first_claimable(view: &View<'_>) -> Result<Option<Summary>> {
    let row = view
        .index
        .first(&claimable(view), Order::Priority, 1, 0)?
        .pop();
    Ok(row.map(Summary::core))
}
