//! `task_done` and `task_reopen`: the end of work on an issue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::start::{TaskStart, TaskStarted, start};
use super::{TaskView, TaskViewOptions, required};
use crate::model::Evidence;
use crate::ops::answer::{After, Answer, AnswerKind, Next, Summary};
use crate::ops::shared::note::Note;
use crate::ops::verbs::done::{Closed, Done, done_with};
use crate::ops::verbs::reopen::reopen_one;
use crate::ops::{Result, Tracker};

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
    commit: Option<String>,
    pr: Option<String>,
    file: Option<String>,
    #[serde(default)]
    start_next: bool,
}

impl TaskDone {
    fn evidence(&self) -> Evidence {
        let (commit, pr, file) = (self.commit.clone(), self.pr.clone(), self.file.clone());
        Evidence { commit, pr, file }
    }
}

/// What has ended, and what is next.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TaskClosed {
    /// Said in any case: `null` tells an agent that there is nothing for it to go on with.
    next_ready: Option<Summary>,
    #[serde(flatten)]
    closed: Closed,
    /// What was ready next, where it was started at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<TaskStarted>,
    #[serde(skip)]
    next: Next,
}

impl Answer for TaskClosed {
    fn kind(&self) -> AnswerKind {
        self.closed.kind()
    }
    fn next(&self) -> Next {
        self.next
    }
}

/// Closes an issue, with the last findings and decisions; its epic too if it was the last open child.
pub(crate) fn done(tracker: &Tracker, request: &TaskDone) -> Result<TaskClosed> {
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
        evidence: request.evidence(),
        landed: false,
    };
    let mut closed = done_with(tracker, &note, &close)?;
    let mut answer = TaskClosed {
        next: closed.next(),
        next_ready: closed.next_ready.take(),
        closed,
        started: None,
    };
    if request.start_next && answer.next == Next::StartNextReady {
        answer.start_next(tracker);
    }
    Ok(answer)
}

impl TaskClosed {
    /// Starts what is ready next. What has ended stays so where that fails: the answer says why.
    fn start_next(&mut self, tracker: &Tracker) {
        let parent = self.next_ready.as_ref().and_then(|it| it.parent.clone());
        match start(tracker, &TaskStart::next(parent)) {
            Ok(started) => {
                self.next = started.next();
                self.next_ready = None;
                self.started = Some(started);
            }
            Err(error) => self.closed.remarks.push(error.message),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskReopen {
    #[schemars(required)]
    id: Option<String>,
    #[schemars(required)]
    reason: Option<String>,
    #[serde(flatten)]
    shape: TaskViewOptions,
}

pub(crate) fn reopen(tracker: &Tracker, request: &TaskReopen) -> Result<TaskView> {
    request.shape.check()?;
    let id = required(request.id.as_deref(), "Missing required fields: id")?.to_owned();
    let reason = required(request.reason.as_deref(), "reason required for reopen")?;
    tracker.write(
        |tx| reopen_one(tx, &id, Some(reason)),
        |uid, view| Ok(TaskView::new(view, uid, &request.shape)?.after(After::Changed)),
    )
}
