//! Refs in the files format: loose ones and `packed-refs`. One is moved from a value that is expected to a new one, as
//! `git update-ref` does it.
//!
//! Only the lock of that ref is taken. gix takes `packed-refs.lock` as well wherever there are packed refs, which
//! git needs to delete or pack refs alone: there a killed writer would stop everybody, and a stale lock us.
//!
//! The order is what makes it safe. Our own lock is held and notes what is about to happen, so that the next holder
//! can remove what a killed one leaves. The value is read under the ref's lock: no one else moves it then, nor takes
//! its file away to pack it. The reflog comes before the rename, as git has it: a move is never without its entry.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gix::refs::store::WriteReflog;
use gix::refs::{Target, packed};

use super::super::write_lock::{RefMove, SOON, WriteLock};
use super::super::{Oid, REF, Result, Store, StoreError, io, unreadable};
use super::value::RefValue;
use super::{Expected, LogEntry, MESSAGE, RefUpdate};
use crate::files;
use crate::platform::{delete_file, rename_file, sync_folder};

/// The time that git waits for the lock of a ref, unless `core.filesRefLockTimeout` says otherwise.
const TIMEOUT: i64 = 100;
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// From this size on `packed-refs` is mapped instead of read.
const LARGE: u64 = 32 << 10;
/// The number of times that a folder which git removes as empty is made again.
const ROUNDS: usize = 8;

/// The folders of the refs that we move, but for the main one.
const SPACES: [&str; 2] = ["refs/beads-remotes", "refs/beads-seen"];

/// The lock of a ref; it goes with its owner, unless it has become the ref: then the file of that name is another's.
struct RefLock {
    path: PathBuf,
    file: File,
    is_ref: bool,
}

impl Drop for RefLock {
    fn drop(&mut self) {
        if !self.is_ref {
            let _ = delete_file(&self.path);
        }
    }
}

/// The refs of a repository in this format.
#[derive(Clone, Copy)]
pub(super) struct Files<'s> {
    pub(super) store: &'s Store,
}

