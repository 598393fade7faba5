//! The shapes both front ends serialise: seed 004's envelope and summary issue, and what the command
//! line adds. Nothing is null, empty or missing by accident: what has no value is left out.

mod envelope;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Error, Result, View};
use crate::index::{Neighbour, Row};
use crate::model::edge::PARENT_CHILD;
use crate::model::{Issue, Memory, MemoryKind, Status, time};
pub use envelope::{Answer, AnswerKind, Envelope, Failure, Next, envelope};

/// An issue in a list.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// Its id.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its status.
    pub status: String,
    /// 0 (most urgent) to 4.
    pub priority: i64,
    /// `task`, `bug`, `epic`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// Who works on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Id of its parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Children that can be started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ready_children: Vec<Reference>,
    /// Children.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Self>,
    /// Whether `task_start` has made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_new: Option<bool>,
    /// Labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// How many issues it waits or waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependency_count: Option<u64>,
    /// How many wait or waited for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependent_count: Option<u64>,
    /// When it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Moment>,
    /// When it last changed, memory included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Moment>,
}

/// A time in milliseconds since 1970; RFC 3339 in UTC, once it is written.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline)]
pub struct Moment(#[schemars(with = "String")] pub u64);

impl Serialize for Moment {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&time::format(self.0))
    }
}

/// An issue by name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reference {
    /// Its id.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
}

impl From<&Row> for Reference {
    fn from(row: &Row) -> Self {
        Self {
            id: row.id.clone(),
            title: row.title.clone(),
        }
    }
}

impl Summary {
    /// The core fields, as the task tools give them.
    pub fn core(row: Row) -> Self {
        Self {
            id: row.id,
            title: row.title,
            status: row.status.as_str().to_owned(),
            priority: row.priority,
            kind: row.kind,
            assignee: row.assignee,
            parent: row.parent,
            ..Self::default()
        }
    }

    /// Leaves out what only the command line lists.
    pub fn into_core(self) -> Self {
        let (labels, created_at, updated_at) = Default::default();
        Self {
            labels,
            created_at,
            updated_at,
            dependency_count: None,
            dependent_count: None,
            ..self
        }
    }

    /// The fields of a list on the command line.
    pub fn listed(mut row: Row) -> Self {
        Self {
            labels: std::mem::take(&mut row.labels),
            dependency_count: Some(row.dependencies),
            dependent_count: Some(row.dependents),
            created_at: Some(Moment(row.created)),
            updated_at: Some(Moment(row.updated)),
            ..Self::core(row)
        }
    }

    /// The core fields of an issue, from the index.
    ///
    /// # Errors
    /// An index that can't be read.
    pub fn of(view: &View<'_>, uid: crate::model::Uid) -> Result<Self> {
        let row = view
            .index
            .row(uid)?
            .ok_or_else(|| Error::not_found(format!("Issue {uid} not found")))?;
        Ok(Self::core(row))
    }
}

/// An issue at the other end of a dependency.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Link {
    /// Its id, or the text that names no issue here.
    pub id: String,
    /// The type of the dependency.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its title, where it exists and is not purged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its status, where it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Whether it is ignored because it would close a circle.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suspended: bool,
}

impl From<Neighbour> for Link {
    fn from(neighbour: Neighbour) -> Self {
        let (title, status) = match neighbour.issue {
            Some((_, title, status)) => (Some(title), Some(status.as_str().to_owned())),
            None => (None, None),
        };
        let title = title.filter(|title| !title.is_empty());
        Self {
            id: neighbour.id,
            kind: neighbour.kind,
            title,
            status,
            suspended: neighbour.suspended,
        }
    }
}

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

/// The long texts of an issue; what is empty is none.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Texts {
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How it is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub design: Option<String>,
    /// When it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<String>,
    /// Anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

impl Texts {
    /// The texts of an issue.
    pub fn of(issue: &Issue) -> Self {
        Self::read(|name| issue.text(name).to_owned())
    }

    /// What `text` has under each name.
    pub fn read(mut text: impl FnMut(&'static str) -> String) -> Self {
        let mut filled = |name| Some(text(name)).filter(|text| !text.is_empty());
        Self {
            description: filled("description"),
            design: filled("design"),
            acceptance: filled("acceptance"),
            notes: filled("notes"),
        }
    }

    /// Each by its name.
    pub fn named(&self) -> [(&'static str, Option<&str>); 4] {
        let Self {
            description,
            design,
            acceptance,
            notes,
        } = self;
        [
            ("description", description),
            ("design", design),
            ("acceptance", acceptance),
            ("notes", notes),
        ]
        .map(|(name, text)| (name, text.as_deref()))
    }
}

/// An issue with everything in it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Detail {
    /// What a list says of it.
    #[serde(flatten)]
    pub summary: Summary,
    /// What people wrote of it.
    #[serde(flatten)]
    pub texts: Texts,
    /// Its name in another system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_ref: Option<String>,
    /// When it should be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// When it returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defer: Option<String>,
    /// Why it is in its status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// When it was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<String>,
    /// Its identity, which no rename changes.
    pub uid: String,
    /// What it depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<Link>,
    /// What depends on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependents: Vec<Link>,
    /// Values that were written at the same time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// Commits on the default branch that name it, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<Landed>,
    /// How many older ones there are.
    #[serde(skip_serializing_if = "is_none")]
    pub more_commits: u64,
}

/// A commit on the default branch that names an issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Landed {
    /// The commit.
    pub commit: String,
    /// When it was made.
    pub at: String,
    /// Whether it closes the issue.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub closes: bool,
    /// Its first line.
    pub subject: String,
}

