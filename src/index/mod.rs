//! The cache: rows for lists, edges for readiness, full text, operations.
//!
//! It may be deleted at any time and is never the truth. Its stamp names the commit and the boot it
//! was made under; a reader that finds it behind catches up by the difference of two trees, in time
//! proportional to the change. What is wrong with the file is never an error: it is made again, and
//! where that can't be written, in memory.

mod ahead_cache;
mod at_revision;
mod aux_db;
mod build;
mod commit_links;
mod compare;
mod completion;
mod derived;
mod edges;
mod filter;
mod fingerprint;
mod generations;
mod lookup;
mod memory;
mod oplog;
mod partial;
mod project;
mod query;
mod schema;
mod search;
mod status_changes;
mod trailer_changes;

use std::ffi::CStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};

use crate::env;
use crate::store::{Oid, Snapshot, Store, StoreError};
use generations::{free_name, generations, is_ours, is_own, last_number, newest, sweep};

pub use commit_links::CommitLink;
pub use completion::IdGroup;
pub use edges::{EdgeRow, Neighbour};
pub use filter::{Filter, Order};
pub use lookup::Lookup;
pub use memory::MemoryRow;
pub use oplog::{OpFilter, OpRecord};
pub use partial::PartialIndex;
pub use query::{Counts, Makers, Name, Page, Row};
pub use status_changes::StatusChanged;

/// How long a reader waits for another process that is catching up, before it does so by itself.
const PATIENCE: Duration = Duration::from_millis(400);
/// Number of looks for a file that another process may have replaced.
const ROUNDS: usize = 3;

/// What can go wrong; only [`IndexError::Store`] ever reaches a user.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The repository can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The cache can't.
    #[error("the index: {0}")]
    Sql(#[from] rusqlite::Error),
    /// Another process moved the cache on while this one was about to fill it.
    #[error("the index moved on")]
    Stale,
}

pub(crate) type Result<T, E = IndexError> = std::result::Result<T, E>;

/// The cache, as fresh as one snapshot.
pub struct Index<'s> {
    conn: Connection,
    snapshot: Snapshot<'s>,
    file: Option<IndexFile>,
    before: Option<Oid>,
}

/// A file of the cache, and what tells it from another of the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct IndexFile {
    path: PathBuf,
    inode: (u64, u64),
}

impl IndexFile {
    fn at(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let meta = fs::symlink_metadata(path).ok()?;
        Some(Self {
            path: path.to_owned(),
            inode: (meta.dev(), meta.ino()),
        })
    }
}

/// An open cache between two questions: what it has prepared need not be prepared again.
pub struct IdleIndex {
    conn: Connection,
    file: IndexFile,
}

/// What the cache was made from.
#[derive(PartialEq, Eq)]
struct IndexKey {
    version: i64,
    commit: String,
    tree: String,
    boot: String,
}

impl IndexKey {
    /// The state at a commit, if the cache was made from it: nothing of the repository has to be read then.
    fn stands_at<'s>(&self, store: &'s Store, head: Oid) -> Option<Snapshot<'s>> {
        if self.commit != head.to_string() {
            return None;
        }
        Some(store.known(head, Oid::parse(&self.tree)?))
    }
}

impl<'s> Index<'s> {
    /// Opens the cache of a store and catches up with its newest state.
    ///
    /// # Errors
    /// A repository that can't be read; the cache itself never fails.
    pub fn open(store: &'s Store) -> Result<Self> {
        let head = store.head()?;
        let boot = env::boot_id();
        for folder in folders(store) {
            match Self::in_folder(store, head, &folder, &boot) {
                Ok(index) => return Ok(index),
                Err(IndexError::Store(error)) => return Err(error.into()),
                Err(IndexError::Sql(_) | IndexError::Stale) => {}
            }
        }
        let (conn, snapshot) = (in_memory()?, store.snapshot()?);
        build::rebuild(&conn, &snapshot, &boot)?;
        Ok(Self {
            conn,
            snapshot,
            file: None,
            before: None,
        })
    }

