//! Rows of issues, read from the cache one by one, or a page at a time by a condition.

use std::collections::HashMap;

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params_from_iter};

use super::chosen::RowSql;
use super::condition::{Condition, Fact};
use super::order::{Order, Sort};
use super::schema::Labels;
use super::statements::Statements;
use super::{Index, Result};
use crate::model::{Status, Uid};
use crate::store::Oid;

/// The data of an issue that a list shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Number in this cache.
    pub num: i64,
    /// Identity, which never changes.
    pub uid: Uid,
    pub id: String,
    pub title: String,
    pub status: Status,
    pub priority: i64,
    pub kind: String,
    pub assignee: Option<String>,
    /// The agent that works on it, for the assignee.
    pub agent: Option<String>,
    /// Id of the parent.
    pub parent: Option<String>,
    pub labels: Vec<String>,
    /// Time of creation; all times are in milliseconds.
    pub created: u64,
    /// Last change, memory included.
    pub updated: u64,
    /// Time work on it began, while it is in progress; also of a closed one, where an import had
    /// it.
    pub started: Option<u64>,
    /// Time of closing, while it is closed.
    pub closed: Option<u64>,
    /// Time until which it is deferred.
    pub defer: Option<u64>,
    /// Time at which it is due.
    pub due: Option<u64>,
    /// The person who created it, where that is known.
    pub creator: Option<String>,
    /// Number of open `blocks` targets.
    pub blockers: u64,
    /// Children that are not deleted.
    pub children: u64,
    /// Children that have not ended.
    pub open_children: u64,
    pub dependencies: u64,
    /// Issues that depend on it by `blocks`.
    pub dependents: u64,
    /// Reason why it can't be shown, if it can't.
    pub unreadable: Option<String>,
    /// True if it can be started, once its `defer` has passed.
    pub ready: bool,
    /// Of the boxes of its acceptance those that are checked, and all, where it has any.
    pub criteria: Option<[usize; 2]>,
}

/// A page of rows, and the number of all matches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub rows: Vec<Row>,
    pub total: u64,
}

impl Row {
    /// Returns whether it is an epic whose children have all ended.
    pub(crate) fn is_finished_epic(&self) -> bool {
        self.kind == "epic"
            && matches!(self.status, Status::Open | Status::InProgress)
            && self.blockers == 0
            && self.children > 0
            && self.open_children == 0
    }
}

/// Id and title of an issue.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    /// The id it is shown under.
    pub id: String,
    /// Its title; empty where it can't be read.
    pub title: String,
    /// True if its text is purged.
    pub is_purged: bool,
}

/// The actors who opened and closed an issue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Makers {
    pub opened: Option<String>,
    /// The actor who closed it, while it is closed; unknown for an issue imported as closed.
    pub closed: Option<String>,
}

pub(super) const COLUMNS: &str = "num, uid, shown, title, status, priority, type, assignee,
    parent, labels, created,
    updated, started, closed, defer, blockers, children, open_children,
    dependencies, dependents, unreadable, ready = 1, agent, due, creator, criteria";

/// Number of the column after those.
const BLOB: usize = 26;

/// Returns the query for one issue. Its text is always the same, so that SQLite prepares it only
/// once.
fn one() -> String {
    format!(
        "SELECT {COLUMNS}, blob,
        EXISTS (SELECT 1 FROM memory WHERE memory.issue = issue.uid) OR EXISTS (SELECT 1 FROM broken)
        FROM issue WHERE issue.uid = ?1"
    )
}

pub(super) fn read_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let time = |i: usize| -> rusqlite::Result<Option<u64>> {
        Ok(row.get::<_, Option<i64>>(i)?.map(unsigned))
    };
    Ok(Row {
        num: row.get(0)?,
        uid: row.get(1)?,
        id: row.get(2)?,
        title: row.get(3)?,
        status: row.get(4)?,
        priority: row.get(5)?,
        kind: row.get(6)?,
        assignee: row.get(7)?,
        parent: row.get(8)?,
        labels: row.get::<_, Labels>(9)?.0,
        created: unsigned(row.get(10)?),
        updated: unsigned(row.get(11)?),
        started: time(12)?,
        closed: time(13)?,
        defer: time(14)?,
        blockers: unsigned(row.get(15)?),
        children: unsigned(row.get(16)?),
        open_children: unsigned(row.get(17)?),
        dependencies: unsigned(row.get(18)?),
        dependents: unsigned(row.get(19)?),
        unreadable: row.get(20)?,
        ready: row.get(21)?,
        agent: row.get(22)?,
        due: time(23)?,
        creator: row
            .get::<_, Option<String>>(24)?
            .filter(|name| !name.is_empty()),
        criteria: row
            .get::<_, Option<String>>(25)?
            .and_then(|it| numbers(&it)),
    })
}

