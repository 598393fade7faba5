//! Edges between issues, whether they name their target by identity or by id.

use std::collections::HashMap;

use rusqlite::params;

use super::{Index, Result};
use crate::model::{Status, Uid};

/// An issue at the other end of an edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// The type of the edge.
    pub kind: String,
    /// Its id, or the literal that no issue bears.
    pub id: String,
    /// Identity, title and status, where it exists.
    pub issue: Option<(Uid, String, Status)>,
    /// Whether it is ignored because it would close a cycle.
    pub suspended: bool,
}

/// An edge between two issues that are not deleted, by their numbers in this cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The child, or the issue that waits.
    pub from: i64,
    /// Its parent, or what it waits for.
    pub to: i64,
    /// Whether it is of the kind `blocks`; else it leads from a child to its parent.
    pub blocks: bool,
    /// Whether it is ignored because it would close a cycle.
    pub suspended: bool,
    /// Whether the first has ended.
    pub from_done: bool,
    /// Whether the second has.
    pub to_done: bool,
}

impl Index<'_> {
    /// All that makes up the graph: parents and `blocks`, each edge once.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn links(&self) -> Result<Vec<Link>> {
        let sql = "SELECT DISTINCT s.num, t.num, e.kind = 'blocks', e.suspended, s.done, t.done FROM edge e
            JOIN issue s ON s.num = e.source
            JOIN issue t ON t.uid = coalesce(e.target, (SELECT i.uid FROM issue i WHERE i.id = e.literal ORDER BY i.uid LIMIT 1))
            WHERE e.kind IN ('blocks', 'parent-child') AND s.deleted = 0 AND t.deleted = 0 AND (s.num <> t.num OR e.suspended)
            ORDER BY e.kind, s.priority, s.created, s.id, t.id";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(Link {
                from: row.get(0)?,
                to: row.get(1)?,
                blocks: row.get(2)?,
                suspended: row.get(3)?,
                from_done: row.get(4)?,
                to_done: row.get(5)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// What an issue depends on, parents included; an edge known twice is given once.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn dependencies(&self, num: i64) -> Result<Vec<Neighbour>> {
        let sql = "SELECT DISTINCT e.kind, coalesce(t.shown, e.literal, ''), t.uid, t.title, t.status, e.suspended FROM edge e
            LEFT JOIN issue t ON t.uid = coalesce(e.target, (SELECT i.uid FROM issue i WHERE i.id = e.literal ORDER BY i.uid LIMIT 1))
            WHERE e.source = ?1 ORDER BY e.kind, 2";
        self.neighbours(sql, params![num])
    }

    /// What depends on an issue, children included.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn dependents(&self, uid: Uid, id: &str) -> Result<Vec<Neighbour>> {
        let sql = "SELECT kind, shown, uid, title, status, suspended FROM (
            SELECT e.kind, s.shown, s.uid, s.title, s.status, e.suspended FROM edge e JOIN issue s ON s.num = e.source WHERE e.target = ?1
            UNION SELECT e.kind, s.shown, s.uid, s.title, s.status, e.suspended FROM edge e JOIN issue s ON s.num = e.source WHERE e.literal = ?2)
            ORDER BY kind, shown";
        self.neighbours(sql, params![uid, id])
    }

    /// What every issue depends on, by the number of the issue; parents included.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn all_dependencies(&self) -> Result<HashMap<i64, Vec<Neighbour>>> {
        let sql = "SELECT DISTINCT e.kind, coalesce(t.shown, e.literal, ''), t.uid, t.title, t.status, e.suspended, e.source FROM edge e
            LEFT JOIN issue t ON t.uid = coalesce(e.target, (SELECT i.uid FROM issue i WHERE i.id = e.literal ORDER BY i.uid LIMIT 1))
            ORDER BY e.source, e.kind, 2";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut all: HashMap<i64, Vec<Neighbour>> = HashMap::new();
        while let Some(row) = rows.next()? {
            all.entry(row.get(6)?).or_default().push(neighbour(row)?);
        }
        Ok(all)
    }

    fn neighbours(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<Neighbour>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map(values, neighbour)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The issues an issue waits for by edges of a kind, of those that exist.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn targets(&self, uid: Uid, kind: &str) -> Result<Vec<Uid>> {
        let sql = "SELECT t.uid FROM issue s JOIN edge e ON e.source = s.num AND e.kind = ?2 JOIN issue t ON t.uid = e.target WHERE s.uid = ?1
            UNION SELECT t.uid FROM issue s JOIN edge e ON e.source = s.num AND e.kind = ?2 JOIN issue t ON t.id = e.literal WHERE s.uid = ?1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map(params![uid, kind], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The issues that point to an issue by edges of a kind.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn sources(&self, uid: Uid, kind: &str) -> Result<Vec<Uid>> {
        let sql = "SELECT s.uid FROM edge e JOIN issue s ON s.num = e.source WHERE e.target = ?1 AND e.kind = ?2
            UNION SELECT s.uid FROM issue t JOIN edge e ON e.literal = t.id AND e.kind = ?2 JOIN issue s ON s.num = e.source WHERE t.uid = ?1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map(params![uid, kind], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// All edges of a kind between issues that exist, as pairs of uids.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn edges(&self, kind: &str) -> Result<Vec<(Uid, Uid)>> {
        let sql = "SELECT s.uid, t.uid FROM edge e JOIN issue s ON s.num = e.source JOIN issue t ON t.uid = e.target WHERE e.kind = ?1
            UNION SELECT s.uid, t.uid FROM edge e JOIN issue s ON s.num = e.source JOIN issue t ON t.id = e.literal WHERE e.kind = ?1 ORDER BY 1, 2";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map([kind], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn neighbour(row: &rusqlite::Row<'_>) -> rusqlite::Result<Neighbour> {
    let uid: Option<Uid> = row.get(2)?;
    let title: Option<String> = row.get(3)?;
    let status: Option<String> = row.get(4)?;
    let issue = uid.map(|uid| (uid, title.unwrap_or_default(), Status::new(&status.unwrap_or_default())));
    Ok(Neighbour { kind: row.get(0)?, id: row.get(1)?, issue, suspended: row.get(5)? })
}
