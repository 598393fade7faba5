//! Candidates for the completion of a shell: bounded reads along an index, in about a millisecond
//! at any size.

use rusqlite::params;

use super::statements::Statements;
use super::{Index, Result};

/// Number of rows that are read for the names of assignees.
const LOOKED_AT: usize = 2000;

/// Number of ids from which on they are not sorted but read in order.
const SORTED: i64 = 1000;

/// The names of labels from one text to another, as the table `known`: from each name to the next, so that a label of many
/// issues costs no more than another.
pub(super) const LABEL_NAMES: &str = "WITH RECURSIVE known(name) AS (
    SELECT min(name) FROM label WHERE name >= ?1 AND name < ?2
    UNION ALL
    SELECT (SELECT min(name) FROM label WHERE name > known.name AND name < ?2) FROM known
    WHERE known.name IS NOT NULL)";

/// Group of issues that a verb accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdGroup {
    /// Neither closed nor deleted.
    Open,
    Closed,
    Deleted,
}

impl IdGroup {
    fn condition(self) -> &'static str {
        match self {
            Self::Open => "listed = 1",
            Self::Closed => "status = 'closed'",
            Self::Deleted => "status = 'tombstone'",
        }
    }
}

/// Candidates for the completion of a shell.
#[derive(Clone, Copy)]
pub(crate) struct Completion<'a> {
    index: &'a Index<'a>,
}

impl Index<'_> {
    /// Candidates for the completion of a shell.
    pub(crate) fn completion(&self) -> Completion<'_> {
        Completion { index: self }
    }
}

impl Completion<'_> {
    /// Returns ids with a beginning, and their titles, most urgent first.
    pub(crate) fn beginning_with(
        self,
        beginning: &str,
        group: IdGroup,
        limit: usize,
    ) -> Result<Vec<(String, String)>> {
        // An id that several issues have is shown with a suffix that is not stored.
        let (from, to) = range(beginning.split('~').next().unwrap_or_default());
        let few = "SELECT count(*) FROM (SELECT 1 FROM issue WHERE id >= ?1 AND id < ?2 LIMIT ?3)";
        let n: i64 = self.index.conn.value(few, params![from, to, SORTED])?;
        // A plus keeps a column's index from being used. Few are sorted; of many, the index of the order, whose
        // entries hold the id, is walked until the limit.
        let (by_order, by_id) = if n < SORTED { ("+", "") } else { ("", "+") };
        let condition = group.condition();
        let sql = format!(
            "SELECT shown, title FROM issue WHERE {by_order}{condition} AND {by_id}id >= ?1 AND {by_id}id < ?2
             ORDER BY priority, created, id LIMIT ?3"
        );
        Ok(self
            .index
            .conn
            .select(&sql, params![from, to, limit as i64], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?)
    }

    /// Returns the labels with a beginning.
    pub(crate) fn labels_beginning_with(
        self,
        beginning: &str,
        limit: usize,
    ) -> Result<Vec<String>> {
        let (from, to) = range(beginning);
        let sql = format!("{LABEL_NAMES} SELECT name FROM known WHERE name IS NOT NULL LIMIT ?3");
        Ok(self
            .index
            .conn
            .column(&sql, params![from, to, limit as i64])?)
    }

    /// Returns the assignees of issues in progress and of the most urgent open ones.
    pub(crate) fn assignees(self) -> Result<Vec<String>> {
        let some = |condition| {
            format!(
                "SELECT assignee FROM (SELECT assignee FROM issue WHERE {condition}
                 ORDER BY priority, created, id LIMIT {LOOKED_AT}) WHERE assignee IS NOT NULL"
            )
        };
        let sql = format!(
            "{} UNION {} ORDER BY 1",
            some("status = 'in_progress'"),
            some("listed = 1")
        );
        Ok(self.index.conn.column(&sql, [])?)
    }
}

/// Returns the texts between which all are that begin so.
pub(super) fn range(beginning: &str) -> (String, String) {
    // The last character there is: what begins so comes before it.
    (beginning.to_owned(), format!("{beginning}\u{10ffff}"))
}
