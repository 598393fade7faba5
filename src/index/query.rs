//! Questions to the cache: pages of rows, ids, neighbours, totals.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params_from_iter};

use super::derived::returned;
use super::filter::{Filter, Order, Sql};
use super::schema::{finished_epic, signed};
use super::{Index, Result};
use crate::model::{Status, Uid};
use crate::store::Oid;

/// What a list needs to know of an issue.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Number in this cache.
    pub num: i64,
    /// Identity.
    pub uid: Uid,
    /// Id.
    pub id: String,
    /// Title.
    pub title: String,
    /// Status as shown.
    pub status: Status,
    /// Priority.
    pub priority: i64,
    /// Type.
    pub kind: String,
    /// Assignee.
    pub assignee: Option<String>,
    /// Id of the parent.
    pub parent: Option<String>,
    /// Labels.
    pub labels: Vec<String>,
    /// Times in milliseconds.
    pub created: u64,
    /// Last change, memory included.
    pub updated: u64,
    /// When work on it began, while it is in progress; also of a closed one, where an import said so.
    pub started: Option<u64>,
    /// When it was closed, while it is.
    pub closed: Option<u64>,
    /// When it returns.
    pub defer: Option<u64>,
    /// Open `blocks` targets.
    pub blockers: u64,
    /// Children that are not deleted.
    pub children: u64,
    /// Children that have not ended.
    pub open_children: u64,
    /// `blocks` dependencies.
    pub dependencies: u64,
    /// Issues that depend on it by `blocks`.
    pub dependents: u64,
    /// Why it can't be shown, if it can't.
    pub unreadable: Option<String>,
    /// Whether it can be started, once its `defer` has passed.
    pub ready: bool,
}

impl Row {
    /// Says whether it is an epic that can be closed, as its children have all ended.
    pub fn is_finished_epic(&self) -> bool {
        self.kind == "epic"
            && matches!(self.status, Status::Open | Status::InProgress)
            && self.blockers == 0
            && self.children > 0
            && self.open_children == 0
    }
}

/// What an issue is called.
#[derive(Clone, Debug)]
pub struct Name {
    /// The id it is shown under.
    pub id: String,
    /// Its title; empty where it can't be read.
    pub title: String,
    /// Whether its text is gone for good.
    pub is_purged: bool,
}

/// Who made an issue what it is.
#[derive(Clone, Debug, Default)]
pub struct Makers {
    /// Who opened it.
    pub opened: Option<String>,
    /// Who closed it, while it is closed; of what an import brought closed nobody knows.
    pub closed: Option<String>,
}

const COLUMNS: &str = "num, uid, shown, title, status, priority, type, assignee,
    parent, labels, created,
    updated, started, closed, defer, blockers, children, open_children,
    dependencies, dependents, unreadable, ready = 1";

/// The column after those.
const BLOB: usize = 22;

/// All that is asked of one issue, in the same words each time, which SQLite then has to understand only once.
fn one() -> String {
    format!(
        "SELECT {COLUMNS}, blob,
        EXISTS (SELECT 1 FROM memory WHERE memory.issue = issue.uid) OR EXISTS (SELECT 1 FROM broken)
        FROM issue WHERE issue.uid = ?1"
    )
}

fn read_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let time = |i: usize| -> rusqlite::Result<Option<u64>> {
        Ok(row.get::<_, Option<i64>>(i)?.map(unsigned))
    };
    Ok(Row {
        num: row.get(0)?,
        uid: row.get(1)?,
        id: row.get(2)?,
        title: row.get(3)?,
        status: Status::new(row.get_ref(4)?.as_str()?),
        priority: row.get(5)?,
        kind: row.get(6)?,
        assignee: row.get(7)?,
        parent: row.get(8)?,
        labels: serde_json::from_str(row.get_ref(9)?.as_str()?).unwrap_or_default(),
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
    })
}

pub(super) fn unsigned(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

/// A page of rows, and how many there are in all.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The rows.
    pub rows: Vec<Row>,
    /// Matches in all.
    pub total: u64,
}

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

