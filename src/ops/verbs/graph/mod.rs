//! `graph`: what is part of what, what waits for what, and how far it is.

mod dot;
mod mermaid;
mod net;

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Fact, Row};
use crate::model::edge::PARENT_CHILD;
use crate::model::graph::longest_path;
use crate::model::id::is_format;
use crate::ops::answer::{Answer, AnswerKind, Summary};
use crate::ops::shared::query::{Query, condition, order};
use crate::ops::{Result, Tracker, View};

pub(crate) use dot::dot;
pub(crate) use mermaid::mermaid;
use net::Net;
pub(crate) use net::{is_part, is_waiting};

/// More issues than this are fetched with all others and picked out.
const MOST_FETCHED: usize = 500;
/// Characters of a title in a drawing.
const TITLE: usize = 60;

/// The part of the graph to show.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// This issue, what is below it, what those wait for and what waits for them.
    pub id: Option<String>,
    /// Include closed issues and issues without links.
    pub all: bool,
    /// Only issues that this lets through.
    pub query: Query,
}

/// Issues and what links them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Graph {
    /// The issues.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Node>,
    /// What links them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
    /// The longest chain of these issues that wait for each other, the first to be done first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub critical_path: Vec<String>,
    /// The circles that suspended edges would close: each issue waits for the next, the last for the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cycles: Vec<Vec<String>>,
    /// How many issues were left out since nothing is linked to them.
    pub unlinked_count: usize,
}

/// An issue in the graph.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Node {
    /// The issue.
    #[serde(flatten)]
    pub summary: Summary,
    /// How far its parts are, where it has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// How many open issues wait for it, directly or through others; counted up to 1,000.
    pub unblocks: usize,
}

/// How far an issue with parts is: parts of parts count, and not what holds them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Progress {
    /// Parts that have ended.
    pub done: u64,
    /// All of them.
    pub total: u64,
}

/// A link between two issues of the graph.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Edge {
    /// The blocked issue, or the child.
    pub from: String,
    /// Issues that block it, or its parent.
    pub to: String,
    /// `blocks` or `parent-child`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it is ignored because it would close a cycle.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suspended: bool,
}

impl Edge {
    /// True where one waits for the other, rather than being a part of it.
    pub(crate) fn is_waiting(&self) -> bool {
        self.kind == crate::model::edge::BLOCKS
    }
}

impl Answer for Graph {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Draws up the graph: open work, or what an issue has to do with, or everything.
pub(crate) fn graph(tracker: &Tracker, scope: &Scope) -> Result<Graph> {
    tracker.read(|view| {
        let net = Net::new(view.index.edges().links()?);
        let (mut rows, only) = rows(view, scope, &net)?;
        let mut unlinked_count = 0;
        if let Some(only) = only {
            rows.retain(|row| only.contains(&row.num));
        } else {
            let shown: HashSet<i64> = rows.iter().map(|row| row.num).collect();
            let linked = net.linked(&shown);
            let (with, without): (Vec<Row>, Vec<Row>) =
                rows.into_iter().partition(|row| linked.contains(&row.num));
            rows = with;
            if scope.all {
                rows.extend(without);
            } else {
                unlinked_count = without.len();
            }
        }
        Ok(Graph {
            unlinked_count,
            ..drawn(&net, &rows)
        })
    })
}

/// The rows that a query lets through, and which of them the graph of an issue is made of.
fn rows(view: &View<'_>, scope: &Scope, net: &Net) -> Result<(Vec<Row>, Option<HashSet<i64>>)> {
    let root = scope.id.as_deref().map(|id| view.find(id)).transpose()?;
    let root = root.map(|uid| view.index.row(uid)).transpose()?.flatten();
    let only = root.as_ref().map(|row| net.around(row.num, scope.all));
    let query = Query {
        // Around one issue closed ones are shown too: they are how far it is.
        all: scope.all || root.is_some(),
        ..scope.query.clone()
    };
    let mut condition = condition(view, &query)?;
    // A few issues are fetched by number; many are cheaper to pick out of all.
    if let Some(only) = only.as_ref().filter(|only| only.len() <= MOST_FETCHED) {
        condition = condition.and(Fact::Row(only.iter().copied().collect()));
    }
    let mut rows = view
        .index
        .page(&condition, order(&query)?, query.limit, query.offset)?
        .rows;
    // The issue that was asked for is always there, and the first.
    if let Some(root) = root {
        rows.retain(|row| row.num != root.num);
        rows.insert(0, root);
    }
    Ok((rows, only))
}

fn drawn(net: &Net, rows: &[Row]) -> Graph {
    let shown: Vec<i64> = rows.iter().map(|row| row.num).collect();
    let ids: HashMap<i64, &str> = rows.iter().map(|row| (row.num, row.id.as_str())).collect();
    let named = |path: Vec<i64>| {
        path.iter()
            .map(|num| ids[num].to_owned())
            .collect::<Vec<String>>()
    };
    let progress = net.progress();
    let node = |row: &Row| Node {
        summary: Summary::listed(row.clone()),
        progress: progress.get(&row.num).copied(),
        unblocks: net.unblocks(row.num),
    };
    let edge = |link: &crate::index::EdgeRow| {
        let (from, to) = (ids.get(&link.from)?, ids.get(&link.to)?);
        let kind = if link.blocks {
            crate::model::edge::BLOCKS
        } else {
            PARENT_CHILD
        }
        .to_owned();
        Some(Edge {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
            kind,
            suspended: link.suspended,
        })
    };
    Graph {
        issues: rows.iter().map(node).collect(),
        edges: net.links().iter().filter_map(edge).collect(),
        critical_path: named(longest_path(&shown, &net.waiting_among(&ids))),
        cycles: net.cycles(&ids).into_iter().map(named).collect(),
        unlinked_count: 0,
    }
}

/// A title for a drawing: one line, not too long, and nothing in it that can't be seen.
fn title(node: &Node) -> String {
    let flat = node
        .summary
        .title
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let flat = crate::ops::answer::shortened(&flat, TITLE).unwrap_or(flat);
    flat.chars()
        .map(|c| {
            if c.is_control() || is_format(c) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}
