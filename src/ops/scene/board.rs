//! The board: what can be started, is in progress, is blocked, waits for a review, and was done this week, in this order
//! for every face.

use schemars::JsonSchema;
use serde::Serialize;

use super::rows::{Head, asking, head};
use crate::index::{Condition, Fact, Order, Page};
use crate::model::status::IN_PROGRESS;
use crate::ops::answer::ClaimView;
use crate::ops::shared::query::{Query, asked, check_no_groups, explain_empty, order_or, states};
use crate::ops::verbs::board::{WantedColumn, wanted};
use crate::ops::{Result, Tracker, View};

/// A board that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BoardRequest {
    /// In the query language; empty for all issues.
    pub query: String,
    /// Cards of a column, at most.
    pub most: usize,
}

/// A board.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Board {
    /// From left to right.
    pub columns: Vec<BoardColumn>,
    /// Number of all cards.
    pub total: u64,
    /// What there is to say of the query, as of a label that no issue has.
    pub warnings: Vec<String>,
    /// The commit of this state: an act names it.
    pub seen: String,
}

/// A column.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct BoardColumn {
    /// `ready`, `in_progress`, `blocked`, the status of another tracker, `review` or `done`.
    pub key: String,
    pub title: String,
    /// Number of its issues.
    pub total: u64,
    /// The first of them.
    pub heads: Vec<Head>,
}

/// Returns the place of a column on a board.
pub(crate) fn rank(key: &str) -> usize {
    let known = ["ready", IN_PROGRESS, "blocked", "", "review", "done"];
    known.iter().position(|it| *it == key).unwrap_or(3)
}

/// Returns the board of what a query lets through.
/// Errors: a query that can't be read.
pub(crate) fn board(tracker: &Tracker, request: &BoardRequest) -> Result<Board> {
    let query = match request.query.trim() {
        "" => Query::default(),
        text => Query::asking(tracker, text)?,
    };
    check_no_groups(query.group.as_deref())?;
    let mut board = tracker.read_at(query.at.as_deref(), |view| {
        // What can fill the index comes first.
        let asked = asked(view, &query.tree)?;
        view.index
            .at_once(|| columns(view, &query, &asked, request.most))?
    })?;
    board.warnings = tracker.take_warnings();
    Ok(board)
}

fn columns(view: &View<'_>, query: &Query, asked: &Condition, most: usize) -> Result<Board> {
    let asking = asking(view)?;
    let mut columns = wanted(view, query, asked)?;
    with_review(view, query, asked, &mut columns);
    let mut board = Board {
        seen: view.snapshot().commit().to_string(),
        ..Board::default()
    };
    for column in columns {
        let sort = order_or(query, column.order)?;
        let page = view.index.page(&column.condition, sort, most, 0)?;
        if column.name == "review" && page.total == 0 {
            continue;
        }
        let mut heads = Vec::new();
        for row in page.rows {
            heads.push(head(view, row, &asking)?);
        }
        ClaimView::add(view.tracker, heads.iter_mut().map(|head| &mut head.summary));
        board.total += page.total;
        board.columns.push(BoardColumn {
            title: title(&column.name),
            key: column.name,
            total: page.total,
            heads,
        });
    }
    board.columns.sort_by_key(|column| rank(&column.key));
    let (rows, total) = (Vec::new(), board.total);
    explain_empty(view, query, &Page { rows, total })?;
    Ok(board)
}

/// Adds the column of what an agent has closed and no person has accepted, which is not done before that.
fn with_review(view: &View<'_>, query: &Query, asked: &Condition, columns: &mut Vec<WantedColumn>) {
    let review = Condition::from(Fact::ToReview(view.tracker.stale().1));
    let all = Query {
        all: true,
        ..query.clone()
    };
    if let Some(done) = columns.last_mut() {
        let others = Condition::Not(Box::new(review.clone()));
        done.condition = done.condition.clone().and(others);
    }
    columns.push(WantedColumn {
        name: "review".to_owned(),
        condition: states(&all).and(asked.clone()).and(Fact::Done).and(review),
        order: Order::Closed,
    });
}

fn title(name: &str) -> String {
    let title = match name {
        "ready" => "Ready",
        IN_PROGRESS => "In progress",
        "blocked" => "Blocked",
        "review" => "Review",
        "done" => "Done (7 days)",
        other => other,
    };
    title.trim_start_matches("status:").replace('_', " ")
}
