//! What can be started next.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::index::{Condition, Fact, Order, Row, Sort};
use crate::model::edge::PARENT_CHILD;
use crate::model::{Party, Uid};
use crate::ops::answer::After;
use crate::ops::{Result, View};
use crate::store::agents::AgentFiles;

/// The shortest lease.
const MINUTE: Duration = Duration::from_secs(60);
/// The least urgent priority.
const LAST: i64 = 4;
/// So many of what is in progress are looked at for one that was left.
const MOST_HELD: usize = 256;

/// Returns the state of a caller that is free for work: for its own, else for anything that it may start.
pub(crate) fn free(view: &View<'_>) -> Result<After> {
    free_in(view, &Fact::Open.into(), Order::Priority)
}

/// The same, of what a condition lets through.
pub(crate) fn free_in(view: &View<'_>, asked: &Condition, sort: impl Into<Sort>) -> Result<After> {
    let has_own = !own_work(view, &[])?.is_empty();
    let claimable = !has_own && first_to_take(view, asked, sort)?.is_some();
    Ok(After::Free { has_own, claimable })
}

/// Returns what the caller has in progress. What is above other work of it is not counted, and what is above issues that
/// have ended just now: such an epic is in progress by them.
pub(crate) fn own_work(view: &View<'_>, ended: &[Uid]) -> Result<Vec<Row>> {
    let own = Condition::from(Fact::Open).and(Fact::Holder(view.tracker.party()));
    let mut rows = view.index.first(&own, Order::Priority, MOST_HELD, 0)?;
    if rows.len() + ended.len() < 2 {
        return Ok(rows);
    }
    let mut above = BTreeSet::new();
    let mut below: Vec<Uid> = rows.iter().map(|row| row.uid).collect();
    below.extend(ended);
    while let Some(uid) = below.pop() {
        for parent in view.index.edges().targets(uid, PARENT_CHILD)? {
            if above.insert(parent) {
                below.push(parent);
            }
        }
    }
    rows.retain(|row| !above.contains(&row.uid));
    Ok(rows)
}

/// Narrows a condition to what the caller can be handed: to an agent, nothing that waits for a person.
pub(crate) fn handed(view: &View<'_>, condition: Condition) -> Condition {
    let caller = view.tracker.party();
    match caller.agent {
        Some(_) => condition.and(Fact::HandedTo(caller)),
        None => condition,
    }
}

/// Returns the most urgent issue that the caller may start, of all or of the children of one.
pub(crate) fn first_claimable(view: &View<'_>, parent: Option<Uid>) -> Result<Option<Row>> {
    let mut asked = Condition::from(Fact::Open);
    if let Some(parent) = parent {
        asked = asked.and(Fact::Child(parent));
    }
    first_to_take(view, &asked, Order::Priority)
}

/// Returns the first issue of a condition that the caller may start: one that is ready and not assigned to another, or one
/// that is more urgent and whose agent has left it.
pub(crate) fn first_to_take(
    view: &View<'_>,
    asked: &Condition,
    sort: impl Into<Sort>,
) -> Result<Option<Row>> {
    let startable = handed(view, asked.clone())
        .ready(view.now())
        .and(Fact::FreeFor(view.tracker.actor().to_owned()));
    let ready = view.index.first(&startable, sort, 1, 0)?.pop();
    // Only what is more urgent: of the same urgency, what is ready has been waiting for someone.
    let below = ready.as_ref().map_or(LAST + 1, |ready| ready.priority);
    let left = first_left(view, asked, below)?;
    Ok(left.or(ready))
}

/// Returns the most urgent issue more urgent than `below` whose agent has left it, as far as this machine knows: its lease
/// is over, or, where it is an agent of the same person, its client or its session has ended.
fn first_left(view: &View<'_>, asked: &Condition, below: i64) -> Result<Option<Row>> {
    let store = view.tracker.store();
    let (agents, silent) = (store.agents(), store.seen_claims());
    // Mostly there is none, and a question to the index costs a quarter of a command.
    if below == 0 || !(agents.are_any() || silent.are_any()) {
        return Ok(None);
    }
    let held = handed(view, asked.clone())
        .and(Condition::in_progress())
        .and(Fact::Priority(0, below - 1));
    let caller = view.tracker.party();
    // Each agent is looked for once, however much it holds.
    let mut known = BTreeMap::new();
    for row in view.index.first(&held, Order::Priority, MOST_HELD, 0)? {
        let Some(holder) = holder(&row).filter(|holder| *holder != caller) else {
            continue;
        };
        let is_left = *known
            .entry(holder.clone())
            .or_insert_with(|| may_have_left(agents, &holder));
        if !is_left && !silent.has(row.uid) {
            continue;
        }
        // A look at files first: the lease itself is read from the issue.
        let absence = view.absence(&view.issue(row.uid)?, &holder);
        if absence.is_some_and(|absence| absence.frees_for(&caller, &holder)) {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// Returns who works on an issue.
fn holder(row: &Row) -> Option<Party> {
    Some(Party {
        person: row.assignee.clone()?,
        agent: row.agent.clone(),
    })
}

/// Returns whether an agent can have left what it holds.
fn may_have_left(agents: AgentFiles<'_>, holder: &Party) -> bool {
    let (person, Some(agent)) = (&holder.person, &holder.agent) else {
        return false;
    };
    agents
        .idle(person, agent)
        .is_some_and(|idle| idle >= MINUTE)
        || agents.has_left(person, agent).is_some()
}
