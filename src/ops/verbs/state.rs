//! `block`, `unblock`, `defer`: an issue waits, or does so no longer.

use serde_json::Value;

use crate::model::issue::StatusRegister;
use crate::model::limits::check_text;
use crate::model::{Issue, Status};
use crate::ops::shared::edit::{Updated, change};
use crate::ops::shared::fields::set_date;
use crate::ops::{Code, Command, Error, Result, Tracker, Tx};

/// Marks issues as waiting for something that no dependency expresses.
///
/// # Errors
/// Not found, closed or deleted.
pub fn block(tracker: &Tracker, ids: &[String], reason: Option<&str>) -> Result<Updated> {
    change(tracker, ids, "block", |tx, issue, writer| {
        alive(tx, issue)?;
        let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
        check_text("the reason", reason.unwrap_or_default())?;
        let state = StatusRegister {
            status: Status::Blocked,
            reason: reason.map(str::to_owned),
            auto: false,
        };
        Ok(if issue.set_state(writer, &state) {
            vec!["status"]
        } else {
            Vec::new()
        })
    })
}

/// Opens issues that were blocked or deferred.
///
/// # Errors
/// Not found, or in another status.
pub fn unblock(tracker: &Tracker, ids: &[String]) -> Result<Updated> {
    change(tracker, ids, "unblock", |tx, issue, writer| {
        alive(tx, issue)?;
        let id = issue.id().to_owned();
        match tx.status(issue.uid())? {
            Status::Blocked | Status::Deferred => {}
            Status::Open => {
                let hint = Command::of("dep").word("tree").id(&id);
                return Err(Error::new(
                    Code::NotBlocked,
                    format!("{id} is open; only its dependencies can hold it"),
                )
                .hinted(hint));
            }
            other => {
                return Err(
                    Error::new(Code::NotBlocked, format!("{id} is {other}, not blocked"))
                        .hinted(Command::of("show").id(id)),
                );
            }
        }
        issue.set_status(writer, Status::Open);
        issue.blob_mut().set(writer, "defer", Value::Null);
        Ok(vec!["status"])
    })
}

/// Pauses issues on purpose, until a date or until `unblock`.
///
/// # Errors
/// Not found, closed or deleted, or a date that can't be read.
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

fn alive(tx: &Tx<'_>, issue: &Issue) -> Result<()> {
    let id = issue.id();
    match tx.status(issue.uid())? {
        Status::Tombstone => {
            Err(Error::invalid(format!("{id} is deleted")).hinted(Command::of("restore").id(id)))
        }
        Status::Closed => Err(Error::new(Code::Closed, format!("{id} is closed"))
            .hinted(Command::of("reopen").id(id))),
        _ => Ok(()),
    }
}