    /// Like [`Index::fresh`], on a cache that was kept open, if it is still the one of the store.
    ///
    /// # Errors
    /// As [`Index::fresh`].
    pub fn reopen(store: &'s Store, kept: IdleIndex) -> Result<Self> {
        let IdleIndex { mut conn, file } = kept;
        if newest(&store.folder())
            .and_then(|path| IndexFile::at(&path))
            .as_ref()
            != Some(&file)
        {
            return Self::open(store);
        }
        if stay_small(&conn).is_err() {
            return Self::open(store);
        }
        let head = store.head()?;
        let Ok(stamp) = fingerprint::verify(&conn) else {
            return Self::open(store);
        };
        if let Some(snapshot) = stamp.stands_at(store, head) {
            return Ok(Self {
                conn,
                snapshot,
                file: Some(file),
                before: None,
            });
        }
        match catch_up(store, &mut conn) {
            Ok((snapshot, before)) => Ok(Self {
                conn,
                snapshot,
                file: Some(file),
                before,
            }),
            Err(IndexError::Store(error)) => Err(error.into()),
            Err(_) => Self::open(store),
        }
    }

    /// Keeps the cache open; none where it is in memory.
    pub fn keep(self) -> Option<IdleIndex> {
        let Self { conn, file, .. } = self;
        Some(IdleIndex { conn, file: file? })
    }

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

    /// Builds a cache of one snapshot in memory, whatever the ref says by now.
    ///
    /// # Errors
    /// A repository that can't be read.
    pub fn private(snapshot: Snapshot<'s>) -> Result<Self> {
        let conn = in_memory()?;
        build::rebuild(&conn, &snapshot, &env::boot_id())?;
        Ok(Self {
            conn,
            snapshot,
            file: None,
            before: None,
        })
    }

    /// Makes a new cache beside one that turned out to be damaged.
    ///
    /// # Errors
    /// A repository that can't be read.
    pub fn replaced(store: &'s Store) -> Result<Self> {
        let boot = env::boot_id();
        let snapshot = store.snapshot()?;
        let folder = store.folder();
        let made = create(&folder, &snapshot, &boot)
            .and_then(|path| Self::open_file(store, snapshot.commit(), &path, &boot));
        match made {
            Ok(Some(index)) => Ok(index),
            _ => Self::private(store.snapshot()?),
        }
    }

    /// Writes what is filled aux_db, if the cache is still at the state of this reader.
    fn at_my_state(&self, write: impl FnOnce() -> Result<()>) -> Result<()> {
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
    fn late_at_my_state(&self, write: impl FnOnce() -> Result<()>) -> Result<()> {
        self.at_my_state(write)?;
        aux_db::mark(&self.conn)
    }

    /// Asks several questions of one state, and locks the cache once instead of for each. For short answers that fill
    /// nothing: whoever brings the cache up to date waits for them.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn at_once<T>(&self, ask: impl FnOnce() -> T) -> Result<T> {
        if !self.conn.is_autocommit() {
            return Ok(ask());
        }
        let held = self.conn.unchecked_transaction()?;
        let answer = ask();
        held.finish()?;
        Ok(answer)
    }

    /// The commit that it showed before this question, if it has moved.
    pub fn before(&self) -> Option<Oid> {
        self.before
    }