fn numbers(text: &str) -> Option<[usize; 2]> {
    let (checked, all) = text.split_once(' ')?;
    Some([checked.parse().ok()?, all.parse().ok()?])
}

pub(super) fn unsigned(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

/// Returns the SQL for the part of an answer that a page shows.
fn window(limit: usize, offset: usize) -> String {
    match (limit, offset) {
        (0, 0) => String::new(),
        // SQLite takes an offset only after a limit.
        (0, offset) => format!(" LIMIT -1 OFFSET {offset}"),
        (limit, offset) => format!(" LIMIT {limit} OFFSET {offset}"),
    }
}

impl Index<'_> {
    /// Returns a page of the issues that a condition lets through; `limit` 0 means all of them.
    pub(crate) fn page(
        &self,
        condition: &Condition,
        sort: impl Into<Sort>,
        limit: usize,
        offset: usize,
    ) -> Result<Page> {
        let (chosen, sort) = (RowSql::of(condition), sort.into());
        let whole = limit == 0 && offset == 0;
        let clause = format!(
            "{}{}{}{}",
            chosen.index(sort.order),
            chosen.clause,
            sort.clause(),
            window(limit, offset)
        );
        let rows = self.rows(&clause, &chosen.values)?;
        let total = match whole || (offset == 0 && rows.len() < limit) {
            true => rows.len() as u64,
            false => self.total(&chosen)?,
        };
        Ok(Page { rows, total })
    }

    /// Returns a page of the issues that a condition lets through, without their total; `limit` 0
    /// means all of them.
    pub(crate) fn first(
        &self,
        condition: &Condition,
        sort: impl Into<Sort>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<Row>> {
        let (chosen, sort) = (RowSql::of(condition), sort.into());
        let (index, clause) = (chosen.index(sort.order), &chosen.clause);
        let (order, window) = (sort.clause(), window(limit, offset));
        let text = format!("SELECT issue.num FROM issue{index}{clause}{order}{window}");
        let mut statement = self.conn.prepared(&text)?;
        let nums = statement.query_map(params_from_iter(&chosen.values), |row| row.get(0))?;
        self.numbered(nums)
    }

    /// Returns how many issues come before one among those that a condition lets through; none where it leaves that one out.
    pub(crate) fn place_of(
        &self,
        uid: Uid,
        condition: &Condition,
        sort: impl Into<Sort>,
    ) -> Result<Option<usize>> {
        let (chosen, sort) = (RowSql::of(condition), sort.into());
        let (index, clause) = (chosen.index(sort.order), &chosen.clause);
        let num = self
            .conn
            .value("SELECT num FROM issue WHERE uid = ?1", [uid]);
        let Some(num): Option<i64> = num.optional()? else {
            return Ok(None);
        };
        // Numbers, as the indexes of the orders have them: no row is read.
        let text = format!(
            "SELECT issue.num FROM issue{index}{clause}{}",
            sort.clause()
        );
        let mut statement = self.conn.prepared(&text)?;
        let mut rows = statement.query(params_from_iter(&chosen.values))?;
        let mut place = 0;
        while let Some(row) = rows.next()? {
            if row.get::<_, i64>(0)? == num {
                return Ok(Some(place));
            }
            place += 1;
        }
        Ok(None)
    }

    /// Returns a page of what a search has found, in its order: only the rows of the page are read.
    pub(crate) fn found(&self, hits: &[i64], limit: usize, offset: usize) -> Result<Page> {
        let limit = if limit == 0 { usize::MAX } else { limit };
        let shown = hits.iter().skip(offset).take(limit).map(|num| Ok(*num));
        Ok(Page {
            rows: self.numbered(shown)?,
            total: hits.len() as u64,
        })
    }

    /// Returns the issues that hold lost values which are not settled, in themselves or in their memory.
    pub fn conflicted(&self) -> Result<Vec<Uid>> {
        self.conflicted_of(Condition::everything())
    }

    /// Returns those of them that a condition lets through.
    pub(crate) fn conflicted_of(&self, condition: Condition) -> Result<Vec<Uid>> {
        let chosen = RowSql::of(&condition.and(Fact::Conflicted));
        let text = format!("SELECT uid FROM issue{} ORDER BY shown", chosen.clause);
        Ok(self.conn.column(&text, params_from_iter(&chosen.values))?)
    }

    /// Returns the paths whose contents can't be shown, with the reason.
    pub fn broken(&self) -> Result<Vec<(String, String)>> {
        Ok(self
            .conn
            .select("SELECT path, why FROM broken ORDER BY path", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?)
    }
}

impl Index<'_> {
    /// Returns the row of an issue.
    pub(crate) fn row(&self, uid: Uid) -> Result<Option<Row>> {
        Ok(self.conn.first(&one(), [uid], read_row)?)
    }

    /// Returns the blob of an issue, and whether it may have memory; none where its blob can't be
    /// shown.
    pub(crate) fn objects_of(&self, uid: Uid) -> Result<Option<(Oid, bool)>> {
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(BLOB)?, row.get(BLOB + 1)?));
        let found: Option<(Option<Oid>, bool)> = self.conn.first(&one(), [uid], read)?;
        Ok(found.and_then(|(blob, remembers)| Some((blob?, remembers))))
    }

    /// Returns the status an issue is shown in.
    pub(crate) fn status_of(&self, uid: Uid) -> Result<Option<Status>> {
        let sql = "SELECT status FROM issue WHERE uid = ?1";
        Ok(self.conn.value(sql, [uid]).optional()?)
    }

    pub(super) fn rows(&self, clause: &str, values: &[Value]) -> Result<Vec<Row>> {
        Ok(self.conn.select(
            &format!("SELECT {COLUMNS} FROM issue{clause}"),
            params_from_iter(values),
            read_row,
        )?)
    }

    /// Returns the rows of numbers, with one statement that SQLite prepares only once.
    pub(super) fn numbered(
        &self,
        nums: impl Iterator<Item = rusqlite::Result<i64>>,
    ) -> Result<Vec<Row>> {
        let mut nums = nums.peekable();
        if nums.peek().is_none() {
            return Ok(Vec::new());
        }
        let mut one = self
            .conn
            .prepared(&format!("SELECT {COLUMNS} FROM issue WHERE num = ?1"))?;
        nums.map(|num| Ok(one.query_row([num?], read_row)?))
            .collect()
    }

    /// Returns the actors who opened and closed each issue, by its number.
    pub(crate) fn makers(&self) -> Result<HashMap<i64, Makers>> {
        Ok(self.conn.select(
            "SELECT num, nullif(creator, ''), closer FROM issue",
            [],
            |row| {
                Ok((
                    row.get(0)?,
                    Makers {
                        opened: row.get(1)?,
                        closed: row.get(2)?,
                    },
                ))
            },
        )?)
    }

    /// Returns the children of an issue, in the order of their ids.
    pub(crate) fn children(&self, uid: Uid) -> Result<Vec<Row>> {
        let children = Condition::from(Fact::Kept).and(Fact::Child(uid));
        let mut rows = self.page(&children, Order::Id, 0, 0)?.rows;
        // By number, so that `.10` comes after `.9`; ids without one are last.
        let number = |row: &Row| {
            row.id
                .rsplit_once('.')
                .and_then(|(_, n)| n.parse::<u64>().ok())
                .unwrap_or(u64::MAX)
        };
        rows.sort_unstable_by(|a, b| number(a).cmp(&number(b)).then_with(|| a.id.cmp(&b.id)));
        Ok(rows)
    }

    /// Returns every issue in the order of ids, with its number of dependents by `blocks`, for
    /// export.
    pub fn all(&self) -> Result<Vec<Row>> {
        Ok(self.page(&Condition::everything(), Order::Id, 0, 0)?.rows)
    }
}
