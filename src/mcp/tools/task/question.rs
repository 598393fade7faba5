//! Questions to people, as an agent reads them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::Uid;
use crate::ops::answer::Question;
use crate::ops::shared::question::questions;
use crate::ops::{Result, View};

/// A question to people, and its answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct TaskQuestion {
    pub(crate) id: String,
    q: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    /// The person who has answered, and the day.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

impl TaskQuestion {
    /// Returns the questions of an issue, oldest first.
    pub(crate) fn all(view: &View<'_>, uid: Uid) -> Result<Vec<Self>> {
        let questions = questions(view, uid)?.into_iter();
        Ok(questions.map(Self::from).collect())
    }
}

impl From<Question> for TaskQuestion {
    fn from(question: Question) -> Self {
        let (by, at) = (&question.answered_by, &question.answered_at);
        let by = by.as_deref().zip(at.as_deref());
        Self {
            by: by.map(|(by, at)| source(by, at)),
            id: question.entry.id,
            q: question.entry.text,
            answer: question.answer,
        }
    }
}

/// Returns an author and the day of a time.
pub(super) fn source(by: &str, at: &str) -> String {
    let day = at.get(..10).unwrap_or(at);
    format!("{by} {day}").trim_start().to_owned()
}
