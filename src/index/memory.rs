//! Questions to the cache about memory; its texts are in the repository.

use rusqlite::OptionalExtension;

use super::rows::unsigned;
use super::schema::signed;
use super::statements::Statements;
use super::{Index, Result};
use crate::model::Uid;

/// An entry in the memory of an issue.
#[derive(Clone, Debug)]
pub(crate) struct MemoryRow {
    /// Identity of the entry.
    pub uid: Uid,
    pub kind: String,
    pub issue: Uid,
    /// The id of its issue.
    pub id: String,
    /// The title of its issue.
    pub title: String,
}

impl Index<'_> {
    /// Returns the largest stamp in the memory of an issue.
    pub(crate) fn newest_memory(&self, uid: Uid) -> Result<Option<Uid>> {
        let sql = "SELECT max(stamp) FROM memory WHERE issue = ?1";
        Ok(self.conn.value(sql, [uid])?)
    }

    /// Returns the newest entry in the memory of an issue that is not hidden.
    pub(crate) fn last_entry(&self, uid: Uid) -> Result<Option<Uid>> {
        let sql = "SELECT uid FROM memory WHERE issue = ?1 AND hidden = 0 ORDER BY at DESC, uid DESC LIMIT 1";
        Ok(self.conn.value(sql, [uid]).optional()?)
    }

    /// Counts the entries in the memory of an issue that are not hidden.
    pub(crate) fn memory_count(&self, uid: Uid) -> Result<u64> {
        let sql = "SELECT count(*) FROM memory WHERE issue = ?1 AND hidden = 0";
        Ok(unsigned(self.conn.value(sql, [uid])?))
    }

    /// Returns the newest findings and decisions of issues that are not deleted, newest first.
    pub(crate) fn recent_memory(&self, limit: usize) -> Result<Vec<MemoryRow>> {
        let sql = "SELECT m.uid, m.kind, i.uid, i.shown, i.title FROM memory m JOIN issue i ON i.uid = m.issue
            WHERE m.hidden = 0 AND m.kind IN ('finding', 'decision') AND i.deleted = 0
            ORDER BY m.at DESC, m.uid DESC LIMIT ?1";
        Ok(self.conn.select(sql, [signed(limit as u64)], |row| {
            Ok(MemoryRow {
                uid: row.get(0)?,
                kind: row.get(1)?,
                issue: row.get(2)?,
                id: row.get(3)?,
                title: row.get(4)?,
            })
        })?)
    }
}
