//! The envelope of every answer: its kind, and the next step.

use schemars::JsonSchema;
use serde::Serialize;

use super::{After, Next};
use crate::ops::{Code, Error, Held};

/// What an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Kind")]
#[serde(rename_all = "snake_case")]
pub(crate) enum AnswerKind {
    /// One issue, or several.
    Issue,
    /// A list.
    Summary,
    /// A list of nothing.
    Empty,
    /// A note was taken.
    Progress,
    /// Issues came into being.
    Created,
    /// Issues changed.
    Updated,
    /// An issue ended.
    Closed,
    /// Something went wrong.
    Error,
    /// Anything else.
    Report,
}

/// An answer knows its kind and what follows.
pub(crate) trait Answer: Serialize {
    /// Returns its kind.
    fn kind(&self) -> AnswerKind;
    /// Returns the next step; by default that of what was only looked at.
    fn next(&self) -> Next {
        After::Looked.next()
    }
}

/// An answer in its envelope.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Envelope<T> {
    /// What this is.
    pub kind: AnswerKind,
    /// What to do next.
    pub next: Next,
    /// The answer itself.
    #[serde(flatten)]
    pub body: T,
    /// The issues that are open again, since nothing holds them up any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unblocked: Vec<String>,
}

/// Puts an answer into its envelope.
pub(crate) fn envelope<T: Answer>(body: T) -> Envelope<T> {
    Envelope {
        kind: body.kind(),
        next: body.next(),
        body,
        unblocked: Vec::new(),
    }
}

/// An error as an answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Failure {
    /// A stable word: `not_found`, `cycle`, ...
    pub code: String,
    /// What happened.
    pub message: String,
    /// The exact next command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The claim that is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub already_in_progress: Option<Held>,
    /// What decides the next step.
    #[serde(skip)]
    pub cause: Code,
}

impl Answer for Failure {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Error
    }
    fn next(&self) -> Next {
        After::Refused(self.cause).next()
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        Self {
            code: error.code.as_str().to_owned(),
            message: error.message.clone(),
            hint: error.hint(),
            already_in_progress: error.claim.as_deref().cloned(),
            cause: error.code,
        }
    }
}
