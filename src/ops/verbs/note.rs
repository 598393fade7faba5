//! `note`: adds to the memory of an issue.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::limits::check_text;
use crate::model::memory::{classify, clean};
use crate::model::{Issue, Memory, MemoryKind, Status, Uid};
use crate::ops::answer::{Answer, AnswerKind, Summary};
use crate::ops::shared::claim;
use crate::ops::shared::fields::settable_status;
use crate::ops::{Command, Error, Result, Tracker, Tx};

/// Entries for the memory of an issue.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// The issue.
    pub id: String,
    /// Facts.
    pub findings: Vec<String>,
    /// Choices with their reasons.
    pub decisions: Vec<String>,
    /// Anything else.
    pub comments: Vec<String>,
    /// A new status.
    pub status: Option<String>,
}

impl Note {
    fn texts(&self) -> [(MemoryKind, &[String]); 3] {
        [
            (MemoryKind::Finding, &self.findings),
            (MemoryKind::Decision, &self.decisions),
            (MemoryKind::Comment, &self.comments),
        ]
    }

    /// Returns true if there is nothing to remember.
    pub(crate) fn is_empty(&self) -> bool {
        self.status.is_none() && self.texts().iter().all(|(_, texts)| texts.is_empty())
    }
}

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
}

impl Answer for Noted {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Progress
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
    tracker.write(
        |tx| {
            let uid = tx.find(&request.id)?;
            let added = add(tx, uid, request)?;
            tx.subject(format!(
                "note {}: {} added",
                tx.issue(uid)?.id(),
                added.len()
            ));
            Ok((uid, added, tx.remarks.take()))
        },
        |(uid, added, remarks), view| {
            let added = added.iter().map(ToString::to_string).collect();
            Ok(Noted {
                issue: Summary::of(view, uid)?,
                added,
                remarks,
            })
        },
    )
}

/// Adds the entries to an issue within a change, and sets its status; returns the new entries.
pub(crate) fn add(tx: &mut Tx<'_>, uid: Uid, request: &Note) -> Result<Vec<Uid>> {
    let mut issue = tx.live(uid)?;
    // Read once; what this request adds joins it, so a text that comes twice in it is stored once.
    let mut known = tx.view.snapshot().memory(uid)?.0;
    let mut added = Vec::new();
    for (kind, texts) in request.texts() {
        for text in texts {
            added.extend(remember(tx, &issue, &mut known, kind, text)?);
        }
    }
    if let Some(word) = &request.status {
        set_status(tx, &mut issue, word)?;
    }
    tx.put(issue);
    Ok(added)
}

fn remember(
    tx: &mut Tx<'_>,
    issue: &Issue,
    known: &mut Vec<Memory>,
    kind: MemoryKind,
    text: &str,
) -> Result<Option<Uid>> {
    // A comment that says it is a finding is one: where only comments exist it would come back as one.
    let (kind, text) = if kind == MemoryKind::Comment {
        classify(text.trim())
    } else {
        (kind, clean(kind, text))
    };
    if text.is_empty() {
        return Err(Error::invalid(format!("an empty {}", kind.as_str())));
    }
    check_text(kind.as_str(), text)?;
    let same =
        |entry: &Memory| entry.kind() == kind && entry.text() == text && !entry.is_redacted();
    if kind != MemoryKind::Comment && known.iter().any(same) {
        return Ok(None);
    }
    let uid = tx.remember(issue, kind, text)?;
    let writer = crate::model::Writer {
        at: uid,
        by: String::new(),
        millis: uid.millis(),
    };
    known.push(Memory::new(uid, &writer, kind, text));
    Ok(Some(uid))
}

fn set_status(tx: &mut Tx<'_>, issue: &mut Issue, word: &str) -> Result<()> {
    let status = settable_status(issue, word)?;
    if status == Status::Closed {
        return Err(Error::invalid("an issue is closed by `done`").hinted(
            Command::of("done")
                .id(issue.id())
                .flag("-r")
                .placeholder("what was done"),
        ));
    }
    // What is closed is opened by `reopen`.
    claim::check_open(tx, issue)?;
    let writer = tx.writer(issue)?;
    match (status, issue.status()) {
        (Status::InProgress, _) => {
            claim::claim(tx, issue, &writer, false)?;
        }
        (Status::Open, Status::InProgress) => claim::release(tx, issue, &writer)?,
        (status, before) => {
            if status != before {
                claim::end(tx, issue, &writer, "note")?;
            }
            issue.set_status(&writer, status);
        }
    }
    Ok(())
}
