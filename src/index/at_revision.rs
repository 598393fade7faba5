//! Another state than that of the ref: one of the past, with the commits there were, or one that is still to be sent.

use std::collections::HashMap;

use rusqlite::OptionalExtension;

use super::catch_up::copy;
use super::connection::in_memory;
use super::schema::signed;
use super::statements::Statements;
use super::{Index, Result, aux_db, build, read_key, unfiled};
use crate::model::Uid;
use crate::store::{Oid, Snapshot, StoreError, TreePath};

/// Largest number of ids with a common beginning that are named.
const NAMED: i64 = 5;

impl<'s> Index<'s> {
    /// Returns a cache in memory of another state: a copy of this one with the difference applied,
    /// or a new one where that is less work. This cache does not change. Of what is
    /// purged here, there is no more there.
    pub(crate) fn at_revision(&self, snapshot: Snapshot<'s>) -> Result<Self> {
        let purged = self.purged()?;
        if self.is_nearer_to_nothing(&snapshot)? {
            let conn = in_memory()?;
            build::rebuild_past(&conn, &snapshot, &snapshot.store().env().boot_id(), purged)?;
            return Ok(unfiled(conn, snapshot));
        }
        let mut conn = copy(&self.conn)?;
        // The copy has the state of the file, which another process may have moved on by now: the
        // difference starts at the copy's own key, not at this reader's snapshot.
        let old = Oid::parse(&read_key(&conn)?.tree).ok_or(rusqlite::Error::InvalidQuery)?;
        let changes = conn.transaction()?;
        build::update_past(&changes, &snapshot, old, purged)?;
        changes.commit()?;
        Ok(unfiled(conn, snapshot))
    }

    /// Moves this index alone on to a state that no ref leads to: the file is as before once it is closed. Until then other
    /// processes can read the file, and can't move it on.
    pub(crate) fn ahead(self, snapshot: Snapshot<'s>) -> Result<Self> {
        // First, since no file can be attached within a transaction.
        let begins = || -> Result<()> {
            aux_db::open(&self.conn)?;
            Ok(self.conn.execute_batch("BEGIN IMMEDIATE")?)
        };
        if begins().is_err() {
            // Another process works on it.
            return self.at_revision(snapshot);
        }
        let key = read_key(&self.conn)?;
        let old = Oid::parse(&key.tree).ok_or(rusqlite::Error::InvalidQuery)?;
        build::update(&self.conn, &snapshot, old)?;
        Ok(Self {
            snapshot,
            file: None,
            before: None,
            ..self
        })
    }

    /// Returns whether a state has fewer issues than it has differences to this one.
    fn is_nearer_to_nothing(&self, snapshot: &Snapshot<'_>) -> Result<bool> {
        let (mut different, mut gone) = (0, 0);
        snapshot.store().diff::<StoreError>(
            Some(self.snapshot.tree()),
            snapshot.tree(),
            &mut |change| {
                if matches!(change.path, Some(TreePath::Issue(_))) {
                    different += 1;
                    // A new cache needs no row for what is not there.
                    gone += u64::from(change.oid.is_none());
                }
                Ok(())
            },
        )?;
        Ok(different > self.counter("total")?.saturating_sub(gone))
    }

    /// Returns the issues whose contents are gone for good, each with the blob that is left of it.
    pub(crate) fn purged(&self) -> Result<HashMap<Uid, Oid>> {
        let sql = "SELECT uid, blob FROM issue WHERE purged = 1";
        let rows: Vec<_> = self
            .conn
            .select(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.into_iter().collect())
    }

    /// Returns the commits of the history whose ids begin so, a few of them at most.
    pub(crate) fn commits_like(&self, beginning: &str) -> Result<Vec<Oid>> {
        self.oplog().fill_oplog()?;
        // `g` comes right after the last hexadecimal digit.
        let sql = "SELECT commit_id FROM oplog WHERE commit_id >= ?1 AND commit_id < ?1 || 'g' ORDER BY 1 LIMIT ?2";
        let found: Vec<String> = self.conn.column(sql, (beginning, NAMED))?;
        Ok(found.iter().filter_map(|id| Oid::parse(id)).collect())
    }

    /// Returns the newest commit of the history that is not later than a time, in milliseconds.
    pub(crate) fn commit_at(&self, time: u64) -> Result<Option<Oid>> {
        self.oplog().fill_oplog()?;
        let sql = "SELECT commit_id FROM oplog WHERE at <= ?1 ORDER BY at DESC, seq DESC LIMIT 1";
        let found: Option<String> = self.conn.value(sql, [signed(time)]).optional()?;
        Ok(found.as_deref().and_then(Oid::parse))
    }
}
