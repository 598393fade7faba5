//! Filling the cache: whole, or by what changed between two trees.

use std::collections::HashMap;
use std::time::Instant;

use rusqlite::{Connection, OptionalExtension, params};

use super::derived::Deriver;
use super::statements::Statements;
use super::{Result, schema, stored};
use crate::model::blob::{Blob, BlobError};
use crate::model::{Issue, Memory, Uid};
use crate::store::{Oid, Snapshot, TreeChange, TreePath, Unreadable, decode};

/// Fills empty tables from a snapshot.
pub(super) fn rebuild(conn: &Connection, snapshot: &Snapshot<'_>, boot: &str) -> Result<()> {
    rebuild_past(conn, snapshot, boot, HashMap::new())
}

/// Fills empty tables from a snapshot of the past: of what was purged since, with what is left of it.
pub(super) fn rebuild_past(
    conn: &Connection,
    snapshot: &Snapshot<'_>,
    boot: &str,
    purged: HashMap<Uid, Oid>,
) -> Result<()> {
    let began = Instant::now();
    snapshot.check_is_of_a_store()?;
    conn.execute_batch("BEGIN")?;
    schema::create_tables(conn)?;
    let mut builder = Builder {
        conn,
        snapshot,
        deriver: Deriver::new(conn),
        whole: true,
        purged,
    };
    snapshot
        .store()
        .diff(None, snapshot.tree(), &mut |change| builder.apply(change))?;
    schema::create_edge_indexes(conn)?;
    // For the newest entry of each issue, without which deriving would read all memory for each.
    conn.execute_batch("CREATE INDEX memory_early ON memory (issue)")?;
    // Derived only now: readiness follows from edges of issues that come later in the tree.
    builder.deriver.all()?;
    conn.execute_batch("DROP INDEX memory_early")?;
    schema::create_indexes(conn)?;
    let (commit, tree) = (snapshot.commit().to_string(), snapshot.tree().to_string());
    // A random key, so that the second file of another generation is never taken for its own.
    conn.execute(
        "INSERT INTO stamp VALUES (?1, ?2, ?3, ?4, NULL, NULL, hex(randomblob(8)), 0, NULL, 0)",
        params![schema::VERSION, commit, tree, boot],
    )?;
    conn.execute_batch("COMMIT")?;
    let ms = began.elapsed().as_millis();
    tracing::debug!(to = %snapshot.commit(), ms, "built the index");
    Ok(())
}

/// Applies the difference between the tree of the cache and that of a snapshot.
pub(super) fn update(conn: &Connection, snapshot: &Snapshot<'_>, old: Oid) -> Result<()> {
    update_past(conn, snapshot, old, HashMap::new())
}

/// Applies the difference to a tree of the past: of what was purged since, what is left of it stays.
pub(super) fn update_past(
    conn: &Connection,
    snapshot: &Snapshot<'_>,
    old: Oid,
    purged: HashMap<Uid, Oid>,
) -> Result<()> {
    let mut builder = Builder {
        conn,
        snapshot,
        deriver: Deriver::new(conn),
        whole: false,
        purged,
    };
    snapshot
        .store()
        .diff(Some(old), snapshot.tree(), &mut |change| {
            builder.apply(change)
        })?;
    builder.deriver.flush()?;
    let (commit, tree) = (snapshot.commit().to_string(), snapshot.tree().to_string());
    // After a merge, or over several commits at once, it is not known by how many operations it is ahead.
    let follows = match snapshot.parents()?.as_slice() {
        [only] => only.to_string(),
        _ => String::new(),
    };
    let stamped = conn.execute(
        "UPDATE stamp SET merged = iif(commit_id = ?4, merged, NULL), steps = steps + 1,
         commit_id = ?1, tree = ?2, boot = ?3",
        params![commit, tree, snapshot.store().env().boot_id(), follows],
    )?;
    debug_assert_eq!(stamped, 1);
    Ok(())
}

