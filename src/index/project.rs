//! Projections: results of a merge that no single blob states.
//!
//! Two clones can give the same id to two issues, and add two edges that close a cycle together. No
//! blob is rewritten: the older issue keeps its id and the other is shown as `bd-x.3~K7`; of the
//! edges of a cycle the youngest that closes it is suspended, shown and ignored. Both are functions
//! of the state, so all clones agree.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::{Connection, params};

use super::Result;
use super::edges::{OLDEST_WITH_ID, issues_named, outgoing};
use super::statements::Statements;
use crate::model::edge::{BLOCKS, PARENT_CHILD};
use crate::model::graph::{cycle, is_circular};
use crate::model::id::alias;
use crate::model::{Stamp, Uid};

/// Kinds of edges that must not form a cycle.
pub(super) const ACYCLIC: [&str; 2] = [BLOCKS, PARENT_CHILD];

pub(super) struct Projector<'c> {
    conn: &'c Connection,
    ids: BTreeSet<String>,
    linked: BTreeSet<i64>,
    /// True if an issue is gone: an edge of it may have been on a cycle.
    is_removed: bool,
    whole: bool,
}

/// An edge between two issues, by number.
struct GraphEdge {
    row: i64,
    at: Stamp,
    from: i64,
    to: i64,
    from_uid: Uid,
    to_uid: Uid,
    suspended: bool,
}

impl<'c> Projector<'c> {
    pub(super) fn new(conn: &'c Connection) -> Self {
        Self {
            conn,
            ids: BTreeSet::new(),
            linked: BTreeSet::new(),
            is_removed: false,
            whole: false,
        }
    }

    /// Marks everything as changed, after a rebuild.
    pub(super) fn everything(&mut self) {
        self.whole = true;
    }

    /// Notes that an issue has a new id, and perhaps had another before.
    pub(super) fn renamed(&mut self, old: Option<&str>, new: &str) {
        self.ids.extend(old.map(str::to_owned));
        self.ids.insert(new.to_owned());
    }

    /// Notes that an issue is gone, with its edges and its id.
    pub(super) fn removed(&mut self, id: &str) {
        self.ids.insert(id.to_owned());
        self.is_removed = true;
    }

    /// Notes that the edges of an issue have changed.
    pub(super) fn linked(&mut self, num: i64) {
        self.linked.insert(num);
    }

    /// Brings both projections up to date; returns the issues whose projection changed.
    pub(super) fn settle(&mut self) -> Result<Vec<i64>> {
        let mut touched = self.aliases()?;
        for kind in ACYCLIC {
            if self.whole || self.may_circle(kind)? {
                touched.extend(self.suspend(kind)?);
            }
        }
        self.whole = false;
        self.is_removed = false;
        self.linked.clear();
        Ok(touched)
    }

