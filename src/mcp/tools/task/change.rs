//! `task_progress`, `task_update_meta`: changes to an issue while it is worked on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MemoryText, TaskQuestion, TaskView, TaskViewOptions, owned, required};
use crate::model::{Field, FieldMap, Issue, Status, Uid};
use crate::ops::answer::{After, Answer, AnswerKind, Next, Summary};
use crate::ops::shared::edit::edit_all;
use crate::ops::shared::fields::{Update, apply, label_text};
use crate::ops::shared::note::{Note, Recorded, record};
use crate::ops::shared::remote_claim::{send_ends, starting};
use crate::ops::{Code, Command, Error, Result, Tracker, View};

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
    /// Titles of new issues, as bug: TITLE
    #[serde(default)]
    discovered: Vec<String>,
    question: Option<String>,
    #[schemars(extend("enum" = ["open", "in_progress", "blocked", "deferred", "pinned", "hooked"]))]
    status: Option<String>,
    reason: Option<String>,
    memory_limit: Option<i64>,
}

/// The issue after a note, with its memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct TaskProgressed {
    issue: Summary,
    /// The issues that were made of what was discovered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    filed: Vec<String>,
    /// The question that a person is asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    questions: Vec<TaskQuestion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryText>,
    /// Whose claim it was before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
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
        let done = Command::of("done").id(id).flag("-r");
        return Err(
            Error::invalid(message).hinted(match owned(request.reason.as_deref()) {
                Some(reason) => done.text(reason),
                None => done.placeholder("what was done"),
            }),
        );
    }
    let (findings, decisions) = (request.findings.clone(), request.decisions.clone());
    let note = Note {
        id,
        findings,
        decisions,
        question: owned(request.question.as_deref()),
        status,
        reason: owned(request.reason.as_deref()),
        ..Note::default()
    };
    let found = &request.discovered;
    let is_empty = note.is_empty() && found.is_empty();
    if is_empty && request.memory_limit.is_some_and(|limit| limit > 0) {
        return tracker
            .read(|view| TaskProgressed::of(view, view.find(&note.id)?, request.memory_limit));
    }
    if is_empty {
        return Err(Error::invalid(
            "At least one of findings, decisions, discovered, question, status is required",
        ));
    }
    let id = std::slice::from_ref(&note.id);
    let is_start = note.status.as_deref().and_then(Status::parse) == Some(Status::InProgress);
    let (progressed, _) = starting(tracker, id, note.status.as_deref(), || {
        tracker.write(
            |tx| record(tx, &note, found),
            |recorded, view| {
                TaskProgressed::of(view, recorded.uid, request.memory_limit)?.after(view, &recorded)
            },
        )
    })?;
    Ok(match is_start && tracker.is_beside() {
        true => TaskProgressed {
            after: After::Refused(Code::Claimed),
            ..progressed
        },
        false => progressed,
    })
}

impl TaskProgressed {
    /// Returns the answer of an issue with its memory; nothing was written yet.
    fn of(view: &View<'_>, uid: Uid, memory_limit: Option<i64>) -> Result<Self> {
        let shown = TaskView::new(view, uid, &TaskViewOptions::memory(memory_limit))?;
        Ok(Self {
            issue: shown.issue.summary(),
            filed: Vec::new(),
            questions: Vec::new(),
            memory: shown.memory,
            remarks: Vec::new(),
            after: After::Changed,
        })
    }

    fn after(self, view: &View<'_>, recorded: &Recorded) -> Result<Self> {
        let after = recorded.after(view)?;
        let filed = recorded.filed.iter().map(|uid| view.id(*uid));
        let asked = recorded.asked.map(|uid| uid.to_string());
        // Only the one that was just asked: `task_status` has them all.
        let mut questions = match &asked {
            Some(_) => TaskQuestion::all(view, recorded.uid)?,
            None => Vec::new(),
        };
        questions.retain(|question| Some(&question.id) == asked.as_ref());
        Ok(Self {
            filed: filed.collect::<Result<_>>()?,
            questions,
            remarks: recorded.remarks.clone(),
            after,
            ..self
        })
    }
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct UpdateMeta {
    #[schemars(required)]
    id: Option<String>,
    description: Option<String>,
    design: Option<String>,
    acceptance: Option<String>,
    title: Option<String>,
    priority: Option<String>,
    labels: Option<Vec<String>>,
    assignee: Option<String>,
    parent: Option<String>,
    r#type: Option<String>,
    #[serde(flatten)]
    shape: TaskViewOptions,
}

impl UpdateMeta {
    /// Returns the fields to write. An empty text clears a field; one of spaces says nothing.
    fn fields(&self) -> FieldMap<Option<String>> {
        let clearing = |text: &Option<String>| match text.as_deref() {
            Some("") => Some(String::new()),
            text => owned(text),
        };
        let fields = [
            (Field::Description, clearing(&self.description)),
            (Field::Design, clearing(&self.design)),
            (Field::Acceptance, clearing(&self.acceptance)),
            (Field::Assignee, clearing(&self.assignee)),
            (Field::Parent, clearing(&self.parent)),
            // These three are never empty: an empty text is refused with what they take.
            (Field::Title, clearing(&self.title)),
            (Field::Priority, clearing(&self.priority)),
            (Field::Type, clearing(&self.r#type)),
            (
                Field::Labels,
                self.labels().and_then(|labels| label_text(&labels)),
            ),
        ];
        fields.into()
    }

    fn labels(&self) -> Option<Vec<String>> {
        let labels = self.labels.as_ref()?.iter();
        Some(labels.filter_map(|label| owned(Some(label))).collect())
    }

    /// Returns the change of an issue; its labels become those that are named.
    fn changes(&self, issue: &Issue) -> Update {
        let kept = self.labels();
        let mut dropped = issue.labels();
        dropped.retain(|label| kept.as_ref().is_some_and(|kept| !kept.contains(label)));
        Update {
            fields: self.fields(),
            remove_labels: label_text(&dropped),
            ..Update::default()
        }
    }
}

pub(crate) fn update_meta(tracker: &Tracker, request: &UpdateMeta) -> Result<TaskView> {
    request.shape.check()?;
    let id = required(request.id.as_deref(), "Missing required fields: id")?.to_owned();
    if request.fields().is_empty() && request.labels.is_none() {
        return Err(Error::invalid(
            "At least one of description, design, acceptance is required",
        ));
    }
    let view = tracker.write(
        |tx| {
            let ids = std::slice::from_ref(&id);
            let edited = edit_all(tx, ids, "update", |tx, issue, by| {
                let changes = request.changes(issue);
                match changes.is_empty() {
                    // The labels of an issue that has none were cleared.
                    true => Ok(Vec::new()),
                    false => apply(tx, issue, by, &changes),
                }
            })?;
            Ok(edited.uids[0])
        },
        |uid, view| Ok(TaskView::new(view, uid, &request.shape)?.after(After::Changed)),
    )?;
    // Another assignee ends a claim that a remote keeps.
    send_ends(tracker)?;
    Ok(view)
}
