//! `update`, and its thin forms `label`, `assign`, `priority`: fields of one or more issues.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::done;
use crate::model::edge::PARENT_CHILD;
use crate::model::issue::{known_word, parse_priority};
use crate::model::limits::{MAX_NAME, check_chars, check_word};
use crate::model::status::KNOWN;
use crate::model::{Issue, Status, Uid, Writer, time};
use crate::ops::answer::{Answer, AnswerKind, Next, Summary};
use crate::ops::shared::dependency::check_edge;
use crate::ops::shared::words::{assignee, bad_date, vocabulary};
use crate::ops::{Command, Error, Result, Tracker, Tx};

/// What to change; an empty text clears a field, `None` leaves it alone.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// Ids.
    pub ids: Vec<String>,
    /// Title.
    pub title: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// How it is to be done.
    pub design: Option<String>,
    /// When it is done.
    pub acceptance: Option<String>,
    /// Anything else.
    pub notes: Option<String>,
    /// Type.
    pub kind: Option<String>,
    /// Priority.
    pub priority: Option<String>,
    /// Status.
    pub status: Option<String>,
    /// Who works on it.
    pub assignee: Option<String>,
    /// Labels to add.
    pub add_labels: Vec<String>,
    /// Labels to remove.
    pub remove_labels: Vec<String>,
    /// Parent.
    pub parent: Option<String>,
    /// Name in another system.
    pub external_ref: Option<String>,
    /// When it should be done.
    pub due: Option<String>,
    /// When it returns.
    pub defer: Option<String>,
}

impl Update {
    /// Whether there is nothing to change.
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

/// What has changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Updated {
    /// The id of the first issue.
    pub id: String,
    /// The issues that were named.
    pub issues: Vec<Summary>,
    /// The fields that have other values now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Epics that ended with their last child.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub auto_closed: Vec<String>,
}

impl Answer for Updated {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Updated
    }
    fn next(&self) -> Next {
        Next::Continue
    }
}

/// Changes fields, all issues in one commit.
///
/// # Errors
/// Not found, a bad value, or nothing to change.
pub fn update(tracker: &Tracker, request: &Update) -> Result<Updated> {
    if request.ids.is_empty() {
        return Err(Error::invalid("no issue is named").hinted(example("ID")));
    }
    change(tracker, &request.ids, "update", |tx, issue, writer| {
        apply(tx, issue, writer, request)
    })
}

/// The answer to a change that changes nothing.
///
/// # Errors
/// Not found.
pub fn unchanged(tracker: &Tracker, ids: &[String]) -> Result<Updated> {
    change(tracker, ids, "update", |_, _, _| Ok(Vec::new()))
}

/// Runs a change over several issues in one commit. `edit` names the fields it has changed.
pub(crate) fn change(
    tracker: &Tracker,
    ids: &[String],
    verb: &str,
    mut edit: impl FnMut(&mut Tx<'_>, &mut Issue, &Writer) -> Result<Vec<&'static str>>,
) -> Result<Updated> {
    tracker.write(
        |tx| edit_all(tx, ids, verb, &mut edit),
        |Edited {
             uids,
             changed,
             auto_closed,
         },
         view| {
            let issues = uids
                .iter()
                .map(|uid| Summary::of(view, *uid))
                .collect::<Result<Vec<_>>>()?;
            let auto_closed = auto_closed
                .iter()
                .map(|uid| view.id(*uid))
                .collect::<Result<_>>()?;
            let id = issues
                .first()
                .map(|issue| issue.id.clone())
                .unwrap_or_default();
            Ok(Updated {
                id,
                issues,
                changed,
                auto_closed,
            })
        },
    )
}

/// What a change of several issues has done.
#[derive(Clone, Default)]
pub(crate) struct Edited {
    pub(crate) uids: Vec<Uid>,
    pub(crate) changed: Vec<String>,
    pub(crate) auto_closed: Vec<Uid>,
}

/// Runs a change over several issues within one commit.
pub(crate) fn edit_all(
    tx: &mut Tx<'_>,
    ids: &[String],
    verb: &str,
    mut edit: impl FnMut(&mut Tx<'_>, &mut Issue, &Writer) -> Result<Vec<&'static str>>,
) -> Result<Edited> {
    let Edited {
        mut uids,
        mut changed,
        mut auto_closed,
    } = Edited::default();
    for id in ids {
        let uid = tx.find(id)?;
        if uids.contains(&uid) {
            continue;
        }
        let mut issue = tx.issue(uid)?;
        let writer = tx.writer(&issue)?;
        let before = issue.status();
        let fields = edit(tx, &mut issue, &writer)?;
        let ended = issue.status().is_done() && !before.is_done();
        tx.put(issue);
        if ended {
            auto_closed.extend(done::close_finished_epics(tx, uid)?);
        }
        let new = fields
            .into_iter()
            .filter(|field| !changed.iter().any(|known| known == field))
            .map(str::to_owned);
        changed.extend(new.collect::<Vec<_>>());
        uids.push(uid);
    }
    if !tx.has_subject() {
        tx.subject(format!("{verb} {}{}", names(tx, &uids)?, list_of(&changed)));
    }
    Ok(Edited {
        uids,
        changed,
        auto_closed,
    })
}

fn list_of(fields: &[String]) -> String {
    if fields.is_empty() {
        String::new()
    } else {
        format!(": {}", fields.join(", "))
    }
}

/// The ids of what a commit is about: the first three, and how many more.
pub(crate) fn names(tx: &Tx<'_>, uids: &[Uid]) -> Result<String> {
    let mut ids = Vec::new();
    for uid in uids.iter().take(3) {
        ids.push(tx.issue(*uid)?.id().to_owned());
    }
    let more = uids.len().saturating_sub(3);
    Ok(if more > 0 {
        format!("{} and {more} more", ids.join(" "))
    } else {
        ids.join(" ")
    })
}

/// A command that changes something.
fn example(id: &str) -> Command {
    Command::of("update")
        .id(id)
        .flag("--title")
        .placeholder("New title")
}

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
