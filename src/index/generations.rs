//! The files of the cache on disk: one for each rebuild, named by number.
//!
//! A process reads and writes the newest generation that was made under its boot, so two machines
//! that take turns on one disk keep one each. When a generation is made, all others are removed
//! except the one that another boot used last, or where there is none the one before: there are at
//! most two, however many reboots there were. A file that is locked by a reader stays; one that is
//! open between two questions can be removed, for its reader keeps the open file and looks for the
//! newest before the next question.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::connection::{configure, connect, is_busy, open_bare};
use super::{Result, aux_db, build, read_key, schema};
use crate::platform::{self, CreateMode as _, FileId};
use crate::store::own_files::{FileKind, OwnFile, files_in, remove};
use crate::store::{Oid, Snapshot};

/// Time that generations of other schemas stay, as another version of the program may be using
/// them.
const DAY: Duration = Duration::from_secs(24 * 3600);
/// Number of checks whether a file is still in use, before a purge removes it anyway.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);
/// Ending of the journal that SQLite keeps while it changes a file.
const JOURNAL: &str = "-journal";

/// Returns the generations of this schema that this user may change, by number. Each user of a shared repository has
/// generations of their own.
pub(super) fn generations(folder: &Path) -> Vec<(u64, PathBuf)> {
    let Some(meta) = own_folder(folder) else {
        return Vec::new();
    };
    let mut found = all(folder);
    // Others than the owner can make files in it.
    if platform::mode(&meta) & 0o022 != 0 {
        found.retain(|(_, path)| is_own(path));
    }
    found
}

/// Returns the highest number that a generation of this schema has, of any user.
pub(super) fn last_number(folder: &Path) -> u64 {
    match own_folder(folder) {
        Some(_) => all(folder).last().map_or(0, |(number, _)| *number),
        None => 0,
    }
}

/// Returns whether this user owns a file.
pub(super) fn is_own(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| platform::owns(&meta))
}

fn all(folder: &Path) -> Vec<(u64, PathBuf)> {
    let prefix = format!("index-{}-", schema::VERSION);
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<(u64, PathBuf)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let number = name
                .strip_prefix(&prefix)?
                .strip_suffix(".db")?
                .parse()
                .ok()?;
            // Opening a named pipe would wait without end.
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            is_file.then(|| (number, entry.path()))
        })
        .collect();
    found.sort_unstable();
    found
}

/// Returns what is known of a folder; none for a link, which could lead to files of others.
fn own_folder(folder: &Path) -> Option<fs::Metadata> {
    let meta = fs::symlink_metadata(folder).ok();
    meta.filter(fs::Metadata::is_dir)
}

pub(super) fn newest(folder: &Path) -> Option<PathBuf> {
    generations(folder).pop().map(|(_, path)| path)
}

/// Returns the commit that the newest generation shows, if it was made under this boot. It can be
/// read even from a file that can't be used any more.
pub(super) fn last_shown(folder: &Path, boot: &str) -> Option<Oid> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let conn = Connection::open_with_flags(newest(folder)?, flags).ok()?;
    let stamp = read_key(&conn).ok()?;
    let is_current = stamp.version == schema::VERSION && stamp.boot == boot;
    is_current.then(|| Oid::parse(&stamp.commit)).flatten()
}

/// Returns the first name from a number on that has no leftover second file of a removed
/// generation.
pub(super) fn free_name(folder: &Path, number: u64) -> PathBuf {
    let path = folder.join(format!("index-{}-{number}.db", schema::VERSION));
    if aux_db::path_of(&path).exists() {
        free_name(folder, number + 1)
    } else {
        path
    }
}

/// Removes the generations that are not needed any more after one was made.
pub(super) fn sweep(folder: &Path, current: &Path, boot: &str) {
    let old: Vec<(u64, PathBuf)> = generations(folder)
        .into_iter()
        .filter(|(_, path)| path != current)
        .collect();
    let kept = old
        .iter()
        .map(|(_, path)| path)
        .filter(|path| is_of_another_boot(path, boot))
        .max_by_key(|path| used(path))
        // One that was found damaged may still be open.
        .or(old.last().map(|(_, path)| path));
    let prefix = format!("index-{}-", schema::VERSION);
    let is_kept = |file: &OwnFile| {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        file.kind != FileKind::Index
            || !is_own(&file.path)
            || belongs(&file.path, current)
            || kept.is_some_and(|kept| belongs(&file.path, kept))
            || (!name.starts_with(&prefix) && is_recent(&file.path))
    };
    for file in files_in(folder).unwrap_or_default() {
        // A file that stays behind costs only its space.
        if !is_kept(&file) && is_idle(&file.path) {
            let _ = remove(&file.path);
        }
    }
}

