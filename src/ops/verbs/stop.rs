//! `stop`: gives back what was started.

use crate::index::{Condition, Fact, Order};
use crate::model::Status;
use crate::ops::shared::claim::release;
use crate::ops::shared::edit::{Updated, alive, change};
use crate::ops::{Command, Error, Result, Tracker, View};

/// Opens issues again that were started, and gives them back to who they were assigned to before; without ids, all
/// that the caller works on.
pub(crate) fn stop(tracker: &Tracker, ids: &[String]) -> Result<Updated> {
    let own = if ids.is_empty() {
        let own = tracker.read(own)?;
        if own.is_empty() {
            let message = format!("nothing is in progress by {}", tracker.party());
            return Err(Error::invalid(message).hinted(Command::of("status")));
        }
        own
    } else {
        ids.to_vec()
    };
    change(tracker, &own, "stop", |tx, issue, writer| {
        alive(tx, issue)?;
        // Of all that were listed without the lock, some may have ended since.
        if ids.is_empty() && issue.holder() != Some(tracker.party()) {
            return Ok(Vec::new());
        }
        if issue.status() != Status::InProgress {
            let message = format!("{} is {}, not in progress", issue.id(), issue.status());
            return Err(Error::invalid(message).hinted(Command::of("show").id(issue.id())));
        }
        release(tx, issue, writer)?;
        Ok(vec!["status"])
    })
}

/// Returns the ids of all that the caller works on.
fn own(view: &View<'_>) -> Result<Vec<String>> {
    let caller = view.tracker.party();
    let own = Condition::in_progress().and(Fact::Assignee((&caller.person).into()));
    let mut ids = Vec::new();
    for row in view
        .index
        .page(&own, Order::Priority, i32::MAX as usize, 0)?
        .rows
    {
        if view.issue(row.uid)?.holder().as_ref() == Some(&caller) {
            ids.push(row.uid.to_string());
        }
    }
    Ok(ids)
}
