//! The operations: what `log` shows, without walking the commits again.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, params};

use super::{Index, Result};
use crate::model::{Context, Stamp, Uid};
use crate::store::{Commit, Oid};

/// One command that changed something.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its commit.
    pub commit: String,
    /// When, in milliseconds.
    pub at: u64,
    /// What, in a line.
    pub subject: String,
    /// Who.
    pub actor: String,
    /// Why, where an agent said it.
    pub context: Option<Context>,
}

/// A turn in the life of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnKind {
    /// Somebody took it.
    Started,
    /// Somebody closed it.
    Closed,
    /// Somebody opened it again.
    Reopened,
}

/// An operation that began, ended or reopened an issue.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The issue, by its number in this cache.
    pub issue: i64,
    /// What happened.
    pub kind: TurnKind,
    /// When, in milliseconds.
    pub at: u64,
    /// Who did it.
    pub actor: String,
}

impl Index<'_> {
    /// The turns of all issues, oldest first, as far as an operation says which issues it was about.
    ///
    /// # Errors
    /// A commit that can't be read.
    pub fn turns(&self) -> Result<Vec<Turn>> {
        self.fill_oplog()?;
        let sql = "SELECT i.num, substr(o.subject, 1, instr(o.subject, ' ') - 1), o.at, o.actor
            FROM oplog o JOIN oplog_issue t ON t.seq = o.seq JOIN issue i ON i.uid = t.issue
            WHERE o.subject GLOB 'start *' OR o.subject GLOB 'done *' OR o.subject GLOB 'reopen *' ORDER BY o.seq";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            let kind = match row.get_ref(1)?.as_str()? {
                "start" => TurnKind::Started,
                "done" => TurnKind::Closed,
                _ => TurnKind::Reopened,
            };
            let at = u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
            Ok(Turn { issue: row.get(0)?, kind, at, actor: row.get(3)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The newest operations, of one issue or of all; `limit` 0 means all of them.
    ///
    /// # Errors
    /// A commit that can't be read.
    pub fn operations(&self, issue: Option<Uid>, limit: usize) -> Result<Vec<Operation>> {
        self.fill_oplog()?;
        let limit = if limit == 0 { usize::MAX } else { limit };
        let sql = match issue {
            None => "SELECT commit_id, at, subject, actor, 0, context FROM oplog WHERE ?1 IS NULL ORDER BY seq DESC",
            Some(_) => {
                "SELECT commit_id, at, subject, actor, bulk, context FROM oplog
                 WHERE seq IN (SELECT seq FROM oplog_issue WHERE issue = ?1) OR bulk = 1 ORDER BY seq DESC"
            }
        };
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query([issue])?;
        let mut operations = Vec::new();
        while let (true, Some(row)) = (operations.len() < limit, rows.next()?) {
            let operation = operation(row)?;
            if let (true, Some(uid)) = (row.get(4)?, issue)
                && !self.touched(&operation.commit, uid)?
            {
                continue;
            }
            operations.push(operation);
        }
        Ok(operations)
    }

    /// All operations, newest first, each with the issues it changed.
    ///
    /// # Errors
    /// A commit that can't be read.
    pub fn histories(&self) -> Result<Vec<(Operation, Vec<Uid>)>> {
        self.fill_oplog()?;
        let mut issues: HashMap<i64, Vec<Uid>> = HashMap::new();
        let mut statement = self.conn.prepare_cached("SELECT seq, issue FROM oplog_issue")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            issues.entry(row.get(0)?).or_default().push(row.get(1)?);
        }
        let sql = "SELECT commit_id, at, subject, actor, bulk, context, seq FROM oplog ORDER BY seq DESC";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut operations = Vec::new();
        while let Some(row) = rows.next()? {
            let operation = operation(row)?;
            let touched = match (row.get(4)?, Oid::parse(&operation.commit)) {
                (true, Some(oid)) => self.snapshot.commit_touches(oid)?,
                _ => issues.remove(&row.get(6)?).unwrap_or_default(),
            };
            operations.push((operation, touched));
        }
        Ok(operations)
    }

    fn touched(&self, commit: &str, uid: Uid) -> Result<bool> {
        match Oid::parse(commit) {
            Some(oid) => Ok(self.snapshot.commit_touched(oid, uid)?),
            None => Ok(false),
        }
    }

    pub(super) fn fill_oplog(&self) -> Result<()> {
        let known: Option<String> = self
            .conn
            .prepare_cached("SELECT commit_id FROM oplog_stamp")?
            .query_row([], |row| row.get(0))
            .optional()?;
        let tip = self.snapshot.commit();
        if known.as_deref() == Some(tip.to_string().as_str()) {
            return Ok(());
        }
        let known = known.as_deref().and_then(Oid::parse);
        let follows = known.map_or(Ok(false), |known| self.snapshot.descends_from(known))?;
        let commits = self.snapshot.history(known.filter(|_| follows))?;
        self.at_my_state(|| {
            if !follows {
                // Somebody set the ref back, or to another history.
                self.conn.execute_batch("DELETE FROM oplog; DELETE FROM oplog_issue; DELETE FROM why;")?;
            }
            commits.iter().rev().try_for_each(|commit| self.record(commit))?;
            self.conn.execute("DELETE FROM oplog_stamp", [])?;
            self.conn.execute("INSERT INTO oplog_stamp VALUES (?1)", [tip.to_string()])?;
            Ok(())
        })
    }

    fn record(&self, commit: &Commit) -> Result<()> {
        let issues = commit.trailer("Issues").unwrap_or_default();
        let bulk = issues == "*";
        let sql = "INSERT OR IGNORE INTO oplog (commit_id, at, subject, actor, bulk, context) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let actor = commit.trailer("Actor").unwrap_or_default();
        let at = i64::try_from(commit.at).unwrap_or(i64::MAX);
        let context = Context::read(|key| commit.trailer(key));
        let stored = context.as_ref().and_then(|context| serde_json::to_string(context).ok());
        let row = params![commit.oid.to_string(), at, commit.subject, actor, bulk, stored];
        if self.conn.prepare_cached(sql)?.execute(row)? == 0 {
            return Ok(());
        }
        let seq = self.conn.last_insert_rowid();
        if let Some(context) = context {
            let sql = "INSERT INTO why (rowid, context) VALUES (?1, ?2)";
            self.conn.prepare_cached(sql)?.execute(params![seq, context.text()])?;
        }
        for uid in issues.split_whitespace().filter_map(|uid| uid.parse::<Stamp>().ok()) {
            self.conn
                .prepare_cached("INSERT OR IGNORE INTO oplog_issue VALUES (?1, ?2)")?
                .execute(params![uid, seq])?;
            let sql = "SELECT EXISTS (SELECT 1 FROM issue WHERE uid = ?1 AND deleted = 1 AND title = '')";
            if self.conn.prepare_cached(sql)?.query_row([uid], |row| row.get(0))? {
                forget_titles(&self.conn, uid)?;
            }
        }
        Ok(())
    }
}

fn operation(row: &rusqlite::Row<'_>) -> rusqlite::Result<Operation> {
    let at = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
    let context: Option<String> = row.get(5)?;
    let context = context.and_then(|text| serde_json::from_str(&text).ok());
    Ok(Operation { commit: row.get(0)?, at, subject: row.get(2)?, actor: row.get(3)?, context })
}

/// Cuts the titles of a purged issue, and why it was changed, out of what its operations say.
pub(super) fn forget_titles(conn: &rusqlite::Connection, uid: Uid) -> Result<()> {
    let sql = "UPDATE oplog SET subject = substr(subject, 1, instr(subject || ':', ':') - 1)
        WHERE seq IN (SELECT seq FROM oplog_issue WHERE issue = ?1)";
    conn.prepare_cached(sql)?.execute([uid])?;
    for sql in [
        "DELETE FROM why WHERE rowid IN (SELECT seq FROM oplog_issue WHERE issue = ?1)",
        "UPDATE oplog SET context = NULL WHERE seq IN (SELECT seq FROM oplog_issue WHERE issue = ?1)",
    ] {
        conn.prepare_cached(sql)?.execute([uid])?;
    }
    Ok(())
}
