//! `rename`: another id for the same issue. References are by identity and stay right.

use serde_json::Value;

use super::update::{Updated, change};
use super::{Error, Result, Tracker};
use crate::model::IssueId;

/// Gives an issue a free id.
///
/// # Errors
/// Not found, a malformed id, or one that is taken.
pub fn rename(tracker: &Tracker, id: &str, new: &str) -> Result<Updated> {
    let new = IssueId::parse(new.trim())?;
    change(tracker, &[id.to_owned()], "rename", |tx, issue, writer| {
        if issue.id() == new.as_str() {
            return Ok(Vec::new());
        }
        if !tx.is_free(new.as_str())? {
            return Err(Error::conflict("taken", format!("{new} is taken")).hinted(format!("git beads show {new}")));
        }
        issue.blob_mut().set(writer, "id", Value::from(new.as_str()));
        Ok(vec!["id"])
    })
}
