//! What can be started next.

use std::time::Duration;

use crate::index::{Filter, Order, Row};
use crate::model::status::IN_PROGRESS;
use crate::model::{Party, Uid};
use crate::ops::short_hash;
use crate::ops::tracker::{Absence, ClaimPolicy};
use crate::ops::{Result, View};
use crate::store::lease_book::{HeldLease, SeenLease};

/// The shortest lease.
const MINUTE: Duration = Duration::from_secs(60);
/// So many of the first issues are spread over the callers.
const SPREAD: usize = 16;
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
    let ready = match view.tracker.claim_policy()? {
        ClaimPolicy::Local => view.index.first(&filter, order, 1, 0)?.pop(),
        _ => first_free(view, &filter, order)?,
    };
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

/// Returns one of the first issues that no other clone has at the remote, as far as is known here. Those of the same
/// priority are spread over the callers: else all of them would want the same one.
fn first_free(view: &View<'_>, filter: &Filter, order: Order) -> Result<Option<Row>> {
    let book = view.tracker.store().agents().leases().read();
    let mut rows = view.index.first(filter, order, MOST_HELD, 0)?;
    rows.retain(|row| book.barred(row.uid).is_none());
    let priority = rows.first().map(|row| row.priority);
    // Only among equals: what is more urgent comes first for all.
    rows.truncate(SPREAD);
    rows.retain(|row| Some(row.priority) == priority);
    let at = match rows.len() {
        0 => return Ok(None),
        count => spread(&view.tracker.party()) % count,
    };
    Ok(Some(rows.swap_remove(at)))
}

/// Returns a number that differs from caller to caller, and stays for each.
fn spread(caller: &Party) -> usize {
    let bytes = short_hash(&caller.to_string()).into_bytes();
    bytes
        .iter()
        .fold(0, |number, byte| number * 31 + usize::from(*byte))
}

/// Returns the most urgent issue whose agent has let its lease pass, as far as this machine knows.
fn first_left(view: &View<'_>, asked: &Filter) -> Result<Option<Row>> {
    let store = view.tracker.store();
    let (agents, book) = (store.agents(), store.agents().leases().read());
    // Mostly there is none, and a question to the index costs a quarter of a command.
    let is_any_over =
        book.seen.values().any(SeenLease::is_over) || book.held.values().any(HeldLease::is_unsure);
    if !agents.is_any_idle(MINUTE) && !is_any_over {
        return Ok(None);
    }
    let held = Filter {
        statuses: vec![IN_PROGRESS.to_owned()],
        ..asked.clone()
    };
    for row in view.index.first(&held, Order::Priority, MOST_HELD, 0)? {
        let Some(person) = &row.assignee else {
            continue;
        };
        let holder = Party {
            person: person.clone(),
            agent: row.agent.clone(),
        };
        // The look at a file first: the lease itself is read from the issue.
        let idle = row
            .agent
            .as_ref()
            .and_then(|agent| agents.idle(person, agent));
        let is_over = book.seen.get(&row.uid).is_some_and(SeenLease::is_over)
            || book.held.get(&row.uid).is_some_and(HeldLease::is_unsure);
        let is_left = is_over || idle.is_some_and(|idle| idle >= MINUTE);
        if !is_left || holder == view.tracker.party() {
            continue;
        }
        let absence = view.tracker.absence(&view.issue(row.uid)?, &holder);
        if matches!(absence, Some(Absence::Stale { .. })) {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
