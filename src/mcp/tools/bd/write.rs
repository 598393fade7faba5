//! `create claim update close reopen dep`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::read::{BdShow, show};
use super::shape::BdAnswer;
use super::{many, required};
use crate::mcp::tools::task::NOT_YOU;
use crate::model::{Field, Status};
use crate::ops::answer::After;
use crate::ops::shared::fields;
use crate::ops::shared::fields::label_text;
use crate::ops::verbs::create;
use crate::ops::verbs::done::{Done, done, done_updated};
use crate::ops::verbs::{dep as links, reopen as reopens, start, update as updates};
use crate::ops::{Code, Error, Result, Tracker};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdCreate {
    #[schemars(required)]
    title: Option<String>,
    description: Option<String>,
    design: Option<String>,
    acceptance: Option<String>,
    external_ref: Option<String>,
    priority: Option<i64>,
    issue_type: Option<String>,
    assignee: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    id: Option<String>,
    /// Ids, or type:id
    #[serde(default)]
    deps: Vec<String>,
    brief: Option<bool>,
}

pub(crate) fn create(tracker: &Tracker, request: &BdCreate) -> Result<Value> {
    let one = |text: &Option<String>| many(text.as_deref()).pop();
    let title = required(request.title.as_deref(), "title")?;
    let fields = [
        (Field::Title, Some(title)),
        (Field::Type, one(&request.issue_type)),
        (Field::Priority, request.priority.map(|n| n.to_string())),
        (Field::Description, one(&request.description)),
        (Field::Design, one(&request.design)),
        (Field::Acceptance, one(&request.acceptance)),
        (Field::Assignee, one(&request.assignee)),
        (Field::Labels, label_text(&request.labels)),
        (Field::ExternalRef, one(&request.external_ref)),
    ];
    let brief = request.brief;
    let request = create::Create {
        fields: fields.into(),
        id: one(&request.id),
        on: request.deps.clone(),
        ..create::Create::default()
    };
    let created = create::create(tracker, &request)?;
    let id = created.id.unwrap_or_default();
    answer(tracker, &id, "created", brief)
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdClaim {
    #[schemars(required)]
    issue_id: Option<String>,
    brief: Option<bool>,
}

pub(crate) fn claim(tracker: &Tracker, request: &BdClaim) -> Result<Value> {
    let id = required(request.issue_id.as_deref(), "issue_id")?;
    let started = start::start(
        tracker,
        &start::Start {
            id,
            ..start::Start::default()
        },
    )?;
    let id = &started.issue.id;
    match tracker.is_beside() {
        true => Ok(beside(answer(tracker, id, "unchanged", request.brief)?, id)),
        false => answer(tracker, id, "claimed", request.brief),
    }
}

/// Adds to the answer to a start that another server of the same name has begun the issue.
fn beside(mut answer: Value, id: &str) -> Value {
    answer["message"] = json!(format!("another server of your name works on {id} already"));
    answer["next"] = json!(After::Refused(Code::Claimed).next());
    answer["hint"] = json!(NOT_YOU);
    answer
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdUpdate {
    #[schemars(required)]
    issue_id: Option<String>,
    status: Option<String>,
    priority: Option<i64>,
    assignee: Option<String>,
    title: Option<String>,
    description: Option<String>,
    design: Option<String>,
    acceptance_criteria: Option<String>,
    notes: Option<String>,
    external_ref: Option<String>,
    brief: Option<bool>,
}

/// Changes fields; the status `closed` closes the issue.
pub(crate) fn update(tracker: &Tracker, request: &BdUpdate) -> Result<Value> {
    let id = required(request.issue_id.as_deref(), "issue_id")?;
    let fields = [
        (Field::Title, request.title.clone()),
        (Field::Description, request.description.clone()),
        (Field::Design, request.design.clone()),
        (Field::Acceptance, request.acceptance_criteria.clone()),
        (Field::Notes, request.notes.clone()),
        (Field::Priority, request.priority.map(|n| n.to_string())),
        (Field::Status, many(request.status.as_deref()).pop()),
        (Field::Assignee, request.assignee.clone()),
        (Field::ExternalRef, request.external_ref.clone()),
    ];
    let mut changes = fields::Update {
        ids: vec![id],
        fields: fields.into(),
        ..fields::Update::default()
    };
    let status = changes.fields[Field::Status].as_deref();
    let status = status.and_then(Status::parse);
    let is_beside = tracker.is_beside() && status == Some(Status::InProgress);
    let id = match status {
        // Closing does more than set a field: epics above may end.
        Some(Status::Closed) => {
            changes.fields[Field::Status] = None;
            done_updated(tracker, &changes, "Closed via update")?.closed
        }
        _ => updates::update(tracker, &changes)?.id,
    };
    let answer = answer(tracker, &id, "updated", request.brief)?;
    Ok(match is_beside {
        true => beside(answer, &id),
        false => answer,
    })
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdClose {
    #[schemars(required)]
    issue_id: Option<String>,
    reason: Option<String>,
    brief: Option<bool>,
}

pub(crate) fn close(tracker: &Tracker, request: &BdClose) -> Result<Value> {
    let id = required(request.issue_id.as_deref(), "issue_id")?;
    let reason = many(request.reason.as_deref())
        .pop()
        .unwrap_or_else(|| "Completed".to_owned());
    let closed = done(
        tracker,
        &Done {
            ids: vec![id],
            reason: Some(reason),
            ..Done::default()
        },
    )?;
    Ok(Value::from(vec![answer(
        tracker,
        &closed.closed,
        "closed",
        request.brief,
    )?]))
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdReopen {
    #[schemars(required)]
    issue_ids: Option<Vec<String>>,
    reason: Option<String>,
    brief: Option<bool>,
}

pub(crate) fn reopen(tracker: &Tracker, request: &BdReopen) -> Result<Value> {
    let ids = request.issue_ids.clone().unwrap_or_default();
    if ids.is_empty() {
        return Err(Error::invalid("Missing required fields: issue_ids"));
    }
    let reopened = reopens::reopen(tracker, &ids, request.reason.as_deref())?;
    let answer =
        |issue: &crate::ops::answer::Summary| answer(tracker, &issue.id, "reopened", request.brief);
    Ok(Value::from(
        reopened
            .issues
            .iter()
            .map(answer)
            .collect::<Result<Vec<_>>>()?,
    ))
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdDep {
    #[schemars(required)]
    issue_id: Option<String>,
    #[schemars(required)]
    depends_on_id: Option<String>,
    dep_type: Option<String>,
}

pub(crate) fn dep(tracker: &Tracker, request: &BdDep) -> Result<Value> {
    let id = required(request.issue_id.as_deref(), "issue_id")?;
    let on = required(request.depends_on_id.as_deref(), "depends_on_id")?;
    let kind = many(request.dep_type.as_deref()).pop();
    let linked = links::add(
        tracker,
        &links::Dep {
            id,
            on: vec![on.clone()],
            kind,
        },
    )?;
    let message = match linked.added_depends_on.first() {
        Some(on) => format!("{} depends on {on} ({})", linked.id, linked.dep_type),
        None => format!(
            "{} depends on {on} already ({})",
            linked.id, linked.dep_type
        ),
    };
    Ok(BdAnswer::value(&linked.id, "linked", message))
}

/// Returns a line on the operation, or the whole issue.
fn answer(tracker: &Tracker, id: &str, action: &'static str, brief: Option<bool>) -> Result<Value> {
    match brief {
        Some(false) => show(tracker, &BdShow::of(id)),
        _ => Ok(BdAnswer::value(id, action, format!("{action} {id}"))),
    }
}
