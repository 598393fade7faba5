//! Tables of the cache, and how values are stored in them.

use rusqlite::Connection;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use super::Result;
use crate::model::{Stamp, Status, Target, Uid};
use crate::store::Oid;

/// Changes whenever a table or the meaning of a column does; other versions are rebuilt.
pub(super) const VERSION: i64 = 27;

/// `shown`: the id, with a suffix where several issues have it. `listed`: neither closed nor
/// deleted. `waiting`: for a person. `ready`: 1 if ready once its `defer` has passed; 2 if ready
/// but for being an epic with children. `done`, `status`, `blocked` and the counts follow from
/// other issues too and are derived. No constraint is declared that a cache can do without: SQLite
/// reads all of this whenever a process opens it. Numbers of issues have a type, as without one no
/// index of theirs is used where they are compared with `issue.num`. `key` identifies this file. `owed`: purged issues
/// that are still in the other file. `alias`: the ids that issues were known by, as the rows list
/// them in `aliases`. `agent`: the one that works on it, for the assignee. `asked`: of an open question who is to answer it,
/// empty for anybody, and null of all else. `texts`: which long texts it has, a bit for each. `until_free`: set to
/// `blocked` for no more than what it waits for. `source`: its places in other trackers, with a space between. `review`: closed by an agent, and not accepted. `criteria`: the checked boxes of its acceptance, a space, and all of them, where it has
/// any. `lost`: the answers that were given at the same time. `merged`, `steps`: `ahead_cache.rs`. `turn`: `aux_db.rs`.
const TABLES: &str = "
CREATE TABLE stamp (version, commit_id, tree, boot, inode, landed, key,
  turn, merged, steps);
CREATE TABLE issue (
  num INTEGER PRIMARY KEY, uid UNIQUE, id, tail, title,
  stored, auto, deleted, type, priority,
  assignee, labels, created, changed,
  started, closed, defer, key, creator, unreadable, conflicts,
  status, done, listed, ready, blocked,
  blockers, children, open_children, updated,
  dependencies, dependents, shown, parent, closer, blob, aliases, agent, purged,
  due, texts, until_free, source, review, criteria);
CREATE TABLE edge (source INT, kind, target, at, suspended);
CREATE TABLE waiting (issue INTEGER PRIMARY KEY);
CREATE TABLE label (name, issue INT, PRIMARY KEY (name, issue)) WITHOUT ROWID;
CREATE TABLE alias (id, issue INT, PRIMARY KEY (id, issue)) WITHOUT ROWID;
CREATE TABLE memory (uid PRIMARY KEY, issue, kind, at,
  stamp, hidden, asked, lost) WITHOUT ROWID;
CREATE TABLE broken (path PRIMARY KEY, why) WITHOUT ROWID;
CREATE TABLE counter (name PRIMARY KEY, n) WITHOUT ROWID;
CREATE TABLE unsearched (num INTEGER PRIMARY KEY);
CREATE TABLE owed (uid, num);
CREATE TABLE landed (issue, commit_id, at, closes,
  subject, UNIQUE (issue, commit_id));
";

/// An epic whose children have all ended: it can be closed. To the letter as in its index, or SQLite would not use that.
macro_rules! finished_epic {
    () => {
        "type = 'epic' AND status IN ('open', 'in_progress') AND blockers = 0 AND children > 0 AND open_children = 0"
    };
}
pub(super) use finished_epic;

/// Of such an epic: nothing is open further below either. What is below a deleted issue is shown at the root.
macro_rules! nothing_open_below {
    () => {
        "NOT EXISTS (WITH RECURSIVE below (num) AS (
            SELECT e.source FROM edge e WHERE e.kind = 'parent-child' AND e.target IN (issue.uid, issue.id)
            UNION SELECT e.source FROM below b JOIN issue p ON p.num = b.num AND p.deleted = 0
                JOIN edge e ON e.kind = 'parent-child' AND e.target IN (p.uid, p.id))
        SELECT 1 FROM below b JOIN issue s ON s.num = b.num WHERE s.status NOT IN ('closed', 'tombstone'))"
    };
}
pub(super) use nothing_open_below;

