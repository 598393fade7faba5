//! `create`: a new issue, alone or below a parent.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::model::edge::BLOCKS;
use crate::model::limits::{MAX_LABEL, check_chars};
use crate::model::{Field, FieldMap, Issue, Status, time};
use crate::ops::answer::{After, Answer, AnswerKind, Next};
use crate::ops::shared::claim;
use crate::ops::shared::dependency::add_all;
use crate::ops::shared::ids::free;
use crate::ops::shared::new_issue::build;
use crate::ops::{Command, Error, Result, Tracker, Tx};

/// A new issue and where it belongs.
#[derive(Clone, Debug, Default)]
pub struct Create {
    /// Its fields.
    pub fields: FieldMap<Option<String>>,
    /// Its dependencies: ids, or `type:id`.
    pub on: Vec<String>,
    /// The type of those without one; `blocks` by default.
    pub dep_type: Option<String>,
    /// Its id; by default a free one.
    pub id: Option<String>,
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
    /// The issues that block it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_blockers: Vec<String>,
    /// When it is due, in milliseconds.
    #[serde(skip)]
    pub due: Option<u64>,
    /// Whether nothing but a blocker keeps the caller from starting it: neither a date nor another assignee.
    #[serde(skip)]
    pub may_start: bool,
    /// Whether nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl Answer for Created {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Created
    }
    fn next(&self) -> Next {
        After::Changed.next()
    }
}

/// Creates an issue.
///
/// # Errors
/// A bad field, an unknown parent or dependency, or a parent three levels deep.
pub fn create(tracker: &Tracker, request: &Create) -> Result<Created> {
    tracker.write(|tx| stage(tx, request), |created, _| Ok(created))
}

fn stage(tx: &mut Tx<'_>, request: &Create) -> Result<Created> {
    // An agent that tries again after a lost answer gets the issue that it has made.
    if let Some(existing) = by_key(tx, request.key.as_deref())? {
        return Ok(existing);
    }
    check_title(
        tx,
        request.fields[Field::Title].as_deref().unwrap_or_default(),
    )?;
    let parent = request.fields[Field::Parent]
        .as_deref()
        .map(|parent| tx.find(parent))
        .transpose()?;
    let mut issue = build(tx, &request.fields, parent)?;
    name_and_start(tx, &mut issue, request)?;
    let issue = link(tx, issue, request)?;
    tx.subject(format!("create {}: {}", issue.id(), issue.title()));
    let mut created = created(tx, &issue);
    (created.started, created.dry_run) = (request.start, request.dry_run);
    // A dry run has checked everything by now.
    if request.dry_run {
        created.id = None;
    } else {
        let uid = issue.uid();
        tx.put(issue);
        created.open_blockers = tx.open_blockers(uid)?;
    }
    Ok(created)
}

/// Refuses the id of an issue as a title: another verb was meant.
fn check_title(tx: &Tx<'_>, title: &str) -> Result<()> {
    let id = title.trim();
    if id.contains(char::is_whitespace) || !tx.view.has(id)? {
        return Ok(());
    }
    let message = format!("{id} is an issue, and no title for a new one");
    Err(Error::invalid(message).hinted(Command::of("show").id(id)))
}

/// Returns what is said of an issue, whose blockers are not known yet.
fn created(tx: &Tx<'_>, issue: &Issue) -> Created {
    let date = |field: Field| time::parse(issue.text(field.key()));
    let is_hidden = date(Field::Defer).is_some_and(|until| until > tx.view.now());
    let others = ["", tx.view.tracker.actor()];
    Created {
        id: Some(issue.id().to_owned()),
        title: issue.title().to_owned(),
        existing: false,
        started: false,
        open_blockers: Vec::new(),
        due: date(Field::Due),
        may_start: !is_hidden && others.contains(&issue.text("assignee")),
        dry_run: false,
    }
}

/// Sets the id and the key that were asked for, and starts the issue.
fn name_and_start(tx: &mut Tx<'_>, issue: &mut Issue, request: &Create) -> Result<()> {
    let writer = tx.writer(issue)?;
    if let Some(id) = &request.id {
        issue
            .blob_mut()
            .put(&writer, "id", Value::from(free(tx, id, None)?.as_str()));
    }
    if let Some(key) = &request.key {
        check_chars("the key", key, MAX_LABEL)?;
        issue
            .blob_mut()
            .put(&writer, "key", Value::from(key.as_str()));
    }
    if request.start {
        let caller = tx.view.tracker.party();
        // Who creates and starts may name another as assignee; else it is the actor.
        if ["", caller.person.as_str()].contains(&issue.text("assignee")) {
            claim::take_for(tx, issue, &writer, &caller);
        } else {
            issue.set_status(&writer, Status::InProgress);
        }
    }
    Ok(())
}

/// Adds the dependencies that were asked for.
fn link(tx: &mut Tx<'_>, issue: Issue, request: &Create) -> Result<Issue> {
    let usual = request.dep_type.as_deref().unwrap_or(BLOCKS);
    let mut issue = issue;
    for dep in request.on.iter().flat_map(|deps| deps.split(',')) {
        let (kind, id) = match dep.split_once(':') {
            // `external:...` is an id itself, and no type.
            Some((kind, id)) if kind.trim() != "external" => (kind.trim(), id),
            _ => (usual, dep),
        };
        issue = add_all(tx, issue, &[id.to_owned()], kind)?.0;
    }
    Ok(issue)
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
    Ok(Some(Created {
        existing: true,
        open_blockers: tx.open_blockers(uid)?,
        ..created(tx, &issue)
    }))
}
