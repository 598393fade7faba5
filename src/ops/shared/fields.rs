//! Fields of an issue, written from what a user says.

use serde_json::Value;

use super::blockers::block_one;
use super::claim::{check_assign, claim, end, release};
use super::close::put_status;
use super::dependency::check_edge;
use super::unknown_words::{warn_of_new_label, warn_of_new_type};
use super::words::{
    assignee, bad_date, custom_status, labels_in, meant_status, priority, unknown_status,
};
use crate::model::edge::PARENT_CHILD;
use crate::model::issue::known_word;
use crate::model::limits::{MAX_NAME, check_chars, check_word};
use crate::model::status::IN_PROGRESS;
use crate::model::{Field, FieldKind, FieldMap, Issue, Status, Writer, time};
use crate::ops::{Command, Error, Result, Tx, View};

/// Values to write; an empty text clears a field, `None` leaves it alone.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// Ids.
    pub ids: Vec<String>,
    /// The texts to write; those of labels are added.
    pub fields: FieldMap<Option<String>>,
    /// Labels to remove, separated by commas.
    pub remove_labels: Option<String>,
    /// Lines to add below the notes.
    pub append_notes: Option<String>,
}

impl Update {
    /// Returns true if there is nothing to change.
    pub(crate) fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.remove_labels.is_none() && self.append_notes.is_none()
    }

    /// Returns the status to set.
    pub(crate) fn status(&self) -> Option<&str> {
        self.fields[Field::Status].as_deref()
    }
}

/// Returns labels as the text of their field; none where there are none.
pub(crate) fn label_text(labels: &[String]) -> Option<String> {
    (!labels.is_empty()).then(|| labels.join(","))
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
    // Judged by whom it was assigned to before: who starts an issue may name another as assignee.
    let status = match &request.fields[Field::Status] {
        Some(text) => set_field(tx, issue, writer, Field::Status, text)?,
        None => false,
    };
    for (field, text) in request.fields.iter() {
        // Removed before added: a label that is named in both stays.
        let removed = match &request.remove_labels {
            Some(labels) if field == Field::Labels => mark_labels(issue, writer, labels, false)?,
            _ => false,
        };
        let written = match text {
            Some(_) if field == Field::Status => status,
            Some(text) => set_field(tx, issue, writer, field, text)?,
            None => false,
        };
        let appended = match &request.append_notes {
            Some(lines) if field == Field::Notes => append(tx, issue, writer, field, lines)?,
            _ => false,
        };
        if removed || written || appended {
            changed.push(field.key());
        }
    }
    Ok(changed)
}

/// Adds lines below the text of a field; returns whether that changed anything.
fn append(
    tx: &Tx<'_>,
    issue: &mut Issue,
    writer: &Writer,
    field: Field,
    lines: &str,
) -> Result<bool> {
    if lines.trim().is_empty() {
        return Ok(false);
    }
    let text = format!("{}\n{lines}", issue.text(field.key()));
    set_field(tx, issue, writer, field, text.trim())
}

