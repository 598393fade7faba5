//! Values that follow from other issues: readiness, blocked, roll-up, totals.
//!
//! A change is carried to its neighbours by a work list: an issue that ends may free those that wait
//! for it and complete its parent; a parent that opens again may block others. Totals are kept as
//! counters, since counting a hundred thousand rows costs more than everything else a list does.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rusqlite::{Connection, params};

use super::Result;
use super::edges::{End, Outgoing, issues_named, outgoing, sources};
use super::project::{ACYCLIC, Projector};
use super::schema::signed;
use super::statements::Statements;
use super::stored::{ColumnValue, differing, set};
use crate::model::edge::{BLOCKS, PARENT_CHILD};
use crate::model::graph::{Facts, Readiness};
use crate::model::{Status, Target, Uid};

/// The counter of the issues that are ready once their `defer` has passed.
pub(super) const DEFERRED: &str = "deferred";

pub(super) struct Deriver<'c> {
    conn: &'c Connection,
    /// The issues to derive.
    work: BTreeSet<i64>,
    /// The changes of the totals, written together at the end.
    counted: BTreeMap<String, i64>,
    /// The issues that are in no total at the moment.
    uncounted: HashSet<i64>,
    /// The former state of the issues whose rows are being changed.
    before: BTreeMap<i64, Before>,
    project: Projector<'c>,
}

/// The state of an issue before its rows changed.
struct Before {
    raw: RowFacts,
    edges: Vec<Outgoing>,
}

impl Before {
    /// Returns whether nothing has changed that derived values of this or other issues depend on.
    fn is_same(&self, now: &RowFacts, edges: &[Outgoing]) -> bool {
        let was = &self.raw;
        self.has_same_links(now, edges)
            && (was.auto, was.defer) == (now.auto, now.defer)
            && (&was.stored, &was.kind) == (&now.stored, &now.kind)
    }

    /// Returns whether identity and edges are the same; whether the issue has ended may differ.
    fn has_same_links(&self, now: &RowFacts, edges: &[Outgoing]) -> bool {
        let was = &self.raw;
        self.edges == edges
            && (was.deleted, was.unreadable) == (now.deleted, now.unreadable)
            && (&was.id, &was.shown) == (&now.id, &now.shown)
    }
}

/// The columns that decide what is derived.
struct RowFacts {
    uid: Uid,
    id: String,
    stored: String,
    auto: bool,
    deleted: bool,
    kind: String,
    defer: Option<i64>,
    changed: i64,
    unreadable: bool,
    shown: String,
    was: Derived,
}

#[derive(Clone, PartialEq, Eq)]
struct Derived {
    status: String,
    done: bool,
    listed: bool,
    ready: i64,
    blocked: bool,
    blockers: i64,
    children: i64,
    open_children: i64,
    updated: i64,
    dependencies: i64,
    dependents: i64,
    parent: Option<String>,
}

impl Derived {
    fn columns(&self) -> [ColumnValue; 12] {
        [
            ("status", self.status.clone().into()),
            ("done", self.done.into()),
            ("listed", self.listed.into()),
            ("ready", self.ready.into()),
            ("blocked", self.blocked.into()),
            ("blockers", self.blockers.into()),
            ("children", self.children.into()),
            ("open_children", self.open_children.into()),
            ("updated", self.updated.into()),
            ("dependencies", self.dependencies.into()),
            ("dependents", self.dependents.into()),
            ("parent", self.parent.clone().into()),
        ]
    }
}

impl<'c> Deriver<'c> {
    pub(super) fn new(conn: &'c Connection) -> Self {
        Self {
            conn,
            work: BTreeSet::new(),
            counted: BTreeMap::new(),
            uncounted: HashSet::new(),
            before: BTreeMap::new(),
            project: Projector::new(conn),
        }
    }

    /// Derives every issue, after a rebuild.
    pub(super) fn all(&mut self) -> Result<()> {
        let nums: Vec<i64> = self.conn.column("SELECT num FROM issue", [])?;
        self.uncounted.extend(&nums);
        self.work.extend(nums);
        self.project.everything();
        self.flush()
    }

