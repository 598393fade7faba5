//! `watch`: what happens, as it happens: each operation that appears on the ref, whoever made it.

use schemars::JsonSchema;
use serde::Serialize;

use super::list::{Query, filter};
use super::view::{Answer, Kind};
use super::{Result, Tracker, View};
use crate::index::{Filter, Order, Row};
use crate::model::{Context, Uid, time};
use crate::store::{Commit, Oid, Path, StoreError};

/// One operation that has appeared.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Event {
    /// Its commit.
    pub commit: String,
    /// When it was made.
    pub at: String,
    /// Who made it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub actor: String,
    /// What it did, in a line.
    pub subject: String,
    /// The issues it changed, as they are now; none of an operation on very many.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Touched>,
    /// Why, where an agent said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
}

/// An issue that an operation changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Touched {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: String,
}

impl Answer for Event {
    fn kind(&self) -> Kind {
        Kind::Report
    }
}

/// How far somebody has seen; none: nothing yet.
pub type Seen = Option<Oid>;

/// Where to begin: with what comes after now, or after a revision.
///
/// # Errors
/// A revision that names no state.
pub fn begin(tracker: &Tracker, since: Option<&str>) -> Result<Seen> {
    let Some(since) = since else { return Ok(tracker.store().tip()?) };
    tracker.read(|view| match view.revision(since) {
        Ok(snapshot) => Ok(Some(snapshot.commit())),
        Err(error) if error.code == "nothing_yet" => Ok(None),
        Err(error) => Err(error),
    })
}

/// What has appeared since, oldest first: operations on issues that a query lets through; and how far that is.
///
/// # Errors
/// A word that is not in the field's vocabulary, or a history that can't be read.
pub fn news(tracker: &Tracker, query: &Query, seen: Seen) -> Result<(Vec<Event>, Seen)> {
    tracker.read(|view| {
        // Checked also while nothing happens.
        let filter = Filter { done: true, deleted: true, ..filter(view, query)? };
        let tip = Some(view.snapshot().commit());
        // What was seen may be gone, with the whole history: then this is the beginning.
        let gone = seen.is_some_and(|seen| !tracker.store().has_object(&seen.to_string()));
        if tip == seen || gone {
            return Ok((Vec::new(), tip));
        }
        let mut events = Vec::new();
        for commit in view.snapshot().history(seen)?.iter().rev() {
            events.extend(event(view, commit, (!query.is_plain()).then_some(&filter))?);
        }
        Ok((events, tip))
    })
}

fn event(view: &View<'_>, commit: &Commit, filter: Option<&Filter>) -> Result<Option<Event>> {
    let issues = commit.trailer("Issues").unwrap_or_default();
    let uids = issues.split_whitespace().filter_map(|uid| uid.parse::<Uid>().ok());
    let rows = uids.filter_map(|uid| view.index.row(uid).transpose()).collect::<Result<Vec<Row>, _>>()?;
    if let Some(filter) = filter {
        let bulk = if issues == "*" { touched(view, commit)? } else { Vec::new() };
        let nums = rows.iter().map(|row| row.num).chain(bulk).collect();
        let found = Filter { found: Some(nums), ..filter.clone() };
        if view.index.first(&found, Order::Id, 1)?.is_empty() {
            return Ok(None);
        }
    }
    // Of a purged issue not even the title is told.
    let purged = rows.iter().any(|row| row.title.is_empty());
    let verb = commit.subject.split(':').next().unwrap_or_default();
    Ok(Some(Event {
        commit: commit.oid.to_string(),
        at: time::format(commit.at),
        actor: commit.trailer("Actor").unwrap_or_default().to_owned(),
        subject: if purged { verb.to_owned() } else { commit.subject.clone() },
        context: Context::read(|key| commit.trailer(key)).filter(|_| !purged),
        issues: rows
            .into_iter()
            .map(|row| Touched { id: row.id, title: row.title, status: row.status.as_str().to_owned() })
            .collect(),
    }))
}

/// The issues that a commit on too many to be listed has changed, by their number in the index.
fn touched(view: &View<'_>, commit: &Commit) -> Result<Vec<i64>> {
    let store = view.tracker.store();
    let before = commit.parents.first().map(|parent| store.snapshot_at(*parent)).transpose()?;
    let mut uids = Vec::new();
    let after = store.snapshot_at(commit.oid)?.tree();
    store.diff::<StoreError>(before.map(|before| before.tree()), after, &mut |change| {
        uids.extend(match change.path {
            Some(Path::Issue(uid) | Path::Entry(uid, _)) => Some(uid),
            _ => None,
        });
        Ok(())
    })?;
    uids.sort();
    uids.dedup();
    let rows = uids.into_iter().filter_map(|uid| view.index.row(uid).transpose());
    Ok(rows.map(|row| row.map(|row| row.num)).collect::<Result<_, _>>()?)
}