/// Made after a rebuild has filled the tables: once is cheaper than row by row.
const INDEXES: &str = concat!(
    "
CREATE INDEX issue_id ON issue (id);
CREATE INDEX issue_tail ON issue (tail);
CREATE INDEX issue_listed ON issue (priority, created, id) WHERE listed = 1;
CREATE INDEX issue_ready ON issue (priority, created, id) WHERE ready = 1;
CREATE INDEX issue_blocked ON issue (priority, created, id, status) WHERE blocked = 1;
CREATE INDEX issue_held ON issue (num) WHERE listed = 1 AND ready <> 1 AND blocked = 0;
CREATE INDEX issue_defer ON issue (defer) WHERE ready = 1 AND defer IS NOT NULL;
CREATE INDEX issue_closed ON issue (closed) WHERE closed IS NOT NULL;
CREATE INDEX issue_status ON issue (status, priority, created, id);
CREATE INDEX issue_stale ON issue (updated, status) WHERE status = 'in_progress';
CREATE INDEX issue_active ON issue (assignee, priority, created, id) WHERE status = 'in_progress';
CREATE INDEX issue_rank ON issue (num, deleted, done, priority, created, id, uid);
CREATE INDEX issue_conflicts ON issue (num) WHERE conflicts > 0;
CREATE INDEX issue_aliased ON issue (shown) WHERE shown <> id;
CREATE INDEX issue_freed ON issue (num) WHERE until_free = 1 AND blockers = 0;
CREATE INDEX edge_suspended ON edge (kind) WHERE suspended = 1;
CREATE INDEX issue_key ON issue (key, creator) WHERE key IS NOT NULL;
CREATE INDEX memory_issue ON memory (issue);
CREATE INDEX memory_recent ON memory (at) WHERE hidden = 0 AND kind IN ('finding', 'decision');
CREATE INDEX memory_asked ON memory (at) WHERE asked IS NOT NULL OR lost > 0;
CREATE INDEX issue_finished ON issue (priority, created, id) WHERE ",
    finished_epic!(),
    ";
"
);

/// Needed while the tables fill, to derive what follows from other issues.
const EDGE_INDEXES: &str = "
CREATE INDEX edge_source ON edge (source);
CREATE INDEX edge_target ON edge (target, kind);
";

pub(super) fn create_tables(conn: &Connection) -> Result<()> {
    conn.execute_batch(TABLES)?;
    Ok(())
}

pub(super) fn create_edge_indexes(conn: &Connection) -> Result<()> {
    conn.execute_batch(EDGE_INDEXES)?;
    conn.execute_batch("CREATE INDEX issue_id_early ON issue (id)")?;
    Ok(())
}

pub(super) fn create_indexes(conn: &Connection) -> Result<()> {
    conn.execute_batch("DROP INDEX IF EXISTS issue_id_early")?;
    conn.execute_batch(INDEXES)?;
    Ok(())
}

impl ToSql for Oid {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.as_bytes()))
    }
}

impl FromSql for Oid {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Self::from_bytes(value.as_blob()?).ok_or(FromSqlError::InvalidType)
    }
}

impl ToSql for Stamp {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.to_bytes().to_vec()))
    }
}

impl FromSql for Status {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str().map(Self::new)
    }
}

impl FromSql for Stamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let bytes = value
            .as_blob()?
            .try_into()
            .map_err(|_| FromSqlError::InvalidType)?;
        Ok(Self::from_bytes(bytes))
    }
}

/// Stored as a blob or as a text: no value of one is ever equal to one of the other.
impl ToSql for Target {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Uid(uid) => uid.to_sql(),
            Self::Literal(id) => id.to_sql(),
        }
    }
}

impl FromSql for Target {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Text(_) => String::column_result(value).map(Self::Literal),
            _ => Uid::column_result(value).map(Self::Uid),
        }
    }
}

/// Converts a time for SQLite, whose integers are signed; times never reach the bound.
pub(super) fn signed(millis: u64) -> i64 {
    i64::try_from(millis).unwrap_or(i64::MAX)
}

/// The labels of an issue as its row has them. A row that holds something else is damaged.
pub(super) struct Labels(pub(super) Vec<String>);

impl FromSql for Labels {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let labels = serde_json::from_str(value.as_str()?);
        labels.map(Self).map_err(FromSqlError::other)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use rusqlite::Connection;

    /// Returns a cache without issues.
    pub(in crate::index) fn empty() -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        super::create_tables(&conn).unwrap();
        super::create_indexes(&conn).unwrap();
        conn
    }

    /// Returns the query plan of SQLite.
    pub(in crate::index) fn plan(conn: &Connection, sql: &str) -> String {
        let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let nulls = vec![rusqlite::types::Null; statement.parameter_count()];
        let steps = statement
            .query_map(rusqlite::params_from_iter(nulls), |row| {
                row.get::<_, String>(3)
            })
            .unwrap();
        steps.map(Result::unwrap).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn labels_that_are_none_are_damage() {
        let conn = Connection::open_in_memory().unwrap();
        let read =
            |text: &str| conn.query_row("SELECT ?1", [text], |row| row.get::<_, super::Labels>(0));
        assert_eq!(read(r#"["a","b"]"#).unwrap().0, ["a", "b"]);
        assert!(read("garbage").is_err());
        assert!(read("").is_err());
    }
}
