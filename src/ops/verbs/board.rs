//! `board`: the issues of each state, or of each group, side by side.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::Row;
use crate::model::time;
use crate::ops::answer::{Answer, AnswerKind, ClaimView, Reference, Summary};
use crate::ops::shared::blockers::{BlockedRow, waiting};
use crate::ops::shared::columns::columns;
use crate::ops::shared::epic::{FinishedEpic, finished};
use crate::ops::shared::query::{Query, asked, states};
use crate::ops::{Result, Tracker, View};

/// The columns, from left to right.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Board {
    /// `ready`, `in_progress`, `blocked`, one for each other status that open issues have, `review` where something waits for
    /// that, and `done`; with `group:` one for each value.
    pub columns: Vec<Column>,
    /// Epics whose children have all ended, with the command that closes each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub epics_to_close: Vec<FinishedEpic>,
}

/// One column.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Column {
    /// Its name.
    pub name: String,
    /// What is above it.
    #[serde(skip)]
    pub title: String,
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
    tracker.read_at(query.at.as_deref(), |view| {
        let asked = asked(view, &query.tree)?;
        let all = states(query).and(asked.clone());
        let mut board = Board {
            columns: Vec::new(),
            epics_to_close: finished(view, &all, query.limit)?.0,
        };
        for column in columns(view, query, asked)? {
            let mut issues = Vec::new();
            for row in &column.page.rows {
                issues.push(card(view, row)?);
            }
            ClaimView::add(tracker, issues.iter_mut().map(|card| &mut card.summary));
            board.columns.push(Column {
                name: column.key,
                title: column.title,
                total_count: column.page.total,
                issues,
            });
        }
        Ok(board)
    })
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
