//! Totals, most of them from counters that each change keeps.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params_from_iter};

use super::derived::returned;
use super::filter::{Filter, Sql};
use super::rows::unsigned;
use super::schema::{finished_epic, signed};
use super::{Index, Result};

/// Totals.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// By status as shown.
    pub statuses: BTreeMap<String, u64>,
    /// All issues, deleted ones too.
    pub total: u64,
    /// Neither closed nor deleted.
    pub listed: u64,
    /// Can be started now.
    pub ready: u64,
    /// Wait for others.
    pub blocked: u64,
}

impl Index<'_> {
    /// How many issues are in progress and were not changed since a time.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn stale_claims(&self, since: u64) -> Result<u64> {
        // Left to itself, the planner takes the index of all statuses and looks at each row.
        let sql = "SELECT count(*) FROM issue INDEXED BY issue_stale WHERE status = 'in_progress' AND updated < ?1";
        Ok(unsigned(
            self.conn
                .prepare_cached(sql)?
                .query_row([signed(since)], |row| row.get(0))?,
        ))
    }

    pub(super) fn total(&self, sql: &Sql) -> Result<u64> {
        let text = format!("SELECT count(*) FROM issue{}", sql.clause());
        let n = self
            .conn
            .prepare_cached(&text)?
            .query_row(params_from_iter(&sql.values), |row| row.get(0))?;
        Ok(unsigned(n))
    }

    pub(super) fn counter(&self, name: &str) -> Result<u64> {
        let sql = "SELECT n FROM counter WHERE name = ?1";
        let n: Option<i64> = self
            .conn
            .prepare_cached(sql)?
            .query_row([name], |row| row.get(0))
            .optional()?;
        Ok(unsigned(n.unwrap_or(0)))
    }

    /// Totals at a time.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn counts(&self, now: u64) -> Result<Counts> {
        let mut counts = Counts {
            ready: returned(&self.conn, now)?,
            ..Counts::default()
        };
        let mut statement = self
            .conn
            .prepare_cached("SELECT name, n FROM counter WHERE n > 0")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (name, n): (String, u64) = (row.get(0)?, unsigned(row.get(1)?));
            match (name.as_str(), name.strip_prefix("status:")) {
                (_, Some(status)) => _ = counts.statuses.insert(status.to_owned(), n),
                ("total", _) => counts.total = n,
                ("listed", _) => counts.listed = n,
                ("ready", _) => counts.ready += n,
                ("blocked", _) => counts.blocked = n,
                _ => {}
            }
        }
        Ok(counts)
    }

    /// How many issues a filter lets through.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn count(&self, filter: &Filter) -> Result<u64> {
        self.total(&Sql::build(filter))
    }

    /// What a filter lets through, also of what has ended, by status as shown.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn statuses(&self, filter: &Filter) -> Result<BTreeMap<String, u64>> {
        let sql = Sql::build(&Filter {
            done: true,
            deleted: true,
            ..filter.clone()
        });
        let text = format!(
            "SELECT issue.status, count(*) FROM issue{} GROUP BY issue.status",
            sql.clause()
        );
        let mut statement = self.conn.prepare_cached(&text)?;
        let rows = statement.query_map(params_from_iter(&sql.values), |row| {
            Ok((row.get(0)?, unsigned(row.get(1)?)))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns what there is of what few stores have: an issue that waits for a person, one with lost values, a blob
    /// that can't be shown, an epic whose children have all ended.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn oddities(&self) -> Result<[bool; 4]> {
        let sql = concat!(
            "SELECT EXISTS (SELECT 1 FROM waiting), EXISTS (SELECT 1 FROM issue WHERE conflicts > 0),
            EXISTS (SELECT 1 FROM broken), EXISTS (SELECT 1 FROM issue INDEXED BY issue_finished WHERE ",
            finished_epic!(),
            ")"
        );
        let read =
            |row: &rusqlite::Row<'_>| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]);
        Ok(self.conn.prepare_cached(sql)?.query_row([], read)?)
    }
}
