//! `conflicts` and `resolve`: what was written at the same time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::index::Filter;
use crate::model::blob::Blob;
use crate::model::{Issue, Stamp, time};
use crate::ops::answer::{Answer, AnswerKind, shown};
use crate::ops::shared::edit::{Updated, change};
use crate::ops::shared::fields::{Update, apply};
use crate::ops::{Command, Error, Result, Tracker, View};
use crate::store::{Oid, Snapshot};

/// Values that were written at the same time as those shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Conflicts {
    /// The values.
    pub conflicts: Vec<Entry>,
}

/// A value that lost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// The issue.
    pub id: String,
    /// The field.
    pub field: String,
    /// Its number, for `resolve --take`.
    pub n: usize,
    /// The value.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub value: Value,
    /// Whether the blob that holds the value can't be read here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
    /// Who wrote it.
    pub by: String,
    /// When.
    pub at: String,
    /// The value that is shown.
    pub current: Value,
    /// Who wrote that.
    pub current_by: String,
}

impl Answer for Conflicts {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Whose conflicts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Of {
    /// One issue; all by default.
    #[schemars(description = "")]
    pub id: Option<String>,
}

/// Lists what nobody has settled, of one issue or of all.
///
/// # Errors
/// Not found, or an issue that can't be read.
pub fn conflicts(tracker: &Tracker, id: Option<&str>) -> Result<Conflicts> {
    tracker.read(|view| {
        let uids = match id {
            Some(id) => vec![view.find(id)?],
            None => view.index.conflicted(&Filter::everything())?,
        };
        let mut conflicts = Vec::new();
        for uid in uids {
            conflicts.extend(
                of_issue(view, &view.issue(uid)?)?
                    .into_iter()
                    .map(|(entry, _)| entry),
            );
        }
        Ok(Conflicts { conflicts })
    })
}

/// The conflicts of an issue, each with the value as it is stored, where it can be read.
fn of_issue(view: &View<'_>, issue: &Issue) -> Result<Vec<(Entry, Option<Value>)>> {
    let mut entries: Vec<(Entry, Option<Value>)> = Vec::new();
    for (field, at, record) in issue.conflicts() {
        let register = issue.blob().registers.get(field);
        let n = 1 + entries
            .iter()
            .filter(|(entry, _)| entry.field == field)
            .count();
        let stored = value_of(&view.snapshot(), field, at, record);
        let entry = Entry {
            id: view.id(issue.uid())?,
            field: field.to_owned(),
            n,
            value: stored
                .as_ref()
                .map_or(Ok(Value::Null), |value| shown(view, field, value))?,
            missing: stored.is_none(),
            by: record
                .get("by")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            at: time::format(at.millis()),
            current: shown(view, field, issue.blob().value(field))?,
            current_by: register
                .map(|register| register.by.clone())
                .unwrap_or_default(),
        };
        entries.push((entry, stored));
    }
    Ok(entries)
}

/// A lost value: kept here, or in the blob that is named. None where that leads nowhere, which must not hide the other
/// conflicts, and is no empty value.
fn value_of(
    snapshot: &Snapshot<'_>,
    field: &str,
    at: Stamp,
    record: &Map<String, Value>,
) -> Option<Value> {
    if let Some(value) = record.get("v") {
        return Some(value.clone());
    }
    let oid = record
        .get("ref")
        .and_then(Value::as_str)
        .and_then(Oid::parse)?;
    let blob = Blob::parse(&snapshot.read(oid).ok()?).ok()?;
    let register = blob
        .registers
        .get(field)
        .filter(|register| register.at == at)?;
    Some(register.value.clone())
}

/// How to settle a field.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["id", "field"]))]
pub struct Resolve {
    /// The issue.
    #[schemars(description = "")]
    pub id: String,
    /// The field.
    #[schemars(description = "")]
    pub field: String,
    /// The value with this number; 0 keeps the one that is shown.
    #[schemars(description = "Number of the value; 0 keeps the present one")]
    pub take: Option<usize>,
    /// This text instead.
    #[schemars(description = "")]
    pub value: Option<String>,
}

/// Settles a field: the chosen value is written, the others are marked as seen.
///
/// # Errors
/// Not found, no conflict in that field, or no value of that number.
pub fn resolve(tracker: &Tracker, request: &Resolve) -> Result<Updated> {
    change(
        tracker,
        std::slice::from_ref(&request.id),
        "resolve",
        |tx, issue, writer| {
            let mut here = of_issue(&tx.view, issue)?;
            here.retain(|(entry, _)| entry.field == request.field);
            let hint = || Command::of("conflicts").id(&request.id);
            if here.is_empty() {
                let message = format!("{} has no conflict in `{}`", request.id, request.field);
                return Err(Error::not_found(message).hinted(hint()));
            }
            if let Some(text) = &request.value {
                apply(tx, issue, writer, &as_update(request, text)?)?;
            }
            if let Some(n) = request.take.filter(|n| *n > 0) {
                let Some((_, value)) = here.into_iter().find(|(entry, _)| entry.n == n) else {
                    let message = format!("there is no value {n} for `{}`", request.field);
                    return Err(Error::invalid(message).hinted(hint()));
                };
                let value = value.ok_or_else(|| {
                    let message = format!(
                        "value {n} of `{}` can't be read: its blob is not here",
                        request.field
                    );
                    Error::new(crate::ops::Code::Unreadable, message)
                        .hinted(Command::of("doctor").flag("--remote"))
                })?;
                issue.blob_mut().put(writer, &request.field, value);
            }
            issue.blob_mut().settle(&request.field, writer.at);
            Ok(vec!["conflicts"])
        },
    )
}

fn as_update(request: &Resolve, text: &str) -> Result<Update> {
    let mut change = Update {
        ids: vec![request.id.clone()],
        ..Update::default()
    };
    let text = Some(text.to_owned());
    match request.field.as_str() {
        "title" => change.title = text,
        "description" => change.description = text,
        "design" => change.design = text,
        "acceptance" => change.acceptance = text,
        "notes" => change.notes = text,
        "type" => change.kind = text,
        "priority" => change.priority = text,
        "status" => change.status = text,
        "assignee" => change.assignee = text,
        "parent" => change.parent = text,
        "external_ref" => change.external_ref = text,
        "due" => change.due = text,
        "defer" => change.defer = text,
        other => {
            let message = format!("`{other}` can't be written as a text");
            return Err(Error::invalid(message).hinted(
                Command::of("resolve")
                    .id(&request.id)
                    .word(other)
                    .flag("--take")
                    .placeholder("N"),
            ));
        }
    }
    Ok(change)
}
