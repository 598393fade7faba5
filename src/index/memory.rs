//! Questions to the cache about memory; its texts lie in the repository.

use rusqlite::OptionalExtension;

use super::rows::unsigned;
use super::schema::signed;
use super::{Index, Result};
use crate::model::Uid;

/// An entry in the memory of an issue.
#[derive(Clone, Debug)]
pub struct MemoryRow {
    /// Identity.
    pub uid: Uid,
    /// `finding` or `decision`.
    pub kind: String,
    /// Its issue.
    pub issue: Uid,
    /// The id of its issue.
    pub id: String,
    /// The title of its issue.
    pub title: String,
}

impl Index<'_> {
    /// The largest stamp in the memory of an issue.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn newest_memory(&self, uid: Uid) -> Result<Option<Uid>> {
        let sql = "SELECT max(stamp) FROM memory WHERE issue = ?1";
        Ok(self
            .conn
            .prepare_cached(sql)?
            .query_row([uid], |row| row.get(0))?)
    }

    /// The entry in the memory of an issue that was made last and is shown.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn last_entry(&self, uid: Uid) -> Result<Option<Uid>> {
        let sql = "SELECT uid FROM memory WHERE issue = ?1 AND hidden = 0 ORDER BY at DESC, uid DESC LIMIT 1";
        Ok(self
            .conn
            .prepare_cached(sql)?
            .query_row([uid], |row| row.get(0))
            .optional()?)
    }

    /// How many entries of each issue's memory are shown.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn memory_count(&self, uid: Uid) -> Result<u64> {
        let sql = "SELECT count(*) FROM memory WHERE issue = ?1 AND hidden = 0";
        Ok(unsigned(
            self.conn
                .prepare_cached(sql)?
                .query_row([uid], |row| row.get(0))?,
        ))
    }

    /// The newest findings and decisions of issues that are not deleted, newest first.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn recent_memory(&self, limit: usize) -> Result<Vec<MemoryRow>> {
        let sql = "SELECT m.uid, m.kind, i.uid, i.shown, i.title FROM memory m JOIN issue i ON i.uid = m.issue
            WHERE m.hidden = 0 AND m.kind IN ('finding', 'decision') AND i.deleted = 0
            ORDER BY m.at DESC, m.uid DESC LIMIT ?1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map([signed(limit as u64)], |row| {
            Ok(MemoryRow {
                uid: row.get(0)?,
                kind: row.get(1)?,
                issue: row.get(2)?,
                id: row.get(3)?,
                title: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
