//! `blame`: who set each field of an issue, when, and in which operation.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::index::OpRecord;
use crate::model::issue::REVIEW;
use crate::model::{Issue, Memory, Party, Stamp, Uid, time};
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::field_diff::INNER_SETS;
use crate::ops::shared::field_diff::{
    INNER, field_of, member, memory_field, rank, register_changes,
};
use crate::ops::shared::origin::writers_of;
use crate::ops::{Code, Command, Error, Result, Tracker, View};

/// The fields of an issue, each with its author.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Blame {
    /// The issue.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its fields, labels, dependencies and memory.
    pub fields: Vec<FieldOrigin>,
    /// The commits before which the history is cut, where a field was set before one of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
}

impl Answer for Blame {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Where a value comes from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Origin")]
pub(crate) struct FieldOrigin {
    /// `title`, `status`, `reason`, `labels`, `dependencies`, `findings`, ...
    pub field: String,
    /// The entry of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// What it says.
    pub value: Value,
    /// Who wrote it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// The agent that wrote it for that person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// When it was written.
    pub at: String,
    /// The commit that brought it, where the history still has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What that commit says.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// What that commit took back: it is an undo.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undid: Vec<String>,
    /// What that commit brought back: it is the undo of an undo.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redid: Vec<String>,
    #[serde(skip)]
    stamp: Stamp,
}

/// Says of each field of an issue where its value comes from.
pub(crate) fn blame(tracker: &Tracker, id: &str) -> Result<Blame> {
    tracker.read(|view| {
        let uid = view.find(id)?;
        let issue = view.issue(uid)?;
        let id = view.id(uid)?;
        if issue.is_purged() {
            return Err(Error::new(
                Code::Purged,
                format!("{id} was purged; its text is gone for good"),
            )
            .hinted(Command::of("log").id(id)));
        }
        let mut fields = values(view, &issue)?;
        fields.extend(memory(view, uid)?);
        attribute(view, uid, &mut fields)?;
        // A cut matters only where it hides who set a field.
        let cut = if fields.iter().all(|field| field.commit.is_some()) {
            Vec::new()
        } else {
            view.cuts()?
        };
        Ok(Blame {
            id,
            title: issue.title().to_owned(),
            fields,
            cut,
        })
    })
}

/// The values that an issue has, in the order of `show`.
fn values(view: &View<'_>, issue: &Issue) -> Result<Vec<FieldOrigin>> {
    let mut fields = Vec::new();
    let blob = issue.blob();
    for (key, register) in blob
        .registers
        .iter()
        .filter(|(key, _)| !INNER.contains(&key.as_str()))
        .filter(|(key, _)| *key != REVIEW || issue.acceptance().is_some())
    {
        for change in register_changes(view, key, None, Some(register))? {
            let Some(value) = change.new else { continue };
            let (by, at) = (register.by.clone(), time::format(register.written()));
            fields.push(FieldOrigin::new(change.field, value, by, at, register.at));
        }
    }
    for (set, members) in blob
        .sets
        .iter()
        .filter(|(set, _)| !INNER_SETS.contains(&set.as_str()))
    {
        for (key, element) in members {
            let Some(value) = member(view, set, key, Some(element))? else {
                continue;
            };
            let by = element
                .payload
                .get("created_by")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let at = time::format(element.at.millis());
            fields.push(FieldOrigin::new(
                field_of(set).to_owned(),
                value,
                by.to_owned(),
                at,
                element.at,
            ));
        }
    }
    fields.sort_by_key(|field| rank(&field.field));
    Ok(fields)
}

fn memory(view: &View<'_>, uid: Uid) -> Result<Vec<FieldOrigin>> {
    let entries = view.snapshot().memory(uid)?.0;
    let shown = entries.iter().filter(|entry| !entry.is_redacted());
    let origin = |entry: &Memory| {
        let (by, at) = (entry.by().to_owned(), time::format(entry.at()));
        let origin = FieldOrigin::new(
            memory_field(entry),
            json!(entry.text()),
            by,
            at,
            entry.blob().origin.at,
        );
        FieldOrigin {
            entry: Some(entry.uid().to_string()),
            agent: entry.agent().map(str::to_owned),
            ..origin
        }
    };
    Ok(shown.map(origin).collect())
}

impl FieldOrigin {
    fn new(field: String, value: Value, by: String, at: String, stamp: Stamp) -> Self {
        let (agent, entry, commit, subject, undid, redid) = Default::default();
        Self {
            field,
            entry,
            value,
            by,
            agent,
            at,
            commit,
            subject,
            undid,
            redid,
            stamp,
        }
    }

    /// Returns who wrote it: the person, or the agent as `person/agent`.
    pub(crate) fn party(&self) -> Party {
        Party {
            person: self.by.clone(),
            agent: self.agent.clone(),
        }
    }

    /// Names the operation that set it. A value that an undo brought back has its former author and time, but the undo
    /// set it.
    fn set_by(&mut self, view: &View<'_>, operation: &OpRecord) -> Result<()> {
        self.commit = Some(operation.commit.to_string());
        self.subject.clone_from(&operation.subject);
        let is_undo = !operation.undoes.is_empty();
        // Elements of sets need not say their author; the operation has one.
        if is_undo || self.by.is_empty() {
            self.by.clone_from(&operation.actor);
            self.agent = None;
        }
        // What an import brought has another author than its commit.
        if self.by == operation.actor && self.agent.is_none() {
            self.agent.clone_from(&operation.agent);
        }
        if is_undo {
            self.at = time::format(operation.at);
            (self.undid, self.redid) = taken_back(view, operation)?;
        }
        Ok(())
    }
}

/// Names the operation that set each field, where the history still has it.
fn attribute(view: &View<'_>, uid: Uid, fields: &mut [FieldOrigin]) -> Result<()> {
    let stamps = fields.iter().map(|field| field.stamp).collect();
    let found = writers_of(view, uid, stamps)?;
    for field in fields {
        if let Some(operation) = found.get(&field.stamp) {
            field.set_by(view, operation)?;
        }
    }
    Ok(())
}

/// Returns what an undo took back, or brought back by taking an undo back.
fn taken_back(view: &View<'_>, undo: &OpRecord) -> Result<(Vec<String>, Vec<String>)> {
    let (mut undoes, mut is_redo) = (undo.undoes.clone(), false);
    // An undo of an undo of an undo: each level turns taking back into bringing back.
    while let [one] = undoes.as_slice()
        && let Some(inner) = view
            .index
            .oplog()
            .operation(*one)?
            .filter(|inner| !inner.undoes.is_empty())
    {
        (undoes, is_redo) = (inner.undoes, !is_redo);
    }
    let commits = undoes.iter().map(ToString::to_string).collect();
    Ok(if is_redo {
        (Vec::new(), commits)
    } else {
        (commits, Vec::new())
    })
}
