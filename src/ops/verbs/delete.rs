//! `delete`. Nothing is lost: the issue stays, marked.

use serde_json::json;

use crate::ops::shared::claim;
use crate::ops::shared::edit::{Updated, change};
use crate::ops::{Result, Tracker};

/// Deletes issues. Their children stay and are shown at the root.
pub(crate) fn delete(tracker: &Tracker, ids: &[String], reason: Option<&str>) -> Result<Updated> {
    change(tracker, ids, "delete", |tx, issue, writer| {
        if issue.is_deleted() {
            return Ok(Vec::new());
        }
        claim::tell(tx, issue, "delete");
        issue
            .blob_mut()
            .set(writer, "deleted", json!({"reason": reason}));
        Ok(vec!["deleted"])
    })
}
