//! The cache: rows for lists, edges for readiness, full text, operations.
//!
//! It may be deleted at any time and is never the truth. Its stamp names the commit and the boot it
//! was made under; a reader that finds it behind catches up by the difference of two trees, in time
//! proportional to the change. A damaged file is never an error: it is built again, and in memory
//! where it can't be written.

mod ahead_cache;
mod at_revision;
mod aux_db;
mod build;
mod catch_up;
mod chosen;
mod commit_links;
mod compare;
mod completion;
mod condition;
mod condition_sql;
mod connection;
mod counts;
mod derived;
mod edges;
mod expression;
mod generations;
mod lookup;
mod memory;
mod moved;
mod open;
mod oplog;
mod order;
mod partial;
mod project;
mod rows;
mod schema;
mod search;
mod statements;
mod status_changes;
mod stored;
mod tallies;
mod trailer_changes;

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::platform::FileId;
use crate::store::{self, Oid, Snapshot, Store, StoreError};
use statements::Statements as _;

pub(crate) use commit_links::CommitLink;
pub(crate) use compare::compared;
pub(crate) use completion::IdGroup;
pub(crate) use condition::{Condition, Fact, Pattern, Property, TimeColumn};
pub(crate) use counts::Counts;
pub(crate) use edges::{EdgeRow, Neighbour};
pub(crate) use expression::{Expression, TextColumn};
pub(crate) use lookup::{FollowedIssue, Lookup};
pub(crate) use moved::is_current;
pub(crate) use oplog::{OpFilter, OpRecord, names_like};
pub(crate) use order::{Order, Sort};
pub(crate) use partial::PartialIndex;
pub use rows::Row;
pub(crate) use rows::{Makers, Page};
pub(crate) use status_changes::StatusChanged;
pub(crate) use tallies::{OpTally, Tally};

/// Errors of the cache; only [`IndexError::Store`] ever reaches a user.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The repository can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The cache can't be read or written.
    #[error("the index: {0}")]
    Sql(#[from] rusqlite::Error),
    /// Another process moved the cache on while this one was about to fill it.
    #[error("the index moved on")]
    Stale,
}

impl IndexError {
    /// Returns true if another process works on the file, so that the same can be asked again.
    pub(crate) fn is_contended(&self) -> bool {
        match self {
            Self::Stale => true,
            Self::Sql(error) => connection::is_busy(error),
            Self::Store(_) => false,
        }
    }
}

pub(crate) type Result<T, E = IndexError> = std::result::Result<T, E>;

/// The cache, as fresh as one snapshot.
pub struct Index<'s> {
    conn: Connection,
    snapshot: Snapshot<'s>,
    file: Option<IndexFile>,
    before: Option<Oid>,
}

/// A file of the cache, with device and inode to recognise a new file under the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct IndexFile {
    path: PathBuf,
    id: FileId,
}

impl IndexFile {
    fn at(path: &Path) -> Option<Self> {
        Some(Self {
            path: path.to_owned(),
            id: FileId::at_link(path).ok()?,
        })
    }
}

/// An open cache between two questions, which keeps its prepared statements.
pub(crate) struct IdleIndex {
    conn: Connection,
    file: IndexFile,
}

/// The state, schema and boot that a cache was made from, and the file that it was made in: a copy of that is another one.
struct IndexKey {
    version: i64,
    commit: String,
    tree: String,
    boot: String,
    inode: Option<String>,
}

impl IndexKey {
    /// Returns the state at a commit without reading the repository, if the cache was made from it.
    fn snapshot_at<'s>(&self, store: &'s Store, head: Oid) -> Option<Snapshot<'s>> {
        if self.commit != head.to_string() {
            return None;
        }
        Some(store.known(head, Oid::parse(&self.tree)?))
    }
}

impl<'s> Index<'s> {
    /// Keeps the cache open; returns none where it is in memory.
    pub(crate) fn keep(self) -> Option<IdleIndex> {
        let Self { conn, file, .. } = self;
        Some(IdleIndex { conn, file: file? })
    }

    /// Asks several questions of one state, and locks the cache once instead of for each. For short
    /// questions that fill nothing: a process that catches up waits for them.
    pub(crate) fn at_once<T>(&self, ask: impl FnOnce() -> T) -> Result<T> {
        if !self.conn.is_autocommit() {
            return Ok(ask());
        }
        let held = self.conn.unchecked_transaction()?;
        let answer = ask();
        held.finish()?;
        Ok(answer)
    }

    /// Returns whether no file has it.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.file.is_none()
    }

    /// Returns the commit that it showed before this question, if it has moved.
    pub(crate) fn before(&self) -> Option<Oid> {
        self.before
    }

    /// Returns the state it shows.
    pub(crate) fn snapshot(&self) -> Snapshot<'s> {
        self.snapshot
    }
}

/// Returns a cache in memory.
fn unfiled(conn: Connection, snapshot: Snapshot<'_>) -> Index<'_> {
    Index {
        conn,
        snapshot,
        file: None,
        before: None,
    }
}

fn read_key(conn: &Connection) -> Result<IndexKey> {
    let sql = "SELECT version, commit_id, tree, boot, inode FROM stamp";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(IndexKey {
            version: row.get(0)?,
            commit: row.get(1)?,
            tree: row.get(2)?,
            boot: row.get(3)?,
            inode: row.get(4)?,
        })
    };
    conn.first(sql, [], read)?
        .ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
}

/// Returns the file of a connection; none in memory.
fn file_of(conn: &Connection) -> Option<PathBuf> {
    let bytes = match conn.path() {
        Some(path) => path.as_bytes().to_owned(),
        // The name is not UTF-8.
        None => conn
            .query_row("PRAGMA database_list", [], |row| {
                Ok(row.get_ref(2)?.as_bytes()?.to_owned())
            })
            .ok()?,
    };
    store::path_of(&bytes).filter(|path| !path.as_os_str().is_empty())
}
