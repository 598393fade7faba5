//! What has happened, newest first, as operations with the issues that they are about.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::index::OpFilter;
use crate::ops::answer::Reference;
use crate::ops::shared::operation::Operation;
use crate::ops::{Result, Tracker};

/// The operations that are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LogRequest {
    /// Number of operations before these.
    pub offset: usize,
    pub count: usize,
}

/// Operations.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LogScene {
    pub operations: Vec<LogEntry>,
    pub offset: usize,
    /// True if there are others behind these.
    pub more: bool,
    /// The commit of this state.
    pub seen: String,
}

/// An operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LogEntry {
    #[serde(flatten)]
    pub operation: Operation,
    /// The issue that it is about, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<Reference>,
    /// Number of the issues that it is about.
    pub count: usize,
}

/// Returns operations, newest first.
pub(crate) fn log(tracker: &Tracker, request: &LogRequest) -> Result<LogScene> {
    tracker.read(|view| {
        let log = view.index.oplog();
        // One more says whether there are others: to count them all would take as long as the history is.
        let end = request.offset.saturating_add(request.count);
        let wanted = OpFilter {
            limit: end.saturating_add(1),
            ..OpFilter::default()
        };
        let mut found = log.operations(&wanted)?;
        let more = found.len() > end;
        found.truncate(end);
        found.drain(..request.offset.min(found.len()));
        let touched = log.touched(&found)?;
        let mut operations = Vec::new();
        for (found, uids) in found.into_iter().zip(touched) {
            let issue = match uids[..] {
                [uid] => view.index.row(uid)?.as_ref().map(Reference::from),
                _ => None,
            };
            operations.push(LogEntry {
                operation: Operation::with_words(view, found, None)?,
                issue,
                count: uids.len(),
            });
        }
        Ok(LogScene {
            operations,
            offset: request.offset,
            more,
            seen: view.snapshot().commit().to_string(),
        })
    })
}
