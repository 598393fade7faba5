//! `rename`: another id for the same issue. References are by identity and stay right, and what names the former id
//! finds the issue still.

use serde_json::Value;

use super::create::free;
use super::update::{Updated, change};
use crate::model::id::child_number;
use crate::model::{IssueId, Status};
use crate::ops::{Result, Tracker, Tx};

/// Gives an issue a free id; its own former ids are free to it.
///
/// # Errors
/// Not found, a malformed id, or one that is taken.
pub fn rename(tracker: &Tracker, id: &str, new: &str) -> Result<Updated> {
    let new = IssueId::parse(new.trim())?;
    let old = tracker.read(|view| view.id(view.find(id)?))?;
    let renamed = change(tracker, &[id.to_owned()], "rename", |tx, issue, writer| {
        if issue.id() == new.as_str() {
            return Ok(Vec::new());
        }
        free(tx, new.as_str(), Some(issue.uid()))?;
        remember_number(tx, issue.id())?;
        tx.subject(format!("rename {} to {new}", issue.id()));
        issue.rename(writer, &new);
        Ok(vec!["id"])
    })?;
    rename_branches(tracker, &old, new.as_str());
    Ok(renamed)
}

/// The branches of this clone are still about an issue that has another id.
pub(crate) fn rename_branches(tracker: &Tracker, old: &str, new: &str) {
    if let Err(error) = tracker.store().rename_branch_issue(old, new) {
        tracker.warn(format!("its branch still names {old}: {error}"));
    }
}

/// Notes at the parent that a child's number was used, so that it is not given again.
pub(crate) fn remember_number(tx: &mut Tx<'_>, id: &str) -> Result<()> {
    let Some((above, _)) = id.rsplit_once('.') else {
        return Ok(());
    };
    let Some(number) = child_number(above, id) else {
        return Ok(());
    };
    let Some(parent) = tx
        .view
        .index
        .ids()
        .issues_with_id(above)?
        .into_iter()
        .next()
    else {
        return Ok(());
    };
    if tx.status(parent)? == Status::Tombstone {
        return Ok(());
    }
    let mut parent = tx.issue(parent)?;
    if parent.blob().value("last_child").as_u64().unwrap_or(0) < number {
        let writer = tx.writer(&parent)?;
        parent
            .blob_mut()
            .set(&writer, "last_child", Value::from(number));
        tx.put(parent);
    }
    Ok(())
}
