//! The operations that `log` shows, without walking the commits again.

use std::collections::{BTreeSet, HashSet};

use rusqlite::OptionalExtension;
use rusqlite::params;

use super::aux_db::forget_titles;
use super::schema::signed;
use super::statements::Statements;
use super::trailer_changes::TrailerChanges;
use super::{Index, Result, aux_db};
use crate::model::{Context, Uid};
use crate::store::{Commit, Oid, TreePath, Written};

/// One command that changed something, or a merge.
#[derive(Clone, Debug)]
pub(crate) struct OpRecord {
    /// The commit that holds it.
    pub commit: Oid,
    pub at: u64,
    /// First line of the commit message.
    pub subject: String,
    pub actor: String,
    /// The agent that acted for that person.
    pub agent: Option<String>,
    /// Reason, where an agent gave one.
    pub context: Option<Context>,
    /// The operations that it takes back.
    pub undoes: Vec<Oid>,
    pub(super) seq: i64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct OpFilter {
    /// Those that wrote this issue.
    pub issue: Option<Uid>,
    /// Not before this time, in milliseconds.
    pub since: Option<u64>,
    /// Not after this time, in milliseconds.
    pub until: Option<u64>,
    /// Only by these actors; none means by any.
    pub actors: Option<Vec<String>>,
    /// Largest number of operations, newest first; 0 means all.
    pub limit: usize,
}

impl OpFilter {
    /// Returns all that wrote an issue.
    pub(crate) fn of(issue: Uid) -> Self {
        Self {
            issue: Some(issue),
            ..Self::default()
        }
    }
}

/// Columns that `read` expects, in its order.
const COLUMNS: &str = "oplog.seq, oplog.commit_id, oplog.at, oplog.subject, oplog.actor, oplog.context, oplog.undoes, oplog.agent";

const NEWEST: &str = "ORDER BY seq DESC LIMIT ?1";
const OF_A_TIME: &str = "WHERE at BETWEEN ?1 AND ?2 ORDER BY at DESC, seq DESC LIMIT ?3";
const OF_AN_ACTOR: &str =
    "WHERE actor = ?1 AND at BETWEEN ?2 AND ?3 ORDER BY at DESC, seq DESC LIMIT ?4";
const OF_A_COMMIT: &str = "WHERE commit_id = ?1";
const UNDOINGS: &str = "WHERE undoes IS NOT NULL ORDER BY seq DESC";
/// A join in this order: the operations of an issue are stored together, newest last.
/// The row of a reason in the text index has the negative number of its operation.
const OF_A_REASON: &str = "JOIN fts ON oplog.seq = -fts.rowid WHERE fts MATCH ?1 AND fts.rowid < 0 ORDER BY fts.rowid LIMIT ?2";
const OF_AN_ISSUE: &str = "JOIN oplog_issue ON oplog_issue.seq = oplog.seq WHERE oplog_issue.issue = ?1 ORDER BY oplog_issue.seq DESC";
/// Each step seeks the next name: as many steps as there are names, however many operations.
const NAMES: &str = "WITH RECURSIVE each (name) AS (SELECT min(actor) FROM oplog UNION ALL
    SELECT (SELECT min(actor) FROM oplog WHERE actor > name) FROM each WHERE name IS NOT NULL)
    SELECT name FROM each WHERE name IS NOT NULL";

/// The operations that led to the state of an index; read when they are asked for.
#[derive(Clone, Copy)]
pub(crate) struct OpLog<'a> {
    pub(super) index: &'a Index<'a>,
}

impl Index<'_> {
    /// Returns the operations that led to the state of an index; read when they are asked for.
    pub(crate) fn oplog(&self) -> OpLog<'_> {
        OpLog { index: self }
    }
}

