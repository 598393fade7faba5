//! `ready list blocked search show stats log`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::shape::{BdFields, Rows};
use super::{many, required};
use crate::mcp::compaction::{Compacted, Compaction};
use crate::mcp::tool::CallContext;
use crate::mcp::tools::Nothing;
use crate::model::query::{Key, QueryTree};
use crate::ops::shared::blockers::BlockedRow;
use crate::ops::shared::commit_links;
use crate::ops::shared::query::options::TreeParts;
use crate::ops::shared::query::{List, Query};
use crate::ops::shared::words::vocabulary;
use crate::ops::verbs::{blocked, list, ready, search};
use crate::ops::verbs::{log as history, show as shows};
use crate::ops::{Result, Tracker, View};

const HINT: &str = "Use show(issue_id) for full details or add filters";
const LOG_LIMIT: i64 = 20;

/// Arguments that the lists have in common.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
struct Filters {
    priority: Option<i64>,
    issue_type: Option<String>,
    assignee: Option<String>,
    #[serde(default)]
    unassigned: bool,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    labels_any: Vec<String>,
    limit: Option<i64>,
    offset: Option<i64>,
    #[serde(default)]
    brief: bool,
    #[serde(default)]
    fields: Vec<String>,
    max_description_length: Option<i64>,
}

impl Filters {
    /// Returns the query of a page, and whether a longer list is compacted.
    fn query(
        &self,
        tracker: &Tracker,
        mut parts: TreeParts,
        compaction: Compaction,
    ) -> Result<(Query, bool)> {
        let count = |n: Option<i64>| n.map(|n| usize::try_from(n).unwrap_or(0));
        let offset = count(self.offset).unwrap_or(0);
        let (limit, compacts) = compaction.page(count(self.limit), offset);
        let priority = self.priority.map(|priority| priority.to_string());
        let nobody = self.unassigned.then(|| "none".to_owned());
        parts.any("type", Key::Type, &many(self.issue_type.as_deref()))?;
        parts.any("priority", Key::Priority, &Vec::from_iter(priority))?;
        parts.labels(&self.labels)?;
        parts.any_label(tracker, &self.labels_any)?;
        if let Some(name) = nobody.or_else(|| many(self.assignee.as_deref()).pop()) {
            parts.assignee(&name);
        }
        let query = Query {
            tree: parts.tree(),
            says_next: true,
            limit,
            offset,
            ..Query::default()
        };
        Ok((query, compacts))
    }

    fn wanted(&self) -> BdFields<'_> {
        BdFields {
            brief: self.brief,
            fields: &self.fields,
            description: self.max_description_length,
        }
    }

    fn rows(
        &self,
        tracker: &Tracker,
        found: &List,
        compacts: bool,
        compaction: Compaction,
    ) -> Result<Rows> {
        let rows = tracker.read(|view| {
            let issues = found.issues.iter();
            let rows = issues.map(|summary| self.wanted().row(view, summary.clone()));
            rows.collect()
        })?;
        Ok(compacted(rows, found.total_count, compacts, compaction))
    }
}

