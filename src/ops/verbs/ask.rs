//! `ask`: a question to a person, which waits in the memory of its issue for an answer.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::NewQuestion;
use crate::ops::answer::{After, Answer, AnswerKind, Next, Summary};
use crate::ops::shared::question;
use crate::ops::{Result, Tracker};

/// A question that was asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct AskedQuestion {
    /// The issue that it is about.
    pub issue: Summary,
    /// The id of the question; the end of it is enough for `answer` and `redact`.
    pub question: String,
}

impl Answer for AskedQuestion {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Progress
    }
    fn next(&self) -> Next {
        After::Changed.next()
    }
}

/// Asks a question about an issue; it changes nothing else there.
pub(crate) fn ask(tracker: &Tracker, id: &str, question: &NewQuestion) -> Result<AskedQuestion> {
    tracker.write(
        |tx| {
            let uid = tx.find(id)?;
            let issue = tx.live(uid)?;
            let asked = question::ask(tx, &issue, question)?;
            tx.subject(format!("ask {}: {asked}", issue.id()));
            Ok((uid, asked))
        },
        |(uid, asked), view| {
            Ok(AskedQuestion {
                issue: Summary::of(view, uid)?,
                question: asked.to_string(),
            })
        },
    )
}
