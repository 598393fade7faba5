//! Questions to the cache about memory; its texts are in the repository.

use rusqlite::{OptionalExtension, Row, params};

use super::rows::unsigned;
use super::schema::signed;
use super::statements::Statements;
use super::{Index, Result};
use crate::model::{Party, Uid};

/// An entry in the memory of an issue.
#[derive(Clone, Debug)]
pub(crate) struct MemoryRow {
    /// Identity of the entry.
    pub uid: Uid,
    pub kind: String,
    pub issue: Uid,
    /// The id of its issue.
    pub id: String,
    /// The title of its issue.
    pub title: String,
}

/// Questions about memory.
#[derive(Clone, Copy)]
pub(crate) struct MemoryIndex<'a> {
    index: &'a Index<'a>,
}

impl Index<'_> {
    /// Questions about memory.
    pub(crate) fn memory(&self) -> MemoryIndex<'_> {
        MemoryIndex { index: self }
    }
}

impl MemoryIndex<'_> {
    /// Returns the largest stamp in the memory of an issue.
    pub(crate) fn newest(self, uid: Uid) -> Result<Option<Uid>> {
        let sql = "SELECT max(stamp) FROM memory WHERE issue = ?1";
        Ok(self.index.conn.value(sql, [uid])?)
    }

    /// Returns the newest entry in the memory of an issue that is not hidden.
    pub(crate) fn last_entry(self, uid: Uid) -> Result<Option<Uid>> {
        let sql = "SELECT uid FROM memory WHERE issue = ?1 AND hidden = 0
            AND (kind <> 'question' OR asked IS NOT NULL) ORDER BY at DESC, uid DESC LIMIT 1";
        Ok(self.index.conn.value(sql, [uid]).optional()?)
    }

    /// Counts the entries in the memory of an issue that are not hidden.
    pub(crate) fn count(self, uid: Uid) -> Result<u64> {
        let sql = "SELECT count(*) FROM memory WHERE issue = ?1 AND hidden = 0";
        Ok(unsigned(self.index.conn.value(sql, [uid])?))
    }

    /// Returns the newest findings and decisions of issues that are not deleted, newest first.
    pub(crate) fn recent(self, limit: usize) -> Result<Vec<MemoryRow>> {
        let sql = "SELECT m.uid, m.kind, i.uid, i.shown, i.title FROM memory m JOIN issue i ON i.uid = m.issue
            WHERE m.hidden = 0 AND m.kind IN ('finding', 'decision') AND i.deleted = 0
            ORDER BY m.at DESC, m.uid DESC LIMIT ?1";
        Ok(self.index.conn.select(sql, [signed(limit as u64)], read)?)
    }

    /// Returns the questions that wait for an answer, oldest first: those to a party and to no one in particular, or all.
    pub(crate) fn open_questions(self, to: Option<&Party>) -> Result<Vec<MemoryRow>> {
        let sql = format!(
            "SELECT m.uid, m.kind, i.uid, i.shown, i.title {OPEN_QUESTIONS} ORDER BY m.at, m.uid"
        );
        let [person, agent, party] = asked_names(to);
        Ok(self
            .index
            .conn
            .select(&sql, params![to.is_none(), person, agent, party], read)?)
    }

    /// Counts the questions that wait for an answer by a party or by anybody.
    pub(crate) fn question_count(self, to: &Party) -> Result<u64> {
        let sql = format!("SELECT count(*) {OPEN_QUESTIONS}");
        let [person, agent, party] = asked_names(Some(to));
        let count = self
            .index
            .conn
            .value(&sql, params![false, person, agent, party])?;
        Ok(unsigned(count))
    }

    /// Returns the questions of an issue that were not withdrawn, oldest first.
    pub(crate) fn questions_of(self, issue: Uid) -> Result<Vec<Uid>> {
        let sql = "SELECT uid FROM memory WHERE issue = ?1 AND kind = 'question' AND hidden = 0 ORDER BY uid";
        Ok(self.index.conn.column(sql, [issue])?)
    }

    /// Counts the questions of an issue that wait for an answer.
    pub(crate) fn open_count(self, issue: Uid) -> Result<u64> {
        let sql = "SELECT count(*) FROM memory WHERE issue = ?1 AND asked IS NOT NULL";
        Ok(unsigned(self.index.conn.value(sql, [issue])?))
    }

    /// Counts the questions of an issue that are answered.
    pub(crate) fn answered_count(self, issue: Uid) -> Result<u64> {
        let sql = "SELECT count(*) FROM memory WHERE issue = ?1 AND kind = 'question' AND hidden = 0 AND asked IS NULL";
        Ok(unsigned(self.index.conn.value(sql, [issue])?))
    }

    /// Returns the questions of an issue that were answered twice at the same time.
    pub(crate) fn disputed_questions(self, issue: Uid) -> Result<Vec<Uid>> {
        let sql = "SELECT uid FROM memory WHERE issue = ?1 AND lost > 0 ORDER BY uid";
        Ok(self.index.conn.column(sql, [issue])?)
    }
}

/// The rest of a statement about open questions of issues that have not ended; its parameters: all of them, else the names of who is asked.
const OPEN_QUESTIONS: &str = "FROM memory m INDEXED BY memory_asked JOIN issue i ON i.uid = m.issue
    WHERE m.asked IS NOT NULL AND (?1 OR m.asked IN ('', ?2, ?3, ?4)) AND i.listed = 1";

/// Returns the names by which a party is asked.
pub(super) fn asked_names(party: Option<&Party>) -> [String; 3] {
    // Of a person, empty names match only what anybody is asked, which is asked for in any case.
    let Some(party) = party else {
        return <[String; 3]>::default();
    };
    let agent = party.agent.clone().unwrap_or_default();
    [party.person.clone(), agent, party.to_string()]
}

fn read(row: &Row<'_>) -> rusqlite::Result<MemoryRow> {
    Ok(MemoryRow {
        uid: row.get(0)?,
        kind: row.get(1)?,
        issue: row.get(2)?,
        id: row.get(3)?,
        title: row.get(4)?,
    })
}
