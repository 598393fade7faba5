//! Issues that are worked on or that wait for a person, with what a supervisor wants to know of each.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::Row;
use crate::model::{Party, Status, time};
use crate::ops::answer::{ClaimView, Summary, shortened};
use crate::ops::{Result, View};

/// Characters of a note.
const NOTE: usize = 200;

/// An issue that is worked on, or that waits for a person.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Active {
    /// The issue.
    #[serde(flatten)]
    pub summary: Summary,
    /// The time since which it is worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// When anything last happened to it.
    pub last_activity: String,
    /// Whether it is claimed and nothing happens.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// Whether the lease of its agent is over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lease_over: bool,
    /// The branch that is about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Why it is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was last noted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_note: Option<Note>,
}

/// An entry of memory in a line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Note {
    /// `finding`, `decision` or `comment`.
    pub kind: String,
    /// What it says, on one line and cut.
    pub text: String,
    /// Who said it.
    pub by: String,
    /// The agent that said it for that person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// When.
    pub at: String,
}

impl Note {
    /// Returns who said it: the person, or the agent as `person/agent`.
    pub(crate) fn party(&self) -> Party {
        Party {
            person: self.by.clone(),
            agent: self.agent.clone(),
        }
    }
}

/// The facts, next to the issue, that this takes.
pub(crate) struct ActiveIssues<'v, 't> {
    pub(crate) view: &'v View<'t>,
    /// The branches that are about issues, by their id.
    pub(crate) branches: HashMap<String, String>,
    /// The time since which a claim must have changed, in milliseconds.
    pub(crate) stale_since: u64,
}

impl ActiveIssues<'_, '_> {
    pub(crate) fn all(&self, rows: &[Row]) -> Result<Vec<Active>> {
        let active = rows.iter().map(|row| self.one(row));
        let mut active: Vec<Active> = active.collect::<Result<_>>()?;
        let issues = active.iter_mut().map(|one| &mut one.summary);
        ClaimView::add(self.view.tracker, issues);
        Ok(active)
    }

    fn one(&self, row: &Row) -> Result<Active> {
        let reason = if row.status == Status::Blocked {
            self.view.issue(row.uid)?.state().reason
        } else {
            None
        };
        let stale = row.status == Status::InProgress && row.updated < self.stale_since;
        Ok(Active {
            summary: Summary::core(row.clone()),
            since: row.started.map(time::format),
            last_activity: time::format(row.updated),
            stale,
            lease_over: row.agent.is_some() && self.view.is_lease_over(&self.view.issue(row.uid)?),
            branch: self.branches.get(&row.id).cloned(),
            reason,
            last_note: self.last_note(row)?,
        })
    }

    fn last_note(&self, row: &Row) -> Result<Option<Note>> {
        let Some(uid) = self.view.index.memory().last_entry(row.uid)? else {
            return Ok(None);
        };
        let Some(entry) = self.view.snapshot().remembered(row.uid, uid)? else {
            return Ok(None);
        };
        let line = entry
            .text()
            .split_whitespace()
            .take(NOTE)
            .collect::<Vec<_>>()
            .join(" ");
        Ok(Some(Note {
            kind: entry.kind().as_str().to_owned(),
            text: shortened(&line, NOTE).unwrap_or(line),
            by: entry.by().to_owned(),
            agent: entry.agent().map(str::to_owned),
            at: time::format(entry.at()),
        }))
    }
}