    fn aliases(&mut self) -> Result<Vec<i64>> {
        let mut ids = std::mem::take(&mut self.ids);
        if self.whole {
            let sql = "SELECT id FROM issue GROUP BY id HAVING count(*) > 1";
            ids = self.conn.column(sql, [])?;
        }
        let mut touched = Vec::new();
        for id in ids {
            let sql = "SELECT num, uid, shown FROM issue WHERE id = ?1 ORDER BY uid";
            let holders: Vec<(i64, Uid, String)> = self.conn.select(sql, [&id], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
            // An edge that names this id leads to another of them now, or to one at all.
            self.linked.extend(holders.iter().map(|(num, ..)| *num));
            let uids: Vec<Uid> = holders.iter().map(|(_, uid, _)| *uid).collect();
            for (i, (num, _, shown)) in holders.iter().enumerate() {
                let name = alias(&id, &uids, i);
                if name != *shown {
                    self.conn.change(
                        "UPDATE issue SET shown = ?2 WHERE num = ?1",
                        params![num, name],
                    )?;
                    // The row of a child has the id that its parent is shown under.
                    touched.extend(self.children(*num)?);
                    touched.push(*num);
                }
            }
        }
        Ok(touched)
    }

    fn children(&self, num: i64) -> Result<Vec<i64>> {
        let sql = "SELECT e.source FROM issue t JOIN edge e ON e.target = t.uid AND e.kind = 'parent-child' WHERE t.num = ?1";
        Ok(self.conn.column(sql, [num])?)
    }

    /// Returns whether a new edge may close a cycle, or a removed edge may have opened one.
    fn may_circle(&self, kind: &str) -> Result<bool> {
        if self.linked.is_empty() && !self.is_removed {
            return Ok(false);
        }
        let sql = "SELECT EXISTS (SELECT 1 FROM edge WHERE kind = ?1 AND suspended = 1)";
        if self.conn.value(sql, [kind])? {
            return Ok(true);
        }
        // Before these edges there was no cycle, so one goes through an issue that has them, and back to it.
        let mut ends = Vec::new();
        for num in &self.linked {
            if self.is_target(*num, kind)? {
                ends.push(*num);
            }
        }
        is_circular(ends, |node| self.next(node, kind))
    }

    /// Returns whether an edge of a kind leads to an issue.
    fn is_target(&self, num: i64, kind: &str) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM issue i JOIN edge e ON e.target IN (i.uid, i.id) AND e.kind = ?2
            WHERE i.num = ?1)";
        Ok(self.conn.value(sql, params![num, kind])?)
    }

    fn next(&self, num: i64, kind: &str) -> Result<Vec<i64>> {
        let mut nums = BTreeSet::new();
        for edge in outgoing(self.conn, num)?
            .iter()
            .filter(|edge| edge.kind == kind)
        {
            // All issues with the id, of which only the oldest counts: at worst a cycle is looked for in vain.
            nums.extend(
                issues_named(self.conn, &edge.target)?
                    .iter()
                    .map(|end| end.num),
            );
        }
        Ok(nums.into_iter().collect())
    }

    /// Suspends each edge that would close a cycle with older ones, oldest edges first.
    fn suspend(&self, kind: &str) -> Result<Vec<i64>> {
        let mut edges = self.all(kind)?;
        // The same order in every clone, so that all suspend the same edges.
        edges.sort_by_key(|edge| (edge.at, edge.from_uid, edge.to_uid));
        let circular = circular(&edges);
        let mut active: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        let mut touched = Vec::new();
        for edge in &edges {
            // Only an edge inside a strongly connected part can be on a cycle.
            let inside = circular
                .get(&edge.from)
                .is_some_and(|part| circular.get(&edge.to) == Some(part));
            let next = |node: i64| {
                Ok::<_, super::IndexError>(active.get(&node).cloned().unwrap_or_default())
            };
            let closes_cycle =
                edge.from == edge.to || (inside && cycle(edge.from, edge.to, next)?.is_some());
            if !closes_cycle && inside {
                active.entry(edge.from).or_default().push(edge.to);
            }
            if closes_cycle != edge.suspended {
                self.conn.change(
                    "UPDATE edge SET suspended = ?2 WHERE rowid = ?1",
                    params![edge.row, closes_cycle],
                )?;
                touched.extend([edge.from, edge.to]);
            }
        }
        Ok(touched)
    }

    fn all(&self, kind: &str) -> Result<Vec<GraphEdge>> {
        let sql = format!(
            "SELECT e.rowid, e.at, s.num, t.num, s.uid, t.uid, e.suspended FROM edge e JOIN issue s ON s.num = e.source
            JOIN issue t ON t.num = {OLDEST_WITH_ID} WHERE e.kind = ?1"
        );
        Ok(self.conn.select(&sql, [kind], |row| {
            Ok(GraphEdge {
                row: row.get(0)?,
                at: row.get(1)?,
                from: row.get(2)?,
                to: row.get(3)?,
                from_uid: row.get(4)?,
                to_uid: row.get(5)?,
                suspended: row.get(6)?,
            })
        })?)
    }
}

/// Returns the nodes on cycles, each with the number of its strongly connected part (Tarjan,
/// without recursion).
fn circular(edges: &[GraphEdge]) -> HashMap<i64, usize> {
    let mut next: HashMap<i64, Vec<i64>> = HashMap::new();
    for edge in edges {
        next.entry(edge.from).or_default().push(edge.to);
    }
    let mut state = Tarjan::default();
    let mut nodes: Vec<i64> = next.keys().copied().collect();
    nodes.sort_unstable();
    for node in nodes {
        state.visit(node, &next);
    }
    state.parts
}

#[derive(Default)]
struct Tarjan {
    index: HashMap<i64, usize>,
    low: HashMap<i64, usize>,
    stack: Vec<i64>,
    parts: HashMap<i64, usize>,
    closed: std::collections::HashSet<i64>,
}

impl Tarjan {
    fn visit(&mut self, root: i64, next: &HashMap<i64, Vec<i64>>) {
        if self.index.contains_key(&root) {
            return;
        }
        let mut calls = vec![(root, 0)];
        self.open(root);
        while let Some((node, at)) = calls.pop() {
            match next.get(&node).and_then(|targets| targets.get(at)) {
                Some(&target) => {
                    calls.push((node, at + 1));
                    if !self.index.contains_key(&target) {
                        self.open(target);
                        calls.push((target, 0));
                    } else if !self.closed.contains(&target) {
                        let low = self.low[&node].min(self.index[&target]);
                        self.low.insert(node, low);
                    }
                }
                None => {
                    self.close(node);
                    if let Some((above, _)) = calls.last() {
                        let low = self.low[above].min(self.low[&node]);
                        self.low.insert(*above, low);
                    }
                }
            }
        }
    }

    fn open(&mut self, node: i64) {
        let number = self.index.len();
        self.index.insert(node, number);
        self.low.insert(node, number);
        self.stack.push(node);
    }

    fn close(&mut self, node: i64) {
        if self.low[&node] != self.index[&node] {
            return;
        }
        let start = self
            .stack
            .iter()
            .rposition(|member| *member == node)
            .unwrap_or(0);
        let part = self.stack.split_off(start);
        self.closed.extend(&part);
        // One node alone is on no cycle; `suspend` looks at edges from a node to itself.
        if part.len() > 1 {
            let number = self.index[&node];
            self.parts
                .extend(part.into_iter().map(|member| (member, number)));
        }
    }
}
