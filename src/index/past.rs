//! Which commits there were: by the beginning of an id, and by time.

use rusqlite::OptionalExtension;

use super::schema::signed;
use super::{Index, Result};
use crate::store::Oid;

/// Ids that begin alike and are named at most.
const NAMED: i64 = 5;

impl Index<'_> {
    /// The commits of the history whose ids begin so, a few of them at most.
    ///
    /// # Errors
    /// A commit that can't be read.
    pub fn commits_like(&self, beginning: &str) -> Result<Vec<Oid>> {
        self.fill_oplog()?;
        let sql = "SELECT commit_id FROM oplog WHERE commit_id >= ?1 AND commit_id < ?1 || 'g' ORDER BY 1 LIMIT ?2";
        let mut statement = self.conn.prepare_cached(sql)?;
        let found = statement.query_map((beginning, NAMED), |row| row.get::<_, String>(0))?;
        let found = found.collect::<rusqlite::Result<Vec<_>>>()?;
        Ok(found.iter().filter_map(|id| Oid::parse(id)).collect())
    }

    /// The newest commit of the history that is not later than a time, in milliseconds.
    ///
    /// # Errors
    /// A commit that can't be read.
    pub fn commit_at(&self, time: u64) -> Result<Option<Oid>> {
        self.fill_oplog()?;
        let sql = "SELECT commit_id FROM oplog WHERE at <= ?1 ORDER BY at DESC, seq DESC LIMIT 1";
        let found: Option<String> =
            self.conn.prepare_cached(sql)?.query_row([signed(time)], |row| row.get(0)).optional()?;
        Ok(found.as_deref().and_then(Oid::parse))
    }
}
