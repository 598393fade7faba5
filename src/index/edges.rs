//! Edges between issues, whether they name their target by identity or by id.
//!
//! An edge may name an id that no issue had when it was written. The issue that has it now is
//! looked up with each question, one small statement each: SQLite takes longer to plan one that
//! asks everything than to run it.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, OptionalExtension, params};

use super::statements::Statements;
use super::{Index, Result};
use crate::model::edge::{BLOCKS, PARENT_CHILD};
use crate::model::{Stamp, Status, Target, Uid};

/// SQL for the number of the issue that the edge `e` leads to: of several with the id it names, the
/// oldest.
pub(super) const OLDEST_WITH_ID: &str = "coalesce((SELECT num FROM issue WHERE uid = e.target),
    (SELECT num FROM issue WHERE id = e.target ORDER BY uid LIMIT 1))";

/// An edge as its issue has it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Outgoing {
    pub(super) kind: String,
    pub(super) target: Target,
    /// Time it was added at: the youngest edge of a cycle is suspended.
    pub(super) at: Stamp,
    pub(super) suspended: bool,
}

/// An issue that an edge leads to.
pub(super) struct End {
    pub(super) num: i64,
    pub(super) uid: Uid,
    pub(super) shown: String,
    pub(super) title: String,
    pub(super) status: String,
    pub(super) done: bool,
    pub(super) deleted: bool,
}

/// Returns the edges of an issue, in the order they were stored in.
pub(super) fn outgoing(conn: &Connection, num: i64) -> Result<Vec<Outgoing>> {
    let sql = "SELECT kind, target, at, suspended FROM edge WHERE source = ?1";
    Ok(conn.select(sql, [num], |row| {
        Ok(Outgoing {
            kind: row.get(0)?,
            target: row.get(1)?,
            at: row.get(2)?,
            suspended: row.get(3)?,
        })
    })?)
}

/// Returns the issues that have an edge of a kind to one: it is named by its identity, or by an id that no issue had when the
/// edge was written.
pub(super) fn sources<C: FromIterator<i64>>(
    conn: &Connection,
    uid: Uid,
    id: &str,
    kind: &str,
) -> Result<C> {
    let sql = "SELECT source FROM edge WHERE target IN (?1, ?2) AND kind = ?3";
    Ok(conn.column(sql, params![uid, id, kind])?)
}

/// Returns the issues that a target names: for an id all that have it, oldest first.
pub(super) fn issues_named(conn: &Connection, target: &Target) -> Result<Vec<End>> {
    Ok(conn.select(match target {
        Target::Uid(_) => "SELECT num, uid, shown, title, status, done, deleted FROM issue WHERE uid = ?1",
        Target::Literal(_) => {
            "SELECT num, uid, shown, title, status, done, deleted FROM issue WHERE id = ?1 ORDER BY uid"
        }
    }, [target], |row| {
        Ok(End {
            num: row.get(0)?,
            uid: row.get(1)?,
            shown: row.get(2)?,
            title: row.get(3)?,
            status: row.get(4)?,
            done: row.get(5)?,
            deleted: row.get(6)?,
        })
    })?)
}

/// An issue at the other end of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Neighbour {
    /// The type of the edge.
    pub kind: String,
    /// Its id, or the literal that no issue has.
    pub id: String,
    /// Identity, title and status, where it exists.
    pub issue: Option<(Uid, String, Status)>,
    /// True if it is ignored because it would close a cycle.
    pub suspended: bool,
}

/// An edge between two issues that are not deleted, by their numbers in this cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EdgeRow {
    /// The child, or the issue that waits.
    pub from: i64,
    /// Its parent, or what it waits for.
    pub to: i64,
    /// True for the kind `blocks`; else it leads from a child to its parent.
    pub blocks: bool,
    /// True if it is ignored because it would close a cycle.
    pub suspended: bool,
    /// True if the issue at `from` has ended.
    pub from_done: bool,
    /// True if the issue at `to` has ended.
    pub to_done: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Edges<'a> {
    index: &'a Index<'a>,
}

