//! Status changes of all issues at once, as the operations record them, and their histories.
//!
//! A commit names the status changes it made (`model/status_change.rs`), as its writer has both
//! states at hand. To find them later takes fourteen objects, down two trees, for each operation
//! and issue; for 100,000 commits that is over a million, again after every boot. Changes that a
//! commit does not name are looked up that way, once, and only when they are asked for: those of a
//! bulk operation, whose list would be too long, and of other programs. A merge changes no status
//! itself; it brings the operations that did, and none is counted twice. A commit of a former
//! version, which lists its issues without changes, is known by its verb: `start`, `reopen`.
//!
//! The actor and time of closing are read from the issue.

use std::collections::{BTreeSet, HashMap, HashSet};

use rusqlite::params;

use super::Result;
use super::oplog::{OpLog, OpRecord};
use super::statements::Statements;
use crate::model::{Status, StatusChange, StatusRegister, Uid};
use crate::store::{Oid, TouchedBlobs, TreePath, Written, decode};

/// An operation that gave an issue another status.
#[derive(Clone, Debug)]
pub(crate) struct StatusChanged {
    /// The issue, by its number in this cache.
    pub issue: i64,
    pub turn: StatusChange,
    pub at: u64,
}

/// So many changes are looked at for a status that no issue has any more.
const MOST_CUSTOM: i64 = 100;

