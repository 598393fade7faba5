//! Full text over title, description, design, acceptance, notes and memory, and over why changes were made.
//!
//! The text index is filled by a search: a write only notes what has changed, so that it stays
//! fast.

use std::collections::{BTreeSet, HashSet};

use rusqlite::{OptionalExtension, params, params_from_iter};

use super::chosen::RowSql;
use super::condition::Condition;
use super::expression::Expression;
use super::oplog::OpRecord;
use super::statements::Statements;
use super::{Index, Result, aux_db};
use crate::model::Field;
use crate::model::Uid;

/// Largest number of hits that are ranked.
pub(super) const MOST_HITS: usize = 500;
/// The row of an issue's texts has its number. `issue_rank` has all columns that hits are ordered
/// by, so that the scattered rows need not be read.
const HITS: &str =
    "SELECT issue.num, issue.done, issue.priority, issue.created, issue.id, issue.uid
    FROM fts JOIN issue INDEXED BY issue_rank ON issue.num = fts.rowid
    WHERE fts MATCH ? AND fts.rowid > 0";
/// The row of an operation's reason has its negative number.
const HITS_OF_WHY: &str = "SELECT issue.num, issue.done, issue.priority, issue.created, issue.id, issue.uid
    FROM fts JOIN oplog_issue ON oplog_issue.seq = -fts.rowid JOIN issue ON issue.uid = oplog_issue.issue
    WHERE fts MATCH ? AND fts.rowid < 0";

/// Order of hits: by properties of the issues, not by statistics of the text index, which depend on
/// its history.
type Rank = (bool, bool, i64, i64, String, Uid);

/// Words in all texts of issues; read when they are asked for.
#[derive(Clone, Copy)]
pub(crate) struct FullText<'a> {
    index: &'a Index<'a>,
}

impl Index<'_> {
    /// Words in all texts of issues; read when they are asked for.
    pub(crate) fn full_text(&self) -> FullText<'_> {
        FullText { index: self }
    }
}

impl FullText<'_> {
    /// Returns the numbers of the issues whose texts match and that a condition lets through:
    /// first those that do so in their title, last those that were changed for a reason which does.
    pub(crate) fn search(self, expression: &Expression, condition: &Condition) -> Result<Vec<i64>> {
        self.fill()?;
        self.index.oplog().fill_oplog()?;
        let query = expression.as_str();
        let mut chosen = RowSql::of(condition);
        // What is left out for its condition is not among the hits, so that no other is left out for it.
        chosen.clause = chosen.clause.replacen(" WHERE ", " AND ", 1);
        chosen.values.insert(0, query.to_owned().into());
        let titles = self.titles(query)?;
        let mut best = self.matches(HITS, &chosen, &titles)?;
        if best.len() < MOST_HITS && self.has_why()? {
            best.extend(self.matches(HITS_OF_WHY, &chosen, &titles)?);
        }
        let mut seen = HashSet::new();
        best.retain(|num| seen.insert(*num));
        best.truncate(MOST_HITS);
        Ok(best)
    }

    /// Returns the newest operations whose reason has every word of `text`, or one that begins like it.
    pub(crate) fn reasons(self, text: &str, limit: usize) -> Result<Vec<OpRecord>> {
        self.index.oplog().fill_oplog()?;
        match Expression::words(text) {
            Some(query) if self.has_why()? => self.index.oplog().of_reason(query.as_str(), limit),
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the issues that hold the words in their title.
    fn titles(self, query: &str) -> Result<HashSet<i64>> {
        Ok(self.index.conn.column(
            "SELECT rowid FROM fts WHERE fts MATCH ?1",
            [format!("title : ({query})")],
        )?)
    }

    /// Returns whether any operation has a reason: a look at FTS5's own table is cheaper than a
    /// search.
    fn has_why(self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM fts_docsize WHERE id < 0)";
        Ok(self.index.conn.value(sql, [])?)
    }

    /// Returns the best hits, best first; holds no more in memory than that.
    fn matches(self, hits: &str, chosen: &RowSql, titles: &HashSet<i64>) -> Result<Vec<i64>> {
        let mut best: BTreeSet<(Rank, i64)> = BTreeSet::new();
        let sql = format!("{hits}{}", chosen.clause);
        let mut statement = self.index.conn.prepared(&sql)?;
        let mut rows = statement.query(params_from_iter(&chosen.values))?;
        while let Some(row) = rows.next()? {
            let num = row.get(0)?;
            let rank = (
                !titles.contains(&num),
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
                row.get(5)?,
            );
            best.insert((rank, num));
            if best.len() > MOST_HITS {
                best.pop_last();
            }
        }
        Ok(best.into_iter().map(|(_, num)| num).collect())
    }

    /// Brings the text index up to the state, which conditions on texts read.
    pub(crate) fn fill(self) -> Result<()> {
        aux_db::open(&self.index.conn)?;
        let sql = "SELECT EXISTS (SELECT 1 FROM unsearched)";
        if !self.index.conn.value(sql, [])? {
            return Ok(());
        }
        self.index.write_both_if_current(|| {
            let sql = "SELECT num FROM unsearched";
            let nums: Vec<i64> = self.index.conn.column(sql, [])?;
            for num in nums {
                self.fill_one(num)?;
            }
            Ok(())
        })
    }

    fn fill_one(self, num: i64) -> Result<()> {
        self.index
            .conn
            .change("DELETE FROM fts WHERE rowid = ?1", [num])?;
        self.index
            .conn
            .change("DELETE FROM unsearched WHERE num = ?1", [num])?;
        let sql = "SELECT uid FROM issue WHERE num = ?1";
        let uid: Option<Uid> = self.index.conn.value(sql, [num]).optional()?;
        let Some(uid) = uid else { return Ok(()) };
        let Some(Ok(issue)) = self.index.snapshot.issue(uid)? else {
            return Ok(());
        };
        if issue.is_purged() {
            return Ok(());
        }
        let body: Vec<&str> = Field::long_texts()
            .map(|field| issue.text(field.key()))
            .collect();
        // Most issues have none, and to find that out in the tree takes several objects.
        let memory = if self.has_memory(uid)? {
            self.index.snapshot.memory(uid)?.0
        } else {
            Vec::new()
        };
        // What was answered is searched for like what was asked.
        let shown = memory.iter().filter(|entry| !entry.is_redacted());
        let memory_texts: Vec<&str> = shown
            .flat_map(|entry| [Some(entry.text()), entry.answer().map(|(text, _)| text)])
            .flatten()
            .collect();
        // Ids count as title: who searches for one gets its issue first.
        let ids = [&[issue.id()], issue.aliases().as_slice()].concat();
        let title = format!("{} {}", ids.join(" "), issue.title());
        let sql = "INSERT INTO fts (rowid, title, body, memory) VALUES (?1, ?2, ?3, ?4)";
        self.index.conn.change(
            sql,
            params![num, title, body.join("\n"), memory_texts.join("\n")],
        )?;
        Ok(())
    }

    fn has_memory(self, uid: Uid) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM memory WHERE issue = ?1)";
        Ok(self.index.conn.value(sql, [uid])?)
    }
}
