//! An issue in a list, and issues by name.

use schemars::JsonSchema;
use serde::Serialize;

use super::claim::ClaimView;
use super::moment::Moment;
use crate::index::{Condition, Fact, Neighbour, Order, Row};
use crate::model::{Party, Status, Uid};
use crate::ops::{Error, Result, View};

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
    /// The agent that works on it, for the assignee.
    #[serde(skip)]
    pub agent: Option<String>,
    /// The beginning of the work on it, while it is in progress.
    #[serde(skip)]
    pub(crate) since: Option<u64>,
    /// Its identity.
    #[serde(skip)]
    pub(crate) uid: Option<Uid>,
    /// The claim, in an answer of the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) claim: Option<Box<ClaimView>>,
    /// When it is due, while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<Moment>,
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
    /// Who created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// When it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Moment>,
    /// When it last changed, memory included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Moment>,
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
    pub(crate) fn core(row: Row) -> Self {
        Self {
            uid: Some(row.uid),
            id: row.id,
            title: row.title,
            due: row.due.filter(|_| !row.status.is_done()).map(Moment),
            since: row.started.filter(|_| row.status == Status::InProgress),
            status: row.status.as_str().to_owned(),
            priority: row.priority,
            kind: row.kind,
            assignee: row.assignee,
            agent: row.agent,
            parent: row.parent,
            ..Self::default()
        }
    }

    /// Returns the core fields, and for an issue with children those that can be started.
    pub(crate) fn with_ready_children(view: &View<'_>, row: Row) -> Result<Self> {
        let mut ready_children = Vec::new();
        if row.open_children > 0 {
            let ready = Condition::from(Fact::Child(row.uid)).ready(view.now());
            let children = view.index.page(&ready, Order::Priority, 0, 0)?.rows;
            ready_children.extend(children.iter().map(Reference::from));
        }
        Ok(Self {
            ready_children,
            ..Self::core(row)
        })
    }

    /// Returns who works on it, or is to.
    pub(crate) fn party(&self) -> Option<Party> {
        Some(Party {
            person: self.assignee.clone()?,
            agent: self.agent.clone(),
        })
    }

    /// Returns who works on it, or is to: the person, or the agent as `person/agent`.
    pub(crate) fn holder(&self) -> Option<String> {
        self.party().map(|party| party.to_string())
    }

    /// Returns true if it is open, and was due before a time in milliseconds.
    pub(crate) fn is_overdue(&self, now: u64) -> bool {
        self.due.is_some_and(|due| due.0 < now)
    }

    /// Leaves out what only the command line lists.
    pub(crate) fn into_core(self) -> Self {
        let (labels, created_at, updated_at, claim) = Default::default();
        Self {
            labels,
            claim,
            created_by: None,
            created_at,
            updated_at,
            dependency_count: None,
            dependent_count: None,
            ..self
        }
    }

    /// The fields of a list on the command line.
    pub(crate) fn listed(mut row: Row) -> Self {
        Self {
            labels: std::mem::take(&mut row.labels),
            dependency_count: Some(row.dependencies),
            dependent_count: Some(row.dependents),
            created_by: row.creator.take(),
            created_at: Some(Moment(row.created)),
            updated_at: Some(Moment(row.updated)),
            ..Self::core(row)
        }
    }

    /// The core fields of an issue, from the index.
    pub(crate) fn of(view: &View<'_>, uid: Uid) -> Result<Self> {
        let row = view.index.row(uid)?.ok_or_else(|| Error::no_issue(uid))?;
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
    /// Whether it is ignored because it would close a cycle.
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
