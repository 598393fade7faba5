//! Fields of an issue, written from what a user says.

use serde_json::Value;

use super::dependency::check_edge;
use super::words::{assignee, bad_date, vocabulary};
use crate::model::edge::PARENT_CHILD;
use crate::model::issue::{known_word, parse_priority};
use crate::model::limits::{MAX_NAME, check_chars, check_word};
use crate::model::status::KNOWN;
use crate::model::{Issue, Status, Writer, time};
use crate::ops::{Command, Error, Result, Tx};

/// Values to write; an empty text clears a field, `None` leaves it alone.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// Ids.
    pub ids: Vec<String>,
    /// Title.
    pub title: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Design.
    pub design: Option<String>,
    /// Acceptance criteria.
    pub acceptance: Option<String>,
    /// Anything else.
    pub notes: Option<String>,
    /// Type.
    pub kind: Option<String>,
    /// Priority.
    pub priority: Option<String>,
    /// Status.
    pub status: Option<String>,
    /// Assignee.
    pub assignee: Option<String>,
    /// Labels to add.
    pub add_labels: Vec<String>,
    /// Labels to remove.
    pub remove_labels: Vec<String>,
    /// Parent.
    pub parent: Option<String>,
    /// Name in another system.
    pub external_ref: Option<String>,
    /// Due date.
    pub due: Option<String>,
    /// Date until which it is deferred.
    pub defer: Option<String>,
}

impl Update {
    /// Returns true if there is nothing to change.
    pub fn is_empty(&self) -> bool {
        let fields = [
            &self.title,
            &self.description,
            &self.design,
            &self.acceptance,
            &self.notes,
            &self.kind,
            &self.priority,
            &self.status,
            &self.assignee,
            &self.parent,
            &self.external_ref,
            &self.due,
            &self.defer,
        ];
        fields.iter().all(|field| field.is_none())
            && self.add_labels.is_empty()
            && self.remove_labels.is_empty()
    }
}

/// A command that changes something.
pub(crate) fn example(id: &str) -> Command {
    Command::of("update")
        .id(id)
        .flag("--title")
        .placeholder("New title")
}

/// Writes the fields that a request names; returns the names of those that have other values now.
pub(crate) fn apply(
    tx: &mut Tx<'_>,
    issue: &mut Issue,
    writer: &Writer,
    request: &Update,
) -> Result<Vec<&'static str>> {
    if request.is_empty() {
        return Err(Error::invalid("there is nothing to change").hinted(example(issue.id())));
    }
    tx.live(issue.uid())?;
    let mut changed = Vec::new();
    let mut note = |field: &'static str, did: bool| {
        if did {
            changed.push(field);
        }
    };
    if let Some(title) = &request.title {
        note("title", issue.set_title(writer, title)?);
    }
    let texts = [
        ("description", &request.description),
        ("design", &request.design),
        ("acceptance", &request.acceptance),
        ("notes", &request.notes),
        ("external_ref", &request.external_ref),
    ];
    for (field, text) in texts {
        if let Some(text) = text {
            note(field, issue.set_text(writer, field, text)?);
        }
    }
    if let Some(kind) = &request.kind {
        let kind = known_word(kind);
        check_word("a type", &kind)?;
        note(
            "type",
            issue.blob_mut().set(writer, "type", Value::from(kind)),
        );
    }
    if let Some(priority) = &request.priority {
        note(
            "priority",
            issue
                .blob_mut()
                .set(writer, "priority", Value::from(parse_priority(priority)?)),
        );
    }
    if let Some(name) = &request.assignee {
        note("assignee", set_assignee(tx, issue, writer, name)?);
    }
    for (field, date) in [("due", &request.due), ("defer", &request.defer)] {
        if let Some(date) = date {
            note(field, set_date(tx, issue, writer, field, date)?);
        }
    }
    note(
        "labels",
        set_labels(issue, writer, &request.add_labels, &request.remove_labels)?,
    );
    if let Some(parent) = &request.parent {
        note("parent", set_parent(tx, issue, writer, parent)?);
    }
    if let Some(status) = &request.status {
        note(
            "status",
            issue.set_status(writer, settable_status(issue, status)?),
        );
    }
    Ok(changed)
}

fn set_assignee(tx: &Tx<'_>, issue: &mut Issue, writer: &Writer, name: &str) -> Result<bool> {
    let name = assignee(tx.view.tracker, name).unwrap_or_default();
    check_chars("the assignee", &name, MAX_NAME)?;
    Ok(issue.set_text(writer, "assignee", &name)?)
}

/// Sets or clears a date.
pub(crate) fn set_date(
    tx: &Tx<'_>,
    issue: &mut Issue,
    writer: &Writer,
    field: &str,
    date: &str,
) -> Result<bool> {
    if date.trim().is_empty() {
        return Ok(issue.blob_mut().set(writer, field, Value::Null));
    }
    let millis = time::parse_date(date, tx.view.now()).ok_or_else(|| bad_date(date))?;
    Ok(issue
        .blob_mut()
        .set(writer, field, Value::from(time::format(millis))))
}

fn set_labels(
    issue: &mut Issue,
    writer: &Writer,
    add: &[String],
    remove: &[String],
) -> Result<bool> {
    let mut any = false;
    for (labels, live) in [(remove, false), (add, true)] {
        for label in labels.iter().flat_map(|labels| labels.split(',')) {
            any |= issue.set_label(writer, label, live)?;
        }
    }
    Ok(any)
}

fn set_parent(tx: &Tx<'_>, issue: &mut Issue, writer: &Writer, parent: &str) -> Result<bool> {
    if parent.trim().is_empty() {
        return Ok(issue.set_parent(writer, None));
    }
    let parent = tx.find(parent)?;
    check_edge(tx, issue, parent, PARENT_CHILD)?;
    Ok(issue.set_parent(writer, Some(parent)))
}

/// A status that a field change may set; deleting has its own verb.
pub(crate) fn settable_status(issue: &Issue, word: &str) -> Result<Status> {
    match Status::parse(word) {
        Some(Status::Tombstone) => Err(Error::invalid("an issue is deleted by `delete`")
            .hinted(Command::of("delete").id(issue.id()))),
        Some(status) => Ok(status),
        None => Err(vocabulary("a status", word, &KNOWN)),
    }
}