/// The part of an answer that a page shows.
fn window(limit: usize, offset: usize) -> String {
    match (limit, offset) {
        (0, 0) => String::new(),
        (0, offset) => format!(" LIMIT -1 OFFSET {offset}"),
        (limit, offset) => format!(" LIMIT {limit} OFFSET {offset}"),
    }
}

impl Index<'_> {
    /// A page of the issues that a filter lets through; `limit` 0 means all of them.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn page(&self, filter: &Filter, order: Order, limit: usize, offset: usize) -> Result<Page> {
        if order == Order::Rank {
            return self.ranked(filter, limit, offset);
        }
        let sql = Sql::build(filter);
        let whole = limit == 0 && offset == 0;
        let clause = format!(
            "{}{}{}{}",
            filter.index(order),
            sql.clause(),
            order.clause(),
            window(limit, offset)
        );
        let rows = self.rows(&clause, &sql.values)?;
        let total = match filter.counter() {
            Some(name) => {
                self.counter(name)?
                    + filter
                        .ready
                        .map_or(Ok(0), |now| returned(&self.conn, now))?
            }
            None if whole || (offset == 0 && rows.len() < limit) => rows.len() as u64,
            None => self.total(&sql)?,
        };
        Ok(Page { rows, total })
    }

    /// A page of the issues that a filter lets through, where nobody asks how many there are; `limit` 0 means all of them.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn first(
        &self,
        filter: &Filter,
        order: Order,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<Row>> {
        let sql = Sql::build(filter);
        let (index, clause, order, window) = (
            filter.index(order),
            sql.clause(),
            order.clause(),
            window(limit, offset),
        );
        let text = format!("SELECT issue.num FROM issue{index}{clause}{order}{window}");
        let mut statement = self.conn.prepare_cached(&text)?;
        let nums = statement.query_map(params_from_iter(&sql.values), |row| row.get(0))?;
        self.numbered(nums)
    }

    /// The rows of numbers; always asked for in the same words, which SQLite then has to understand only once.
    fn numbered(&self, nums: impl Iterator<Item = rusqlite::Result<i64>>) -> Result<Vec<Row>> {
        let mut nums = nums.peekable();
        if nums.peek().is_none() {
            return Ok(Vec::new());
        }
        let mut one = self
            .conn
            .prepare_cached(&format!("SELECT {COLUMNS} FROM issue WHERE num = ?1"))?;
        nums.map(|num| Ok(one.query_row([num?], read_row)?))
            .collect()
    }

    /// A page in the order of a search: only its own rows are read.
    fn ranked(&self, filter: &Filter, limit: usize, offset: usize) -> Result<Page> {
        let mut found = filter.found.clone().unwrap_or_default();
        if !filter.takes_all_found() {
            let sql = Sql::build(filter);
            let mut statement = self
                .conn
                .prepare_cached(&format!("SELECT issue.num FROM issue{}", sql.clause()))?;
            let nums = statement.query_map(params_from_iter(&sql.values), |row| row.get(0))?;
            let let_through = nums.collect::<rusqlite::Result<HashSet<i64>>>()?;
            found.retain(|num| let_through.contains(num));
        }
        let limit = if limit == 0 { usize::MAX } else { limit };
        let shown = found.iter().skip(offset).take(limit).map(|num| Ok(*num));
        Ok(Page {
            rows: self.numbered(shown)?,
            total: found.len() as u64,
        })
    }

    pub(super) fn rows(&self, clause: &str, values: &[Value]) -> Result<Vec<Row>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("SELECT {COLUMNS} FROM issue{clause}"))?;
        let rows = statement.query_map(params_from_iter(values), read_row)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

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

    fn total(&self, sql: &Sql) -> Result<u64> {
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

    /// Who opened and who closed each issue, by its number.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn makers(&self) -> Result<HashMap<i64, Makers>> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT num, nullif(creator, ''), closer FROM issue")?;
        let rows = statement.query_map([], |row| {
            Ok((
                row.get(0)?,
                Makers {
                    opened: row.get(1)?,
                    closed: row.get(2)?,
                },
            ))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
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

    /// The row of an issue.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn row(&self, uid: Uid) -> Result<Option<Row>> {
        Ok(self
            .conn
            .prepare_cached(&one())?
            .query_row([uid], read_row)
            .optional()?)
    }

    /// The blob of an issue, and whether it may have memory; none where its blob can't be shown.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn objects_of(&self, uid: Uid) -> Result<Option<(Oid, bool)>> {
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(BLOB)?, row.get(BLOB + 1)?));
        let found: Option<(Option<Oid>, bool)> = self
            .conn
            .prepare_cached(&one())?
            .query_row([uid], read)
            .optional()?;
        Ok(found.and_then(|(blob, remembers)| Some((blob?, remembers))))
    }

    /// The status an issue is shown in.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn status_of(&self, uid: Uid) -> Result<Option<Status>> {
        let sql = "SELECT status FROM issue WHERE uid = ?1";
        let read = |row: &rusqlite::Row<'_>| Ok(Status::new(row.get_ref(0)?.as_str()?));
        Ok(self
            .conn
            .prepare_cached(sql)?
            .query_row([uid], read)
            .optional()?)
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

    /// The issues that a filter lets through and that hold lost values nobody has settled.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn conflicted(&self, filter: &Filter) -> Result<Vec<Uid>> {
        let mut sql = Sql::build(filter);
        sql.condition("issue.conflicts > 0");
        let text = format!("SELECT uid FROM issue{} ORDER BY shown", sql.clause());
        let mut statement = self.conn.prepare_cached(&text)?;
        let rows = statement.query_map(params_from_iter(&sql.values), |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The ids that several issues bear, with the names these are shown under.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn claimed_twice(&self) -> Result<Vec<String>> {
        let sql = "SELECT shown FROM issue WHERE shown <> id ORDER BY shown";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The id that an issue has in its register, also where another bears the same.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn bare_id_of(&self, uid: Uid) -> Result<Option<String>> {
        let sql = "SELECT id FROM issue WHERE uid = ?1";
        Ok(self
            .conn
            .prepare_cached(sql)?
            .query_row([uid], |row| row.get(0))
            .optional()?)
    }

    /// The id an issue is shown under.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn id_of(&self, uid: Uid) -> Result<Option<String>> {
        let sql = "SELECT shown FROM issue WHERE uid = ?1";
        Ok(self
            .conn
            .prepare_cached(sql)?
            .query_row([uid], |row| row.get(0))
            .optional()?)
    }

    /// What an issue is called, if it is there.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn name_of(&self, uid: Uid) -> Result<Option<Name>> {
        let sql = "SELECT shown, iif(unreadable IS NULL, title, ''), deleted = 1 AND title = '' FROM issue WHERE uid = ?1";
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Name {
                id: row.get(0)?,
                title: row.get(1)?,
                is_purged: row.get(2)?,
            })
        };
        Ok(self
            .conn
            .prepare_cached(sql)?
            .query_row([uid], read)
            .optional()?)
    }

    /// The children of an issue, in the order of their ids.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn children(&self, uid: Uid) -> Result<Vec<Row>> {
        let filter = Filter {
            parent: Some(uid),
            done: true,
            ..Filter::default()
        };
        let mut rows = self.page(&filter, Order::Id, 0, 0)?.rows;
        let number = |row: &Row| {
            row.id
                .rsplit_once('.')
                .and_then(|(_, n)| n.parse::<u64>().ok())
                .unwrap_or(u64::MAX)
        };
        rows.sort_by(|a, b| number(a).cmp(&number(b)).then_with(|| a.id.cmp(&b.id)));
        Ok(rows)
    }

    /// The issue that an actor created under a key.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn by_key(&self, key: &str, creator: &str) -> Result<Option<Uid>> {
        let sql = "SELECT uid FROM issue WHERE key = ?1 AND creator = ?2 ORDER BY uid LIMIT 1";
        Ok(self
            .conn
            .prepare_cached(sql)?
            .query_row([key, creator], |row| row.get(0))
            .optional()?)
    }

    /// Paths that hold something that can't be shown, with the reason.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn broken(&self) -> Result<Vec<(String, String)>> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT path, why FROM broken ORDER BY path")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Every issue in the order of ids, with its number of dependents by `blocks`, for export.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn all(&self) -> Result<Vec<Row>> {
        Ok(self.page(&Filter::everything(), Order::Id, 0, 0)?.rows)
    }
}
