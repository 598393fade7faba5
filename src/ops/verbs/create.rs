//! `create`: a new issue, alone or below a parent.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::dep;
use crate::env;
use crate::model::edge::BLOCKS;
use crate::model::issue::{known_word, parse_priority};
use crate::model::limits::{MAX_LABEL, check_chars, check_word};
use crate::model::{Issue, IssueId, Status, Uid, id};
use crate::ops::answer::{Answer, AnswerKind, Next};
use crate::ops::shared::words;
use crate::ops::{Code, Command, Error, Result, Tracker, Tx};

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
    /// What it is about.
    pub description: Option<String>,
    /// How it is to be done.
    pub design: Option<String>,
    /// When it is done.
    pub acceptance: Option<String>,
    /// Who works on it.
    pub assignee: Option<String>,
    /// Labels.
    pub labels: Vec<String>,
}

/// A new issue and where it belongs.
#[derive(Clone, Debug, Default)]
pub struct Create {
    /// Its fields.
    pub fields: Fields,
    /// Its parent.
    pub parent: Option<String>,
    /// What it waits for.
    pub on: Vec<String>,
    /// The type of those dependencies; `blocks` by default.
    pub dep_type: Option<String>,
    /// Further dependencies: ids, or `type:id`.
    pub deps: Vec<String>,
    /// Its id; by default a free one.
    pub id: Option<String>,
    /// Its name in another system.
    pub external_ref: Option<String>,
    /// The same key and actor again give the existing issue.
    pub key: Option<String>,
    /// Starts it at once.
    pub start: bool,
    /// Checks everything and writes nothing.
    pub dry_run: bool,
}

/// What has come into being.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Created {
    /// Its id; none after a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Whether the key named an issue that was there already.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub existing: bool,
    /// Whether it was started.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub started: bool,
    /// Whether nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl Answer for Created {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Created
    }
    fn next(&self) -> Next {
        Next::Continue
    }
}

/// Creates an issue.
///
/// # Errors
/// A bad field, an unknown parent or dependency, or a parent three levels deep.
pub fn create(tracker: &Tracker, request: &Create) -> Result<Created> {
    tracker.write(
        |tx| {
            if let Some(existing) = by_key(tx, request.key.as_deref())? {
                return Ok(existing);
            }
            let parent = request
                .parent
                .as_deref()
                .map(|parent| tx.find(parent))
                .transpose()?;
            let mut issue = build(tx, &request.fields, parent)?;
            let writer = tx.writer(&issue)?;
            if let Some(id) = &request.id {
                issue
                    .blob_mut()
                    .put(&writer, "id", Value::from(free(tx, id, None)?.as_str()));
            }
            if let Some(name) = &request.external_ref {
                issue.set_text(&writer, "external_ref", name)?;
            }
            if let Some(key) = &request.key {
                check_chars("the key", key, MAX_LABEL)?;
                issue
                    .blob_mut()
                    .put(&writer, "key", Value::from(key.as_str()));
            }
            if request.start {
                issue.set_status(&writer, Status::InProgress);
                let assignee = issue
                    .blob()
                    .text("assignee")
                    .unwrap_or(tx.view.tracker.actor())
                    .to_owned();
                issue.set_text(&writer, "assignee", &assignee)?;
            }
            let created = Created {
                id: (!request.dry_run).then(|| issue.id().to_owned()),
                title: issue.title().to_owned(),
                existing: false,
                started: request.start,
                dry_run: request.dry_run,
            };
            let kind = request.dep_type.as_deref().unwrap_or(BLOCKS);
            let mut issue = dep::add_all(tx, issue, &request.on, kind)?.0;
            for dep in &request.deps {
                let (kind, id) = match dep.split_once(':') {
                    Some((kind, id)) if kind != "external" => (kind.trim(), id),
                    _ => (BLOCKS, dep.as_str()),
                };
                issue = dep::add_all(tx, issue, &[id.to_owned()], kind)?.0;
            }
            tx.subject(format!("create {}: {}", issue.id(), issue.title()));
            if !request.dry_run {
                tx.put(issue);
            }
            Ok(created)
        },
        |created, _| Ok(created),
    )
}

/// An id that is free, for a new issue or for the one named.
pub(crate) fn free(tx: &Tx<'_>, id: &str, own: Option<Uid>) -> Result<IssueId> {
    let id = IssueId::parse(id.trim())?;
    if tx.is_free(id.as_str(), own)? {
        return Ok(id);
    }
    Err(Error::new(Code::Taken, format!("{id} is taken")).hinted(Command::of("show").id(id)))
}

fn by_key(tx: &Tx<'_>, key: Option<&str>) -> Result<Option<Created>> {
    let Some(key) = key else { return Ok(None) };
    if key.trim().is_empty() {
        return Err(Error::invalid("the key is empty").hinted(
            Command::of("create")
                .placeholder("TITLE")
                .flag("--key")
                .placeholder("KEY"),
        ));
    }
    let Some(uid) = tx.view.index.ids().by_key(key, tx.view.tracker.actor())? else {
        return Ok(None);
    };
    let issue = tx.view.issue_to_write(uid)?;
    let (id, title) = (issue.id().to_owned(), issue.title().to_owned());
    Ok(Some(Created {
        id: Some(id),
        title,
        existing: true,
        started: false,
        dry_run: false,
    }))
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
        .and_then(|name| words::assignee(tx.view.tracker, name))
    {
        check_chars("the assignee", &name, crate::model::limits::MAX_NAME)?;
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
