//! Comparison of two caches of one state.

use rusqlite::types::Value;

use super::statements::Statements;
use super::{Index, Result, Row};

impl Index<'_> {
    /// Returns the number of issues, and whether another cache has the same rows for all of them.
    pub(crate) fn has_same_rows(&self, other: &Self) -> Result<(usize, bool)> {
        let rows = |index: &Self| -> Result<Vec<Row>> {
            // Row numbers differ between caches of one state.
            Ok(index
                .all()?
                .into_iter()
                .map(|row| Row { num: 0, ..row })
                .collect())
        };
        let own_rows = rows(self)?;
        let counters = "SELECT name, n, 0 FROM counter WHERE n > 0 ORDER BY name";
        let memory = "SELECT issue, count(*), max(stamp) FROM memory GROUP BY issue ORDER BY issue";
        let waiting =
            "SELECT uid, 0, 0 FROM issue WHERE num IN (SELECT issue FROM waiting) ORDER BY uid";
        let edges = "SELECT s.uid, e.kind || ' ' || quote(e.target), e.suspended FROM edge e
            JOIN issue s ON s.num = e.source ORDER BY 1, 2, 3";
        let broken = "SELECT path, why, 0 FROM broken ORDER BY path";
        let same = own_rows == rows(other)?
            && self.values(counters)? == other.values(counters)?
            && self.values(memory)? == other.values(memory)?
            && self.values(waiting)? == other.values(waiting)?
            && self.values(edges)? == other.values(edges)?
            && self.values(broken)? == other.values(broken)?;
        Ok((own_rows.len(), same))
    }

    fn values(&self, sql: &str) -> Result<Vec<[Value; 3]>> {
        Ok(self
            .conn
            .select(sql, [], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?)
    }
}