    /// Remembers the rows of an issue that are about to change.
    pub(super) fn before_update(&mut self, num: i64) -> Result<()> {
        let Some(raw) = self.raw(num)? else {
            return Ok(());
        };
        // Taken out of the totals now and added again when it is derived: `uncounted` holds exactly
        // the issues that are in no total at the moment.
        self.count(&raw, &raw.was.clone(), -1);
        self.uncounted.insert(num);
        let edges = self.edges(num)?;
        self.before.insert(num, Before { raw, edges });
        Ok(())
    }

    /// Queues the issues that a change of an issue's rows concerns.
    pub(super) fn after_update(&mut self, num: i64) -> Result<()> {
        let Some(raw) = self.raw(num)? else {
            return Ok(());
        };
        // Also a new issue, which `before_update` has not seen.
        self.uncounted.insert(num);
        let edges = self.edges(num)?;
        let before = self.before.remove(&num);
        if let Some(before) = before
            .as_ref()
            .filter(|before| before.is_same(&raw, &edges))
        {
            return self.keep_derived(num, &raw, before);
        }
        // From here on its derived values may change.
        self.work.insert(num);
        if before
            .as_ref()
            .is_some_and(|before| before.has_same_links(&raw, &edges))
        {
            return Ok(());
        }
        self.work.extend(self.neighbours(&edges)?);
        self.work.extend(self.waiting(&raw)?);
        self.work.extend(self.children(&raw)?);
        if before.as_ref().is_none_or(|before| before.edges != edges) {
            self.project.linked(num);
        }
        self.project.renamed(
            before.as_ref().map(|before| before.raw.id.as_str()),
            &raw.id,
        );
        // The neighbours of the former state too: one that it no longer waits for has a dependent less.
        if let Some(before) = before {
            self.queue_dependents(&before)?;
        }
        Ok(())
    }

    /// Queues the issues whose derived values depended on the former state of an issue.
    fn queue_dependents(&mut self, before: &Before) -> Result<()> {
        self.work.extend(self.neighbours(&before.edges)?);
        self.work.extend(self.waiting(&before.raw)?);
        self.work.extend(self.children(&before.raw)?);
        Ok(())
    }

    /// Keeps the derived values of an issue of which only texts have changed.
    fn keep_derived(&mut self, num: i64, raw: &RowFacts, before: &Before) -> Result<()> {
        let updated = raw.changed.max(self.last_memory_time(raw.uid)?);
        let now = Derived {
            updated,
            ..before.raw.was.clone()
        };
        self.uncounted.remove(&num);
        self.store(num, raw, &now)
    }

    /// Returns the edges of an issue that derived values depend on.
    fn edges(&self, num: i64) -> Result<Vec<Outgoing>> {
        let mut edges = outgoing(self.conn, num)?;
        edges.retain(|edge| ACYCLIC.contains(&edge.kind.as_str()));
        Ok(edges)
    }

    /// Returns the issues that edges lead to.
    fn neighbours(&self, edges: &[Outgoing]) -> Result<Vec<i64>> {
        let mut nums = Vec::new();
        for edge in edges {
            nums.extend(
                issues_named(self.conn, &edge.target)?
                    .iter()
                    .map(|end| end.num),
            );
        }
        Ok(nums)
    }

    /// Queues an issue whose memory has changed.
    pub(super) fn touch(&mut self, num: i64) {
        self.work.insert(num);
    }

    /// Derives all queued issues and writes the totals.
    pub(super) fn flush(&mut self) -> Result<()> {
        // What is left here was deleted: its rows never reached `after_update`.
        for gone in std::mem::take(&mut self.before).into_values() {
            self.project.removed(&gone.raw.id);
            self.queue_dependents(&gone)?;
        }
        // Before the list: a suspended edge blocks nothing, so the projections decide what is
        // derived.
        self.work.extend(self.project.settle()?);
        // Ends, also in a loop of parents: a status follows its children in one direction only.
        while let Some(num) = self.work.pop_first() {
            self.derive(num)?;
        }
        for (name, n) in std::mem::take(&mut self.counted) {
            if n != 0 {
                let sql = "INSERT INTO counter VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET n = n + ?2";
                self.conn.change(sql, params![name, n])?;
            }
        }
        Ok(())
    }

