//! Moving an open index to the newest state, in time proportional to what changed.

use rusqlite::{Connection, TransactionBehavior};

use super::connection::{copy_of, in_memory};
use super::{Index, IndexError, Result, aux_db, build, fingerprint, read_key};
use crate::store::{Oid, Snapshot, Store};

impl Index<'_> {
    /// Catches up on the same connection, for the answer to a write.
    ///
    /// # Errors
    /// A repository that can't be read.
    pub fn refreshed(mut self) -> Result<Self> {
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
            Err(IndexError::Sql(_) | IndexError::Stale) => Self::open(store),
            Err(error) => Err(error),
        }
    }

    /// Writes what is filled aux_db, if the cache is still at the state of this reader.
    pub(super) fn at_my_state(&self, write: impl FnOnce() -> Result<()>) -> Result<()> {
        if !self.conn.is_autocommit() {
            return write();
        }
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
            return outcome;
        }
        fingerprint::stamp_mtime(&self.conn)
    }

    /// The same, in both files.
    pub(super) fn late_at_my_state(&self, write: impl FnOnce() -> Result<()>) -> Result<()> {
        self.at_my_state(write)?;
        aux_db::mark(&self.conn)
    }
}

/// Brings an open cache to the newest state, in one transaction that reads stamp and ref again; returns that state, and
/// the one it came from if it was another.
pub(super) fn catch_up<'s>(
    store: &'s Store,
    conn: &mut Connection,
) -> Result<(Snapshot<'s>, Option<Oid>)> {
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let snapshot = store.snapshot()?;
    let stamp = read_key(&transaction)?;
    let before = Oid::parse(&stamp.commit).filter(|before| *before != snapshot.commit());
    if stamp.commit != snapshot.commit().to_string() {
        let old = Oid::parse(&stamp.tree).ok_or(rusqlite::Error::InvalidQuery)?;
        build::update(&transaction, &snapshot, old)?;
    }
    transaction.commit()?;
    fingerprint::stamp_mtime(conn)?;
    // What can't be done now is done when the file is opened next.
    let _ = aux_db::apply_purges(conn);
    Ok((snapshot, before))
}

/// A copy of a cache, in memory.
pub(super) fn copy(conn: &Connection) -> Result<Connection> {
    let mut copy = in_memory()?;
    let late = aux_db::is_there(conn) && aux_db::open(conn).is_ok();
    // As long as the rows are held, nobody changes both.
    let both = conn.unchecked_transaction()?;
    read_key(conn)?;
    copy_of(conn, &mut copy, c"main")?;
    if late {
        aux_db::copy(conn, &mut copy)?;
    }
    both.finish()?;
    Ok(copy)
}