impl Files<'_> {
    /// Returns the value of a ref.
    pub(super) fn read(self, name: &str) -> Result<Option<RefValue>> {
        let refs = &self.store.repo;
        let found = refs.try_find_reference(name).map_err(unreadable(name))?;
        Ok(found.map(|found| value_of(&found)))
    }

    /// Returns the refs whose names begin with a prefix, as far as they can be read.
    pub(super) fn below(self, prefix: &str) -> Result<Vec<(String, RefValue)>> {
        let refs = self.store.repo.references();
        let refs = refs.map_err(unreadable("the refs"))?;
        let found = refs.prefixed(prefix).map_err(unreadable("the refs"))?;
        let found = found.filter_map(std::result::Result::ok);
        Ok(found
            .map(|found| (found.name().as_bstr().to_string(), value_of(&found)))
            .collect())
    }

    /// Returns the ref that HEAD leads to.
    pub(super) fn head(self) -> Option<String> {
        let name = self.store.repo.head_name().ok().flatten()?;
        Some(name.as_bstr().to_string())
    }

    /// Returns the commits that a reflog leads to, newest first.
    pub(super) fn logged_tips(self, name: &str) -> Result<Vec<Oid>> {
        let log = self.log(name)?;
        let lines = log.lines().rev();
        Ok(lines
            .filter_map(|line| Oid::parse(line.split(' ').nth(1)?))
            .collect())
    }

    /// Reads a reflog; empty where there is none. A name in it may be in any encoding.
    fn log(self, name: &str) -> Result<String> {
        match fs::read(self.log_of(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
            read => {
                let log = read.map_err(io("can't read the reflog"))?;
                Ok(String::from_utf8_lossy(&log).into_owned())
            }
        }
    }

    /// Cuts a reflog off before the first entry that names such a commit.
    pub(super) fn cut_log(self, name: &str, is_old: &dyn Fn(Oid) -> bool) -> Result<()> {
        let path = self.log_of(name);
        let fail = || io(format!("can't cut the reflog of {name}"));
        let bytes = match fs::read(&path) {
            Err(error) if is_absence(&error) => return Ok(()),
            read => read.map_err(fail())?,
        };
        let mut kept = 0;
        for entry in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = String::from_utf8_lossy(entry);
            if text.split(' ').take(2).filter_map(Oid::parse).any(is_old) {
                let file = File::options().write(true).open(&path).map_err(fail())?;
                return file.set_len(kept).map_err(fail());
            }
            kept += entry.len() as u64;
        }
        Ok(())
    }

    /// Returns the newest entries of a reflog, the newest first.
    pub(super) fn log_entries(self, name: &str, most: usize) -> Vec<LogEntry> {
        let log = self.log(name).unwrap_or_default();
        let mut entries = Vec::new();
        for line in log.lines().rev().take(most) {
            // Without a reason there is no tab either.
            let (ids, why) = line.split_once('\t').unwrap_or((line, ""));
            let mut ids = ids.split(' ').map(Oid::parse);
            if let (Some(old), Some(new)) = (ids.next(), ids.next()) {
                let why = why.to_owned();
                entries.push(LogEntry { old, new, why });
            }
        }
        entries
    }

    /// Returns what the file of a ref holds, or what replaces one among the packed ones.
    pub(super) fn raw(self, name: &str) -> Option<Vec<u8>> {
        let packed = || Some(format!("{}\n", self.packed_ref(name).ok()??).into_bytes());
        let loose = fs::read(self.store.common_dir().join(name)).ok();
        loose.or_else(packed)
    }

    /// Returns true where a loose ref holds neither an id nor the name of another ref.
    pub(super) fn is_garbage(self, name: &str) -> bool {
        fs::read(self.store.common_dir().join(name)).is_ok_and(|text| {
            let id = std::str::from_utf8(&text).ok();
            let id = id.and_then(|text| Oid::parse(text.trim()));
            id.is_none() && !text.starts_with(b"ref:")
        })
    }

    /// Returns the locks that are there of our refs, and of the packed ones.
    pub(super) fn lock_files(self) -> Vec<PathBuf> {
        let common = self.store.common_dir();
        let mut paths = vec![
            common.join("packed-refs.lock"),
            common.join(format!("{REF}.lock")),
        ];
        for space in SPACES {
            locks_below(&common.join(space), &mut paths);
        }
        paths
    }

    /// Removes the lock of a ref that a killed writer of our own has left: its note is not taken back, the file was
    /// made right after the note, and holds nothing but what that writer would have written.
    pub(super) fn remove_leftover(self, noted: &File, begun: &RefMove) {
        self.forget_first_move(begun);
        let path = self.store.common_dir().join(format!("{}.lock", begun.name));
        let (Ok(text), Ok(found)) = (fs::read(&path), fs::symlink_metadata(&path)) else {
            return;
        };
        let noted = noted.metadata().and_then(|meta| meta.modified());
        let age = match (found.modified(), noted) {
            (Ok(found), Ok(noted)) => found.duration_since(noted).ok(),
            _ => None,
        };
        let text = text.trim_ascii();
        if found.is_file()
            && age.is_some_and(|age| age < SOON)
            // Its writer may have been killed before the value was written, or half-way.
            && begun.new.to_string().as_bytes().starts_with(text)
        {
            // If it can't be removed the write says so.
            let _ = delete_file(&path);
        }
    }

    /// Takes the entry of a move out of a reflog, where it is the only one and there is no ref: the entry comes before the ref,
    /// and would say that there was one which has gone.
    fn forget_first_move(self, begun: &RefMove) {
        let is_absent = matches!(self.ref_value(&begun.name), Ok(None));
        if let [only] = &self.log_entries(&begun.name, 2)[..]
            && is_absent
            && only.new == Some(begun.new)
        {
            let _ = self.cut_log(&begun.name, &|named| named == begun.new);
        }
    }

    /// Moves a ref; false if it is not what was expected.
    pub(super) fn update(self, lock: &WriteLock, update: &RefUpdate<'_>) -> Result<bool> {
        // The note is taken back when the ref is settled: one that stays names a move that was cut off.
        let held = self.lock_ref(lock, update.name, update.new)?;
        let moved = self.move_locked(held, update);
        lock.end_move();
        moved
    }

    fn move_locked(self, mut held: RefLock, update: &RefUpdate<'_>) -> Result<bool> {
        let fail = || io(format!("can't move {}", update.name));
        let old = match update.expected {
            // What can't be read gives way, and no reflog names a commit that is not there.
            Expected::Any => {
                let old = self.ref_value(update.name).ok().flatten();
                match old {
                    Some(old) if self.store.is_commit(old)? => Some(old),
                    _ => None,
                }
            }
            Expected::Value(expected) => {
                // Read under the lock of the ref: a value from before could be that of another writer by now.
                if self.ref_value(update.name)? != expected {
                    return Ok(false);
                }
                expected
            }
        };
        if old == Some(update.new) {
            return Ok(true);
        }
        let path = self.store.common_dir().join(update.name);
        writeln!(held.file, "{}", update.new).map_err(fail())?;
        if update.durable {
            held.file.sync_all().map_err(fail())?;
        }
        // The reflog before the rename, as git has it: a value that no entry explains would look like a decision of a
        // person.
        self.log_move(update.name, old, update.new)?;
        rename_over_empty_folders(&held.path, &path).map_err(fail())?;
        // From here on the lock file is the ref itself: dropping `held` must not remove it.
        held.is_ref = true;
        if update.durable {
            path.parent().map_or(Ok(()), sync_folder).map_err(fail())?;
        }
        Ok(true)
    }

    /// Removes a ref that is loose alone, or leaves one that is packed to git.
    pub(super) fn delete(self, lock: &WriteLock, name: &str) -> Result<()> {
        // Only git rewrites `packed-refs`; without its entry the loose file is all there is of the ref.
        if self.packed_ref(name)?.is_some() {
            let output = super::super::git::output(self.store.git().command().args([
                "update-ref",
                "-d",
                name,
            ]))?;
            return super::super::git::checked(
                "update-ref",
                output.status.success(),
                &output.stderr,
            );
        }
        // Nothing is written into this lock, so any id will do for the note.
        let held = self.lock_ref(lock, name, Oid(self.store.repo.object_hash().null()))?;
        let removed = [self.store.common_dir().join(name), self.log_of(name)]
            .iter()
            .try_for_each(|path| match delete_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            });
        drop(held);
        lock.end_move();
        removed.map_err(io(format!("can't remove {name}")))
    }

    /// Removes the folders that a ref has left empty; git leaves them.
    pub(super) fn remove_folders_of(self, name: &str) {
        for path in [self.store.common_dir().join(name), self.log_of(name)] {
            let levels = name.matches('/').count().saturating_sub(1);
            let mut folders = path.ancestors().skip(1).take(levels);
            // The first that is not empty ends it.
            while folders
                .next()
                .is_some_and(|folder| fs::remove_dir(folder).is_ok())
            {}
        }
    }

    /// Makes the lock of a ref, waiting for others as git does. The note is there only while the file is made, so
    /// that a lock of someone else is never taken for ours.
    fn lock_ref(self, lock: &WriteLock, name: &str, new: Oid) -> Result<RefLock> {
        let path = self.store.common_dir().join(format!("{name}.lock"));
        let patience = self.ref_lock_timeout();
        let (start, mut pause) = (Instant::now(), Duration::from_millis(1));
        let mut rounds = 0;
        loop {
            lock.begin_move(name, new);
            // Exclusive creation is what makes it a lock, for git as well as for us.
            let error = match self.store.permissions().create_new(&path) {
                Ok(file) => {
                    let is_ref = false;
                    return Ok(RefLock { path, file, is_ref });
                }
                Err(error) => error,
            };
            lock.end_move();
            match error.kind() {
                // Git removes the folder of a ref when it has become empty, perhaps right after we have made it.
                ErrorKind::NotFound if rounds < ROUNDS => {
                    rounds += 1;
                    let folder = path.parent().unwrap_or(&path);
                    self.store
                        .permissions()
                        .folders(folder)
                        .map_err(io(format!("can't make {}", folder.display())))?;
                }
                ErrorKind::AlreadyExists => {
                    if patience.is_some_and(|patience| start.elapsed() >= patience) {
                        return Err(StoreError::Busy(format!(
                            "{name}.lock: another process holds it"
                        )));
                    }
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                _ => return Err(io(format!("can't lock {name}"))(error)),
            }
        }
    }

    /// Returns the time to wait for the lock of a ref; none for ever.
    fn ref_lock_timeout(self) -> Option<Duration> {
        let configured = self.store.config("core.filesRefLockTimeout");
        let millis = configured.and_then(|text| text.trim().parse::<i64>().ok());
        u64::try_from(millis.unwrap_or(TIMEOUT))
            .ok()
            .map(Duration::from_millis)
    }

    /// Returns the commit that a ref leads to, read from its file, else from the packed refs. Anyone who holds the
    /// ref's lock reads what no one else changes.
    fn ref_value(self, name: &str) -> Result<Option<Oid>> {
        let path = self.store.common_dir().join(name);
        match fs::read(&path) {
            Ok(text) => {
                let hex = std::str::from_utf8(text.trim_ascii()).unwrap_or_default();
                Oid::parse(hex)
                    .map(Some)
                    .ok_or_else(|| StoreError::Unreadable {
                        what: name.to_owned(),
                        why: "its file holds no id".to_owned(),
                    })
            }
            // A loose value hides a packed one, so the packed refs come second.
            Err(error) if is_absence(&error) => self.packed_ref(name),
            Err(error) => Err(io(format!("can't read {name}"))(error)),
        }
    }

    pub(super) fn packed_ref(self, name: &str) -> Result<Option<Oid>> {
        let path = self.store.common_dir().join("packed-refs");
        if !path.exists() {
            return Ok(None);
        }
        let hash = self.store.repo.object_hash();
        let refs = packed::Buffer::open(path, LARGE, hash).map_err(unreadable("packed-refs"))?;
        let found = refs.try_find(name).map_err(unreadable(name))?;
        Ok(found.map(|found| Oid(found.target())))
    }

    fn log_of(self, name: &str) -> PathBuf {
        self.store.common_dir().join("logs").join(name)
    }

    /// Appends to the reflog, where the configuration wants one. Git itself keeps none of refs outside of branches
    /// and remotes, unless one is there; of the main ref we begin one.
    fn log_move(self, name: &str, old: Option<Oid>, new: Oid) -> Result<()> {
        let begins = match self.store.repo.refs.write_reflog {
            WriteReflog::Disable => return Ok(()),
            WriteReflog::Always => true,
            WriteReflog::Normal => name == REF,
        };
        let path = self.log_of(name);
        let fail = || io(format!("can't write the reflog of {name}"));
        if !begins && !path.is_file() {
            return Ok(());
        }
        let line = self.log_line(old, new).map_err(fail())?;
        let mut file = self.open_log(&path).map_err(fail())?;
        file.write_all(&line).map_err(fail())
    }

    /// Opens a reflog to append to, and makes it, and its folders, where it is not there.
    fn open_log(self, path: &Path) -> std::io::Result<File> {
        let open = || self.store.permissions().append(path);
        match open() {
            Err(error) if is_absence(&error) => {
                let folder = path.parent().unwrap_or(path);
                self.store
                    .permissions()
                    .folders(folder)
                    .and_then(|()| open())
            }
            // A ref that was deleted may have had this name as a folder.
            Err(_) if path.is_dir() => remove_empty_folders(path).and_then(|()| open()),
            opened => opened,
        }
    }

    fn log_line(self, old: Option<Oid>, new: Oid) -> std::io::Result<Vec<u8>> {
        let old = old.map_or_else(|| new.0.kind().null(), |old| old.0);
        let mut line = format!("{old} {new} ").into_bytes();
        let committer = self.store.identity().signature("COMMITTER");
        let mut buffer = gix::date::parse::TimeBuf::default();
        committer.to_ref(&mut buffer).write_to(&mut line)?;
        line.extend(format!("\t{MESSAGE}\n").bytes());
        Ok(line)
    }
}

fn value_of(found: &gix::Reference<'_>) -> RefValue {
    match &found.inner.target {
        Target::Object(id) => RefValue::Id(Oid(*id)),
        Target::Symbolic(name) => RefValue::Symbolic(name.as_bstr().to_string()),
    }
}

/// Returns true if there is no such file; a folder in its place holds none of our refs.
fn is_absence(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory
    )
}

/// Renames a file to a place where git may have left empty folders.
fn rename_over_empty_folders(from: &Path, to: &Path) -> std::io::Result<()> {
    match rename_file(from, to) {
        Err(_) if to.is_dir() => remove_empty_folders(to).and_then(|()| rename_file(from, to)),
        renamed => renamed,
    }
}

/// Removes a folder in which there are none but empty folders.
fn remove_empty_folders(path: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_empty_folders(&entry.path())?;
        }
    }
    fs::remove_dir(path)
}

fn locks_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in files::entries(folder) {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            locks_below(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "lock") {
            found.push(path);
        }
    }
}