    fn derive(&mut self, num: i64) -> Result<()> {
        let Some(raw) = self.raw(num)? else {
            return Ok(());
        };
        let now = self.derived(num, &raw)?;
        let fresh = self.uncounted.remove(&num);
        if now == raw.was && !fresh {
            return Ok(());
        }
        // Out of the totals by its former values before it enters them by the new ones.
        if !fresh {
            self.count(&raw, &raw.was, -1);
        }
        self.store(num, &raw, &now)?;
        // Of the values derived here neighbours depend on `done` alone, so a change of others stops here.
        if now.done != raw.was.done {
            self.work.extend(self.waiting(&raw)?);
            let edges = self.edges(num)?.into_iter();
            self.work.extend(
                self.neighbours(
                    &edges
                        .filter(|edge| edge.kind == PARENT_CHILD)
                        .collect::<Vec<_>>(),
                )?,
            );
        }
        Ok(())
    }

    fn store(&mut self, num: i64, raw: &RowFacts, now: &Derived) -> Result<()> {
        self.count(raw, now, 1);
        set(
            self.conn,
            num,
            &differing(now.columns(), &raw.was.columns().map(|(_, was)| was)),
        )
    }

    fn derived(&self, num: i64, raw: &RowFacts) -> Result<Derived> {
        let edge_facts = EdgeFacts::new(self.conn, num, self.edges(num)?)?;
        let (children, open_children) = self.child_counts(raw)?;
        let mut status = Status::new(&raw.stored);
        if raw.auto && status == Status::Closed && open_children > 0 {
            // Closed with its last child, and one is open again: shown as open, while the blob stays.
            status = Status::Open;
        }
        let facts = Facts {
            status: status.clone(),
            deleted: raw.deleted,
            open_blockers: edge_facts.open_blockers,
            defer: raw.defer.and_then(|at| u64::try_from(at).ok()),
            parent_epic: raw.kind == "epic" && children > 0,
        };
        let done = raw.deleted || status.is_done();
        Ok(Derived {
            status: if raw.deleted {
                "tombstone".to_owned()
            } else {
                status.as_str().to_owned()
            },
            done,
            listed: !done,
            // Without its return date, which passes without a write: queries compare that with the clock.
            ready: match facts.readiness(u64::MAX) {
                _ if raw.unreadable => 0,
                Readiness::Ready => 1,
                Readiness::RollUp => 2,
                _ => 0,
            },
            blocked: facts.is_blocked(),
            blockers: edge_facts.open_blockers as i64,
            children,
            open_children,
            updated: raw.changed.max(self.last_memory_time(raw.uid)?),
            dependents: self.dependents(raw)?,
            parent: edge_facts.parent,
            dependencies: edge_facts.dependencies as i64,
        })
    }

    /// Returns the time of the newest entry in the memory of an issue.
    fn last_memory_time(&self, uid: Uid) -> Result<i64> {
        let sql = "SELECT max(at) FROM memory WHERE issue = ?1";
        let at: Option<i64> = self.conn.value(sql, [uid])?;
        Ok(at.unwrap_or(0))
    }

    fn count(&mut self, raw: &RowFacts, derived: &Derived, by: i64) {
        let mut add = |name: &str| *self.counted.entry(name.to_owned()).or_default() += by;
        add("total");
        add(&format!("status:{}", derived.status));
        if derived.listed {
            add("listed");
        }
        if derived.ready == 1 {
            add(match raw.defer {
                Some(_) => DEFERRED,
                None => "ready",
            });
        }
        if derived.blocked {
            add("blocked");
        }
    }

