//! `unblock`: an issue that was blocked or deferred is open again.

use serde_json::Value;

use crate::model::Status;
use crate::ops::shared::edit::{Updated, alive, change};
use crate::ops::{Code, Command, Error, Result, Tracker};

/// Opens issues that were blocked or deferred.
pub(crate) fn unblock(tracker: &Tracker, ids: &[String]) -> Result<Updated> {
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
