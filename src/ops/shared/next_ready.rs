//! What can be started next.

use std::time::Duration;

use crate::index::{Filter, Order, Row};
use crate::model::status::IN_PROGRESS;
use crate::model::{Party, Uid};
use crate::ops::tracker::Absence;
use crate::ops::{Result, View};

/// The shortest lease.
const MINUTE: Duration = Duration::from_secs(60);
/// So many of what is in progress are looked at for one that was left.
const MOST_HELD: usize = 256;

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
    first_to_take(view, &asked, Order::Priority)
}

/// Returns the first issue of a filter that the caller may start: one that is ready, or one that is more urgent and
/// whose agent has let its lease pass.
pub(crate) fn first_to_take(view: &View<'_>, asked: &Filter, order: Order) -> Result<Option<Row>> {
    let filter = may_start(view, asked.clone());
    let ready = view.index.first(&filter, order, 1, 0)?.pop();
    let left = first_left(view, asked)?;
    let is_first = |left: &Row| {
        ready
            .as_ref()
            .is_none_or(|ready| left.priority < ready.priority)
    };
    Ok(match left.filter(is_first) {
        Some(left) => Some(left),
        None => ready,
    })
}

/// Returns the most urgent issue whose agent has let its lease pass, as far as this machine knows.
fn first_left(view: &View<'_>, asked: &Filter) -> Result<Option<Row>> {
    let agents = view.tracker.store().agents();
    // Mostly there is none, and a question to the index costs a quarter of a command.
    if !agents.is_any_idle(MINUTE) {
        return Ok(None);
    }
    let held = Filter {
        statuses: vec![IN_PROGRESS.to_owned()],
        ..asked.clone()
    };
    for row in view.index.first(&held, Order::Priority, MOST_HELD, 0)? {
        let (Some(person), Some(agent)) = (&row.assignee, &row.agent) else {
            continue;
        };
        let holder = Party {
            person: person.clone(),
            agent: Some(agent.clone()),
        };
        // The look at a file first: the lease itself is read from the issue.
        let is_idle = agents
            .idle(person, agent)
            .is_some_and(|idle| idle >= MINUTE);
        if !is_idle || holder == view.tracker.party() {
            continue;
        }
        let absence = view.tracker.absence(&view.issue(row.uid)?, &holder);
        if matches!(absence, Some(Absence::Stale { .. })) {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
