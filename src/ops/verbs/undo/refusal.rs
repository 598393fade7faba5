//! Reasons not to take an edit back.

use std::collections::HashSet;

use serde_json::Value;

use crate::model::delta::Edit;
use crate::model::edge::{BLOCKS, PARENT_CHILD};
use crate::model::{Blob, Edge, Issue, Status, Target, Uid};
use crate::ops::shared::dependency::{check_cycle, check_edge, targets_of};
use crate::ops::{Result, Tx};

/// Returns who has taken an issue over since an operation began the work on it: their claim keeps its status.
pub(super) fn claimed(now: &Issue, after: &Blob, edit: &Edit<'_>) -> Option<String> {
    let Edit::Register {
        key: "status",
        new: Some(new),
        ..
    } = edit
    else {
        return None;
    };
    let begun = new.value.get("s").and_then(Value::as_str) == Some(Status::InProgress.as_str());
    let theirs = now
        .blob()
        .registers
        .get("assignee")
        // Written after the operation began the work, so it is no part of it.
        .filter(|register| register.at > new.at)?;
    let taken_over = after
        .registers
        .get("assignee")
        .is_some_and(|ours| ours.value != theirs.value);
    let name = theirs.value.as_str().filter(|_| begun && taken_over)?;
    Some(format!("{name} works on it now"))
}

/// Returns why an edit must not be taken back: the present state would break a rule that every write keeps. `before` is
/// the issue before the operation.
pub(super) fn refusal(
    tx: &Tx<'_>,
    issue: &Issue,
    before: &Blob,
    edit: &Edit<'_>,
) -> Option<String> {
    let before = Issue::from_blob(issue.uid(), before.clone());
    let outcome = match edit {
        Edit::Register {
            key: "id",
            old: Some(old),
            ..
        } => {
            let id = old.value.as_str().unwrap_or_default();
            match tx.is_free(id, Some(issue.uid())) {
                Ok(free) if free || id == issue.id() => Ok(()),
                Ok(_) => return Some(format!("another issue is called {id} now")),
                Err(error) => Err(error),
            }
        }
        Edit::Register {
            key: "parent",
            old: Some(old),
            ..
        } => {
            let mut then = issue.clone();
            then.blob_mut()
                .registers
                .insert("parent".to_owned(), (*old).clone());
            let parent = then.parent().map(|(target, _)| target);
            check(tx, (issue, &before), PARENT_CHILD, parent.as_ref())
        }
        Edit::Element {
            set: "deps",
            key,
            old: Some(old),
            ..
        } if old.live => match Edge::parse(key, old) {
            Some(edge) => check(tx, (issue, &before), &edge.kind, Some(&edge.target)),
            None => Ok(()),
        },
        _ => Ok(()),
    };
    outcome.err().map(|error| error.message)
}

/// Checks an edge that would be there again; what it leads to may be gone.
fn check(
    tx: &Tx<'_>,
    (issue, before): (&Issue, &Issue),
    kind: &str,
    target: Option<&Target>,
) -> Result<()> {
    match target {
        Some(Target::Uid(uid)) if tx.view.snapshot().issue(*uid)?.is_some() => {
            // A merge can bring what no write may make, and an undo brings that back too.
            match was_beside(issue, before, kind) {
                true => check_cycle(tx, issue, *uid, kind),
                false => check_edge(tx, issue, *uid, kind),
            }
        }
        _ => Ok(()),
    }
}

/// Returns true if an edge of a kind was there beside the edges of the other kind that the issue has now.
fn was_beside(issue: &Issue, before: &Issue, kind: &str) -> bool {
    let parent = |issue: &Issue| issue.parent().map(|(target, _)| target);
    match kind {
        BLOCKS => parent(issue) == parent(before),
        _ => {
            let awaited: HashSet<Uid> = targets_of(before, BLOCKS).collect();
            targets_of(issue, BLOCKS).all(|target| awaited.contains(&target))
        }
    }
}
