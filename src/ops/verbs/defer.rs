//! `defer`: an issue is paused on purpose.

use crate::model::Status;
use crate::ops::shared::edit::{Updated, alive, change};
use crate::ops::shared::fields::set_date;
use crate::ops::{Result, Tracker};

/// Pauses issues on purpose, until a date or until `unblock`.
pub fn defer(tracker: &Tracker, ids: &[String], until: Option<&str>) -> Result<Updated> {
    change(tracker, ids, "defer", |tx, issue, writer| {
        alive(tx, issue)?;
        let mut changed = Vec::new();
        if issue.set_status(writer, Status::Deferred) {
            changed.push("status");
        }
        if set_date(tx, issue, writer, "defer", until.unwrap_or_default())? {
            changed.push("defer");
        }
        Ok(changed)
    })
}
