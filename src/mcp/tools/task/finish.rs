//! `task_done` and `task_reopen`: the end of work on an issue.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{TaskView, TaskViewOptions, required};
use crate::model::Evidence;
use crate::ops::answer::After;
use crate::ops::shared::note::Note;
use crate::ops::verbs::done::{Closed, Done, done_with};
use crate::ops::verbs::reopen::reopen_one;
use crate::ops::{Result, Tracker};

/// Arguments of the `task_done` tool.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskDone {
    #[schemars(required)]
    id: Option<String>,
    #[schemars(required)]
    reason: Option<String>,
    #[serde(default)]
    findings: Vec<String>,
    #[serde(default)]
    decisions: Vec<String>,
    #[serde(flatten)]
    evidence: Evidence,
}

/// Closes an issue, with the last findings and decisions; its epic too if it was the last open child.
pub(crate) fn done(tracker: &Tracker, request: &TaskDone) -> Result<Closed> {
    let id = required(request.id.as_deref(), "Missing required fields: id")?.to_owned();
    let reason = required(request.reason.as_deref(), "reason required")?.to_owned();
    let (findings, decisions) = (request.findings.clone(), request.decisions.clone());
    let note = Note {
        id: id.clone(),
        findings,
        decisions,
        ..Note::default()
    };
    let close = Done {
        ids: vec![id],
        reason: Some(reason),
        evidence: request.evidence.clone(),
        landed: false,
    };
    done_with(tracker, &note, &close)
}

/// Arguments of the `task_reopen` tool.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskReopen {
    #[schemars(required)]
    id: Option<String>,
    #[schemars(required)]
    reason: Option<String>,
    #[serde(flatten)]
    shape: TaskViewOptions,
}

/// Opens a closed issue again.
pub(crate) fn reopen(tracker: &Tracker, request: &TaskReopen) -> Result<TaskView> {
    request.shape.check()?;
    let id = required(request.id.as_deref(), "Missing required fields: id")?.to_owned();
    let reason = required(request.reason.as_deref(), "reason required for reopen")?;
    tracker.write(
        |tx| reopen_one(tx, &id, Some(reason)),
        |uid, view| Ok(TaskView::new(view, uid, &request.shape)?.after(After::Changed)),
    )
}