/// Writes a field as a user says it; returns whether that changed anything.
pub(crate) fn set_field(
    tx: &Tx<'_>,
    issue: &mut Issue,
    writer: &Writer,
    field: Field,
    text: &str,
) -> Result<bool> {
    let value = match field.kind() {
        FieldKind::Title => return Ok(issue.set_title(writer, text)?),
        FieldKind::LongText | FieldKind::ShortText => {
            return Ok(issue.set_text(writer, field.key(), text)?);
        }
        FieldKind::Word => {
            let word = known_word(text);
            check_word("a type", &word)?;
            warn_of_new_type(&tx.view, &word)?;
            Value::from(word)
        }
        FieldKind::Priority => Value::from(priority(text)?),
        FieldKind::Name => {
            let name = assignee(tx.view.tracker, text).unwrap_or_default();
            check_chars("the assignee", &name, MAX_NAME)?;
            let before = issue.clone();
            let changed = issue.set_text(writer, field.key(), &name)?;
            if changed {
                check_assign(tx, &before)?;
                // Another's by now, and by none of their agents.
                issue.forget_agent(writer);
            }
            return Ok(changed);
        }
        FieldKind::Date if text.trim().is_empty() => Value::Null,
        FieldKind::Date => {
            let clock = tx.view.clock();
            // What is due on a day is overdue once the day is over; what is hidden until then comes back with it.
            let at = match field == Field::Due {
                true => clock.deadline(text),
                false => clock.future(text).map(|period| period.start),
            };
            Value::from(time::format(at.ok_or_else(|| bad_date(text))?))
        }
        FieldKind::Labels => {
            let labels = labels_in(text, &issue.labels());
            for label in labels.iter().filter(|it| !it.is_empty()) {
                warn_of_new_label(&tx.view, label)?;
            }
            return mark_labels(issue, writer, text, true);
        }
        FieldKind::Parent => return set_parent(tx, issue, writer, text),
        FieldKind::Status => return set_status(tx, issue, writer, text),
    };
    Ok(issue.blob_mut().set(writer, field.key(), value))
}

/// Adds or removes labels that are separated by commas.
pub(crate) fn mark_labels(
    issue: &mut Issue,
    writer: &Writer,
    labels: &str,
    live: bool,
) -> Result<bool> {
    let mut any = false;
    let known = issue.labels();
    for label in labels_in(labels, &known) {
        any |= match known.contains(&label) {
            // As it is: an import may have brought one that no command would add.
            true => !live && issue.blob_mut().mark(writer, "labels", &label, false),
            false => issue.set_label(writer, &label, live)?,
        };
    }
    Ok(any)
}

fn set_parent(tx: &Tx<'_>, issue: &mut Issue, writer: &Writer, parent: &str) -> Result<bool> {
    if parent.trim().is_empty() {
        return Ok(issue.set_parent(writer, None));
    }
    let parent = tx.find(parent)?;
    tx.live(parent)?;
    check_edge(tx, issue, parent, PARENT_CHILD)?;
    Ok(issue.set_parent(writer, Some(parent)))
}

/// Sets a status: `in_progress` starts the issue, any other one ends the work on it.
fn set_status(tx: &Tx<'_>, issue: &mut Issue, writer: &Writer, text: &str) -> Result<bool> {
    let status = settable_status(&tx.view, issue, text, &["tombstone"])?;
    if status == Status::InProgress {
        let before = issue.clone();
        claim(tx, issue, writer, false)?;
        return Ok(*issue != before);
    }
    if matches!(status, Status::Open | Status::Blocked) {
        let before = issue.clone();
        match status {
            Status::Open => release(tx, issue, writer)?,
            _ => block_one(tx, issue, writer, None)?,
        }
        return Ok(*issue != before);
    }
    if status != issue.status() {
        end(tx, issue, writer, "update")?;
    }
    Ok(put_status(tx, issue, writer, status))
}

/// The error for a word that is no status, with the verb that brings the issue there where one does.
fn unsettable(issue: &Issue, word: &str, refused: &[&str]) -> Error {
    let error = unknown_status(word, refused);
    let verb = match meant_status(word) {
        Some("closed") => "done",
        Some(IN_PROGRESS) => "start",
        Some("blocked") => "block",
        Some("deferred") => "defer",
        _ => return error,
    };
    error.also(Command::of(verb).id(issue.id()))
}

/// A status that a field change may set; deleting has its own verb. The error names none of those that are refused.
pub(crate) fn settable_status(
    view: &View<'_>,
    issue: &Issue,
    word: &str,
    refused: &[&str],
) -> Result<Status> {
    match Status::parse(word) {
        Some(Status::Tombstone) => Err(Error::invalid("use `delete` to delete an issue")
            .hinted(Command::of("delete").id(issue.id()))),
        Some(status) => Ok(status),
        None => match custom_status(view, word)? {
            Some(custom) => Ok(Status::new(&custom)),
            None => Err(unsettable(issue, word, refused)),
        },
    }
}
