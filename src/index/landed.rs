//! What the user's own commits on the default branch say of issues.

use rusqlite::{OptionalExtension, params};

use super::schema::signed;
use super::{Index, Result, Row};
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
    /// The commits on the default branch that name an issue, newest first.
    ///
    /// # Errors
    /// A history that can't be read.
    pub fn commits_of(&self, id: &str) -> Result<Vec<Landed>> {
        self.fill_landed()?;
        let sql = "SELECT commit_id, at, closes, subject FROM landed WHERE issue = ?1 ORDER BY at DESC, rowid DESC";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map([id], |row| {
            let at = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
            Ok(Landed { commit: row.get(0)?, at, closes: row.get(2)?, subject: row.get(3)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The issues that have not ended and that a commit on the default branch closes.
    ///
    /// # Errors
    /// A history that can't be read.
    pub fn named_as_closed(&self) -> Result<Vec<Row>> {
        self.fill_landed()?;
        let clause = " WHERE issue.listed = 1 AND issue.shown = issue.id
            AND issue.id IN (SELECT issue FROM landed WHERE closes = 1) ORDER BY issue.priority, issue.created, issue.id";
        self.rows(clause, &[])
    }

    /// Reads the commits that came since the last time; after a rewrite, all.
    fn fill_landed(&self) -> Result<()> {
        let store = self.snapshot.store();
        let tips = store.landing_tips();
        let text = tips.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let sql = "SELECT tips FROM landed_stamp";
        let known: Option<String> = self.conn.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?;
        if known.as_deref() == Some(text.as_str()) {
            return Ok(());
        }
        let known: Vec<Oid> = known.iter().flat_map(|known| known.split(' ')).filter_map(Oid::parse).collect();
        let follows = !known.is_empty() && store.are_contained(&known, &tips)?;
        let commits = store.commits_between(&tips, if follows { &known } else { &[] })?;
        self.at_my_state(|| {
            if !follows {
                self.conn.execute("DELETE FROM landed", [])?;
            }
            commits.iter().rev().try_for_each(|commit| self.land(commit))?;
            self.conn.execute("DELETE FROM landed_stamp", [])?;
            self.conn.execute("INSERT INTO landed_stamp VALUES (?1)", [&text])?;
            Ok(())
        })
    }

    fn land(&self, commit: &UserCommit) -> Result<()> {
        let subject = commit.message.lines().next().unwrap_or_default();
        for mention in mentions(&commit.message) {
            let sql = "INSERT INTO landed VALUES (?1, ?2, ?3, ?4, ?5)";
            let row = params![mention.id, commit.oid.to_string(), signed(commit.at), mention.closes, subject];
            self.conn.prepare_cached(sql)?.execute(row)?;
        }
        Ok(())
    }
}
