//! The operations and the full text, in a second file, as lists never need them.
//!
//! SQLite reads the whole schema of a file whenever a process opens it: a list would pay for tables
//! that it has no use for. So these are in a second file next to that of the rows, are opened, or
//! created, at the first question that needs them, and have the key of the file that they belong
//! to. Where there is no such file, both are in memory.
//!
//! Without syncs SQLite commits first the one and then the other. Each transaction over both counts a
//! turn in both: where a process was killed between the two they differ, and both are built again.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::connection::copy_of;
use super::statements::Statements;
use super::{Result, file_of};
use crate::model::Uid;
use crate::platform::{self, CreateMode as _};

/// Number of times that a purge tries to clear a file that others read.
const LOOKS: u32 = 5;

/// `oplog`: the commit up to which the operations are known, and those where their history is cut.
/// `turn`: see `status_changes.rs`.
const TABLES: &str = "
CREATE TABLE late.owner (key, turn, oplog);
CREATE TABLE late.oplog (seq INTEGER PRIMARY KEY, commit_id UNIQUE, at, subject,
  actor, agent, bulk, context, undoes);
CREATE TABLE late.oplog_issue (issue, seq, turn, PRIMARY KEY (issue, seq)) WITHOUT ROWID;
CREATE INDEX late.oplog_at ON oplog (at);
CREATE INDEX late.oplog_actor ON oplog (actor, at);
CREATE INDEX late.oplog_undoes ON oplog (seq) WHERE undoes IS NOT NULL;
CREATE INDEX late.oplog_issue_seq ON oplog_issue (seq);
CREATE VIRTUAL TABLE late.fts USING fts5(title, body, memory, why, content='', contentless_delete=1,
  tokenize='unicode61');
";

/// Opens the file of these tables, or makes it, with all issues queued for indexing. Purges are
/// applied first.
pub(super) fn open(conn: &Connection) -> Result<()> {
    open_or_create(conn)?;
    apply_purges(conn)
}

fn open_or_create(conn: &Connection) -> Result<()> {
    let file = file(conn);
    if is_open(conn) {
        if file.is_none() || is_ours(conn)? {
            return Ok(());
        }
        // The attached file is no longer the one that belongs to these rows.
        conn.execute_batch("DETACH late")?;
    }
    attach(conn, file.as_deref())?;
    if is_empty(conn)? {
        return create(conn);
    }
    match file.is_none() || is_ours(conn)? {
        true => Ok(()),
        false => Err(rusqlite::Error::InvalidQuery.into()),
    }
}

/// Returns whether there is anything to open.
pub(super) fn is_there(conn: &Connection) -> bool {
    is_open(conn) || file(conn).is_some_and(|file| file.exists())
}

/// Returns the path of the second file of a generation.
pub(super) fn path_of(file: &Path) -> PathBuf {
    file.with_extension("late.db")
}

/// Sets the file up like that of the rows: as little memory, and no syncs.
pub(super) fn configure(conn: &Connection) -> Result<()> {
    if is_open(conn) {
        let size: i64 = conn.pragma_query_value(None, "cache_size", |row| row.get(0))?;
        conn.execute_batch(&format!(
            "PRAGMA late.synchronous=OFF; PRAGMA late.cache_size={size};"
        ))?;
    }
    Ok(())
}

/// Fails in a transaction over both files where one of them was not committed with the other: another process can have been
/// killed at it while this one waited for the lock.
pub(super) fn check_turn(conn: &Connection) -> Result<()> {
    match is_ours(conn)? {
        true => Ok(()),
        false => Err(rusqlite::Error::InvalidQuery.into()),
    }
}

/// Counts a turn in both files, within a transaction over both.
pub(super) fn count_turn(conn: &Connection) -> Result<()> {
    conn.execute("UPDATE stamp SET turn = turn + 1", [])?;
    conn.execute("UPDATE late.owner SET turn = (SELECT turn FROM stamp)", [])?;
    Ok(())
}

/// Copies the tables, where there are any, to a copy of the cache.
pub(super) fn copy(conn: &Connection, copy: &mut Connection) -> Result<()> {
    attach(copy, None)?;
    copy_of(conn, copy, c"late")
}

/// Returns whether nothing is left to clear, after a few tries: a reader of the texts delays that for a moment.
pub(super) fn is_clear(conn: &Connection) -> Result<bool> {
    let owed = || -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM owed)";
        Ok(conn.value(sql, [])?)
    };
    for _ in 0..LOOKS {
        if !owed()? || !is_there(conn) {
            return Ok(true);
        }
        // A locked file is tried again; each try waits as long as a reader does.
        let _ = apply_purges(conn);
    }
    Ok(!owed()?)
}

