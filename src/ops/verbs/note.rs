//! `note`: adds to the memory of an issue.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::answer::{After, Answer, AnswerKind, Next, Summary};
use crate::ops::shared::claim::may_end;
use crate::ops::shared::note::record;
use crate::ops::shared::remote_claim::{send_ends, starting};
use crate::ops::{Command, Error, Result, Tracker};

pub use crate::ops::shared::note::Note;

/// What was remembered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Noted {
    /// The issue.
    pub issue: Summary,
    /// The ids of the new entries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Whose work the new status has ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    #[serde(skip)]
    after: After,
    /// True if the caller may end the issue.
    #[serde(skip)]
    pub may_end: bool,
}

impl Answer for Noted {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Progress
    }
    fn next(&self) -> Next {
        self.after.next()
    }
}

/// Adds findings, decisions and comments, and perhaps sets the status. An exact duplicate of a finding
/// or decision is stored once.
pub fn note(tracker: &Tracker, request: &Note) -> Result<Noted> {
    if request.is_empty() {
        return Err(Error::invalid("there is nothing to note").hinted(
            Command::of("note")
                .id(&request.id)
                .flag("--finding")
                .placeholder("what you saw"),
        ));
    }
    let id = std::slice::from_ref(&request.id);
    let (noted, _) = starting(tracker, id, request.status.as_deref(), || {
        tracker.write(
            |tx| record(tx, request, &[]),
            |recorded, view| {
                let issue = view.issue(recorded.uid)?;
                Ok(Noted {
                    after: recorded.after(view)?,
                    may_end: may_end(view, &issue),
                    issue: Summary::of(view, recorded.uid)?,
                    added: recorded.added.iter().map(ToString::to_string).collect(),
                    remarks: recorded.remarks,
                })
            },
        )
    })?;
    if request.status.is_some() {
        send_ends(tracker)?;
    }
    Ok(noted)
}
