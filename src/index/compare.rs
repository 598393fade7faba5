//! Whether two caches of one state say the same.

use rusqlite::types::Value;

use super::{Index, Result, Row};

impl Index<'_> {
    /// How many issues it has, and whether another says the same of all of them.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn has_same_rows(&self, other: &Self) -> Result<(usize, bool)> {
        let rows = |index: &Self| -> Result<Vec<Row>> {
            // A row's number is the cache's own affair.
            Ok(index
                .all()?
                .into_iter()
                .map(|row| Row { num: 0, ..row })
                .collect())
        };
        let ours = rows(self)?;
        let counters = "SELECT name, n, 0 FROM counter WHERE n > 0 ORDER BY name";
        let memory = "SELECT issue, count(*), max(stamp) FROM memory GROUP BY issue ORDER BY issue";
        let waiting =
            "SELECT uid, 0, 0 FROM issue WHERE num IN (SELECT issue FROM waiting) ORDER BY uid";
        let same = ours == rows(other)?
            && self.values(counters)? == other.values(counters)?
            && self.values(memory)? == other.values(memory)?
            && self.values(waiting)? == other.values(waiting)?;
        Ok((ours.len(), same))
    }

    fn values(&self, sql: &str) -> Result<Vec<[Value; 3]>> {
        let mut statement = self.conn.prepare(sql)?;
        let rows = statement.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
