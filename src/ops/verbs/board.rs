//! `board`: what is blocked, what is ready, what is in progress, and what was done this week.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Condition, Fact, Order, Page, Row, TimeColumn};
use crate::model::status::IN_PROGRESS;
use crate::model::{Status, time};
use crate::ops::answer::{Answer, AnswerKind, ClaimView, Reference, Summary};
use crate::ops::shared::blockers::{BlockedRow, waiting};
use crate::ops::shared::epic::{FinishedEpic, finished};
use crate::ops::shared::query::{Query, asked, asks_for_status, check_no_groups, order_or, states};
use crate::ops::{Result, Tracker, View};

/// Days that what is done stays on the board.
const DONE_DAYS: u64 = 7;

/// Columns that have a name of their own, so that a status of another tracker is shown with its key.
const NAMES: [&str; 4] = ["blocked", "ready", IN_PROGRESS, "done"];

/// The columns, from left to right.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Board {
    /// `blocked`, `ready`, `in_progress`, one for each status of another tracker that issues have, and `done`.
    pub columns: Vec<Column>,
    /// Epics whose children have all ended, with the command that closes each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub epics_to_close: Vec<FinishedEpic>,
    /// The number of other open issues that belong to no column: deferred ones, epics with children, pinned and hooked ones.
    pub other_count: u64,
}

/// One column.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Column {
    /// Its name.
    pub name: String,
    /// How many issues belong to it.
    pub total_count: u64,
    /// The first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Card>,
}

/// An issue on the board.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Card {
    /// The issue.
    #[serde(flatten)]
    pub summary: Summary,
    /// The time since which it is worked on, or when it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Why it is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The open issues it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<Reference>,
}

impl Board {
    /// Returns true if no column has an issue.
    pub(crate) fn is_empty(&self) -> bool {
        self.columns.iter().all(|column| column.total_count == 0)
    }
}

impl Answer for Board {
    fn kind(&self) -> AnswerKind {
        if self.is_empty() {
            AnswerKind::Empty
        } else {
            AnswerKind::Report
        }
    }
}

/// Lays out the board: the issues that a query lets through, at most `limit` in a column.
pub(crate) fn board(tracker: &Tracker, query: &Query) -> Result<Board> {
    check_no_groups(query.group.as_deref())?;
    tracker.read_at(query.at.as_deref(), |view| {
        let asked = asked(view, &query.tree)?;
        let all = states(query).and(asked.clone());
        let open = match asks_for_status(&query.tree) {
            true => 0,
            // A query may ask for closed ones, too.
            false => {
                let open = Condition::from(Fact::Open).and(asked.clone());
                view.index.page(&open, Order::Priority, 1, 0)?.total
            }
        };
        let columns = columns(view, query, &asked)?;
        // All but the last one are of open issues.
        let open_columns = columns.iter().rev().skip(1);
        let shown: u64 = open_columns.map(|column| column.total_count).sum();
        let (epics_to_close, _) = finished(view, &all, query.limit)?;
        // Epics to be closed have a list of their own, so they are not counted among the others.
        let listed = match epics_to_close.is_empty() || open == 0 {
            true => 0,
            false => in_no_column(view, all)?,
        };
        Ok(Board {
            columns,
            epics_to_close,
            other_count: open.saturating_sub(shown + listed),
        })
    })
}

/// Reads the columns from left to right: those of open issues first.
fn columns(view: &View<'_>, query: &Query, asked: &Condition) -> Result<Vec<Column>> {
    let all = states(query).and(asked.clone());
    let closed_since = view.now().saturating_sub(DONE_DAYS * time::DAY);
    let with_closed = Query {
        all: true,
        ..query.clone()
    };
    let done = states(&with_closed)
        .and(asked.clone())
        .and(Fact::Done)
        .and(Fact::Time(TimeColumn::Closed, Some(closed_since), None));
    let mut columns = vec![
        (
            "ready".to_owned(),
            all.clone().ready(view.now()),
            Order::Priority,
        ),
        (
            IN_PROGRESS.to_owned(),
            all.clone().and(Condition::in_progress()),
            Order::Priority,
        ),
        (
            "blocked".to_owned(),
            all.clone().and(Fact::Blocked),
            Order::Priority,
        ),
    ];
    for word in view.index.counts(view.now())?.statuses.into_keys() {
        let status = Status::new(&word);
        if !matches!(status, Status::Custom(_)) {
            continue;
        }
        let condition = all.clone().and(Fact::Status(word.clone()));
        if view.index.count(&condition)? > 0 {
            let name = match NAMES.contains(&word.as_str()) {
                true => format!("status:{word}"),
                false => word,
            };
            columns.push((name, condition, Order::Priority));
        }
    }
    columns.push(("done".to_owned(), done, Order::Closed));
    let columns = columns.into_iter().map(|(name, condition, usual)| {
        let page = page(view, query, &condition, usual)?;
        let cards = page.rows.iter().map(|row| card(view, row));
        let mut issues: Vec<Card> = cards.collect::<Result<_>>()?;
        let summaries = issues.iter_mut().map(|card| &mut card.summary);
        ClaimView::add(view.tracker, summaries);
        Ok(Column {
            name,
            total_count: page.total,
            issues,
        })
    });
    columns.collect()
}

/// Counts the epics whose children have all ended that belong to no column; the others are in progress.
fn in_no_column(view: &View<'_>, all: Condition) -> Result<u64> {
    let open = Fact::Status(Status::Open.as_str().to_owned());
    Ok(view.index.count(&all.and(open).and(Fact::Finished))?)
}

fn page(view: &View<'_>, query: &Query, condition: &Condition, usual: Order) -> Result<Page> {
    let sort = order_or(query, usual)?;
    Ok(view
        .index
        .page(condition, sort, query.limit, query.offset)?)
}

fn card(view: &View<'_>, row: &Row) -> Result<Card> {
    let since = row.started.or(row.closed).map(time::format);
    if row.status.is_done() {
        return Ok(Card {
            summary: Summary::listed(row.clone()),
            since,
            reason: None,
            blocked_by: Vec::new(),
        });
    }
    let BlockedRow {
        summary,
        reason,
        blocked_by,
    } = waiting(view, row)?;
    Ok(Card {
        summary,
        since,
        reason,
        blocked_by,
    })
}
