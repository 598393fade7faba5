//! `block`: an issue waits for something that no dependency expresses.

use crate::model::Status;
use crate::model::issue::StatusRegister;
use crate::model::limits::check_text;
use crate::ops::shared::claim;
use crate::ops::shared::edit::{Updated, alive, change};
use crate::ops::{Result, Tracker};

/// Marks issues as waiting for something that no dependency expresses.
pub(crate) fn block(tracker: &Tracker, ids: &[String], reason: Option<&str>) -> Result<Updated> {
    change(tracker, ids, "block", |tx, issue, writer| {
        alive(tx, issue)?;
        let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
        check_text("the reason", reason.unwrap_or_default())?;
        claim::end(tx, issue, writer, "block").map_err(|error| claim::repeating(error, reason))?;
        let state = StatusRegister::new(Status::Blocked, reason);
        Ok(if issue.set_state(writer, &state) {
            vec!["status"]
        } else {
            Vec::new()
        })
    })
}
