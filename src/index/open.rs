//! Opening the cache: the newest file of this boot, another process's, a new one, or a copy in memory.
//!
//! Nothing here is an error of the user's: a faulty file leads to the next way, down to an index in
//! memory.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::catch_up::{catch_up, copy};
use super::connection::{connect, in_memory, is_busy};
use super::generations::{self, create, generations, newest};
use super::{
    IdleIndex, Index, IndexError, IndexFile, Result, aux_db, build, read_key, schema, unfiled,
};
use crate::store::{Oid, Snapshot, Store};

/// Number of tries to open a file that another process may replace.
const ROUNDS: usize = 3;

impl<'s> Index<'s> {
    /// Opens the cache of a store and catches up with its newest state. Only an unreadable
    /// repository is an error.
    pub fn open(store: &'s Store) -> Result<Self> {
        let head = store.head()?;
        let boot = store.env().boot_id();
        if !store.permissions().leave_nothing() {
            match Self::in_folder(store, head, &store.folder(), &boot) {
                Ok(index) => return Ok(index),
                Err(IndexError::Store(error)) => return Err(error.into()),
                // Memory serves as well.
                Err(IndexError::Sql(_) | IndexError::Stale) => {}
            }
        }
        let (conn, snapshot) = (in_memory()?, store.snapshot()?);
        build::rebuild(&conn, &snapshot, &boot)?;
        Ok(unfiled(conn, snapshot))
    }

    /// Opens like [`Index::open`], on a cache that was kept open, if its file is still the newest.
    pub(crate) fn reopen(store: &'s Store, kept: IdleIndex) -> Result<Self> {
        let IdleIndex { mut conn, file } = kept;
        // A removed file can still be read through the open connection, but no process updates it
        // any more.
        if store.permissions().leave_nothing()
            || newest(&store.folder())
                .and_then(|path| IndexFile::at(&path))
                .as_ref()
                != Some(&file)
        {
            return Self::open(store);
        }
        let head = store.head()?;
        let Ok(key) = read_key(&conn) else {
            return Self::open(store);
        };
        let (snapshot, before) = match key.snapshot_at(store, head) {
            Some(snapshot) => (snapshot, None),
            None => match catch_up(store, &mut conn) {
                Ok(caught) => caught,
                Err(IndexError::Store(error)) => return Err(error.into()),
                Err(_) => return Self::open(store),
            },
        };
        Ok(Self {
            conn,
            snapshot,
            file: Some(file),
            before,
        })
    }

    /// Makes a new generation after one that turned out to be damaged.
    pub(crate) fn replaced(store: &'s Store) -> Result<Self> {
        let boot = store.env().boot_id();
        let snapshot = store.snapshot()?;
        if store.permissions().leave_nothing() {
            return Self::private(snapshot);
        }
        let folder = store.folder();
        let made = create(&folder, &snapshot, &boot)
            .and_then(|path| Self::open_file(store, snapshot.commit(), &path, &boot));
        match made {
            Ok(Some(index)) => Ok(index),
            _ => Self::private(store.snapshot()?),
        }
    }

    /// Builds a cache of one snapshot in memory, even if the ref has moved since.
    pub fn private(snapshot: Snapshot<'s>) -> Result<Self> {
        let conn = in_memory()?;
        build::rebuild(&conn, &snapshot, &snapshot.store().env().boot_id())?;
        Ok(unfiled(conn, snapshot))
    }

    /// Returns a copy in memory, of the state that the file has now: no process moves it on, and none is kept from
    /// moving the file on.
    pub(crate) fn copied(self) -> Result<Self> {
        if self.file.is_none() {
            return Ok(self);
        }
        let conn = copy(&self.conn)?;
        let key = read_key(&conn)?;
        let [commit, tree] = [&key.commit, &key.tree].map(|id| Oid::parse(id));
        let (Some(commit), Some(tree)) = (commit, tree) else {
            return Err(rusqlite::Error::InvalidQuery.into());
        };
        let snapshot = self.snapshot.store().known(commit, tree);
        let before = self.before;
        Ok(Self {
            before,
            ..unfiled(conn, snapshot)
        })
    }

    fn in_folder(store: &'s Store, head: Oid, folder: &Path, boot: &str) -> Result<Self> {
        for _ in 0..ROUNDS {
            if let Some(index) = Self::of_this_boot(store, head, folder, boot) {
                return Ok(index);
            }
            if !store.replay().is_settled() {
                // A failed recovery is no reason not to show what can be read.
                let _ = store.replay().recover();
            }
            let snapshot = store.snapshot()?;
            // Read before `create`, which removes the generation that knows it.
            let shown = generations::last_shown(folder, boot);
            let path = create(folder, &snapshot, boot)?;
            match Self::open_file(store, snapshot.commit(), &path, boot) {
                Ok(Some(index)) => {
                    let shown = shown.filter(|shown| *shown != index.snapshot.commit());
                    let before = index.before.or(shown);
                    return Ok(Self { before, ..index });
                }
                // Another process has made a newer one and removed this one.
                _ if !path.exists() => {}
                opened => return opened?.ok_or(IndexError::Stale),
            }
        }
        Err(IndexError::Stale)
    }