impl OpLog<'_> {
    /// Returns the newest operations that are wanted, newest first.
    pub(crate) fn operations(self, wanted: &OpFilter) -> Result<Vec<OpRecord>> {
        self.fill_oplog()?;
        let limit = if wanted.limit == 0 {
            i64::MAX
        } else {
            i64::try_from(wanted.limit).unwrap_or(i64::MAX)
        };
        let (since, until) = (
            wanted.since.map_or(0, signed),
            wanted.until.map_or(i64::MAX, signed),
        );
        if let Some(uid) = wanted.issue {
            return self.operations_on(uid, wanted);
        }
        let Some(actors) = &wanted.actors else {
            if wanted.since.is_none() && wanted.until.is_none() {
                return self.select(NEWEST, [limit]);
            }
            // The limit takes the latest by the clock; they are shown in the order of the history.
            return Ok(in_order(self.select(OF_A_TIME, [since, until, limit])?));
        };
        let mut found = Vec::new();
        // Up to the whole limit of each, as all of the newest may be by one of them.
        for actor in actors {
            found.extend(self.select(OF_AN_ACTOR, params![actor, since, until, limit])?);
        }
        found.sort_unstable_by_key(|operation| std::cmp::Reverse((operation.at, operation.seq)));
        found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(in_order(found))
    }

    /// Goes through the operations on an issue, which its own table lists, until there are enough.
    fn operations_on(self, uid: Uid, wanted: &OpFilter) -> Result<Vec<OpRecord>> {
        let mut statement = self.index.conn.prepare_cached(&sql(OF_AN_ISSUE))?;
        let mut rows = statement.query([uid])?;
        let mut found = Vec::new();
        while wanted.limit == 0 || found.len() < wanted.limit {
            let Some(row) = rows.next()? else { break };
            let operation = read(row)?;
            let is_by_actor = wanted
                .actors
                .as_ref()
                .is_none_or(|actors| actors.contains(&operation.actor));
            let is_in_time = wanted.since.is_none_or(|since| operation.at >= since)
                && wanted.until.is_none_or(|until| operation.at <= until);
            if is_by_actor && is_in_time {
                found.push(operation);
            }
        }
        Ok(found)
    }

    /// Returns the actors of operations: the one whose name is `name`, else all whose name contains
    /// it, in any case.
    pub(crate) fn actors_like(self, name: &str) -> Result<Vec<String>> {
        self.fill_oplog()?;
        let names: Vec<String> = self.index.conn.column(NAMES, [])?;
        Ok(names_like(names, name))
    }

    /// Returns the operation of a commit.
    pub(crate) fn operation(self, commit: Oid) -> Result<Option<OpRecord>> {
        self.fill_oplog()?;
        Ok(self.select(OF_A_COMMIT, [commit.to_string()])?.pop())
    }

    /// Returns the operations whose reasons match a query of the text index, newest first.
    pub(super) fn of_reason(self, query: &str, limit: usize) -> Result<Vec<OpRecord>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.select(OF_A_REASON, params![query, limit])
    }

    /// Returns the operations that take others back, newest first.
    pub(crate) fn undoings(self) -> Result<Vec<OpRecord>> {
        self.fill_oplog()?;
        self.select(UNDOINGS, [])
    }

    /// Returns the operations that are undone and were not redone since.
    pub(crate) fn undone(self) -> Result<HashSet<Oid>> {
        let mut undone = HashSet::new();
        // Newest first: what took an undo back was made after it.
        for undoing in self.undoings()? {
            if !undone.contains(&undoing.commit) {
                undone.extend(undoing.undoes);
            }
        }
        Ok(undone)
    }

    fn select(self, tail: &str, params: impl rusqlite::Params) -> Result<Vec<OpRecord>> {
        Ok(self.index.conn.select(&sql(tail), params, read)?)
    }

    /// Returns the oldest commit of the history, as far as it is here.
    pub(crate) fn first_commit(self) -> Result<Option<Oid>> {
        self.fill_oplog()?;
        let sql = "SELECT commit_id FROM oplog ORDER BY at, seq LIMIT 1";
        let found: Option<String> = self.index.conn.value(sql, []).optional()?;
        Ok(found.as_deref().and_then(Oid::parse))
    }

    pub(crate) fn fill_oplog(self) -> Result<()> {
        aux_db::open(&self.index.conn)?;
        let known: Option<String> = self.index.conn.value("SELECT oplog FROM owner", [])?;
        let tip = self.index.snapshot.commit();
        let (known, cuts) = known.as_deref().map(read_known).unwrap_or_default();
        // A fetch may have added commits behind a cut without moving the tip.
        let here = self.index.snapshot.store().ancestry().cuts()?;
        let deepened = cuts.iter().any(|cut| !here.contains(cut));
        if known == Some(tip) && !deepened {
            return Ok(());
        }
        let follows = !deepened
            && known.map_or(Ok(false), |known| self.index.snapshot.descends_from(known))?;
        // Before the lock is taken: a first walk over the history takes long.
        let commits = self.index.snapshot.history(known.filter(|_| follows))?;
        let known = written_known(tip, &cuts, &here, &commits);
        self.index.write_both_if_current(|| {
            if !follows {
                // The ref was set back or to another history, or the history was deepened.
                self.index.conn
                    .execute("DELETE FROM fts WHERE rowid IN (SELECT -seq FROM oplog WHERE context IS NOT NULL)", [])?;
                self.index.conn.execute_batch("DELETE FROM oplog; DELETE FROM oplog_issue;")?;
            }
            // Oldest first, so that `seq` grows with the history.
            for commit in commits.iter().rev() {
                self.record(commit)?;
            }
            self.index.conn.execute("UPDATE owner SET oplog = ?1", [&known])?;
            Ok(())
        })
    }

    /// Returns the operations before which the history is cut: earlier ones are not in this clone.
    pub(crate) fn cuts(self) -> Result<Vec<Oid>> {
        self.fill_oplog()?;
        let known: String = self.index.conn.value("SELECT oplog FROM owner", [])?;
        Ok(read_known(&known).1)
    }

    fn record(self, commit: &Commit) -> Result<()> {
        let issues = commit.trailer("Issues").unwrap_or_default();
        let bulk = issues == "*" || issues.is_empty();
        let sql =
            "INSERT OR IGNORE INTO oplog (commit_id, at, subject, actor, agent, bulk, context, undoes)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let actor = commit.trailer("Actor").unwrap_or_default();
        let at = i64::try_from(commit.at).unwrap_or(i64::MAX);
        let context = Context::read(|key| commit.trailer(key));
        let stored = context
            .as_ref()
            .and_then(|context| serde_json::to_string(context).ok());
        let undoes = commit.trailer("Undoes");
        let row = params![
            commit.oid.to_string(),
            at,
            commit.subject,
            actor,
            commit.trailer("Agent"),
            bulk,
            stored,
            undoes
        ];
        // Another process has recorded it since we looked how far the operations are known.
        if self.index.conn.change(sql, row)? == 0 {
            return Ok(());
        }
        let seq = self.index.conn.last_insert_rowid();
        if let Some(context) = context {
            let sql = "INSERT INTO fts (rowid, why) VALUES (?1, ?2)";
            self.index.conn.change(sql, params![-seq, context.text()])?;
        }
        let uids = if bulk {
            self.wrote(commit)?
        } else {
            issues.split_whitespace().flat_map(str::parse).collect()
        };
        let changes = TrailerChanges::by(commit);
        for uid in uids {
            self.record_issue(uid, seq, &changes)?;
        }
        Ok(())
    }

    fn record_issue(self, uid: Uid, seq: i64, changes: &TrailerChanges) -> Result<()> {
        let sql = "INSERT OR IGNORE INTO oplog_issue VALUES (?1, ?2, ?3)";
        self.index
            .conn
            .change(sql, params![uid, seq, changes.of(uid)])?;
        let sql = "SELECT EXISTS (SELECT 1 FROM issue WHERE uid = ?1 AND purged = 1)";
        if self.index.conn.value(sql, [uid])? {
            // The operation is older than the purge, and its message still has the title.
            forget_titles(&self.index.conn, uid)?;
        }
        Ok(())
    }

    /// Returns the issues that a commit wrote which does not list them: of a merge, those it had to
    /// join. None of them is known where the history is cut, which [`OpLog::cuts`] returns.
    pub(crate) fn wrote(self, commit: &Commit) -> Result<BTreeSet<Uid>> {
        let touched = self
            .index
            .snapshot
            .store()
            .ancestry()
            .written_by(commit, None)?;
        let uid = |path: TreePath| match path {
            TreePath::Issue(uid) | TreePath::Entry(uid, _) => Some(uid),
            TreePath::Meta | TreePath::Note(_) => None,
        };
        Ok(match touched {
            Written::Paths(touched) => touched
                .into_iter()
                .filter_map(|touched| uid(touched.path))
                .collect(),
            Written::Cut => BTreeSet::new(),
        })
    }
}

