//! `inbox`: the questions that wait for an answer.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::answer::{Answer, AnswerKind, Question};
use crate::ops::shared::question::is_asked;
use crate::ops::{Result, Tracker};

/// Questions that wait for an answer, oldest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Inbox {
    /// The questions, each with its issue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<OpenQuestion>,
    /// True for an agent that is not asked first itself: a person answers.
    #[serde(skip)]
    pub is_for_agent: bool,
}

/// A question that waits for an answer, and its issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct OpenQuestion {
    /// The issue that asks.
    pub issue: String,
    /// The title of the issue.
    pub title: String,
    /// The question as `show` has it.
    #[serde(flatten)]
    pub question: Question,
}

impl Answer for Inbox {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Lists the open questions to the caller and to no one in particular, or all of them.
pub(crate) fn inbox(tracker: &Tracker, all: bool) -> Result<Inbox> {
    let caller = tracker.party();
    tracker.read(|view| {
        let rows = view
            .index
            .memory()
            .open_questions((!all).then_some(&caller))?;
        let mut questions = Vec::new();
        for row in rows {
            // One that can't be read is a matter of `doctor`.
            if let Some(entry) = view.snapshot().remembered(row.issue, row.uid)? {
                questions.push(OpenQuestion {
                    issue: row.id,
                    title: row.title,
                    question: Question::of(&entry),
                });
            }
        }
        let to = questions
            .first()
            .and_then(|open| open.question.to.as_deref());
        Ok(Inbox {
            is_for_agent: caller.agent.is_some() && !is_asked(&caller, to),
            questions,
        })
    })
}
