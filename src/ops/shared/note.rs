//! A note: entries for the memory of an issue, and perhaps a new status.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::limits::check_text;
use crate::model::memory::{classify, clean};
use crate::model::{Issue, Memory, MemoryKind, NewQuestion, Status, Uid};
use crate::ops::answer::After;
use crate::ops::shared::blockers::block_one;
use crate::ops::shared::claim;
use crate::ops::shared::close::put_status;
use crate::ops::shared::discovered;
use crate::ops::shared::edit::is_put_aside;
use crate::ops::shared::epic::remark_on_children;
use crate::ops::shared::fields::{label_text, mark_labels, settable_status};
use crate::ops::shared::next_ready::free;
use crate::ops::shared::question;
use crate::ops::{Command, Error, Result, Tx, View};

/// Entries for the memory of an issue.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Note {
    /// The issue.
    pub id: String,
    /// Facts.
    #[serde(rename = "finding", default)]
    pub findings: Vec<String>,
    /// Choices with their reasons.
    #[serde(rename = "decision", default)]
    pub decisions: Vec<String>,
    /// Anything else.
    #[serde(rename = "comment", default)]
    pub comments: Vec<String>,
    /// What a person is asked.
    #[serde(skip)]
    pub question: Option<String>,
    /// A new status.
    #[serde(default)]
    pub status: Option<String>,
    /// Labels to remove.
    #[serde(rename = "rm", default)]
    pub remove_labels: Vec<String>,
    /// Why the status is `blocked`; of any other change, a finding.
    #[serde(skip)]
    pub reason: Option<String>,
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
        self.status.is_none()
            && self.question.is_none()
            && self.reason.is_none()
            && self.texts().iter().all(|(_, texts)| texts.is_empty())
    }
}

/// Effects of a note.
#[derive(Clone)]
pub(crate) struct Recorded {
    /// The issue.
    pub(crate) uid: Uid,
    /// The new entries.
    pub(crate) added: Vec<Uid>,
    /// The question that is asked.
    pub(crate) asked: Option<Uid>,
    /// The issues that were made of what was discovered.
    pub(crate) filed: Vec<Uid>,
    /// True if the caller is free for another issue.
    pub(crate) is_aside: bool,
    /// Whose work the new status has ended.
    pub(crate) remarks: Vec<String>,
}

impl Recorded {
    /// Returns the state in which it leaves its caller.
    pub(crate) fn after(&self, view: &View<'_>) -> Result<After> {
        match self.is_aside {
            true => free(view),
            false => Ok(After::Changed),
        }
    }
}

/// Adds the entries, and files an issue for each title that was discovered on the way, in one commit.
pub(crate) fn record(tx: &mut Tx<'_>, note: &Note, discovered: &[String]) -> Result<Recorded> {
    let uid = tx.find(&note.id)?;
    let before = tx.status(uid)?;
    let added = add(tx, uid, note)?;
    let asked = ask(tx, uid, note)?;
    let filed = discovered::file(tx, uid, discovered)?;
    let issue = tx.issue(uid)?;
    remark_on_children(tx, &issue)?;
    let count = added.len() + usize::from(asked.is_some()) + filed.len();
    let status = note.status.as_ref().map(|_| issue.status());
    let what = match (count, status) {
        (0, Some(status)) => status.to_string(),
        (count, Some(status)) => format!("{count} added, {status}"),
        (count, None) => format!("{count} added"),
    };
    tx.subject(format!("note {}: {what}", issue.id()));
    Ok(Recorded {
        uid,
        added,
        asked,
        filed,
        is_aside: note.status.is_some() && is_put_aside(&before, &issue.status()),
        remarks: tx.remarks.take(),
    })
}

fn ask(tx: &mut Tx<'_>, uid: Uid, note: &Note) -> Result<Option<Uid>> {
    let Some(text) = &note.question else {
        return Ok(None);
    };
    let question = NewQuestion {
        text: text.clone(),
        ..NewQuestion::default()
    };
    question::ask(tx, &tx.live(uid)?, &question).map(Some)
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
    if let Some(labels) = label_text(&request.remove_labels) {
        let writer = tx.writer(&issue)?;
        mark_labels(&mut issue, &writer, &labels, false)?;
    }
    let reason = request.reason.as_deref();
    let blocks = request.status.as_deref().and_then(Status::parse) == Some(Status::Blocked);
    if let (Some(reason), false) = (reason, blocks) {
        added.extend(remember(
            tx,
            &issue,
            &mut known,
            MemoryKind::Finding,
            reason,
        )?);
    }
    if let Some(word) = &request.status {
        let said = request
            .texts()
            .into_iter()
            .find_map(|(_, texts)| texts.first());
        let said = reason.or(said.or(request.question.as_ref()).map(String::as_str));
        set_status(tx, &mut issue, word, reason).map_err(|error| claim::repeating(error, said))?;
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

fn set_status(tx: &mut Tx<'_>, issue: &mut Issue, word: &str, reason: Option<&str>) -> Result<()> {
    let status = settable_status(&tx.view, issue, word, &["closed", "tombstone"])?;
    if status == Status::Closed {
        return Err(Error::invalid("use `done` to close an issue").hinted(
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
        (Status::Open, _) => claim::release(tx, issue, &writer)?,
        (Status::Blocked, _) => block_one(tx, issue, &writer, reason)?,
        (status, before) => {
            if status != before {
                // The notice of it says what a person's command would.
                let verb = match status {
                    Status::Deferred => "defer",
                    _ => "note",
                };
                claim::end(tx, issue, &writer, verb)?;
            }
            put_status(tx, issue, &writer, status);
        }
    }
    Ok(())
}
