//! Connections to the files of the cache, and to one in memory.

use std::ffi::CStr;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::Result;

/// Longest time a reader waits for another process that is catching up, before it works on a copy.
pub(super) const PATIENCE: Duration = Duration::from_millis(400);

pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
    )
}

/// Opens an existing file, without our settings, and never through a link.
pub(super) fn open_bare(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        // A connection never leaves the thread that has opened it.
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(path, flags)
}

pub(super) fn connect(path: &Path) -> Result<Connection> {
    let conn = open_bare(path)?;
    configure(&conn)?;
    Ok(conn)
}

pub(super) fn in_memory() -> Result<Connection> {
    let conn = Connection::open_in_memory()?;
    configure(&conn)?;
    Ok(conn)
}

pub(super) fn configure(conn: &Connection) -> Result<()> {
    conn.busy_timeout(PATIENCE)?;
    conn.set_prepared_statement_cache_capacity(64);
    // Without the stability guarantee SQLite plans a statement again whenever a parameter changes.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // No syncs, since the cache can be built again; but a purged text must not stay in its free pages.
    conn.execute_batch(
        // The mapping first: the tables that the others make SQLite read then come from it.
        "PRAGMA mmap_size=1073741824; PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY; PRAGMA secure_delete=ON;",
    )?;
    Ok(())
}

pub(super) fn copy_of(conn: &Connection, copy: &mut Connection, name: &CStr) -> Result<()> {
    let backup = rusqlite::backup::Backup::new_with_names(conn, name, copy, name)?;
    Ok(backup.run_to_completion(4096, Duration::from_millis(1), None)?)
}