    fn raw(&self, num: i64) -> Result<Option<RowFacts>> {
        let sql = "SELECT uid, id, stored, auto, deleted, type, defer, changed, unreadable IS NOT NULL,
                   status, done, listed, ready, blocked, blockers, children, open_children, updated, dependents, parent, dependencies, shown
                   FROM issue WHERE num = ?1";
        let read = |row: &rusqlite::Row<'_>| {
            Ok(RowFacts {
                uid: row.get(0)?,
                id: row.get(1)?,
                stored: row.get(2)?,
                auto: row.get(3)?,
                deleted: row.get(4)?,
                kind: row.get(5)?,
                defer: row.get(6)?,
                changed: row.get(7)?,
                unreadable: row.get(8)?,
                shown: row.get(21)?,
                was: Derived {
                    status: row.get(9)?,
                    done: row.get(10)?,
                    listed: row.get(11)?,
                    ready: row.get(12)?,
                    blocked: row.get(13)?,
                    blockers: row.get(14)?,
                    children: row.get(15)?,
                    open_children: row.get(16)?,
                    updated: row.get(17)?,
                    dependents: row.get(18)?,
                    parent: row.get(19)?,
                    dependencies: row.get(20)?,
                },
            })
        };
        Ok(self.conn.first(sql, [num], read)?)
    }

    fn child_counts(&self, raw: &RowFacts) -> Result<(i64, i64)> {
        // Most have none, which the statement that looked for them before tells too.
        if self.children(raw)?.is_empty() {
            return Ok((0, 0));
        }
        let sql = "SELECT count(*), coalesce(sum(done = 0), 0) FROM issue WHERE deleted = 0 AND num IN
            (SELECT source FROM edge WHERE target IN (?1, ?2) AND kind = 'parent-child' AND suspended = 0)";
        Ok(self
            .conn
            .prepare_cached(sql)?
            .query_row(params![raw.uid, raw.id], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?)
    }

    fn waiting(&self, raw: &RowFacts) -> Result<Vec<i64>> {
        sources(self.conn, raw.uid, &raw.id, BLOCKS)
    }

    fn children(&self, raw: &RowFacts) -> Result<Vec<i64>> {
        sources(self.conn, raw.uid, &raw.id, PARENT_CHILD)
    }

    /// Counts the issues that wait for one; a deleted issue waits for nothing.
    fn dependents(&self, raw: &RowFacts) -> Result<i64> {
        if self.waiting(raw)?.is_empty() {
            return Ok(0);
        }
        let sql = "SELECT count(*) FROM issue WHERE deleted = 0 AND num IN
            (SELECT source FROM edge WHERE target IN (?1, ?2) AND kind = 'blocks')";
        Ok(self.conn.value(sql, params![raw.uid, raw.id])?)
    }
}

/// Facts about an issue that follow from its edges.
struct EdgeFacts {
    /// The `blocks` targets that exist and have not ended; an issue never waits for itself.
    open_blockers: usize,
    /// The `blocks` targets, those that are not here too; two spellings of one count once.
    dependencies: usize,
    /// The id of the parent; a deleted one leaves its children at the root.
    parent: Option<String>,
}

impl EdgeFacts {
    fn new(conn: &Connection, num: i64, edges: Vec<Outgoing>) -> Result<Self> {
        let (mut open, mut targets, mut parents) = (HashSet::new(), HashSet::new(), Vec::new());
        for edge in edges {
            let ends = issues_named(conn, &edge.target)?;
            if edge.kind == BLOCKS {
                let waits = |end: &&End| !edge.suspended && !end.done && end.num != num;
                // An id can be that of several issues: it waits for all of them, and they count as one target.
                open.extend(ends.iter().filter(waits).map(|end| end.num));
                targets.insert(ends.first().map_or(edge.target, |end| Target::Uid(end.uid)));
            } else if !edge.suspended {
                parents.push((edge.target, ends.into_iter().next()));
            }
        }
        // The edge of the register is stored first; further ones come from an import.
        let parent = match parents.into_iter().next() {
            Some((_, Some(end))) => Some(end.shown).filter(|_| !end.deleted),
            Some((Target::Literal(id), None)) => Some(id),
            _ => None,
        };
        Ok(Self {
            open_blockers: open.len(),
            dependencies: targets.len(),
            parent,
        })
    }
}

/// Returns the number of issues whose return date has passed by `now`.
pub(super) fn returned(conn: &Connection, now: u64) -> Result<u64> {
    let sql = "SELECT count(*) FROM issue WHERE ready = 1 AND defer IS NOT NULL AND defer <= ?1";
    let n: i64 = conn.value(sql, [signed(now)])?;
    Ok(u64::try_from(n).unwrap_or(0))
}
