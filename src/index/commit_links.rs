//! The issues that the user's own commits on the default branch name.

use std::collections::HashMap;

use rusqlite::types::Value;
use rusqlite::{params, params_from_iter};

use super::schema::signed;
use super::statements::Statements;
use super::{Index, Result, Row};
use crate::model::limits::{MAX_SUBJECT, line};
use crate::model::mention::mentions;
use crate::store::{Oid, UserCommit};

/// A commit of the user that names an issue.
#[derive(Clone, Debug)]
pub(crate) struct CommitLink {
    pub commit: String,
    /// Commit time in milliseconds.
    pub at: u64,
    /// True if its message closes the issue.
    pub closes: bool,
    pub subject: String,
}

/// The end of the stamp where any commit that was read closes an issue: most repositories have none, and ask nothing more.
const CLOSING: &str = "\ncloses";

/// Query for the commits up to a time that name an id.
const NAMING_ONE: &str = "SELECT commit_id, at, closes, subject, rowid AS seq FROM landed
    WHERE issue = ?3 AND at <= ?1";

/// Returns the query for the commits up to a time that name one of so many ids, each commit once.
fn naming(ids: usize) -> String {
    let ids: Vec<String> = (0..ids).map(|n| format!("?{}", n + 3)).collect();
    format!(
        "SELECT commit_id, at, max(closes) AS closes, subject, max(rowid) AS seq FROM landed
         WHERE issue IN ({}) AND at <= ?1 GROUP BY commit_id",
        ids.join(", ")
    )
}

/// Join of commits with issues by a former id, which counts where no issue has it now and only one
/// was known by it.
const BY_ALIAS: &str =
    "landed JOIN alias ON alias.id = landed.issue JOIN issue ON issue.num = alias.issue
    WHERE NOT EXISTS (SELECT 1 FROM issue AS other WHERE other.id = alias.id)
      AND (SELECT count(*) FROM alias AS other WHERE other.id = alias.id) = 1";

/// The commits of the user that name issues; read when they are asked for.
#[derive(Clone, Copy)]
pub(crate) struct CommitLinks<'a> {
    index: &'a Index<'a>,
}

impl Index<'_> {
    /// Returns the commits of the user that name issues; read when they are asked for.
    pub(crate) fn commit_links(&self) -> CommitLinks<'_> {
        CommitLinks { index: self }
    }
}

