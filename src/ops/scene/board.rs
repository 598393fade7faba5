//! The board: a column for each state or group, with the first of its issues.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rows::{Head, asking, head, with_reason};
use crate::index::{Condition, Page};
use crate::model::query::Grouping;
use crate::model::status::IN_PROGRESS;
use crate::ops::act::Way;
use crate::ops::answer::ClaimView;
use crate::ops::shared::columns::columns;
use crate::ops::shared::query::{Query, asked, explain_empty, group};
use crate::ops::{Result, Tracker, View};

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
    /// What they are, where they are no states.
    pub group: Option<Grouping>,
    /// Number of the issues in all columns.
    pub total: u64,
    /// What there is to say of the query.
    pub warnings: Vec<String>,
    /// The commit of this state: an act names it.
    pub seen: String,
}

/// The issues of one state, or of one group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct BoardColumn {
    /// `ready`, `in_progress`, `blocked`, `review`, `done`, or a status; of groups the value, empty for what has none.
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

/// Returns the board.
/// Errors: a query that can't be read.
pub(crate) fn board(tracker: &Tracker, request: &BoardRequest) -> Result<Board> {
    let query = match request.query.trim() {
        "" => Query::default(),
        text => Query::asking(tracker, text)?,
    };
    let query = Query {
        limit: request.most,
        ..query
    };
    let mut board = tracker.read_at(query.at.as_deref(), |view| {
        // What can fill the index comes first.
        let asked = asked(view, &query.tree)?;
        view.last(|| scene(view, &query, asked))
    })?;
    board.warnings = tracker.take_warnings();
    Ok(board)
}

fn scene(view: &View<'_>, query: &Query, asked: Condition) -> Result<Board> {
    let asking = asking(view)?;
    let mut board = Board {
        group: group(query)?,
        seen: view.snapshot().commit().to_string(),
        ..Board::default()
    };
    for column in columns(view, query, asked)? {
        let mut heads = Vec::new();
        for row in column.page.rows {
            let mut head = head(view, row, &asking)?;
            with_reason(view, &mut head)?;
            heads.push(head);
        }
        ClaimView::add(view.tracker, heads.iter_mut().map(|head| &mut head.summary));
        board.total += column.page.total;
        board.columns.push(BoardColumn {
            title: column.title,
            key: column.key,
            total: column.page.total,
            heads,
            ways: BTreeMap::new(),
        });
    }
    if board.group.is_none() {
        add_ways(&mut board.columns);
    }
    let (rows, total) = (Vec::new(), board.total);
    explain_empty(view, query, &Page { rows, total })?;
    Ok(board)
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