    /// The state it shows.
    pub fn snapshot(&self) -> Snapshot<'s> {
        self.snapshot
    }

    fn in_folder(store: &'s Store, head: Oid, folder: &Path, boot: &str) -> Result<Self> {
        for _ in 0..ROUNDS {
            if let Some(index) = Self::of_this_boot(store, head, folder, boot) {
                return Ok(index);
            }
            if !store.is_settled() {
                // Where that can't be done, what can be read is shown.
                let _ = store.recover();
            }
            let snapshot = store.snapshot()?;
            let shown = generations::last_shown(folder, boot);
            let path = create(folder, &snapshot, boot)?;
            match Self::open_file(store, snapshot.commit(), &path, boot) {
                Ok(Some(index)) => {
                    let shown = shown.filter(|shown| *shown != index.snapshot.commit());
                    let before = index.before.or(shown);
                    return Ok(Self { before, ..index });
                }
                // Another process has made a newer one, and removed this.
                _ if !path.exists() => {}
                opened => return opened?.ok_or(IndexError::Stale),
            }
        }
        Err(IndexError::Stale)
    }

    /// The newest generation that was made under this boot; none where the newest of all can't be used.
    fn of_this_boot(store: &'s Store, head: Oid, folder: &Path, boot: &str) -> Option<Self> {
        for (_, path) in generations(folder).into_iter().rev() {
            match Self::open_file(store, head, &path, boot) {
                Ok(Some(index)) => return Some(index),
                Ok(None) => {}
                Err(_) => return None,
            }
        }
        None
    }

    /// Opens a generation; none where it was made under another boot, and may have lost what that had written.
    fn open_file(store: &'s Store, head: Oid, path: &Path, boot: &str) -> Result<Option<Self>> {
        let mut conn = connect(path)?;
        let file = IndexFile::at(path);
        let stamp = match fingerprint::verify(&conn) {
            // Its own machine may be changing it at this moment.
            Err(_) if read_key(&conn).is_ok_and(|stamp| stamp.boot != boot) => return Ok(None),
            stamp => stamp?,
        };
        if stamp.version != schema::VERSION {
            return Err(rusqlite::Error::InvalidQuery.into());
        }
        if stamp.boot != boot {
            return Ok(None);
        }
        let known = stamp
            .stands_at(store, head)
            .map(|snapshot| (snapshot, None));
        match known.map_or_else(|| catch_up(store, &mut conn), Ok) {
            Ok((snapshot, before)) => Ok(Some(Self {
                conn,
                snapshot,
                file,
                before,
            })),
            Err(IndexError::Sql(error)) if is_busy(&error) => {
                Self::copy_in_memory(store, &conn, boot).map(Some)
            }
            Err(error) => Err(error),
        }
    }

    /// Clears what is purged out of all files of the cache, here and in the user's cache directory: the rows of the one
    /// in use are rewritten already, all others go.
    ///
    /// # Errors
    /// A repository that can't be read, or a file that can't be removed.
    pub fn clear_purged(store: &'s Store) -> Result<()> {
        let mut index = Self::open(store)?;
        if !aux_db::is_clear(&index.conn)? {
            // Somebody reads the texts all the time; a new file never had them.
            index = Self::replaced(store)?;
        }
        let current = index.file.as_ref().map(|file| file.path.as_path());
        for folder in folders(store) {
            generations::clear(&folder, current)?;
        }
        Ok(())
    }

    /// Answers from a copy in memory while somebody else holds the file.
    fn copy_in_memory(store: &'s Store, conn: &Connection, boot: &str) -> Result<Self> {
        let caught = copy(conn).and_then(|mut copy| Ok((catch_up(store, &mut copy)?, copy)));
        match caught {
            Ok(((snapshot, before), conn)) => Ok(Self {
                conn,
                snapshot,
                file: None,
                before,
            }),
            Err(_) => {
                let conn = in_memory()?;
                let snapshot = store.snapshot()?;
                build::rebuild(&conn, &snapshot, boot)?;
                Ok(Self {
                    conn,
                    snapshot,
                    file: None,
                    before: None,
                })
            }
        }
    }
}