impl Index<'_> {
    pub(crate) fn edges(&self) -> Edges<'_> {
        Edges { index: self }
    }
}

impl Edges<'_> {
    /// Returns all edges of the graph: parents and `blocks`, each edge once.
    pub(crate) fn links(self) -> Result<Vec<EdgeRow>> {
        let sql = format!(
            "SELECT DISTINCT s.num, t.num, e.kind = 'blocks', e.suspended, s.done, t.done FROM edge e
            JOIN issue s ON s.num = e.source JOIN issue t ON t.num = {OLDEST_WITH_ID}
            WHERE e.kind IN ('blocks', 'parent-child') AND s.deleted = 0 AND t.deleted = 0 AND (s.num <> t.num OR e.suspended)
            ORDER BY e.kind, s.priority, s.created, s.id, t.id"
        );
        Ok(self.index.conn.select(&sql, [], |row| {
            Ok(EdgeRow {
                from: row.get(0)?,
                to: row.get(1)?,
                blocks: row.get(2)?,
                suspended: row.get(3)?,
                from_done: row.get(4)?,
                to_done: row.get(5)?,
            })
        })?)
    }

    /// Returns the dependencies of an issue, parents included; an edge known twice is given once.
    pub(crate) fn dependencies(self, num: i64) -> Result<Vec<Neighbour>> {
        let edges = outgoing(&self.index.conn, num)?;
        Ok(in_order(
            edges
                .into_iter()
                .map(|edge| self.neighbour(edge))
                .collect::<Result<_>>()?,
        ))
    }

    /// Returns the dependents of an issue, children included.
    pub(crate) fn dependents(self, uid: Uid, id: &str) -> Result<Vec<Neighbour>> {
        let sql =
            "SELECT e.kind, s.shown, s.uid, s.title, s.status, e.suspended FROM edge e JOIN issue s ON s.num = e.source
            WHERE e.target IN (?1, ?2)";
        // Both spellings: an edge may name it by an id that no issue had at that time.
        let found = self.index.conn.select(sql, params![uid, id], |row| {
            let issue = (row.get(2)?, row.get(3)?, row.get(4)?);
            Ok(Neighbour {
                kind: row.get(0)?,
                id: row.get(1)?,
                issue: Some(issue),
                suspended: row.get(5)?,
            })
        })?;
        Ok(in_order(found))
    }

    /// Returns the dependencies of every issue by its number, parents included.
    pub(crate) fn all_dependencies(self) -> Result<HashMap<i64, Vec<Neighbour>>> {
        let sql = "SELECT DISTINCT source FROM edge";
        let nums: Vec<i64> = self.index.conn.column(sql, [])?;
        nums.into_iter()
            .map(|num| Ok((num, self.dependencies(num)?)))
            .collect()
    }

    fn neighbour(self, edge: Outgoing) -> Result<Neighbour> {
        let found = issues_named(&self.index.conn, &edge.target)?
            .into_iter()
            .next();
        let id = match (&found, edge.target) {
            (Some(end), _) => end.shown.clone(),
            (None, Target::Literal(id)) => id,
            (None, Target::Uid(_)) => String::new(),
        };
        let issue = found.map(|end| (end.uid, end.title, Status::new(&end.status)));
        Ok(Neighbour {
            kind: edge.kind,
            id,
            issue,
            suspended: edge.suspended,
        })
    }

    /// Returns the issues that have an edge to a name, which stands for an issue that is not here.
    pub(crate) fn naming(self, name: &str) -> Result<Vec<Uid>> {
        let sql = "SELECT DISTINCT s.uid FROM edge e JOIN issue s ON s.num = e.source WHERE e.target = ?1";
        Ok(self.index.conn.column(sql, [name])?)
    }

    /// Returns the issues that are set to `blocked` for no more than what they wait for, and wait for no open issue.
    pub(crate) fn freed(self) -> Result<Vec<Uid>> {
        let sql = "SELECT uid FROM issue WHERE until_free = 1 AND blockers = 0";
        Ok(self.index.conn.column(sql, [])?)
    }

    /// Returns the issues that are set to `blocked` for no more than what they wait for, of those that wait for an issue.
    pub(crate) fn blocked_until_free(self, uid: Uid, id: &str) -> Result<Vec<Uid>> {
        let conn = &self.index.conn;
        let mut found = Vec::new();
        for num in sources::<Vec<i64>>(conn, uid, id, BLOCKS)? {
            let sql = "SELECT uid FROM issue WHERE num = ?1 AND until_free = 1";
            found.extend(conn.first(sql, [num], |row| row.get::<_, Uid>(0))?);
        }
        Ok(found)
    }

    /// Returns the issues an issue waits for by edges of a kind, of those that exist.
    pub(crate) fn targets(self, uid: Uid, kind: &str) -> Result<Vec<Uid>> {
        let sql = "SELECT num FROM issue WHERE uid = ?1";
        let num: Option<i64> = self.index.conn.value(sql, [uid]).optional()?;
        let Some(num) = num else {
            return Ok(Vec::new());
        };
        let mut uids = BTreeSet::new();
        for edge in outgoing(&self.index.conn, num)?
            .iter()
            .filter(|edge| edge.kind == kind)
        {
            uids.extend(
                issues_named(&self.index.conn, &edge.target)?
                    .iter()
                    .map(|end| end.uid),
            );
        }
        Ok(uids.into_iter().collect())
    }

    /// Returns the issues that call an issue their parent, deleted ones too, each with the status
    /// it is shown in.
    pub(crate) fn children_with_status(self, uid: Uid) -> Result<Vec<(Uid, Status)>> {
        let conn = &self.index.conn;
        let id: Option<String> =
            conn.first("SELECT id FROM issue WHERE uid = ?1", [uid], |row| {
                row.get(0)
            })?;
        let nums: BTreeSet<i64> = sources(conn, uid, &id.unwrap_or_default(), PARENT_CHILD)?;
        let mut found = Vec::with_capacity(nums.len());
        for num in nums {
            let sql = "SELECT uid, status FROM issue WHERE num = ?1";
            found.extend(conn.first(sql, [num], |row| Ok((row.get(0)?, row.get(1)?)))?);
        }
        found.sort_unstable_by_key(|(uid, _)| *uid);
        Ok(found)
    }

    /// Returns the edges of a kind that are ignored because they would close a cycle, oldest first.
    pub(crate) fn suspended(self, kind: &str) -> Result<Vec<(Uid, Uid)>> {
        self.pairs(kind, "e.suspended = 1")
    }

    /// Returns the edges of a kind that are in effect, oldest first.
    pub(crate) fn active(self, kind: &str) -> Result<Vec<(Uid, Uid)>> {
        self.pairs(kind, "e.suspended = 0")
    }

    fn pairs(self, kind: &str, condition: &str) -> Result<Vec<(Uid, Uid)>> {
        let sql = format!(
            "SELECT s.uid, t.uid FROM edge e JOIN issue s ON s.num = e.source JOIN issue t ON t.num = {OLDEST_WITH_ID}
            WHERE e.kind = ?1 AND {condition} ORDER BY e.at, s.uid, t.uid"
        );
        let select = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        Ok(self.index.conn.select(&sql, [kind], select)?)
    }
}

/// Sorts by kind and id; an edge known twice is given once.
fn in_order(mut neighbours: Vec<Neighbour>) -> Vec<Neighbour> {
    let key = |one: &Neighbour| {
        (
            one.kind.clone(),
            one.id.clone(),
            one.issue.as_ref().map(|issue| issue.0),
            one.suspended,
        )
    };
    neighbours.sort_by_cached_key(key);
    neighbours.dedup();
    neighbours
}
