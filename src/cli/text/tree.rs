//! A graph as a tree: the place of each issue, and the lines that lead to it.

use std::collections::HashMap;

use super::rows::DEEPEST_DRAWN;
use crate::ops::verbs::graph::Graph;

/// The reason for the place of an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Via {
    /// It is a part of the one above, or at the root.
    Part,
    /// It waits for the one above.
    Waiting,
    /// These are parts of the one above too, and have their place elsewhere.
    NamedParts(Vec<usize>),
    /// These wait for the one above too, and have their place elsewhere.
    NamedWaiting(Vec<usize>),
}

impl Via {
    fn is_waiting(&self) -> bool {
        matches!(self, Self::Waiting | Self::NamedWaiting(_))
    }
}

/// A line of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct TreeRow {
    pub(in crate::cli) node: usize,
    pub(in crate::cli) depth: usize,
    pub(in crate::cli) via: Via,
}

enum TreeStep {
    Visit {
        node: usize,
        depth: usize,
        via: Via,
        below: Option<usize>,
    },
    Name {
        node: usize,
        depth: usize,
    },
}

/// Neighbours by place in the list of issues.
struct Neighbours {
    parts: Vec<Vec<usize>>,
    waiting: Vec<Vec<usize>>,
    parent: Vec<Option<usize>>,
    /// True if it waits for one that it can be placed below.
    follows: Vec<bool>,
}

impl Neighbours {
    fn new(graph: &Graph) -> Self {
        let places: HashMap<&str, usize> = graph
            .issues
            .iter()
            .enumerate()
            .map(|(n, node)| (node.summary.id.as_str(), n))
            .collect();
        let n = graph.issues.len();
        let mut found = Self {
            parts: vec![Vec::new(); n],
            waiting: vec![Vec::new(); n],
            parent: vec![None; n],
            follows: vec![false; n],
        };
        let edges: Vec<(usize, usize, bool)> = graph
            .edges
            .iter()
            .filter(|edge| !edge.suspended)
            .map(|edge| {
                (
                    places[edge.from.as_str()],
                    places[edge.to.as_str()],
                    edge.is_waiting(),
                )
            })
            .collect();
        for (from, to, _) in edges.iter().filter(|(.., waiting)| !waiting) {
            found.parts[*to].push(*from);
            // Of several parents it is drawn below the first; the others name it.
            found.parent[*from].get_or_insert(*to);
        }
        for (from, to, _) in edges.iter().filter(|(.., waiting)| *waiting) {
            found.waiting[*to].push(*from);
            found.follows[*from] |= found.can_follow(*from, *to);
        }
        found
    }

    /// Returns true if one may be placed below another that it waits for: it must not leave its parent for that.
    fn can_follow(&self, from: usize, to: usize) -> bool {
        // What has a parent is drawn there, and below what it waits for only if that is there too.
        self.parent[from].is_none() || self.parent[from] == self.parent[to]
    }
}

/// Returns all issues in the order of the tree, each once.
pub(in crate::cli) fn entries(graph: &Graph) -> Vec<TreeRow> {
    let near = Neighbours::new(graph);
    let all = 0..graph.issues.len();
    let mut walk = TreeWalk {
        near: &near,
        above: vec![None; graph.issues.len()],
        steps: Vec::new(),
        entries: Vec::new(),
    };
    let roots = all
        .clone()
        .filter(|n| near.parent[*n].is_none() && !near.follows[*n]);
    // What goes round in circles by both kinds of edges has no root.
    for root in roots.chain(all) {
        walk.from(root);
    }
    walk.entries
}

struct TreeWalk<'n> {
    near: &'n Neighbours,
    /// The issue that each is placed below; the outer none means not placed yet.
    above: Vec<Option<Option<usize>>>,
    steps: Vec<TreeStep>,
    entries: Vec<TreeRow>,
}