fn compacted(rows: Vec<Value>, total: u64, compacts: bool, compaction: Compaction) -> Rows {
    // Long by number; below, long by size.
    if compacts && total > compaction.threshold as u64 {
        return Rows::Compacted(Compacted::new(compaction, rows, total, HINT));
    }
    Compacted::that_fits(compaction, rows, total, HINT).map_or_else(Rows::All, Rows::Compacted)
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdReady {
    #[serde(flatten)]
    filters: Filters,
    #[schemars(extend("enum" = ["hybrid", "priority", "oldest"]))]
    sort_policy: Option<String>,
}

pub(crate) fn ready(call: &CallContext<'_>, request: &BdReady) -> Result<Rows> {
    let (tracker, compaction) = (call.tracker, call.compaction);
    request.filters.wanted().check()?;
    let parts = TreeParts::default();
    let (query, compacts) = request.filters.query(tracker, parts, compaction)?;
    let sort = match request.sort_policy.as_deref().map(str::trim) {
        None | Some("" | "hybrid" | "priority") => None,
        Some("oldest") => Some("oldest".to_owned()),
        Some(other) => {
            return Err(vocabulary(
                "a sort_policy",
                other,
                &["hybrid", "priority", "oldest"],
            ));
        }
    };
    let found = ready::ready(tracker, &Query { sort, ..query })?;
    request.filters.rows(tracker, &found, compacts, compaction)
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdList {
    status: Option<String>,
    /// Part of the title
    query: Option<String>,
    #[serde(flatten)]
    filters: Filters,
}

pub(crate) fn list(call: &CallContext<'_>, request: &BdList) -> Result<Rows> {
    let (tracker, compaction) = (call.tracker, call.compaction);
    request.filters.wanted().check()?;
    let mut parts = TreeParts::default();
    parts.any("status", Key::Status, &many(request.status.as_deref()))?;
    if let Some(title) = many(request.query.as_deref()).pop() {
        parts.push(QueryTree::TitlePart(title));
    }
    let (query, compacts) = request.filters.query(tracker, parts, compaction)?;
    let found = list::list(tracker, &query)?;
    request.filters.rows(tracker, &found, compacts, compaction)
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdSearch {
    #[schemars(required)]
    query: Option<String>,
    status: Option<String>,
    limit: Option<i64>,
    offset: Option<i64>,
}

pub(crate) fn search(call: &CallContext<'_>, request: &BdSearch) -> Result<Value> {
    let (tracker, compaction) = (call.tracker, call.compaction);
    let text = required(request.query.as_deref(), "query")?;
    let filters = Filters {
        limit: request.limit,
        offset: request.offset,
        ..Filters::default()
    };
    let mut parts = TreeParts::default();
    parts.any("status", Key::Status, &many(request.status.as_deref()))?;
    let (query, compacts) = filters.query(tracker, parts, compaction)?;
    let found = search::search(tracker, &text, &query)?;
    let rows = json!(filters.rows(tracker, &found.list, compacts, compaction)?);
    if found.reasons.is_empty() {
        return Ok(rows);
    }
    // A list has no place for them.
    let mut answer = match rows {
        Value::Array(issues) => json!({"issues": issues}),
        preview => preview,
    };
    answer["reasons"] = json!(found.reasons);
    Ok(answer)
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdBlocked {
    #[serde(default)]
    brief: bool,
    #[serde(default)]
    brief_deps: bool,
    limit: Option<i64>,
    offset: Option<i64>,
}

pub(crate) fn blocked(call: &CallContext<'_>, request: &BdBlocked) -> Result<Rows> {
    let (tracker, compaction) = (call.tracker, call.compaction);
    let (limit, offset) = (request.limit, request.offset);
    let filters = Filters {
        limit,
        offset,
        brief: request.brief,
        ..Filters::default()
    };
    let (query, compacts) = filters.query(tracker, TreeParts::default(), compaction)?;
    let found = blocked::blocked(tracker, &query)?;
    let row = |view: &View<'_>, waiting: &BlockedRow| -> Result<Value> {
        let mut row = filters.wanted().row(view, waiting.summary.clone())?;
        let ids: Vec<&str> = waiting
            .blocked_by
            .iter()
            .map(|blocker| blocker.id.as_str())
            .collect();
        row["blocked_by_count"] = json!(ids.len());
        row["blocked_by"] = match request.brief_deps {
            true => json!(waiting.blocked_by),
            false => json!(ids),
        };
        Ok(row)
    };
    let rows = tracker.read(|view| {
        let issues = found.issues.iter();
        issues.map(|waiting| row(view, waiting)).collect()
    })?;
    Ok(compacted(rows, found.total_count, compacts, compaction))
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdShow {
    #[schemars(required)]
    issue_id: Option<String>,
    #[serde(default)]
    brief: bool,
    #[serde(default)]
    #[expect(
        dead_code,
        reason = "accepted; neighbours are always shown with id and title"
    )]
    brief_deps: bool,
    #[serde(default)]
    fields: Vec<String>,
    max_description_length: Option<i64>,
}

impl BdShow {
    /// Returns the request for everything about an issue.
    pub(crate) fn of(id: &str) -> Self {
        Self {
            issue_id: Some(id.to_owned()),
            ..Self::default()
        }
    }
}

/// Shows everything about an issue, its neighbours with id and title.
pub(crate) fn show(tracker: &Tracker, request: &BdShow) -> Result<Value> {
    let id = required(request.issue_id.as_deref(), "issue_id")?;
    let wanted = BdFields {
        brief: request.brief,
        fields: &request.fields,
        description: request.max_description_length,
    };
    wanted.check()?;
    tracker.read(|view| {
        commit_links::follow(view)?;
        let shown = shows::one(view, view.find(&id)?, None)?;
        wanted.full(&shown.issue, Some(&shown.memory))
    })
}

pub(crate) fn stats(tracker: &Tracker, _: &Nothing) -> Result<Value> {
    tracker.read(|view| {
        let counts = view.index.counts(view.now())?;
        let of = |status: &str| counts.statuses.get(status).copied().unwrap_or(0);
        Ok(json!({"summary": {
            "total_issues": counts.total - of("tombstone"),
            "open_issues": of("open"), "in_progress_issues": of("in_progress"), "closed_issues": of("closed"),
            "blocked_issues": counts.blocked, "deferred_issues": of("deferred"), "pinned_issues": of("pinned"),
            "tombstone_issues": of("tombstone"), "ready_issues": counts.ready,
        }}))
    })
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdLog {
    issue_id: Option<String>,
    limit: Option<i64>,
}

pub(crate) fn log(tracker: &Tracker, request: &BdLog) -> Result<history::Log> {
    let limit = request
        .limit
        .filter(|limit| *limit > 0)
        .unwrap_or(LOG_LIMIT);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let id = many(request.issue_id.as_deref()).pop();
    history::log(
        tracker,
        &history::History {
            id,
            limit,
            ..history::History::default()
        },
    )
}