/// An entry of memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// Its id; the end of it is enough for `redact`.
    pub id: String,
    /// What it says.
    pub text: String,
    /// Who said it.
    pub by: String,
    /// When.
    pub at: String,
}

/// The memory of an issue, oldest first.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct MemoryView {
    /// Facts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Entry>,
    /// Choices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Entry>,
    /// Anything else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Entry>,
    /// Whether a limit left some out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// How many, by kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<More>,
}

/// How many entries a limit left out.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct More {
    /// Findings.
    #[serde(skip_serializing_if = "is_zero")]
    pub findings: usize,
    /// Decisions.
    #[serde(skip_serializing_if = "is_zero")]
    pub decisions: usize,
    /// Comments.
    #[serde(skip_serializing_if = "is_zero")]
    pub comments: usize,
}

/// The first `limit` characters of a text and three dots, if it has more.
pub fn shortened(text: &str, limit: usize) -> Option<String> {
    text.char_indices()
        .nth(limit)
        .map(|(end, _)| format!("{}...", &text[..end]))
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_none(n: &u64) -> bool {
    *n == 0
}

impl MemoryView {
    /// Sorts entries by kind and keeps the newest `limit` of each.
    pub fn new(memory: &[Memory], limit: usize) -> Self {
        let of = |kind: MemoryKind| {
            let all: Vec<&Memory> = memory
                .iter()
                .filter(|entry| entry.kind() == kind && !entry.is_redacted())
                .collect();
            let left_out = all.len().saturating_sub(limit);
            let entry = |memory: &&Memory| Entry {
                id: memory.uid().to_string(),
                text: memory.text().to_owned(),
                by: memory.by().to_owned(),
                at: time::format(memory.at()),
            };
            (
                all[left_out..].iter().map(entry).collect::<Vec<_>>(),
                left_out,
            )
        };
        let (findings, more_findings) = of(MemoryKind::Finding);
        let (decisions, more_decisions) = of(MemoryKind::Decision);
        let (comments, more_comments) = of(MemoryKind::Comment);
        let more = More {
            findings: more_findings,
            decisions: more_decisions,
            comments: more_comments,
        };
        let truncated = more.findings + more.decisions + more.comments > 0;
        Self {
            findings,
            decisions,
            comments,
            truncated,
            more: truncated.then_some(more),
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.decisions.is_empty() && self.comments.is_empty()
    }
}

impl Detail {
    /// All there is to say of an issue.
    ///
    /// # Errors
    /// An index that can't be read.
    pub fn new(view: &View<'_>, issue: &Issue) -> Result<Self> {
        let row = view
            .index
            .row(issue.uid())?
            .ok_or_else(|| Error::not_found(format!("Issue {} not found", issue.uid())))?;
        let children = if row.children > 0 {
            view.index.children(row.uid)?
        } else {
            Vec::new()
        };
        let now = view.now();
        let ready = children
            .iter()
            .filter(|child| child.ready && child.defer.is_none_or(|until| until <= now));
        let mut summary = Summary::listed(row.clone());
        summary.ready_children = ready.map(Reference::from).collect();
        summary.children = children.into_iter().map(Summary::core).collect();
        let text = |key: &str| Some(issue.text(key).to_owned()).filter(|text| !text.is_empty());
        let (reason, reopened) = reason(&row, issue);
        let dependencies = view
            .index
            .edges()
            .dependencies(row.num)?
            .into_iter()
            .filter(|link| link.kind != PARENT_CHILD || Some(&link.id) != row.parent.as_ref());
        let dependents = view
            .index
            .edges()
            .dependents(row.uid, &row.id)?
            .into_iter()
            .filter(|link| link.kind != PARENT_CHILD);
        let (commits, more_commits) = super::shared::commit_links::commits(view, issue)?;
        Ok(Self {
            texts: Texts::of(issue),
            external_ref: text("external_ref"),
            due: text("due"),
            defer: text("defer"),
            reason,
            created_by: Some(issue.created_by().to_owned()).filter(|by| !by.is_empty()),
            closed_at: issue.closed().filter(|_| !reopened).map(time::format),
            uid: issue.uid().to_string(),
            dependencies: dependencies.map(Link::from).collect(),
            dependents: dependents.map(Link::from).collect(),
            conflicts: conflicts(view, issue)?,
            commits,
            more_commits,
            summary,
        })
    }
}

/// Why an issue is in its status, and whether it is an epic that was closed with its last child and has an open
/// one again: that is open, whatever it says.
pub(super) fn reason(row: &Row, issue: &Issue) -> (Option<String>, bool) {
    let reopened = row.status == Status::Open && issue.status() == Status::Closed;
    let reason = match (issue.is_deleted(), reopened) {
        (true, _) => issue.blob().value("deleted")["reason"]
            .as_str()
            .map(str::to_owned),
        (false, true) => None,
        (false, false) => issue.state().reason,
    };
    (reason, reopened)
}

pub(super) fn conflicts(view: &View<'_>, issue: &Issue) -> Result<Vec<Conflict>> {
    let mut conflicts = Vec::new();
    for (field, at, record) in issue.conflicts() {
        let value = record
            .get("v")
            .map(|value| super::verbs::conflicts::shown(view, field, value))
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
