//! What the user's own commits on the default branch say of issues.

use std::collections::HashMap;

use rusqlite::params;

use super::schema::signed;
use super::{Index, Result, Row};
use crate::env;
use crate::model::mention::mentions;
use crate::store::{Oid, UserCommit};

/// A commit of the user's that names an issue.
#[derive(Clone, Debug)]
pub struct Landed {
    /// Its id.
    pub commit: String,
    /// When it was committed, in milliseconds.
    pub at: u64,
    /// Whether it closes the issue.
    pub closes: bool,
    /// Its first line.
    pub subject: String,
}

impl Index<'_> {
    /// The newest commits that name an issue up to a time, of those that [`Index::fill_landed`] has read, and how many
    /// older ones there are.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn commits_of(&self, id: &str, until: u64, limit: usize) -> Result<(Vec<Landed>, u64)> {
        let sql = "SELECT commit_id, at, closes, subject FROM landed WHERE issue = ?1 AND at <= ?2
            ORDER BY at DESC, rowid DESC LIMIT ?3";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map(params![id, signed(until), signed(limit as u64)], landed)?;
        let shown = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        if shown.len() < limit {
            return Ok((shown, 0));
        }
        let sql = "SELECT count(*) FROM landed WHERE issue = ?1 AND at <= ?2";
        let all = self
            .conn
            .prepare_cached(sql)?
            .query_row(params![id, signed(until)], |row| row.get(0))?;
        let more = time(all).saturating_sub(shown.len() as u64);
        Ok((shown, more))
    }

    /// The newest commits on the default branch that name issues, by the id they name.
    ///
    /// # Errors
    /// A history that can't be read.
    pub fn all_commits(&self, limit: usize) -> Result<HashMap<String, Vec<Landed>>> {
        self.fill_landed()?;
        let sql = "SELECT commit_id, at, closes, subject, issue FROM landed WHERE issue IN (SELECT id FROM issue)
            ORDER BY at DESC, rowid DESC";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut all: HashMap<String, Vec<Landed>> = HashMap::new();
        while let Some(row) = rows.next()? {
            let commits = all.entry(row.get(4)?).or_default();
            if commits.len() < limit {
                commits.push(landed(row)?);
            }
        }
        Ok(all)
    }

    /// The issues that have not ended and that a commit on the default branch closes, each with the newest such
    /// commit and its time. An id that several issues bear names none.
    ///
    /// # Errors
    /// A history that can't be read.
    pub fn named_as_closed(&self) -> Result<Vec<(Row, String, u64)>> {
        self.fill_landed()?;
        let clause =
            " WHERE issue.listed = 1 AND issue.id IN (SELECT issue FROM landed WHERE closes = 1)
            AND (SELECT count(*) FROM issue AS other WHERE other.id = issue.id) = 1
            ORDER BY issue.priority, issue.created, issue.id";
        let rows = self.rows(clause, &[])?;
        let sql = "SELECT commit_id, max(at) FROM landed WHERE issue = ?1 AND closes = 1";
        let mut last = self.conn.prepare_cached(sql)?;
        let with = |row: Row| {
            let (commit, at) =
                last.query_row([&row.id], |found| Ok((found.get(0)?, found.get(1)?)))?;
            Ok((row, commit, time(at)))
        };
        rows.into_iter().map(with).collect()
    }

    /// Reads the commits that came to the default branch since the last time; after a rewrite, all.
    ///
    /// # Errors
    /// A history that can't be read.
    pub fn fill_landed(&self) -> Result<()> {
        let store = self.snapshot.store();
        let tips = store.landing_tips();
        let text = tips
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" ");
        let stamp = format!("{text}\n{}", store.shallow_cut());
        let known = self.landed_stamp()?;
        if known.as_deref() == Some(stamp.as_str()) {
            return Ok(());
        }
        let (heads, cut) = known
            .as_deref()
            .and_then(|known| known.split_once('\n'))
            .unwrap_or_default();
        let old: Vec<Oid> = heads.split(' ').filter_map(Oid::parse).collect();
        let follows =
            !old.is_empty() && cut == store.shallow_cut() && store.are_contained(&old, &tips)?;
        let commits = store.commits_between(&tips, if follows { &old } else { &[] })?;
        self.at_my_state(|| {
            if self.landed_stamp()? != known {
                // Somebody else has just read them.
                return Ok(());
            }
            if !follows {
                self.conn.execute("DELETE FROM landed", [])?;
            }
            commits
                .iter()
                .rev()
                .try_for_each(|commit| self.land(commit))?;
            self.conn
                .execute("UPDATE stamp SET landed = ?1", [&stamp])?;
            Ok(())
        })
    }

    fn landed_stamp(&self) -> Result<Option<String>> {
        Ok(self
            .conn
            .prepare_cached("SELECT landed FROM stamp")?
            .query_row([], |row| row.get(0))?)
    }

    /// No commit counts as later than when it was first seen.
    fn land(&self, commit: &UserCommit) -> Result<()> {
        let subject = commit.message.lines().next().unwrap_or_default();
        let at = signed(commit.at.min(env::now()));
        for mention in mentions(&commit.message) {
            let sql = "INSERT OR IGNORE INTO landed VALUES (?1, ?2, ?3, ?4, ?5)";
            let row = params![
                mention.id,
                commit.oid.to_string(),
                at,
                mention.closes,
                subject
            ];
            self.conn.prepare_cached(sql)?.execute(row)?;
        }
        Ok(())
    }
}

fn landed(row: &rusqlite::Row<'_>) -> rusqlite::Result<Landed> {
    Ok(Landed {
        commit: row.get(0)?,
        at: time(row.get(1)?),
        closes: row.get(2)?,
        subject: row.get(3)?,
    })
}

fn time(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}