/// Brings an open cache to the newest state, in one transaction that reads stamp and ref again; returns that state, and
/// the one it came from if it was another.
fn catch_up<'s>(store: &'s Store, conn: &mut Connection) -> Result<(Snapshot<'s>, Option<Oid>)> {
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
fn copy(conn: &Connection) -> Result<Connection> {
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

fn copy_of(conn: &Connection, copy: &mut Connection, name: &CStr) -> Result<()> {
    let backup = rusqlite::backup::Backup::new_with_names(conn, name, copy, name)?;
    Ok(backup.run_to_completion(4096, Duration::from_millis(1), None)?)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
    )
}

fn connect(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let conn = Connection::open_with_flags(path, flags)?;
    configure(&conn)?;
    Ok(conn)
}

fn in_memory() -> Result<Connection> {
    let conn = Connection::open_in_memory()?;
    configure(&conn)?;
    Ok(conn)
}

/// A process that stays does without the mapping: its pages would count as its memory.
fn stay_small(conn: &Connection) -> Result<()> {
    conn.execute_batch("PRAGMA mmap_size=0; PRAGMA cache_size=-500;")?;
    aux_db::configure(conn)
}

fn configure(conn: &Connection) -> Result<()> {
    conn.busy_timeout(PATIENCE)?;
    conn.set_prepared_statement_cache_capacity(64);
    // Without the stability guarantee SQLite plans a statement again whenever a parameter changes.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.execute_batch(
        // The mapping first: the tables that the others make SQLite read then come from it.
        "PRAGMA mmap_size=1073741824; PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY; PRAGMA secure_delete=ON;",
    )?;
    Ok(())
}

fn read_key(conn: &Connection) -> Result<IndexKey> {
    let row = conn.query_row(
        "SELECT version, commit_id, tree, boot FROM stamp",
        [],
        |row| {
            Ok(IndexKey {
                version: row.get(0)?,
                commit: row.get(1)?,
                tree: row.get(2)?,
                boot: row.get(3)?,
            })
        },
    );
    row.optional()?
        .ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
}

/// Returns the folders that files of the cache may be in, the preferred one first.
fn folders(store: &Store) -> impl Iterator<Item = PathBuf> {
    let user = env::cache_dir().map(|dir| dir.join(place_name(store)));
    std::iter::once(store.folder()).chain(user)
}

/// Tells stores apart in the user's cache directory.
fn place_name(store: &Store) -> String {
    use sha2::{Digest, Sha256};
    let hash = Sha256::digest(store.common_dir().as_os_str().as_encoded_bytes());
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Builds a new generation beside the old ones and gives it its name only when it is whole.
fn create(folder: &Path, snapshot: &Snapshot<'_>, boot: &str) -> Result<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    let unwritable = |_| rusqlite::Error::InvalidPath(folder.to_owned());
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(unwritable)?;
    if !is_ours(folder) {
        return Err(rusqlite::Error::InvalidPath(folder.to_owned()).into());
    }
    let scratch = tempfile::Builder::new()
        .prefix("index-new-")
        .tempfile_in(folder)
        .map_err(unwritable)?;
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o600)).map_err(unwritable)?;
    let store = snapshot.store();
    // The user's own cache is never shared.
    if folder == store.folder() {
        for path in [folder, scratch.path()] {
            // One that another user has made has its mode.
            let _ = store.permissions().adjust(path);
        }
    }
    let conn = Connection::open(scratch.path())?;
    conn.execute_batch("PRAGMA journal_mode=OFF;")?;
    configure(&conn)?;
    build::rebuild(&conn, snapshot, boot)?;
    conn.execute_batch("PRAGMA journal_mode=DELETE;")?;
    fingerprint::stamp_mtime(&conn)?;
    conn.close().map_err(|(_, error)| error)?;
    let path = loop {
        let path = free_name(folder, last_number(folder) + 1);
        match fs::hard_link(scratch.path(), &path) {
            // That of another user is not ours to change.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                if is_own(&path) {
                    break path;
                }
            }
            linked => {
                linked.map_err(unwritable)?;
                break path;
            }
        }
    };
    sweep(folder, &path, boot);
    Ok(path)
}

/// The file of a connection; none in memory.
fn file_of(conn: &Connection) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = match conn.path() {
        Some(path) => path.as_bytes().to_owned(),
        // A name that is no UTF-8.
        None => conn
            .query_row("PRAGMA database_list", [], |row| {
                Ok(row.get_ref(2)?.as_bytes()?.to_owned())
            })
            .ok()?,
    };
    (!bytes.is_empty()).then(|| PathBuf::from(std::ffi::OsStr::from_bytes(&bytes)))
}
