//! Values that were written at the same time, as they are listed and settled.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::blob::{Blob, Loser};
use crate::model::{Issue, Stamp, time};
use crate::ops::answer::{answer_field, disputed_questions, shown};
use crate::ops::{Result, View};
use crate::store::{Oid, Snapshot};

/// A value that lost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Entry {
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

/// The conflicts of an issue and of its questions, each with the value as it is stored, where it can be read.
pub(crate) fn of_issue(view: &View<'_>, issue: &Issue) -> Result<Vec<(Entry, Option<Value>)>> {
    let mut entries: Vec<(Entry, Option<Value>)> = Vec::new();
    for loser in issue.conflicts() {
        let field = loser.0.to_owned();
        entries.push(entry(view, issue, field, (issue.blob(), loser))?);
    }
    for question in disputed_questions(view, issue.uid())? {
        for loser in question.lost_answers() {
            let field = answer_field(question.uid());
            entries.push(entry(view, issue, field, (question.blob(), loser))?);
        }
    }
    let mut numbers = BTreeMap::new();
    for (entry, _) in &mut entries {
        // From 1 in each field: 0 is the value that is shown (`resolve --take 0`).
        let n = numbers.entry(entry.field.clone()).or_insert(0);
        *n += 1;
        entry.n = *n;
    }
    Ok(entries)
}

/// Returns one conflict, without its number.
fn entry(
    view: &View<'_>,
    issue: &Issue,
    field: String,
    (blob, (register, at, record)): (&Blob, Loser<'_>),
) -> Result<(Entry, Option<Value>)> {
    let stored = value_of(&view.snapshot(), register, at, record);
    let entry = Entry {
        id: view.id(issue.uid())?,
        field,
        n: 0,
        value: stored
            .as_ref()
            .map_or(Ok(Value::Null), |value| shown(view, register, value))?,
        missing: stored.is_none(),
        by: record
            .get("by")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        at: time::format(at.millis()),
        current: shown(view, register, blob.value(register))?,
        current_by: blob
            .registers
            .get(register)
            .map(|register| register.by.clone())
            .unwrap_or_default(),
    };
    Ok((entry, stored))
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