    /// Returns the newest generation that was made under this boot; none where a newer one can't be
    /// used.
    fn of_this_boot(store: &'s Store, head: Oid, folder: &Path, boot: &str) -> Option<Self> {
        for (_, path) in generations(folder).into_iter().rev() {
            match Self::open_file(store, head, &path, boot) {
                Ok(Some(index)) => return Some(index),
                Ok(None) => log_passed("it is of another boot", None),
                Err(error) => {
                    log_passed("it can't be used", sqlite_code(&error));
                    return None;
                }
            }
        }
        None
    }

    /// Opens a generation; none where it was made under another boot, whose last writes may be
    /// lost.
    fn open_file(store: &'s Store, head: Oid, path: &Path, boot: &str) -> Result<Option<Self>> {
        let mut conn = connect(path)?;
        if store.env().stays() {
            stay_small(&conn)?;
        }
        let key = read_key(&conn)?;
        if key.version != schema::VERSION {
            log_passed("it is of another version", None);
            return Err(rusqlite::Error::InvalidQuery.into());
        }
        if key.boot != boot {
            return Ok(None);
        }
        let file = IndexFile::at(path);
        let inode = file.as_ref().map(|file| file.id.inode.to_string());
        if key.inode.is_some() && key.inode != inode {
            // It can have been copied while it was being written.
            log_passed("it is a copy", None);
            return Err(rusqlite::Error::InvalidQuery.into());
        }
        let known = key.snapshot_at(store, head);
        tracing::trace!(hit = known.is_some(), "opened the index");
        let caught = match known {
            Some(snapshot) => Ok((snapshot, None)),
            None => catch_up(store, &mut conn),
        };
        match caught {
            Ok((snapshot, before)) => Ok(Some(Self {
                conn,
                snapshot,
                file,
                before,
            })),
            // A reader never waits for longer than `PATIENCE`: it brings a copy to the newest
            // state.
            Err(IndexError::Sql(error)) if is_busy(&error) => {
                log_passed("another process catches up: a copy in memory", None);
                Self::copy_in_memory(store, &conn, boot).map(Some)
            }
            Err(error) => Err(error),
        }
    }

    /// Removes purged texts from all files of the cache, also where earlier programs had some in the user's cache
    /// directory: the rows of the one in use are rewritten already, all others are removed.
    ///
    /// # Errors
    /// A repository that can't be read, or a file that can't be removed.
    pub(crate) fn clear_purged(store: &'s Store) -> Result<()> {
        let mut index = Self::open(store)?;
        if !aux_db::is_clear(&index.conn)? {
            // A reader holds the texts all the time; a new file never had them.
            index = Self::replaced(store)?;
        }
        let current = index.file.as_ref().map(|file| file.path.as_path());
        generations::clear(&store.folder(), current)?;
        if let Some(former) = former_folder(store) {
            generations::clear(&former, None)?;
        }
        Ok(())
    }

    /// Answers from a copy in memory while another process holds the lock.
    fn copy_in_memory(store: &'s Store, conn: &Connection, boot: &str) -> Result<Self> {
        let caught = copy(conn).and_then(|mut copy| Ok((catch_up(store, &mut copy)?, copy)));
        match caught {
            Ok(((snapshot, before), conn)) => Ok(Self {
                before,
                ..unfiled(conn, snapshot)
            }),
            Err(_) => {
                let conn = in_memory()?;
                let snapshot = store.snapshot()?;
                build::rebuild(&conn, &snapshot, boot)?;
                Ok(unfiled(conn, snapshot))
            }
        }
    }
}

/// Logs why a file of the index is not used as it is.
fn log_passed(why: &str, code: Option<rusqlite::ErrorCode>) {
    tracing::debug!(?code, "an index is passed over: {why}");
}

/// Returns SQLite's code alone, for the log: the text could name what is in a row.
fn sqlite_code(error: &IndexError) -> Option<rusqlite::ErrorCode> {
    match error {
        IndexError::Sql(error) => error.sqlite_error_code(),
        IndexError::Store(_) | IndexError::Stale => None,
    }
}

/// Turns the memory mapping off for a process that stays: its pages would count as its memory. The second file follows when it
/// is attached.
fn stay_small(conn: &Connection) -> Result<()> {
    Ok(conn.execute_batch("PRAGMA mmap_size=0; PRAGMA cache_size=-500;")?)
}

/// Returns the folder of the user's cache directory in which earlier programs had a cache of a store.
fn former_folder(store: &Store) -> Option<PathBuf> {
    use sha2::{Digest, Sha256};
    let hash = Sha256::digest(store.common_dir().as_os_str().as_encoded_bytes());
    let name: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    Some(store.env().cache_dir()?.join(name))
}
