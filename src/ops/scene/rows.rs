//! A window of the rows that a query chooses, and the place in it of the issue that is selected.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::index::{Condition, Fact, Row};
use crate::model::{Status, Uid, time};
use crate::ops::answer::{ClaimView, Reference, Summary};
use crate::ops::shared::blockers::open_blockers;
use crate::ops::shared::query::{Query, condition, explain_empty, order};
use crate::ops::{Result, Tracker, View};

/// Open issues that are named of those that a row waits for.
const MOST_BLOCKERS: usize = 2;

/// A window of rows that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RowsRequest {
    /// In the query language; empty for all that is open.
    pub query: String,
    /// Number of rows before the window.
    pub offset: usize,
    /// Rows of the window.
    pub count: usize,
    /// The issue that the window has to hold, wherever it is now.
    #[serde(skip)]
    pub keep: Option<Uid>,
}

/// A window of rows.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Rows {
    pub heads: Vec<Head>,
    /// Number of rows before these.
    pub offset: usize,
    /// Number of all rows.
    pub total: usize,
    /// The place among all rows of the issue that was to be kept; none where the query leaves it out.
    pub kept: Option<usize>,
    /// What there is to say of the query, as of a label that no issue has.
    pub warnings: Vec<String>,
    /// The words of the query for the order, and for what issues are put together by.
    pub sort: Option<String>,
    pub group: Option<String>,
    /// Where there is no row: the number of all issues of the repository, and of those that match and are left out as they
    /// are closed.
    pub all: u64,
    pub hidden: u64,
    /// The commit of this state: an act names it.
    pub seen: String,
}

/// The column of a board that an issue is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Column {
    Ready,
    InProgress,
    Blocked,
    Done,
    /// Deferred, pinned, or an epic.
    #[default]
    Other,
}

/// What a row or a card shows of an issue.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Head {
    #[serde(flatten)]
    pub summary: Summary,
    /// Its identity.
    #[schemars(with = "String")]
    #[serde(serialize_with = "as_text")]
    pub uid: Uid,
    pub column: Column,
    /// The first open issues that it waits for.
    pub blockers: Vec<Reference>,
    /// Number of all open issues that it waits for.
    pub blocker_count: u64,
    /// Number of issues that wait or waited for it.
    pub unblocks: u64,
    /// Number of its children, and of those that have not ended.
    pub children: u64,
    pub open_children: u64,
    /// True if it asks a question that waits for an answer.
    pub asks: bool,
    /// The time since which it is closed or in progress, else of its last change.
    pub at: String,
    /// The reason for which it is blocked, on a board and of one issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_for: Option<String>,
    /// Of the boxes in the text that says when it is done those that are checked, and all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criteria: Option<[usize; 2]>,
}

fn as_text<S: serde::Serializer>(uid: &Uid, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(uid)
}

/// Returns a window of the rows that a query chooses.
/// Errors: a query that can't be read.
pub(crate) fn rows(tracker: &Tracker, request: &RowsRequest) -> Result<Rows> {
    let query = match request.query.trim() {
        "" => Query::default(),
        text => Query::asking(tracker, text)?,
    };
    let mut rows = tracker.read_at(query.at.as_deref(), |view| {
        // What can fill the index comes first.
        let condition = condition(view, &query)?;
        view.last(|| window(view, &query, &condition, request))
    })?;
    rows.warnings = tracker.take_warnings();
    Ok(rows)
}

fn window(
    view: &View<'_>,
    query: &Query,
    condition: &Condition,
    request: &RowsRequest,
) -> Result<Rows> {
    let sort = order(query)?;
    let mut offset = request.offset;
    let mut page = view.index.page(condition, sort, request.count, offset)?;
    let mut kept = None;
    if let Some(uid) = request.keep {
        let inside = page.rows.iter().position(|row| row.uid == uid);
        kept = match inside {
            Some(n) => Some(offset + n),
            // Far away, as after another priority: the rows before it are counted.
            None => view.index.place_of(uid, condition, sort)?,
        };
        if let (None, Some(place)) = (inside, kept) {
            offset = place.saturating_sub(request.count / 2);
            page = view.index.page(condition, sort, request.count, offset)?;
        }
    }
    explain_empty(view, query, &page)?;
    let asking = asking(view)?;
    let mut heads = Vec::new();
    for row in page.rows {
        heads.push(head(view, row, &asking)?);
    }
    ClaimView::add(view.tracker, heads.iter_mut().map(|head| &mut head.summary));
    // Where there are rows no one asks what is not among them.
    let (mut all, mut hidden) = (page.total, 0);
    if page.total == 0 {
        all = view.index.count(&Fact::Kept.into())?;
        hidden = closed_ones(view, query)?;
    }
    Ok(Rows {
        sort: query.sort.clone(),
        group: query.group.clone(),
        all,
        hidden,
        heads,
        offset,
        total: usize::try_from(page.total).unwrap_or(usize::MAX),
        kept,
        warnings: Vec::new(),
        seen: view.snapshot().commit().to_string(),
    })
}

/// Returns the number of issues that match and are closed, for a query that says nothing of states.
fn closed_ones(view: &View<'_>, query: &Query) -> Result<u64> {
    let query = Query {
        all: true,
        ..query.clone()
    };
    Ok(view.index.count(&condition(view, &query)?)?)
}

/// Returns the issues that ask a question, to whomever.
pub(super) fn asking(view: &View<'_>) -> Result<HashSet<Uid>> {
    let [_, _, _, asks, _] = view.index.oddities()?;
    if !asks {
        return Ok(HashSet::new());
    }
    let questions = view.index.memory().open_questions(None)?;
    Ok(questions.iter().map(|question| question.issue).collect())
}

pub(super) fn head(view: &View<'_>, row: Row, asking: &HashSet<Uid>) -> Result<Head> {
    let mut blockers = match row.blockers {
        0 => Vec::new(),
        _ => open_blockers(view, &row)?,
    };
    blockers.truncate(MOST_BLOCKERS);
    Ok(Head {
        at: time::format(row.closed.or(row.started).unwrap_or(row.updated)),
        blocked_for: None,
        criteria: row.criteria,
        uid: row.uid,
        column: column(&row, view.now()),
        blockers,
        blocker_count: row.blockers,
        unblocks: row.dependents,
        children: row.children,
        open_children: row.open_children,
        asks: asking.contains(&row.uid),
        summary: Summary::listed(row),
    })
}

/// Adds the reason for which it is blocked, which is not in the index: a list does without.
pub(super) fn with_reason(view: &View<'_>, head: &mut Head) -> Result<()> {
    if head.summary.status == Status::Blocked.as_str() {
        head.blocked_for = view.issue(head.uid)?.state().reason;
    }
    Ok(())
}

pub(super) fn column(row: &Row, now: u64) -> Column {
    match row.status {
        Status::InProgress => Column::InProgress,
        ref status if status.is_done() => Column::Done,
        Status::Blocked => Column::Blocked,
        _ if row.blockers > 0 => Column::Blocked,
        _ if row.ready && row.defer.is_none_or(|until| until <= now) => Column::Ready,
        _ => Column::Other,
    }
}

/// Returns what rows show of issues; those that are not there are left out.
pub(crate) fn heads_of(view: &View<'_>, uids: &[Uid]) -> Result<Vec<Head>> {
    let asking = asking(view)?;
    let mut heads = Vec::new();
    for uid in uids {
        if let Some(row) = view.index.row(*uid)? {
            heads.push(head(view, row, &asking)?);
        }
    }
    ClaimView::add(view.tracker, heads.iter_mut().map(|head| &mut head.summary));
    Ok(heads)
}
