//! `delete` and `restore`. Nothing is lost: the issue stays, marked.

use serde_json::{Value, json};

use crate::ops::shared::edit::{Updated, change};
use crate::ops::{Code, Command, Error, Result, Tracker};

/// Deletes issues. Their children stay and are shown at the root.
///
/// # Errors
/// Not found.
pub fn delete(tracker: &Tracker, ids: &[String], reason: Option<&str>) -> Result<Updated> {
    change(tracker, ids, "delete", |_, issue, writer| {
        if issue.is_deleted() {
            return Ok(Vec::new());
        }
        issue
            .blob_mut()
            .set(writer, "deleted", json!({"reason": reason}));
        Ok(vec!["deleted"])
    })
}

/// Brings deleted issues back as they were.
///
/// # Errors
/// Not found, not deleted, or purged.
pub fn restore(tracker: &Tracker, ids: &[String]) -> Result<Updated> {
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
