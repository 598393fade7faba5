//! `restore`: brings deleted issues back.

use serde_json::Value;

use crate::ops::shared::edit::{Updated, change};
use crate::ops::{Code, Command, Error, Result, Tracker};

/// Brings deleted issues back as they were.
pub(crate) fn restore(tracker: &Tracker, ids: &[String]) -> Result<Updated> {
    change(tracker, ids, "restore", |_, issue, writer| {
        let id = issue.id();
        if !issue.is_deleted() {
            return Err(Error::new(Code::NotDeleted, format!("{id} is not deleted"))
                .hinted(Command::of("show").id(id)));
        }
        issue.blob_mut().set(writer, "deleted", Value::Null);
        Ok(vec!["deleted"])
    })
}
