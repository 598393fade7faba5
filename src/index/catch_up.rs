//! Moving an open index to the newest state, in time proportional to what changed.

use std::time::Instant;

use rusqlite::{Connection, TransactionBehavior};

use super::connection::{copy_of, in_memory};
use super::{Index, IndexError, Result, aux_db, build, read_key};
use crate::store::{Oid, Snapshot, Store};

impl Index<'_> {
    /// Catches up on the same connection, for the answer to a write.
    pub(crate) fn refreshed(mut self) -> Result<Self> {
        let store = self.snapshot.store();
        if store.tip()? == Some(self.snapshot.commit()) {
            return Ok(self);
        }
        match catch_up(store, &mut self.conn) {
            Ok((snapshot, before)) => Ok(Self {
                snapshot,
                before,
                ..self
            }),
            // The write has succeeded; a cache that can't follow it is no reason to report a failure.
            Err(IndexError::Sql(_) | IndexError::Stale) => Self::open(store),
            Err(error) => Err(error),
        }
    }

    /// Writes rows that are filled on demand, if the cache is still at the state of this reader.
    pub(super) fn write_if_current(&self, write: impl FnOnce() -> Result<()>) -> Result<()> {
        // Within a transaction of our own already, which holds the state; another can't begin in it.
        if !self.conn.is_autocommit() {
            return write();
        }
        // The write lock comes before the check: after it no other process can move the cache on.
        self.conn.execute_batch("BEGIN IMMEDIATE")?;
        let current =
            read_key(&self.conn).map(|stamp| stamp.commit == self.snapshot.commit().to_string());
        let outcome = match current {
            Ok(true) => write(),
            Ok(false) => Err(IndexError::Stale),
            Err(error) => Err(error),
        };
        let outcome = outcome.and_then(|()| Ok(self.conn.execute_batch("COMMIT")?));
        if outcome.is_err() {
            self.conn.execute_batch("ROLLBACK")?;
        }
        outcome
    }

    /// Writes like [`Self::write_if_current`], to both files.
    pub(super) fn write_both_if_current(&self, write: impl FnOnce() -> Result<()>) -> Result<()> {
        self.write_if_current(|| {
            aux_db::check_turn(&self.conn)?;
            write()?;
            aux_db::count_turn(&self.conn)
        })
    }
}

/// Brings an open cache to the newest state in one transaction; returns that state, and the
/// previous one if it was another.
pub(super) fn catch_up<'s>(
    store: &'s Store,
    conn: &mut Connection,
) -> Result<(Snapshot<'s>, Option<Oid>)> {
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Ref and stamp are read after the lock was taken: a state read earlier may be older than the
    // one that another process has stored by now, and the cache never goes back.
    let snapshot = store.snapshot()?;
    let stamp = read_key(&transaction)?;
    let before = Oid::parse(&stamp.commit).filter(|before| *before != snapshot.commit());
    if stamp.commit != snapshot.commit().to_string() {
        let old = Oid::parse(&stamp.tree).ok_or(rusqlite::Error::InvalidQuery)?;
        let began = Instant::now();
        // Rows and stamp change in one transaction, so the stamp never names a state that the rows
        // do not show.
        build::update(&transaction, &snapshot, old)?;
        log_caught_up(before, snapshot.commit(), began);
    }
    transaction.commit()?;
    // A purge that fails here stays owed and is applied when the file is opened next.
    let _ = aux_db::apply_purges(conn);
    Ok((snapshot, before))
}

/// Logs from where to where an index has come, and since when.
fn log_caught_up(from: Option<Oid>, to: Oid, began: Instant) {
    let ms = began.elapsed().as_millis();
    tracing::debug!(from = from.map(tracing::field::display), %to, ms, "the index caught up");
}

/// Copies a cache to memory.
pub(super) fn copy(conn: &Connection) -> Result<Connection> {
    let mut copy = in_memory()?;
    // Before the read lock, since opening may write: purges that are owed are applied then.
    let late = aux_db::is_there(conn) && aux_db::open(conn).is_ok();
    // A read lock on the rows keeps writers from both files, so that the copies are of one state.
    let both = conn.unchecked_transaction()?;
    read_key(conn)?;
    copy_of(conn, &mut copy, c"main")?;
    if late {
        aux_db::copy(conn, &mut copy)?;
    }
    both.finish()?;
    Ok(copy)
}
