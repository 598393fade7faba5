//! Values that were written at the same time as those shown.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::model::blob::Loser;
use crate::model::claim::AGENT;
use crate::model::issue::CLAIM;
use crate::model::memory::ANSWER;
use crate::model::{Issue, Memory, Target, Uid, time};
use crate::ops::{Result, View};

/// A value that was written at the same time as the one shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Conflict {
    /// The field.
    pub field: String,
    /// The value that lost; left out where it is too long to be kept here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When.
    pub at: String,
}

/// Returns what was written at the same time in an issue, and in the answers to its questions.
pub(crate) fn conflicts(view: &View<'_>, issue: &Issue) -> Result<Vec<Conflict>> {
    let mut conflicts = Vec::new();
    for loser in issue.conflicts() {
        conflicts.push(Conflict::of(view, loser.0.to_owned(), loser)?);
    }
    for question in disputed_questions(view, issue.uid())? {
        for loser in question.lost_answers() {
            conflicts.push(Conflict::of(view, answer_field(question.uid()), loser)?);
        }
    }
    Ok(conflicts)
}

impl Conflict {
    fn of(view: &View<'_>, field: String, (register, at, record): Loser<'_>) -> Result<Self> {
        let value = record
            .get("v")
            .map(|value| shown(view, register, value))
            .transpose()?;
        Ok(Self {
            field,
            value,
            by: record.get("by").and_then(Value::as_str).map(str::to_owned),
            at: time::format(at.millis()),
        })
    }
}

/// Returns the questions of an issue that were answered twice at the same time.
pub(in crate::ops) fn disputed_questions(view: &View<'_>, issue: Uid) -> Result<Vec<Memory>> {
    // The index names them: most issues have none, and their memory is not read.
    let entries = view.index.memory().disputed_questions(issue)?.into_iter();
    let read = entries.map(|entry| Ok(view.snapshot().remembered(issue, entry)?));
    read.filter_map(Result::transpose).collect()
}

/// Returns the name of the answer to a question among the fields of its issue: with the ending that `redact` takes.
pub(in crate::ops) fn answer_field(question: Uid) -> String {
    let id = question.to_string();
    let ending = id.get(id.len().saturating_sub(6)..).unwrap_or(&id);
    format!("{ANSWER}:{ending}")
}

/// A value as people read it: a parent by its id, a claim by its agent.
pub(crate) fn shown(view: &View<'_>, field: &str, value: &Value) -> Result<Value> {
    let target = value.get("to").unwrap_or(value).as_str().map(Target::parse);
    Ok(match (field, target) {
        (CLAIM, _) => value[AGENT].clone(),
        ("parent", Some(Target::Uid(uid))) => Value::from(view.id(uid)?),
        ("parent", Some(Target::Literal(id))) => Value::from(id),
        _ => value.clone(),
    })
}
