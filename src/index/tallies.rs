//! How often labels, types and people are used: a statement each, over the rows alone.

use rusqlite::params;

use super::completion::{LABEL_NAMES, range};
use super::oplog::OpLog;
use super::rows::unsigned;
use super::statements::Statements;
use super::{Index, Result};

/// A name that issues have, and the number of those that are not deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    /// The label, type or person.
    pub name: String,
    /// Number of issues that are open.
    pub open: u64,
    /// Number of all issues.
    pub total: u64,
}

/// The number of operations of a person, or of one of their agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpTally {
    pub person: String,
    /// The agent; none where the person acted without one.
    pub agent: Option<String>,
    pub operations: u64,
    /// Time of the last one, in milliseconds.
    pub last: u64,
}

/// Types of issues.
const TYPES: &str = "SELECT type, sum(listed), count(*) FROM issue
    WHERE type <> '' AND status <> 'tombstone' GROUP BY type";

/// People who created an issue or are assigned to it; one who is both counts once.
const PEOPLE: &str = "SELECT name, sum(listed), count(*) FROM (
      SELECT assignee AS name, listed, status FROM issue WHERE assignee <> ''
      UNION ALL
      SELECT creator, listed, status FROM issue WHERE creator <> '' AND creator IS NOT assignee)
    WHERE status <> 'tombstone' GROUP BY name";

/// Those who acted.
const ACTORS: &str = "SELECT actor, agent, count(*), max(at) FROM oplog WHERE actor <> ''
    GROUP BY actor, agent ORDER BY max(seq) DESC";

impl Index<'_> {
    /// Returns the labels of issues, in the order of their names.
    pub(crate) fn label_tallies(&self) -> Result<Vec<Tally>> {
        let sql = format!(
            "{LABEL_NAMES} SELECT known.name, sum(issue.listed), count(*) FROM known
             JOIN label ON label.name = known.name JOIN issue ON issue.num = label.issue
             WHERE issue.status <> 'tombstone' GROUP BY known.name"
        );
        // The names that completion offers, from the first to the last one.
        let (from, to) = range("");
        self.tallies(&sql, params![from, to])
    }

    /// Returns the types of issues, in the order of their names.
    pub(crate) fn type_tallies(&self) -> Result<Vec<Tally>> {
        self.tallies(TYPES, [])
    }

    /// Returns the people who created issues or are assigned to them, in the order of their names.
    pub(crate) fn people_tallies(&self) -> Result<Vec<Tally>> {
        self.tallies(PEOPLE, [])
    }

    /// Returns the names of the people who created issues or are assigned to them, also to deleted ones.
    pub(crate) fn people(&self) -> Result<Vec<String>> {
        let sql = "SELECT assignee FROM issue WHERE assignee <> ''
            UNION SELECT creator FROM issue WHERE creator <> '' ORDER BY 1";
        Ok(self.conn.column(sql, [])?)
    }

    fn tallies(&self, sql: &str, params: impl rusqlite::Params) -> Result<Vec<Tally>> {
        Ok(self.conn.select(sql, params, tally)?)
    }
}

fn tally(row: &rusqlite::Row<'_>) -> rusqlite::Result<Tally> {
    Ok(Tally {
        name: row.get(0)?,
        open: unsigned(row.get(1)?),
        total: unsigned(row.get(2)?),
    })
}

impl OpLog<'_> {
    /// Returns who acted, and how often; those who acted last come first.
    pub(crate) fn tallies(self) -> Result<Vec<OpTally>> {
        self.fill_oplog()?;
        // A merge has no actor: it is an operation of no one.
        Ok(self.index.conn.select(ACTORS, [], op_tally)?)
    }
}

fn op_tally(row: &rusqlite::Row<'_>) -> rusqlite::Result<OpTally> {
    Ok(OpTally {
        person: row.get(0)?,
        agent: row.get(1)?,
        operations: unsigned(row.get(2)?),
        last: unsigned(row.get(3)?),
    })
}
