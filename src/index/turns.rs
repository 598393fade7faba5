//! What the operations say of all issues at once: when each began, ended and came back, and its history.

use std::collections::HashMap;

use super::{Index, Operation, Result};
use crate::model::Uid;
use crate::store::Oid;

/// A turn in the life of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnKind {
    /// Somebody took it.
    Started,
    /// Somebody closed it.
    Closed,
    /// Somebody opened it again.
    Reopened,
}

/// An operation that began, ended or reopened an issue.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The issue, by its number in this cache.
    pub issue: i64,
    /// What happened.
    pub kind: TurnKind,
    /// When, in milliseconds.
    pub at: u64,
    /// Who did it.
    pub actor: String,
}

impl Index<'_> {
    /// The turns of all issues, oldest first, as far as an operation says which issues it was about and still stands.
    ///
    /// # Errors
    /// A commit that can't be read.
    pub fn turns(&self) -> Result<Vec<Turn>> {
        let undone = self.undone()?;
        let sql = "SELECT i.num, substr(o.subject, 1, instr(o.subject, ' ') - 1), o.at, o.actor, o.commit_id
            FROM oplog o JOIN oplog_issue t ON t.seq = o.seq JOIN issue i ON i.uid = t.issue
            WHERE o.subject GLOB 'start *' OR o.subject GLOB 'done *' OR o.subject GLOB 'reopen *' ORDER BY o.seq";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            let kind = match row.get_ref(1)?.as_str()? {
                "start" => TurnKind::Started,
                "done" => TurnKind::Closed,
                _ => TurnKind::Reopened,
            };
            let at = u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
            Ok((Oid::parse(row.get_ref(4)?.as_str()?), Turn { issue: row.get(0)?, kind, at, actor: row.get(3)? }))
        })?;
        let turns = rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter();
        Ok(turns
            .filter(|(commit, _)| commit.is_none_or(|commit| !undone.contains(&commit)))
            .map(|(_, turn)| turn)
            .collect())
    }

    /// All operations, newest first, each with the issues it changed.
    ///
    /// # Errors
    /// A commit that can't be read.
    pub fn histories(&self) -> Result<Vec<(Operation, Vec<Uid>)>> {
        let operations = self.operations(&super::Wanted::default())?;
        let mut issues: HashMap<i64, Vec<Uid>> = HashMap::new();
        let mut statement = self.conn.prepare_cached("SELECT seq, issue FROM oplog_issue")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            issues.entry(row.get(0)?).or_default().push(row.get(1)?);
        }
        let with = |operation: Operation| {
            let touched = issues.remove(&operation.seq).unwrap_or_default();
            (operation, touched)
        };
        Ok(operations.into_iter().map(with).collect())
    }
}
