//! A new issue with its fields and a free id.

use serde_json::Value;

use super::words::assignee;
use crate::env;
use crate::model::issue::{known_word, parse_priority};
use crate::model::limits::{MAX_NAME, check_chars, check_word};
use crate::model::{Issue, IssueId, Status, Uid, id};
use crate::ops::{Command, Error, Result, Tx};

/// Draws of an id before it gets longer.
const DRAWS: u32 = 8;

/// The fields of a new issue.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// Title.
    pub title: String,
    /// Type; `task` by default.
    pub kind: Option<String>,
    /// Priority; 2 by default.
    pub priority: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Design.
    pub design: Option<String>,
    /// Acceptance criteria.
    pub acceptance: Option<String>,
    /// Assignee.
    pub assignee: Option<String>,
    /// Labels.
    pub labels: Vec<String>,
}

/// Makes an issue with its fields and a free id; the caller stages it.
pub(crate) fn build(tx: &mut Tx<'_>, fields: &Fields, parent: Option<Uid>) -> Result<Issue> {
    let (mut issue, writer) = tx.new_issue();
    let id = match parent {
        Some(parent) => child_id(tx, parent)?,
        None => root_id(tx)?,
    };
    issue
        .blob_mut()
        .put(&writer, "id", Value::from(id.as_str()));
    issue.set_title(&writer, &fields.title).map_err(|error| {
        Error::from(error).hinted(Command::of("create").placeholder("What is to be done"))
    })?;
    let kind = known_word(fields.kind.as_deref().unwrap_or("task"));
    check_word("a type", &kind)?;
    issue.blob_mut().put(&writer, "type", Value::from(kind));
    let priority = fields.priority.as_deref().map_or(Ok(2), parse_priority)?;
    issue
        .blob_mut()
        .put(&writer, "priority", Value::from(priority));
    issue.set_status(&writer, Status::Open);
    for (key, text) in [
        ("description", &fields.description),
        ("design", &fields.design),
        ("acceptance", &fields.acceptance),
    ] {
        if let Some(text) = text {
            issue.set_text(&writer, key, text)?;
        }
    }
    if let Some(name) = fields
        .assignee
        .as_deref()
        .and_then(|name| assignee(tx.view.tracker, name))
    {
        check_chars("the assignee", &name, MAX_NAME)?;
        issue.set_text(&writer, "assignee", &name)?;
    }
    for label in fields.labels.iter().flat_map(|labels| labels.split(',')) {
        issue.set_label(&writer, label, true)?;
    }
    issue.set_parent(&writer, parent);
    Ok(issue)
}

fn child_id(tx: &Tx<'_>, parent: Uid) -> Result<IssueId> {
    let parent = tx.issue(parent)?;
    if parent.is_deleted() {
        return Err(Error::invalid(format!("{} is deleted", parent.id()))
            .hinted(Command::of("restore").id(parent.id())));
    }
    // A child that was renamed away still counts.
    let used = parent.blob().value("last_child").as_u64().unwrap_or(0);
    let parent = IssueId::parse(parent.id())?;
    let next = tx.last_child(parent.as_str())?.max(used) + 1;
    parent.child(next).map_err(|error| {
        Error::from(error).hinted(
            Command::of("create")
                .placeholder("TITLE")
                .then(", then git beads update ID --parent PARENT keeps a flat id"),
        )
    })
}

fn root_id(tx: &Tx<'_>) -> Result<IssueId> {
    let prefix = tx.view.prefix()?.to_owned();
    let shortest = id::length_for(tx.view.index.ids().known_ids()?);
    for draw in 0.. {
        let id = id::mint(&prefix, shortest + draw / DRAWS, env::random());
        if tx.is_free(id.as_str(), None)? {
            return Ok(id);
        }
    }
    unreachable!("ids get longer until one is free")
}
