//! Totals, most of them from counters that each change keeps.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params_from_iter};

use super::chosen::RowSql;
use super::condition::Condition;
use super::derived::{DEFERRED, returned};
use super::order::column_of;
use super::rows::unsigned;
use super::schema::{finished_epic, signed};
use super::statements::Statements;
use super::{Index, Result};
use crate::model::query::Grouping;

/// Totals of all issues.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Number of issues by status as shown.
    pub statuses: BTreeMap<String, u64>,
    /// All issues, deleted ones too.
    pub total: u64,
    /// Issues that are neither closed nor deleted.
    pub listed: u64,
    /// Issues that can be started now.
    pub ready: u64,
    /// Issues that wait for others.
    pub blocked: u64,
}

impl Index<'_> {
    /// Counts the issues in progress that were not changed since a time.
    pub(crate) fn stale_claims(&self, since: u64) -> Result<u64> {
        // Left to itself, the planner takes the index of all statuses and looks at each row.
        let sql = "SELECT count(*) FROM issue INDEXED BY issue_stale WHERE status = 'in_progress' AND updated < ?1";
        Ok(unsigned(self.conn.value(sql, [signed(since)])?))
    }

    pub(super) fn total(&self, chosen: &RowSql) -> Result<u64> {
        if let Some((name, now)) = chosen.counter() {
            return Ok(self.counter(name)? + now.map_or(Ok(0), |now| self.returned(now))?);
        }
        let values = params_from_iter(&chosen.values);
        Ok(unsigned(self.conn.value(&chosen.total(), values)?))
    }

    /// Returns whether there is a label that begins so.
    pub(crate) fn has_label_beginning(&self, beginning: &str) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM label WHERE name >= ?1 AND name < ?2)";
        let to = format!("{beginning}\u{10ffff}");
        Ok(self.conn.value(sql, [beginning, &to])?)
    }

    pub(super) fn counter(&self, name: &str) -> Result<u64> {
        let sql = "SELECT n FROM counter WHERE name = ?1";
        let n: Option<i64> = self.conn.value(sql, [name]).optional()?;
        Ok(unsigned(n.unwrap_or(0)))
    }

    /// Returns the number of issues whose return date has passed by `now`.
    pub(super) fn returned(&self, now: u64) -> Result<u64> {
        match self.counter(DEFERRED)? {
            0 => Ok(0),
            _ => returned(&self.conn, now),
        }
    }

    /// Returns the totals at a time.
    pub fn counts(&self, now: u64) -> Result<Counts> {
        let mut counts = Counts::default();
        let mut statement = self
            .conn
            .prepared("SELECT name, n FROM counter WHERE n > 0")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (name, n): (String, u64) = (row.get(0)?, unsigned(row.get(1)?));
            match (name.as_str(), name.strip_prefix("status:")) {
                (_, Some(status)) => _ = counts.statuses.insert(status.to_owned(), n),
                ("total", _) => counts.total = n,
                ("listed", _) => counts.listed = n,
                // Those without a date. The deferred ones are added below, in any order of the counters.
                ("ready", _) => counts.ready += n,
                ("blocked", _) => counts.blocked = n,
                (DEFERRED, _) => counts.ready += returned(&self.conn, now)?,
                _ => {}
            }
        }
        Ok(counts)
    }

    /// Counts the issues that a condition lets through.
    pub(crate) fn count(&self, condition: &Condition) -> Result<u64> {
        self.total(&RowSql::of(condition))
    }

    /// Counts what a condition lets through by status as shown.
    pub(crate) fn statuses(&self, condition: &Condition) -> Result<BTreeMap<String, u64>> {
        let chosen = RowSql::of(condition);
        let text = format!(
            "SELECT issue.status, count(*) FROM issue{} GROUP BY issue.status",
            chosen.clause
        );
        Ok(self
            .conn
            .select(&text, params_from_iter(&chosen.values), |row| {
                Ok((row.get(0)?, unsigned(row.get(1)?)))
            })?)
    }

    /// Returns the values that issues are put together by, at most so many, in the order of a list; none is the last.
    pub(crate) fn groups(
        &self,
        condition: &Condition,
        by: Grouping,
        most: usize,
    ) -> Result<Vec<Option<String>>> {
        let (chosen, column) = (RowSql::of(condition), column_of(by));
        let text = format!(
            "SELECT CAST({column} AS TEXT) FROM issue{} GROUP BY {column} ORDER BY {column} IS NULL, {column} LIMIT {most}",
            chosen.clause
        );
        let values = params_from_iter(&chosen.values);
        Ok(self.conn.column(&text, values)?)
    }

    /// Returns whether any issue waits for a person, or asks one.
    pub(crate) fn asks_a_person(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM waiting)
            OR EXISTS (SELECT 1 FROM memory WHERE asked IS NOT NULL)";
        Ok(self.conn.value(sql, [])?)
    }

    /// Returns whether there are: issues that wait for a person, lost values, blobs that can't be
    /// shown, open questions, epics whose children have all ended.
    pub(crate) fn oddities(&self) -> Result<[bool; 5]> {
        let sql = concat!(
            "SELECT EXISTS (SELECT 1 FROM waiting),
            EXISTS (SELECT 1 FROM issue WHERE conflicts > 0) OR EXISTS (SELECT 1 FROM memory WHERE lost > 0),
            EXISTS (SELECT 1 FROM broken), EXISTS (SELECT 1 FROM memory WHERE asked IS NOT NULL), EXISTS (SELECT 1 FROM issue INDEXED BY issue_finished WHERE ",
            finished_epic!(),
            ")"
        );
        let mut found = [false; 5];
        let read = |row: &rusqlite::Row<'_>| {
            for (n, found) in found.iter_mut().enumerate() {
                *found = row.get(n)?;
            }
            Ok(())
        };
        self.conn.prepared(sql)?.query_row([], read)?;
        Ok(found)
    }
}