/// Applies what differs in the folders of some issues.
pub(super) fn update_some(
    conn: &Connection,
    snapshot: &Snapshot<'_>,
    folders: &[(Uid, Option<Oid>, Option<Oid>)],
) -> Result<()> {
    let mut builder = Builder {
        conn,
        snapshot,
        deriver: Deriver::new(conn),
        whole: false,
        purged: HashMap::new(),
    };
    for (uid, old, new) in folders {
        snapshot
            .store()
            .diff_issue(*uid, *old, *new, &mut |change| builder.apply(change))?;
    }
    builder.deriver.flush()
}

struct Builder<'c> {
    conn: &'c Connection,
    snapshot: &'c Snapshot<'c>,
    deriver: Deriver<'c>,
    whole: bool,
    /// The blobs that are left of what was purged later than this snapshot.
    purged: HashMap<Uid, Oid>,
}

impl Builder<'_> {
    fn apply(&mut self, change: &TreeChange) -> Result<()> {
        if !self.whole {
            // What is broken still is noted again below.
            self.conn
                .change("DELETE FROM broken WHERE path = ?1", [&change.text])?;
        }
        match change.path {
            Some(TreePath::Entry(uid, _)) if self.purged.contains_key(&uid) => Ok(()),
            Some(TreePath::Issue(uid)) => self.issue(uid, change),
            Some(TreePath::Entry(issue, uid)) => self.entry(Some(issue), uid, change),
            Some(TreePath::Note(uid)) => self.entry(None, uid, change),
            None if change.oid.is_some() => self.broken(&change.text, "not a path of this format"),
            Some(TreePath::Meta) => self.meta(change),
            None => Ok(()),
        }
    }

    fn meta(&self, change: &TreeChange) -> Result<()> {
        // No operation removes it, so it is another commit's tree: not one in which every issue was deleted.
        let Some(oid) = change.oid else {
            return Err(self.snapshot.not_of_a_store().into());
        };
        match Blob::parse(&self.snapshot.read(oid)?).and_then(Blob::readable) {
            Ok(_) => Ok(()),
            Err(why) => self.broken(&change.text, &why.to_string()),
        }
    }

    fn issue(&mut self, uid: Uid, change: &TreeChange) -> Result<()> {
        let (old, is_shown) = if self.whole {
            (None, None)
        } else {
            self.known(uid)?.unzip()
        };
        if let Some(num) = old {
            // Before any row changes: the totals are corrected by what the issue counted as until
            // now.
            self.deriver.before_update(num)?;
        }
        let Some(oid) = change.oid else {
            // The others that depend on it are queued by `flush`, from what was kept just now.
            return self.clear(old).map(|_| ());
        };
        let oid = self.purged.get(&uid).copied().unwrap_or(oid);
        let bytes = self.snapshot.read(oid)?;
        let num = match decode(TreePath::Issue(uid), &bytes) {
            Ok(blob) => self.readable(&Issue::from_blob(uid, blob), oid, old, is_shown)?,
            Err(why) => self.unreadable(uid, &why, &bytes, old)?,
        };
        if self.whole {
            return Ok(());
        }
        self.pending_fts(num)?;
        self.deriver.after_update(num)
    }

    /// Stores an issue; returns its number.
    fn readable(
        &self,
        issue: &Issue,
        oid: Oid,
        old: Option<i64>,
        is_shown: Option<bool>,
    ) -> Result<i64> {
        // A new cache has no second file yet, and so no texts to clear.
        if issue.is_purged() && !self.whole {
            self.conn.change(
                "INSERT INTO owed VALUES (?1, ?2)",
                params![issue.uid(), old],
            )?;
        }
        match (old, is_shown) {
            (Some(num), Some(true)) => {
                stored::update_issue(self.conn, num, issue, oid)?;
                Ok(num)
            }
            // Also in place of the row of an unreadable blob, which lacks the columns to compare with.
            _ => stored::insert_issue(self.conn, self.clear(old)?, issue, oid),
        }
    }

    /// Stores a row in place of an issue that can't be shown; returns its number.
    fn unreadable(
        &self,
        uid: Uid,
        unreadable: &Unreadable,
        bytes: &[u8],
        old: Option<i64>,
    ) -> Result<i64> {
        let newer = matches!(unreadable.why, BlobError::Newer(_));
        let id = if newer { readable_id(bytes) } else { None };
        let why = unreadable.why.to_string();
        self.broken(&unreadable.path, &why)?;
        let id = id.unwrap_or_else(|| uid.to_string());
        stored::insert_unreadable(self.conn, self.clear(old)?, uid, &id, &why)
    }

    /// Returns the number of an issue, and whether it can be shown.
    fn known(&self, uid: Uid) -> Result<Option<(i64, bool)>> {
        let sql = "SELECT num, unreadable IS NULL FROM issue WHERE uid = ?1";
        let found = self
            .conn
            .first(sql, [uid], |row| Ok((row.get(0)?, row.get(1)?)));
        Ok(found?)
    }

    /// Deletes an issue's rows; returns its number, which the new rows get.
    fn clear(&self, old: Option<i64>) -> Result<Option<i64>> {
        let Some(num) = old else { return Ok(None) };
        stored::drop_labels(self.conn, num)?;
        stored::drop_aliases(self.conn, num)?;
        for sql in [
            "DELETE FROM issue WHERE num = ?1",
            "DELETE FROM edge WHERE source = ?1",
            "DELETE FROM waiting WHERE issue = ?1",
        ] {
            self.conn.change(sql, [num])?;
        }
        Ok(Some(num))
    }

    fn entry(&mut self, issue: Option<Uid>, uid: Uid, change: &TreeChange) -> Result<()> {
        match change.oid {
            None => {
                // It may have come to another issue in the same difference.
                let sql = "DELETE FROM memory WHERE uid = ?1 AND issue IS ?2";
                self.conn.change(sql, params![uid, issue])?;
            }
            Some(oid) => {
                let path = issue.map_or(TreePath::Note(uid), |issue| TreePath::Entry(issue, uid));
                match decode(path, &self.snapshot.read(oid)?) {
                    Ok(blob) => {
                        stored::insert_memory(self.conn, issue, &Memory::from_blob(uid, blob))?;
                    }
                    Err(unreadable) => {
                        // What it said before, where it could be read, is not what it says now.
                        self.conn
                            .change("DELETE FROM memory WHERE uid = ?1", [uid])?;
                        self.broken(&change.text, &unreadable.why.to_string())?;
                    }
                }
            }
        }
        // A rebuild derives all issues anyway, and the second file queues all when it is made.
        let Some(issue) = issue.filter(|_| !self.whole) else {
            return Ok(());
        };
        let num = self
            .conn
            .value("SELECT num FROM issue WHERE uid = ?1", [issue])
            .optional()?;
        if let Some(num) = num {
            self.pending_fts(num)?;
            self.deriver.touch(num);
        }
        Ok(())
    }

    fn pending_fts(&self, num: i64) -> Result<()> {
        self.conn
            .change("INSERT OR IGNORE INTO unsearched VALUES (?1)", [num])?;
        Ok(())
    }

    fn broken(&self, path: &str, why: &str) -> Result<()> {
        self.conn
            .change("INSERT OR REPLACE INTO broken VALUES (?1, ?2)", [path, why])?;
        Ok(())
    }
}

/// Returns the id in a blob of a newer format: it is shown, and not given to another issue.
fn readable_id(bytes: &[u8]) -> Option<String> {
    let blob = Blob::parse(bytes).ok()?;
    crate::model::IssueId::parse(blob.text("id")?)
        .ok()
        .map(|id| id.as_str().to_owned())
}
