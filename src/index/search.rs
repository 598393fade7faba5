//! Full text over title, description, design, acceptance, notes and memory, and over why changes were made.
//!
//! The text index fills when somebody searches: writes and rebuilds only note what has changed, so
//! that they do not pay for it.

use std::collections::HashSet;

use rusqlite::{OptionalExtension, params};

use super::{Index, Result};
use crate::model::Uid;
use crate::model::issue::TEXTS;

/// At most this many hits are ranked.
pub(super) const MOST_HITS: usize = 500;
/// The texts of an issue bear its number. Its own index holds all that hits are ordered by: rows lie far apart.
const HIT: &str = "JOIN issue INDEXED BY issue_rank ON issue.num = fts.rowid WHERE fts.rowid > 0";
/// Why an operation was done bears its number, below zero.
const HIT_OF_WHY: &str = "JOIN oplog_issue ON oplog_issue.seq = -fts.rowid JOIN issue ON issue.uid = oplog_issue.issue
    WHERE fts.rowid < 0";

impl Index<'_> {
    /// The numbers of the issues that hold every word of `text` or one that begins like it: first those
    /// that do so in their title, last those that were changed for a reason which does. Deleted ones only where they are
    /// asked for.
    ///
    /// # Errors
    /// An issue that can't be read from the repository.
    pub fn search(&self, text: &str, deleted: bool) -> Result<Vec<i64>> {
        self.fill()?;
        self.fill_oplog()?;
        let Some(query) = expression(text) else { return Ok(Vec::new()) };
        let first = "issue.num NOT IN (SELECT rowid FROM fts WHERE fts MATCH ?3),";
        let texts = self.matches(HIT, first, params![query, deleted, format!("title : ({query})")])?;
        let why = if self.has_why()? { self.matches(HIT_OF_WHY, "", params![query, deleted])? } else { Vec::new() };
        let mut seen = HashSet::new();
        let mut found: Vec<i64> = texts.into_iter().chain(why).filter(|num| seen.insert(*num)).collect();
        found.truncate(MOST_HITS);
        Ok(found)
    }

    /// Whether any change was made for a reason: to ask the table's own list is cheaper than to search it.
    fn has_why(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM fts_docsize WHERE id < 0)";
        Ok(self.conn.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
    }

    /// Orders by what the issues are, not by statistics of the text index: those depend on its history.
    fn matches(&self, hits: &str, first: &str, params: impl rusqlite::Params) -> Result<Vec<i64>> {
        let sql = format!(
            "SELECT issue.num FROM fts {hits} AND fts MATCH ?1 AND (?2 OR issue.deleted = 0)
             ORDER BY {first} issue.done, issue.priority, issue.created, issue.id, issue.uid LIMIT {MOST_HITS}"
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let rows = statement.query_map(params, |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn fill(&self) -> Result<()> {
        let sql = "SELECT EXISTS (SELECT 1 FROM unsearched)";
        if !self.conn.prepare_cached(sql)?.query_row([], |row| row.get(0))? {
            return Ok(());
        }
        self.at_my_state(|| {
            let mut statement = self.conn.prepare_cached("SELECT num FROM unsearched")?;
            let nums = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
            nums.iter().try_for_each(|num| self.fill_one(*num))
        })
    }

    fn fill_one(&self, num: i64) -> Result<()> {
        self.conn.prepare_cached("DELETE FROM fts WHERE rowid = ?1")?.execute([num])?;
        self.conn.prepare_cached("DELETE FROM unsearched WHERE num = ?1")?.execute([num])?;
        let sql = "SELECT uid FROM issue WHERE num = ?1";
        let uid: Option<Uid> = self.conn.prepare_cached(sql)?.query_row([num], |row| row.get(0)).optional()?;
        let Some(uid) = uid else { return Ok(()) };
        let Some(Ok(issue)) = self.snapshot.issue(uid)? else { return Ok(()) };
        if issue.is_purged() {
            return Ok(());
        }
        let body: Vec<&str> = TEXTS.iter().map(|key| issue.text(key)).collect();
        let memory = if self.has_memory(uid)? { self.snapshot.memory(uid)?.0 } else { Vec::new() };
        let said: Vec<&str> =
            memory.iter().filter(|entry| !entry.is_redacted()).map(super::super::model::memory::Memory::text).collect();
        let title = format!("{} {}", issue.id(), issue.title());
        let sql = "INSERT INTO fts (rowid, title, body, memory) VALUES (?1, ?2, ?3, ?4)";
        self.conn.prepare_cached(sql)?.execute(params![num, title, body.join("\n"), said.join("\n")])?;
        Ok(())
    }

    fn has_memory(&self, uid: Uid) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM memory WHERE issue = ?1)";
        Ok(self.conn.prepare_cached(sql)?.query_row([uid], |row| row.get(0))?)
    }
}

/// Quotes every word, so that nothing a user types is query syntax.
fn expression(text: &str) -> Option<String> {
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| word.chars().any(char::is_alphanumeric));
    let quoted: Vec<String> = words.map(|word| format!("\"{}\"*", word.replace('"', "\"\""))).collect();
    (!quoted.is_empty()).then(|| quoted.join(" "))
}

#[cfg(test)]
mod tests {
    use super::expression;

    #[test]
    fn what_a_user_types_is_no_syntax() {
        assert_eq!(expression("fix \"the OR\" -- a*"), Some(r#""fix"* """the"* "OR"""* "a*"*"#.to_owned()));
        assert_eq!(expression(" -- \" "), None);
    }
}
