//! Claims with a lease whose agents leave no trace on this machine: each exchange notes how it has found them.

use crate::index::{Condition, Order};
use crate::model::{Issue, Party};
use crate::ops::tracker::{LEAST_SILENCE, last_written};
use crate::ops::{Result, Tracker, View};
use crate::store::seen_claims::FoundClaim;

/// So many of what is in progress are looked at.
const MOST_HELD: usize = 1000;

/// Notes which such claims there are, and the last operation of the agent of each.
pub(super) fn note_claims(tracker: &Tracker) -> Result<()> {
    let store = tracker.store();
    let found = tracker.read(found)?;
    let known = store.seen_claims();
    if known.are_any() || !found.is_empty() {
        known.keep(store, &found);
    }
    Ok(())
}

fn found(view: &View<'_>) -> Result<Vec<FoundClaim>> {
    let in_progress = Condition::in_progress();
    let rows = view
        .index
        .first(&in_progress, Order::Priority, MOST_HELD, 0)?;
    let agents = view.tracker.store().agents();
    let mut held: Vec<(Issue, Party)> = Vec::new();
    for row in rows {
        let (Some(person), Some(agent)) = (row.assignee, row.agent) else {
            continue;
        };
        if agents.idle(&person, &agent).is_some() {
            continue;
        }
        let issue = view.issue(row.uid)?;
        let agent = Some(agent);
        if issue.lease().is_some_and(|lease| lease >= LEAST_SILENCE) {
            held.push((issue, Party { person, agent }));
        }
    }
    // All that was ever done is counted: mostly there is no such claim.
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let tallies = view.index.oplog().tallies()?;
    let mut found = Vec::new();
    for (issue, holder) in held {
        found.push(FoundClaim {
            issue: issue.uid(),
            claim: issue.work_stamp(),
            wrote: last_written(&tallies, &holder),
        });
    }
    Ok(found)
}
