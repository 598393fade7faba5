//! Values that were written at the same time as those shown.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::model::claim::AGENT;
use crate::model::issue::CLAIM;
use crate::model::{Issue, Target, time};
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

pub(in crate::ops) fn conflicts(view: &View<'_>, issue: &Issue) -> Result<Vec<Conflict>> {
    let mut conflicts = Vec::new();
    for (field, at, record) in issue.conflicts() {
        let value = record
            .get("v")
            .map(|value| shown(view, field, value))
            .transpose()?;
        conflicts.push(Conflict {
            field: field.to_owned(),
            value,
            by: record.get("by").and_then(Value::as_str).map(str::to_owned),
            at: time::format(at.millis()),
        });
    }
    Ok(conflicts)
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
