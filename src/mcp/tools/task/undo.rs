//! `task_undo`: takes back what the calling agent did last.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::owned;
use crate::ops::answer::{After, Answer, AnswerKind, Next};
use crate::ops::verbs::undo::{Left, Undo, undo};
use crate::ops::{Result, Tracker};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskUndo {
    id: Option<String>,
}

/// The operation that was taken back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct TaskUndone {
    /// The first issue that it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Subject of the operation.
    undone: String,
    /// Fields that were written since and are left as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left: Vec<Left>,
    /// The caller, whose operation it was.
    you: String,
    /// What another did on the issue since, which stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
}

impl Answer for TaskUndone {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Updated
    }
    fn next(&self) -> Next {
        After::Changed.next()
    }
}

/// Takes back the last operation of the calling agent, or its last one on an issue; not that of another agent of
/// the same person.
pub(crate) fn undo_last(tracker: &Tracker, request: &TaskUndo) -> Result<TaskUndone> {
    let id = owned(request.id.as_deref());
    let request = Undo {
        id: id.clone(),
        only_last: true,
        ..Undo::default()
    };
    let undone = undo(tracker, &request)?;
    let first = undone.issues.into_iter().next().map(|issue| issue.id);
    let mut operations = undone.operations.into_iter();
    Ok(TaskUndone {
        id: id.or(first),
        undone: operations.next().map(|it| it.subject).unwrap_or_default(),
        left: undone.left,
        you: tracker.party().to_string(),
        kept: undone
            .newer
            .map(|it| format!("{} (by {})", it.subject, it.actor)),
    })
}
