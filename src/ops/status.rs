//! `status`: where things stand.

use schemars::JsonSchema;
use serde::Serialize;

use super::view::{Answer, Kind, Reference, Summary};
use super::{Result, Tracker, View};
use crate::index::{Filter, Order, Row};
use crate::model::time;

/// Issues of each kind at most.
const SHOWN: usize = 10;

/// Where things stand.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Status {
    /// The repository.
    pub repo: String,
    /// Issues by status.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub counts: std::collections::BTreeMap<String, u64>,
    /// How many can be started.
    pub ready_count: u64,
    /// How many wait for others.
    pub blocked_count: u64,
    /// Who works on what.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_progress: Vec<Active>,
    /// What waits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<Reference>,
    /// What can be started next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ready: Vec<Summary>,
    /// Issues with values that were written at the same time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// How far we and each remote are apart, as of the last exchange.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<Distance>,
    /// Blobs that can't be shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
}

/// How far we and a remote are apart.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Distance {
    /// The remote.
    pub remote: String,
    /// Commits that it lacks.
    pub ahead: usize,
    /// Commits that we lack.
    pub behind: usize,
}

/// An issue somebody works on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Active {
    /// The issue.
    #[serde(flatten)]
    pub summary: Summary,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

impl Answer for Status {
    fn kind(&self) -> Kind {
        Kind::Report
    }
}

/// Counts, who is on what, what waits, what is next.
///
/// # Errors
/// An index that can't be read.
pub fn status(tracker: &Tracker) -> Result<Status> {
    tracker.read(|view| {
        let counts = view.index.counts(view.now())?;
        let in_progress = Filter { statuses: vec!["in_progress".into()], ..Filter::default() };
        let blocked = Filter { blocked: true, ..Filter::default() };
        let ready = Filter { ready: Some(view.now()), ..Filter::default() };
        let active = |row: &Row| Active { summary: Summary::core(row), since: row.started.map(time::format) };
        let broken = view.index.broken()?.into_iter().map(|(path, why)| format!("{path}: {why}"));
        Ok(Status {
            repo: tracker.store().place().display().to_string(),
            counts: counts.statuses,
            ready_count: counts.ready,
            blocked_count: counts.blocked,
            in_progress: rows(view, &in_progress, SHOWN)?.iter().map(active).collect(),
            blocked: rows(view, &blocked, SHOWN)?.iter().map(Reference::from).collect(),
            ready: rows(view, &ready, SHOWN / 2)?.iter().map(Summary::core).collect(),
            conflicts: view.index.conflicted()?.iter().map(|uid| view.id(*uid)).collect::<Result<_>>()?,
            remotes: distances(view)?,
            unreadable: broken.collect(),
        })
    })
}

fn rows(view: &View<'_>, filter: &Filter, limit: usize) -> Result<Vec<Row>> {
    Ok(view.index.page(filter, Order::Priority, limit, 0)?.rows)
}

fn distances(view: &View<'_>) -> Result<Vec<Distance>> {
    let store = view.tracker.store();
    let mut distances = Vec::new();
    for remote in store.remotes() {
        if let Some(tip) = store.remote_tip(&remote)? {
            let (ahead, behind) = store.ahead_behind(view.snapshot().commit(), tip)?;
            distances.push(Distance { remote, ahead, behind });
        }
    }
    Ok(distances)
}