impl TreeWalk<'_> {
    fn from(&mut self, root: usize) {
        self.steps.push(TreeStep::Visit {
            node: root,
            depth: 0,
            via: Via::Part,
            below: None,
        });
        while let Some(step) = self.steps.pop() {
            match step {
                TreeStep::Visit {
                    node,
                    depth,
                    via,
                    below,
                } if self.above[node].is_none() => {
                    self.above[node] = Some(below);
                    self.entries.push(TreeRow { node, depth, via });
                    self.below(node, depth + 1);
                }
                TreeStep::Visit { .. } => {}
                TreeStep::Name { node, depth } => self.name(node, depth),
            }
        }
    }

    /// Plans the lines below an issue: its parts, those that no other part waits for first; then what waits for it; then
    /// the names of what has its place elsewhere.
    fn below(&mut self, node: usize, depth: usize) {
        let near = self.near;
        // Pushed first and so done last: then it is known what was drawn below another one.
        self.steps.push(TreeStep::Name { node, depth });
        let waiting = near.waiting[node]
            .iter()
            .filter(|other| near.can_follow(**other, node));
        let own = || {
            near.parts[node]
                .iter()
                .filter(|part| near.parent[**part] == Some(node))
        };
        let (first, then) = (
            own().filter(|part| !near.follows[**part]),
            own().filter(|part| near.follows[**part]),
        );
        let visits = first
            .chain(then)
            .map(|part| (*part, Via::Part))
            .chain(waiting.map(|other| (*other, Via::Waiting)));
        let visits: Vec<(usize, Via)> = visits.collect();
        let step = |(other, via)| TreeStep::Visit {
            node: other,
            depth,
            via,
            below: Some(node),
        };
        self.steps.extend(visits.into_iter().rev().map(step));
    }

    fn name(&mut self, node: usize, depth: usize) {
        let parts = self.near.parts[node]
            .iter()
            .filter(|part| self.near.parent[**part] != Some(node));
        let waiting = self.near.waiting[node]
            .iter()
            .filter(|other| self.above[**other] != Some(Some(node)));
        for via in [
            Via::NamedParts(parts.copied().collect()),
            Via::NamedWaiting(waiting.copied().collect()),
        ] {
            if matches!(&via, Via::NamedParts(named) | Via::NamedWaiting(named) if !named.is_empty())
            {
                self.entries.push(TreeRow { node, depth, via });
            }
        }
    }
}

/// Draws the lines that lead to each entry, no wider than so many columns.
pub(in crate::cli) fn drawn(entries: &[TreeRow], columns: usize) -> Vec<String> {
    let deepest = (columns / 3).max(2);
    let depth = |entry: &TreeRow| entry.depth.min(deepest);
    let mut more = vec![false; deepest + 1];
    let mut prefixes: Vec<String> = Vec::with_capacity(entries.len());
    // From the end: whether a line goes on depends on what comes below it.
    for entry in entries.iter().rev() {
        let at = depth(entry);
        let mut prefix: String = (1..at)
            .map(|level| if more[level] { "│  " } else { "   " })
            .collect();
        if at > 0 {
            prefix.push(if more[at] { '├' } else { '└' });
            prefix.push_str(if entry.via.is_waiting() {
                "→ "
            } else {
                "─ "
            });
        }
        prefixes.push(prefix);
        more[at + 1..].fill(false);
        more[at] = true;
    }
    prefixes.reverse();
    prefixes
}

/// Returns the same for a pipe: two spaces for each step down, and an arrow before what waits.
pub(in crate::cli) fn plain(entries: &[TreeRow]) -> Vec<String> {
    let arrow = |entry: &TreeRow| if entry.via.is_waiting() { "-> " } else { "" };
    entries
        .iter()
        .map(|entry| {
            format!(
                "{}{}",
                "  ".repeat(entry.depth.min(DEEPEST_DRAWN)),
                arrow(entry)
            )
        })
        .collect()
}