impl OpLog<'_> {
    /// Returns the status changes of all issues that are not undone, oldest first.
    pub(crate) fn status_changes(self) -> Result<Vec<StatusChanged>> {
        self.fill_oplog()?;
        self.load_missing_changes()?;
        let sql = "SELECT i.num, t.turn, o.at, o.commit_id, o.undoes FROM oplog_issue t
            JOIN oplog o ON o.seq = t.seq JOIN issue i ON i.uid = t.issue WHERE t.turn <> '' ORDER BY o.seq DESC";
        let mut statement = self.index.conn.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let (mut effective, mut undone) = (Vec::new(), HashSet::new());
        // Newest first: an undo comes after the change it takes back.
        while let Some(row) = rows.next()? {
            let (issue, turn, at): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            if undone.contains(&(row.get(3)?, issue)) {
                continue;
            }
            if let Some(undoes) = row.get::<_, Option<String>>(4)? {
                undone.extend(
                    undoes
                        .split_whitespace()
                        .map(|commit| (commit.to_owned(), issue)),
                );
            } else if let Some(turn) = StatusChange::parse(&turn) {
                effective.push(StatusChanged {
                    issue,
                    turn,
                    at: u64::try_from(at).unwrap_or(0),
                });
            }
        }
        effective.reverse();
        Ok(effective)
    }

    /// Returns statuses of other trackers that issues have had lately: the stored changes do not name them.
    pub(crate) fn custom_statuses(self) -> Result<BTreeSet<String>> {
        self.fill_oplog()?;
        self.load_missing_changes()?;
        let sql = "SELECT commit_id FROM oplog WHERE seq IN (SELECT seq FROM oplog_issue WHERE turn LIKE '%custom%')
            ORDER BY seq DESC LIMIT ?1";
        let commits: Vec<String> = self.index.conn.column(sql, [MOST_CUSTOM])?;
        let mut statuses = BTreeSet::new();
        for commit in commits.iter().filter_map(|commit| Oid::parse(commit)) {
            let turns = self.changes_of(commit)?.into_iter();
            let both = turns.flat_map(|(_, turn)| [turn.from, turn.to]);
            let custom = both.filter(|status| matches!(status, Status::Custom(_)));
            statuses.extend(custom.map(|status| status.to_string()));
        }
        Ok(statuses)
    }

    /// Computes from the states the changes that commits do not name, each once.
    fn load_missing_changes(self) -> Result<()> {
        let sql = "SELECT seq, commit_id FROM oplog WHERE seq IN (SELECT seq FROM oplog_issue WHERE turn IS NULL)";
        let silent: Vec<(i64, String)> = self
            .index
            .conn
            .select(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if silent.is_empty() {
            return Ok(());
        }
        // Before the lock, which other processes wait for: states are read here.
        let mut changes = Vec::new();
        for (seq, commit) in &silent {
            if let Some(commit) = Oid::parse(commit) {
                let found = self.changes_of(commit)?.into_iter();
                changes.extend(found.map(|(uid, turn)| (uid, *seq, turn.to_text())));
            }
        }
        self.index.write_both_if_current(|| {
            let sql = "UPDATE oplog_issue SET turn = ?3 WHERE issue = ?1 AND seq = ?2";
            for (uid, seq, turn) in &changes {
                self.index.conn.change(sql, params![uid, seq, turn])?;
            }
            // What could not be found is not looked for again.
            self.index
                .conn
                .execute("UPDATE oplog_issue SET turn = '' WHERE turn IS NULL", [])?;
            Ok(())
        })
    }

    /// Returns the issues whose status a commit has changed, from the states before and after it.
    fn changes_of(self, commit: Oid) -> Result<Vec<(Uid, StatusChange)>> {
        let store = self.index.snapshot.store();
        // For a commit at a cut no change is known: `OpLog::cuts` returns it.
        let Written::Paths(touched) = store
            .ancestry()
            .written_by(&store.ancestry().commit(commit)?, None)?
        else {
            return Ok(Vec::new());
        };
        let mut changes = Vec::new();
        for TouchedBlobs {
            path,
            before,
            after,
        } in touched
        {
            let (TreePath::Issue(uid), Some(Some(before))) = (path, before.first()) else {
                continue;
            };
            let turn = match (self.status_in(path, *before)?, self.status_in(path, after)?) {
                (Some(from), Some(to)) => StatusChange::between(from, to),
                _ => None,
            };
            changes.extend(turn.map(|turn| (uid, turn)));
        }
        Ok(changes)
    }

    /// Returns the status that a blob shows; none where it can't be read.
    fn status_in(self, path: TreePath, blob: Oid) -> Result<Option<Status>> {
        let bytes = self.index.snapshot.read(blob)?;
        Ok(decode(path, &bytes)
            .ok()
            .map(|blob| StatusRegister::shown(&blob)))
    }

    /// Returns all operations, newest first, each with the issues it changed.
    pub(crate) fn histories(self) -> Result<Vec<(OpRecord, Vec<Uid>)>> {
        let operations = self.operations(&super::OpFilter::default())?;
        let mut issues: HashMap<i64, Vec<Uid>> = HashMap::new();
        let mut statement = self
            .index
            .conn
            .prepare_cached("SELECT seq, issue FROM oplog_issue")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            issues.entry(row.get(0)?).or_default().push(row.get(1)?);
        }
        let with = |operation: OpRecord| {
            let touched = issues.remove(&operation.seq).unwrap_or_default();
            (operation, touched)
        };
        Ok(operations.into_iter().map(with).collect())
    }

    /// Returns the issues that each of some operations is about, in one walk over those between the first and the last.
    pub(crate) fn touched(self, operations: &[OpRecord]) -> Result<Vec<Vec<Uid>>> {
        let seqs = operations.iter().map(|operation| operation.seq);
        let (least, most) = (seqs.clone().min().unwrap_or(0), seqs.max().unwrap_or(0));
        let sql = "SELECT seq, issue FROM oplog_issue WHERE seq BETWEEN ?1 AND ?2";
        let mut issues: HashMap<i64, Vec<Uid>> = HashMap::new();
        let mut statement = self.index.conn.prepare_cached(sql)?;
        let mut rows = statement.query([least, most])?;
        while let Some(row) = rows.next()? {
            issues.entry(row.get(0)?).or_default().push(row.get(1)?);
        }
        let of = |operation: &OpRecord| issues.remove(&operation.seq).unwrap_or_default();
        Ok(operations.iter().map(of).collect())
    }
}