/// Removes all generations but one, after waiting for their readers, and scratch files that killed
/// processes have left.
pub(super) fn clear(folder: &Path, current: Option<&Path>) -> crate::store::Result<()> {
    for file in files_in(folder)? {
        match file.kind {
            FileKind::Index if !current.is_some_and(|current| belongs(&file.path, current)) => {
                // Removed even if it stays in use: its reader keeps the open file, but no text may
                // stay on disk.
                for _ in 0..LOOKS {
                    if is_idle(&file.path) {
                        break;
                    }
                    std::thread::sleep(PAUSE);
                }
                remove(&file.path)?;
            }
            // One that is being built is locked; it becomes the newest, and catches up when it is
            // opened.
            FileKind::IndexScratch if is_idle(&file.path) => remove(&file.path)?,
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether a file is a generation, its second file, or the journal of either.
fn belongs(file: &Path, generation: &Path) -> bool {
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let found = name(file);
    let found = found.strip_suffix(JOURNAL).unwrap_or(&found);
    found == name(generation) || found == name(&aux_db::path_of(generation))
}

/// Returns the time of the last change of a file, for comparison.
fn used(path: &Path) -> Option<impl Ord + use<>> {
    fs::symlink_metadata(path).ok()?.modified().ok()
}

/// Returns whether a file was changed within a day.
fn is_recent(path: &Path) -> bool {
    let modified = fs::symlink_metadata(path).and_then(|meta| meta.modified());
    let age = modified.ok().and_then(|time| time.elapsed().ok());
    age.is_some_and(|age| age < DAY)
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let conn = open_bare(path)?;
    // A look must not wait: a file that is held counts as in use.
    conn.busy_timeout(Duration::ZERO)?;
    Ok(conn)
}

fn is_of_another_boot(path: &Path, boot: &str) -> bool {
    let stamp = open(path)
        .map_err(Into::into)
        .and_then(|conn| read_key(&conn));
    stamp.is_ok_and(|stamp| stamp.boot != boot)
}

/// Returns whether no transaction holds a file; none holds one that is no database.
fn is_idle(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let path = Path::new(name.strip_suffix(JOURNAL).unwrap_or(&name));
    let held = open(path).and_then(|conn| conn.execute_batch("BEGIN EXCLUSIVE; ROLLBACK"));
    !held.is_err_and(|error| is_busy(&error))
}

/// Builds a new generation in a scratch file and gives it its name only when it is complete.
pub(super) fn create(folder: &Path, snapshot: &Snapshot<'_>, boot: &str) -> Result<PathBuf> {
    let unwritable = |_| rusqlite::Error::InvalidPath(folder.to_owned());
    fs::DirBuilder::new()
        .recursive(true)
        .create_mode(0o700)
        .create(folder)
        .map_err(unwritable)?;
    if own_folder(folder).is_none() {
        return Err(rusqlite::Error::InvalidPath(folder.to_owned()).into());
    }
    let scratch = tempfile::Builder::new()
        .prefix("index-new-")
        .tempfile_in(folder)
        .map_err(unwritable)?;
    platform::set_mode(scratch.path(), 0o600).map_err(unwritable)?;
    for path in [folder, scratch.path()] {
        // A folder that another user has made keeps its mode.
        let _ = snapshot.store().permissions().adjust(path);
    }
    let conn = Connection::open(scratch.path())?;
    // No journal: a scratch file of a killed process is thrown away as a whole.
    conn.execute_batch("PRAGMA journal_mode=OFF;")?;
    configure(&conn)?;
    build::rebuild(&conn, snapshot, boot)?;
    let inode = FileId::at_link(scratch.path()).map_err(unwritable)?.inode;
    conn.execute("UPDATE stamp SET inode = ?1", [inode.to_string()])?;
    conn.execute_batch("PRAGMA journal_mode=DELETE;")?;
    conn.close().map_err(|(_, error)| error)?;
    let path = loop {
        let path = free_name(folder, last_number(folder) + 1);
        // A link fails where the name exists, unlike a rename: a generation is never replaced under
        // a reader.
        match fs::hard_link(scratch.path(), &path) {
            // One of another user is of no use to this one: take the next number.
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
    if FileId::at_link(&path).map_err(unwritable)?.inode != inode {
        // This file system gives no numbers that last.
        connect(&path)?.execute("UPDATE stamp SET inode = NULL", [])?;
    }
    // After the new one has its name: there is always one to open.
    sweep(folder, &path, boot);
    Ok(path)
}