/// Parses the commit up to which operations are known, and the cuts of their history.
fn read_known(text: &str) -> (Option<Oid>, Vec<Oid>) {
    let mut commits = text.split(' ').map(Oid::parse);
    (commits.next().flatten(), commits.flatten().collect())
}

/// Formats the text that [`read_known`] parses, after `new` commits have been added.
fn written_known(tip: Oid, cuts: &[Oid], here: &HashSet<Oid>, new: &[Commit]) -> String {
    let new = new.iter().map(|commit| commit.oid);
    let cuts: BTreeSet<Oid> = cuts.iter().copied().chain(new).collect();
    let cuts = cuts.into_iter().filter(|commit| here.contains(commit));
    std::iter::once(tip)
        .chain(cuts)
        .map(|commit| commit.to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

fn sql(tail: &str) -> String {
    format!("SELECT {COLUMNS} FROM oplog {tail}")
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<OpRecord> {
    let oid = |text: &str| Oid::parse(text).ok_or(rusqlite::Error::InvalidQuery);
    let context: Option<String> = row.get(5)?;
    let undoes: Option<String> = row.get(6)?;
    Ok(OpRecord {
        seq: row.get(0)?,
        commit: oid(&row.get::<_, String>(1)?)?,
        at: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0),
        subject: row.get(3)?,
        actor: row.get(4)?,
        agent: row.get(7)?,
        context: context.and_then(|text| serde_json::from_str(&text).ok()),
        undoes: undoes
            .iter()
            .flat_map(|text| text.split_whitespace())
            .filter_map(Oid::parse)
            .collect(),
    })
}

/// Sorts newest first, in the order of the history and not of clocks.
fn in_order(mut operations: Vec<OpRecord>) -> Vec<OpRecord> {
    operations.sort_unstable_by_key(|operation| std::cmp::Reverse(operation.seq));
    operations
}

/// Returns the names that one means: that itself, else those that have it as a part, in any case.
pub(crate) fn names_like(mut names: Vec<String>, name: &str) -> Vec<String> {
    if names.iter().any(|known| known == name) {
        return vec![name.to_owned()];
    }
    let lower = name.to_lowercase();
    names.retain(|known| known.to_lowercase().contains(&lower));
    names
}

#[cfg(test)]
mod tests {
    use super::super::schema;
    use super::*;

    #[test]
    fn no_question_goes_through_all_operations() {
        let conn = schema::tests::empty();
        aux_db::open(&conn).unwrap();
        for tail in [
            NEWEST,
            OF_A_TIME,
            OF_AN_ACTOR,
            OF_A_COMMIT,
            UNDOINGS,
            OF_AN_ISSUE,
        ] {
            let plan = schema::tests::plan(&conn, &sql(tail));
            let first_rows = tail == NEWEST || plan.contains("oplog_undoes");
            assert!(first_rows || !plan.contains("SCAN"), "{tail}: {plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{tail}: {plan}");
        }
    }
}
