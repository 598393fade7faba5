//! `task_progress`, `task_update_meta`, `task_link`: changes to an issue while it is worked on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MemoryText, TaskView, TaskViewOptions, check_ids, owned, required};
use crate::model::Field;
use crate::model::Status;
use crate::ops::answer::{After, Answer, AnswerKind, Next, Summary};
use crate::ops::shared::edit::edit_all;
use crate::ops::shared::fields::{Update, apply};
use crate::ops::shared::next_ready::is_any_claimable;
use crate::ops::verbs::dep;
use crate::ops::verbs::dep::Dep;
use crate::ops::verbs::note;
use crate::ops::verbs::note::Note;
use crate::ops::{Code, Command, Error, Result, Tracker};

pub(crate) use crate::ops::verbs::dep::Linked;

/// `task_progress`: findings, decisions, a new status.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskProgress {
    #[schemars(required)]
    id: Option<String>,
    /// FACTS: observations, repros, measurements, logs
    #[serde(default)]
    findings: Vec<String>,
    /// WHY: choice, rationale, tradeoffs
    #[serde(default)]
    decisions: Vec<String>,
    #[schemars(extend("enum" = ["open", "in_progress", "blocked", "deferred", "pinned", "hooked"]))]
    status: Option<String>,
    memory_limit: Option<i64>,
}

/// The issue after a note, with its memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct TaskProgressed {
    issue: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryText>,
    #[serde(skip)]
    after: After,
}

impl Answer for TaskProgressed {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Progress
    }
    fn next(&self) -> Next {
        self.after.next()
    }
}

/// Records findings and decisions, and sets the status; `in_progress` claims the issue.
pub(crate) fn progress(tracker: &Tracker, request: &TaskProgress) -> Result<TaskProgressed> {
    let id = required(request.id.as_deref(), "Missing required fields: id")?.to_owned();
    let status = owned(request.status.as_deref());
    if matches!(
        status.as_deref().and_then(Status::parse),
        // Before the write, with the words of a tool: `note` would name a command.
        Some(Status::Closed | Status::Tombstone)
    ) {
        let message = "task_progress does not close an issue; use task_done(id, reason)";
        return Err(Error::invalid(message).hinted(
            Command::of("done")
                .id(id)
                .flag("-r")
                .placeholder("what was done"),
        ));
    }
    let (findings, decisions) = (request.findings.clone(), request.decisions.clone());
    let note = Note {
        id,
        findings,
        decisions,
        comments: Vec::new(),
        status,
    };
    if note.is_empty() {
        return Err(Error::invalid(
            "At least one of findings, decisions, status is required",
        ));
    }
    tracker.write(
        |tx| {
            let uid = tx.find(&note.id)?;
            let before = tx.status(uid)?;
            let added = note::add(tx, uid, &note)?;
            let issue = tx.issue(uid)?;
            tx.subject(format!("note {}: {} added", issue.id(), added.len()));
            let aside = note.status.is_some() && is_put_aside(&before, &issue.status());
            Ok((uid, aside))
        },
        |(uid, aside), view| {
            let shown = TaskView::new(view, uid, &TaskViewOptions::memory(request.memory_limit))?;
            let after = match aside {
                true => After::Free {
                    claimable: is_any_claimable(view)?,
                },
                false => After::Changed,
            };
            Ok(TaskProgressed {
                issue: shown.issue.summary(),
                memory: shown.memory,
                after,
            })
        },
    )
}

/// Returns whether a change of status puts the issue aside, so that its caller is free for another.
fn is_put_aside(before: &Status, now: &Status) -> bool {
    match now {
        Status::Blocked | Status::Deferred => true,
        Status::Open => *before == Status::InProgress,
        _ => false,
    }
}

/// `task_update_meta`: the texts of an issue.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct UpdateMeta {
    #[schemars(required)]
    id: Option<String>,
    description: Option<String>,
    design: Option<String>,
    acceptance: Option<String>,
    #[serde(flatten)]
    shape: TaskViewOptions,
}

/// Replaces description, design, acceptance.
pub(crate) fn update_meta(tracker: &Tracker, request: &UpdateMeta) -> Result<TaskView> {
    request.shape.check()?;
    let id = required(request.id.as_deref(), "Missing required fields: id")?.to_owned();
    let text = |text: &Option<String>| owned(text.as_deref());
    let fields = [
        (Field::Description, text(&request.description)),
        (Field::Design, text(&request.design)),
        (Field::Acceptance, text(&request.acceptance)),
    ];
    let changes = Update {
        fields: fields.into(),
        ..Update::default()
    };
    if changes.is_empty() {
        return Err(Error::invalid(
            "At least one of description, design, acceptance is required",
        ));
    }
    tracker.write(
        |tx| {
            let ids = std::slice::from_ref(&id);
            let edited = edit_all(tx, ids, "update", |tx, issue, by| {
                apply(tx, issue, by, &changes)
            })?;
            Ok(edited.uids[0])
        },
        |uid, view| Ok(TaskView::new(view, uid, &request.shape)?.after(After::Changed)),
    )
}

/// `task_link`: what an issue waits for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskLink {
    #[schemars(required)]
    id: Option<String>,
    #[schemars(required)]
    depends_on: Option<Vec<String>>,
    dep_type: Option<String>,
}

/// Adds dependencies, all or none.
pub(crate) fn link(tracker: &Tracker, request: &TaskLink) -> Result<Linked> {
    let id = required(request.id.as_deref(), "Missing required fields: id")?.to_owned();
    let on = request.depends_on.clone().unwrap_or_default();
    if on.is_empty() {
        return Err(Error::invalid("depends_on required"));
    }
    if on.iter().any(|entry| entry.trim().is_empty()) {
        return Err(Error::invalid(
            "depends_on entries must be non-empty strings",
        ));
    }
    check_ids(tracker, &on)?;
    let request = Dep {
        id,
        on,
        kind: owned(request.dep_type.as_deref()),
    };
    dep::add(tracker, &request).map_err(|mut error| {
        if error.is(Code::SelfDependency) {
            error.message = "depends_on cannot include the issue id itself".to_owned();
        }
        error
    })
}