impl CommitLinks<'_> {
    /// Returns the newest commits that name an issue by one of its ids up to a time, of those that
    /// [`CommitLinks::fill_commit_links`] has read, and how many older ones there are.
    pub(crate) fn commits_of(
        self,
        names: &[String],
        until: u64,
        limit: usize,
    ) -> Result<(Vec<CommitLink>, u64)> {
        let naming = match names {
            // Nearly all issues have had one id only.
            [_] => NAMING_ONE.to_owned(),
            _ => naming(names.len()),
        };
        let sql = format!("{naming} ORDER BY at DESC, seq DESC LIMIT ?2");
        let bounds: [Value; 2] = [signed(until).into(), signed(limit as u64).into()];
        let names = names.iter().map(|name| Value::from(name.clone()));
        let values: Vec<Value> = bounds.into_iter().chain(names).collect();
        let shown: Vec<_> = self
            .index
            .conn
            .select(&sql, params_from_iter(&values), read_link)?;
        if shown.len() < limit {
            return Ok((shown, 0));
        }
        // The limit stays a parameter, so that all have the same numbers.
        let sql = format!("SELECT count(*) FROM ({naming}) WHERE ?2 IS NOT NULL");
        let all = self.index.conn.value(&sql, params_from_iter(&values))?;
        let more = time(all).saturating_sub(shown.len() as u64);
        Ok((shown, more))
    }

    /// Returns the newest commits on the default branch that name issues, by the present id of what
    /// they name.
    pub(crate) fn all_commits(self, limit: usize) -> Result<HashMap<String, Vec<CommitLink>>> {
        self.fill_commit_links()?;
        let sql = format!(
            "SELECT commit_id, at, closes, subject, issue, landed.rowid AS seq FROM landed
             WHERE issue IN (SELECT id FROM issue)
             UNION ALL SELECT commit_id, at, closes, subject, issue.id, landed.rowid FROM {BY_ALIAS}
             ORDER BY at DESC, seq DESC"
        );
        let mut statement = self.index.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([])?;
        let mut all: HashMap<String, Vec<CommitLink>> = HashMap::new();
        while let Some(row) = rows.next()? {
            let commits = all.entry(row.get(4)?).or_default();
            let commit = read_link(row)?;
            // One commit can name an issue by two of its ids.
            let is_known = commits.iter().any(|known| known.commit == commit.commit);
            if commits.len() < limit && !is_known {
                commits.push(commit);
            }
        }
        Ok(all)
    }

    /// Returns the issues that have not ended and that a commit on the default branch closes, each
    /// with the newest such commit and its time. An id that several issues have names none.
    pub(crate) fn named_as_closed(self) -> Result<Vec<(Row, String, u64)>> {
        self.fill_commit_links()?;
        let last = self.closing("")?;
        if last.is_empty() {
            return Ok(Vec::new());
        }
        let nums: Vec<String> = last.keys().map(i64::to_string).collect();
        let clause = format!(
            " WHERE issue.num IN ({}) ORDER BY issue.priority, issue.created, issue.id",
            nums.join(", ")
        );
        let rows = self.index.rows(&clause, &[])?;
        let with_commit = |row: Row| {
            let (commit, at) = last.get(&row.num)?.clone();
            Some((row, commit, at))
        };
        Ok(rows.into_iter().filter_map(with_commit).collect())
    }

    /// Returns the same for some issues, by their numbers, as far as [`CommitLinks::fill_commit_links`] has read: what it costs
    /// grows with their number alone.
    pub(crate) fn closing_among(self, nums: &[i64]) -> Result<HashMap<i64, (String, u64)>> {
        let nums: Vec<String> = nums.iter().map(i64::to_string).collect();
        self.closing(&format!("AND issue.num IN ({})", nums.join(", ")))
    }

    /// Returns the newest commit that closes each open issue, and its time, by the number of the issue.
    fn closing(self, among: &str) -> Result<HashMap<i64, (String, u64)>> {
        // SQLite takes columns without an aggregate from the row that has the maximum.
        let sql = format!(
            "SELECT num, commit_id, max(at) FROM (
               SELECT num, commit_id, at FROM landed JOIN issue ON issue.id = landed.issue
               WHERE closes = 1 AND listed = 1 {among}
                 AND (SELECT count(*) FROM issue AS other WHERE other.id = landed.issue) = 1
               UNION ALL SELECT num, commit_id, at FROM {BY_ALIAS} AND closes = 1 AND listed = 1 {among})
             GROUP BY num"
        );
        let found = self.index.conn.select(&sql, [], |row| {
            Ok((row.get(0)?, (row.get(1)?, time(row.get(2)?))))
        })?;
        Ok(found)
    }

    /// Reads the commits that came to the default branch since the last time; after a rewrite, all. Returns whether any of them
    /// all closes an issue.
    pub(crate) fn fill_commit_links(self) -> Result<bool> {
        let store = self.index.snapshot.store();
        let tips = store.user_branches().landing_tips();
        let text = tips
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" ");
        let stamp = format!("{text}\n{}", store.user_branches().shallow_cut());
        let known = self.commit_links_key()?;
        let read = known.as_deref().unwrap_or_default();
        let had_closing = read.ends_with(CLOSING);
        let read = read.strip_suffix(CLOSING).unwrap_or(read);
        if read == stamp {
            return Ok(had_closing);
        }
        let (heads, cut) = read.split_once('\n').unwrap_or_default();
        let old: Vec<Oid> = heads.split(' ').filter_map(Oid::parse).collect();
        let follows = !old.is_empty()
            && cut == store.user_branches().shallow_cut()
            && store.user_branches().are_contained(&old, &tips)?;
        // Before the lock is taken: others do not wait for a walk over the user's history.
        let commits = store
            .user_branches()
            .commits_between(&tips, if follows { &old } else { &[] })?;
        // Where another process has just read them, what closes is looked for.
        let mut has_closing = true;
        self.index.write_if_current(|| {
            if self.commit_links_key()? != known {
                return Ok(());
            }
            has_closing = had_closing && follows;
            if !follows {
                self.index.conn.execute("DELETE FROM landed", [])?;
            }
            // Oldest first: the row number decides between commits of one time.
            for commit in commits.iter().rev() {
                has_closing |= self.store_link(commit)?;
            }
            let stamp = format!("{stamp}{}", if has_closing { CLOSING } else { "" });
            self.index
                .conn
                .execute("UPDATE stamp SET landed = ?1", [&stamp])?;
            Ok(())
        })?;
        Ok(has_closing)
    }

    fn commit_links_key(self) -> Result<Option<String>> {
        Ok(self.index.conn.value("SELECT landed FROM stamp", [])?)
    }

    /// Stores the mentions of one commit; returns whether it closes an issue. A commit time in the future is replaced by the
    /// present.
    fn store_link(self, commit: &UserCommit) -> Result<bool> {
        let subject = commit.message.lines().next().unwrap_or_default();
        let subject = line(subject, MAX_SUBJECT);
        let at = signed(commit.at.min(self.index.snapshot.store().env().now()));
        let mut closes = false;
        for mention in mentions(&commit.message) {
            closes |= mention.closes;
            let sql = "INSERT OR IGNORE INTO landed VALUES (?1, ?2, ?3, ?4, ?5)";
            let row = params![
                mention.id,
                commit.oid.to_string(),
                at,
                mention.closes,
                subject
            ];
            self.index.conn.change(sql, row)?;
        }
        Ok(closes)
    }
}

fn read_link(row: &rusqlite::Row<'_>) -> rusqlite::Result<CommitLink> {
    Ok(CommitLink {
        commit: row.get(0)?,
        at: time(row.get(1)?),
        closes: row.get(2)?,
        subject: row.get(3)?,
    })
}

fn time(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}
