//! `update`, and its thin forms `label`, `assign`, `priority`: fields of one or more issues.

use crate::model::Field;
use crate::ops::shared::edit::{Updated, change};
use crate::ops::shared::fields::{apply, example};
use crate::ops::shared::remote_claim::starting;
use crate::ops::{Error, Result, Tracker};

pub use crate::ops::shared::fields::Update;

/// Changes fields, all issues in one commit.
pub fn update(tracker: &Tracker, request: &Update) -> Result<Updated> {
    if request.ids.is_empty() {
        return Err(Error::invalid("no ID given").hinted(example("ID")));
    }
    let ids = &request.ids;
    let (mut updated, is_started) = starting(tracker, ids, request.status(), || {
        change(tracker, ids, "update", |tx, issue, writer| {
            apply(tx, issue, writer, request)
        })
    })?;
    let status = Field::Status.key();
    // The start was a change before this one.
    if is_started && !updated.changed.iter().any(|field| field == status) {
        updated.changed.insert(0, status.to_owned());
    }
    Ok(updated)
}

/// The answer to a change that changes nothing.
pub(crate) fn unchanged(tracker: &Tracker, ids: &[String]) -> Result<Updated> {
    change(tracker, ids, "update", |_, _, _| Ok(Vec::new()))
}
