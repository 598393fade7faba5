//! The board: a column for each state, with the first of its issues.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rows::{Head, asking, head, with_reason};
use crate::index::{Condition, Fact, Order, Page, TimeColumn};
use crate::model::status::IN_PROGRESS;
use crate::model::{Status, time};
use crate::ops::act::Way;
use crate::ops::answer::ClaimView;
use crate::ops::shared::query::{Query, asked, check_no_groups, explain_empty, order_or, states};
use crate::ops::{Result, Tracker, View};

/// Days that what is done stays on the board.
const DONE_DAYS: u64 = 7;

/// The board that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct BoardRequest {
    /// In the query language; empty for all issues.
    pub query: String,
    /// Heads of a column.
    pub most: usize,
}

/// Columns, in the order of all faces.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Board {
    pub columns: Vec<BoardColumn>,
    /// Number of the issues in all columns.
    pub total: u64,
    /// What there is to say of the query.
    pub warnings: Vec<String>,
    /// The commit of this state: an act names it.
    pub seen: String,
}

/// The issues of one state.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct BoardColumn {
    /// `ready`, `in_progress`, `blocked`, `review`, `done`, or a status.
    pub key: String,
    pub title: String,
    /// Number of its issues.
    pub total: u64,
    pub heads: Vec<Head>,
    /// The acts by which a card moves from it, by the keys of the columns that they lead to.
    pub ways: BTreeMap<String, Way>,
}

/// Returns the place of a column on a board.
pub(crate) fn rank(key: &str) -> usize {
    let known = ["ready", IN_PROGRESS, "blocked", "", "review", "done"];
    known.iter().position(|it| *it == key).unwrap_or(3)
}

fn title(key: &str) -> String {
    match key {
        "ready" => "Ready".to_owned(),
        IN_PROGRESS => "In progress".to_owned(),
        "blocked" => "Blocked".to_owned(),
        "review" => "Review".to_owned(),
        "done" => "Done (7 days)".to_owned(),
        other => other.replace('_', " "),
    }
}

/// Returns the board.
/// Errors: a query that can't be read.
pub(crate) fn board(tracker: &Tracker, request: &BoardRequest) -> Result<Board> {
    let query = match request.query.trim() {
        "" => Query::default(),
        text => Query::asking(tracker, text)?,
    };
    check_no_groups(query.group.as_deref())?;
    let mut board = tracker.read_at(query.at.as_deref(), |view| {
        // What can fill the index comes first.
        let with_closed = Query {
            all: true,
            ..query.clone()
        };
        let asked = states(&with_closed).and(asked(view, &query.tree)?);
        let most = request.most;
        view.index.at_once(|| scene(view, &query, &asked, most))?
    })?;
    board.warnings = tracker.take_warnings();
    Ok(board)
}

fn scene(view: &View<'_>, query: &Query, asked: &Condition, most: usize) -> Result<Board> {
    let asking = asking(view)?;
    let (mut columns, mut total) = (Vec::new(), 0);
    for (key, condition, order) in conditions(view)? {
        let condition = asked.clone().and(condition);
        let sort = order_or(query, order)?;
        let page = view.index.page(&condition, sort, most, 0)?;
        let is_usual = ["ready", IN_PROGRESS, "blocked", "done"].contains(&key.as_str());
        if page.total == 0 && !is_usual {
            continue;
        }
        let mut heads = Vec::new();
        for row in page.rows {
            let mut head = head(view, row, &asking)?;
            with_reason(view, &mut head)?;
            heads.push(head);
        }
        ClaimView::add(view.tracker, heads.iter_mut().map(|head| &mut head.summary));
        total += page.total;
        columns.push(BoardColumn {
            title: title(&key),
            key,
            total: page.total,
            heads,
            ways: BTreeMap::new(),
        });
    }
    add_ways(&mut columns);
    let rows = Vec::new();
    explain_empty(view, query, &Page { rows, total })?;
    Ok(Board {
        columns,
        total,
        warnings: Vec::new(),
        seen: view.snapshot().commit().to_string(),
    })
}

/// Adds the acts by which cards move between the columns.
fn add_ways(columns: &mut [BoardColumn]) {
    let keys: Vec<String> = columns.iter().map(|column| column.key.clone()).collect();
    for column in columns {
        for to in &keys {
            let way = Way::between(&column.key, to);
            column.ways.extend(way.map(|way| (to.clone(), way)));
        }
    }
}

/// Returns what is in each column, and its usual order. Every open issue is in one.
fn conditions(view: &View<'_>) -> Result<Vec<(String, Condition, Order)>> {
    let not = |condition: Condition| Condition::Not(Box::new(condition));
    let ready = Condition::from(Fact::Open).ready(view.now());
    let working = Condition::in_progress();
    let blocked = Condition::from(Fact::Blocked).and(not(working.clone()));
    let taken = Condition::Any(vec![ready.clone(), blocked.clone()]);
    let since = view.now().saturating_sub(DONE_DAYS * time::DAY);
    let to_review = Condition::from(Fact::ToReview(view.tracker.stale().1));
    let fresh = Condition::from(Fact::Time(TimeColumn::Closed, Some(since), None));
    let done = Condition::from(Fact::Done);
    let mut columns = vec![
        ("ready".to_owned(), ready, Order::Priority),
        (IN_PROGRESS.to_owned(), working, Order::Priority),
        ("blocked".to_owned(), blocked, Order::Priority),
    ];
    let mut words: Vec<_> = view
        .index
        .counts(view.now())?
        .statuses
        .into_keys()
        .collect();
    // What is open and can't be started yet is nearest to what is ready.
    words.sort_by_key(|word| word != Status::Open.as_str());
    for word in words {
        let status = Status::new(&word);
        // What is blocked is in its column whatever the reason.
        let has_own = matches!(status, Status::InProgress | Status::Blocked);
        if !status.is_done() && !has_own {
            let own = Condition::from(Fact::Open).and(Fact::Status(word.clone()));
            columns.push((word, own.and(not(taken.clone())), Order::Priority));
        }
    }
    let review = done.clone().and(to_review.clone());
    columns.push(("review".to_owned(), review, Order::Closed));
    let done = done.and(fresh).and(not(to_review));
    columns.push(("done".to_owned(), done, Order::Closed));
    Ok(columns)
}