/// Clears what is kept of the texts of purged issues.
pub(super) fn apply_purges(conn: &Connection) -> Result<()> {
    let owed: bool = conn.value("SELECT EXISTS (SELECT 1 FROM owed)", [])?;
    if !owed || !is_there(conn) {
        return Ok(());
    }
    open_or_create(conn)?;
    // Within a transaction of our own already, as that of a state which is still to be sent, another can't begin; the purge stays
    // owed where that one is given up.
    let begin = || Transaction::new_unchecked(conn, TransactionBehavior::Immediate);
    let changes = conn.is_autocommit().then(begin).transpose()?;
    check_turn(conn)?;
    let sql = "SELECT uid, num FROM owed";
    let purged: Vec<(Uid, Option<i64>)> =
        conn.select(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (uid, num) in purged {
        forget_titles(conn, uid)?;
        conn.change("DELETE FROM fts WHERE rowid = ?1", [num])?;
    }
    // FTS5 only marks a deleted row: its words stay in the file until the segments are merged.
    conn.execute("INSERT INTO fts (fts) VALUES ('optimize')", [])?;
    // Last, in the same transaction: a purge stays owed until the texts are really gone.
    conn.execute("DELETE FROM owed", [])?;
    count_turn(conn)?;
    if let Some(changes) = changes {
        changes.commit()?;
    }
    Ok(())
}

fn is_open(conn: &Connection) -> bool {
    // An error means that no file is attached under this name.
    conn.is_readonly(c"late").is_ok()
}

fn is_empty(conn: &Connection) -> Result<bool> {
    Ok(conn.query_row(
        "SELECT NOT EXISTS (SELECT 1 FROM late.sqlite_schema)",
        [],
        |row| row.get(0),
    )?)
}

fn file(conn: &Connection) -> Option<PathBuf> {
    file_of(conn).map(|path| path_of(&path))
}

/// Returns whether it belongs to the rows.
fn is_ours(conn: &Connection) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM stamp s JOIN late.owner o ON o.key = s.key AND o.turn = s.turn)";
    Ok(conn.value(sql, [])?)
}

fn attach(conn: &Connection, file: Option<&Path>) -> Result<()> {
    if let Some(file) = file {
        // It may be there; where it can't be made, SQLite says so.
        let made = OpenOptions::new()
            .write(true)
            .create_new(true)
            .create_mode(0o600)
            .open(file);
        // As many may use it as the file of the rows.
        if let (Ok(made), Some(rows)) = (made, file_of(conn)) {
            let _ = fs::metadata(rows).and_then(|rows| {
                let _ = platform::owner(&rows).map(|owner| platform::set_owner_of(&made, owner));
                made.set_permissions(rows.permissions())
            });
        }
        // Opening a named pipe would wait without end.
        if !fs::symlink_metadata(file).is_ok_and(|found| found.is_file()) {
            return Err(rusqlite::Error::InvalidPath(file.to_owned()).into());
        }
    }
    let name = file.map_or(&b":memory:"[..], |file| file.as_os_str().as_encoded_bytes());
    conn.execute(
        "ATTACH ?1 AS late",
        [ToSqlOutput::Borrowed(ValueRef::Text(name))],
    )?;
    configure(conn)
}

fn create(conn: &Connection) -> Result<()> {
    let changes = Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    if is_empty(conn)? {
        conn.execute_batch(TABLES)?;
        // A new file holds no text that a purge must remove. Texts are read only when a search asks for them.
        conn.execute_batch(
            "INSERT INTO late.owner SELECT key, NULL, NULL FROM stamp; DELETE FROM owed;
            INSERT OR IGNORE INTO unsearched SELECT num FROM issue;",
        )?;
        count_turn(conn)?;
    }
    Ok(changes.commit()?)
}

/// Cuts the titles of a purged issue, and why it was changed, out of what its operations say.
pub(super) fn forget_titles(conn: &rusqlite::Connection, uid: Uid) -> Result<()> {
    // Before the first colon are the verb and the id, which a purge keeps.
    let sql = "UPDATE oplog SET subject = substr(subject, 1, instr(subject || ':', ':') - 1)
        WHERE bulk = 0 AND seq IN (SELECT seq FROM oplog_issue WHERE issue = ?1)";
    conn.change(sql, [uid])?;
    for sql in [
        "DELETE FROM fts WHERE rowid IN (SELECT -seq FROM oplog_issue WHERE issue = ?1)",
        "UPDATE oplog SET context = NULL WHERE seq IN (SELECT seq FROM oplog_issue WHERE issue = ?1)",
    ] {
        conn.change(sql, [uid])?;
    }
    Ok(())
}
