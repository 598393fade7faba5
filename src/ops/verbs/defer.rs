//! `defer`: an issue is paused on purpose.

use crate::model::{Field, Status};
use crate::ops::shared::claim;
use crate::ops::shared::edit::{Updated, alive, change};
use crate::ops::shared::fields::set_field;
use crate::ops::{Result, Tracker};

/// Pauses issues on purpose, until a date or until `unblock`.
pub(crate) fn defer(tracker: &Tracker, ids: &[String], until: Option<&str>) -> Result<Updated> {
    change(tracker, ids, "defer", |tx, issue, writer| {
        alive(tx, issue)?;
        claim::end(tx, issue, writer, "defer")?;
        let mut changed = Vec::new();
        if issue.set_status(writer, Status::Deferred) {
            changed.push("status");
        }
        let until = until.unwrap_or_default();
        if set_field(tx, issue, writer, Field::Defer, until)? {
            changed.push("defer");
        }
        Ok(changed)
    })
}
