//! Moving one ref from a value that is expected to a new one, as `git update-ref` does it.
//!
//! Only the lock of that ref is taken. gix takes `packed-refs.lock` as well wherever there are packed refs, which
//! git needs to delete or pack refs alone: there a killed writer would stop everybody, and a stale lock us.
//!
//! The order is what makes it safe. Our own lock is held and notes what is about to happen, so that the next holder
//! can remove what a killed one leaves. The value is read under the ref's lock: nobody else moves it then, nor takes
//! its file away to pack it. The reflog comes before the rename, as git has it: a move is never without its entry.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gix::refs::packed;
use gix::refs::store::WriteReflog;

use super::private_file::sync_folder;
use super::write_lock::WriteLock;
use super::{Oid, REF, Result, Store, StoreError, io, unreadable};

/// How long git waits for the lock of a ref, unless `core.filesRefLockTimeout` says otherwise.
const TIMEOUT: i64 = 100;
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// From this size on `packed-refs` is mapped instead of read.
const LARGE: u64 = 32 << 10;
/// How often a folder that git removes as empty is made again.
const ROUNDS: usize = 8;
const MESSAGE: &str = "git-beads";

/// What a ref has to be before it is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// Anything.
    Any,
    /// This commit, or nothing.
    Value(Option<Oid>),
}

/// A move of one ref.
#[derive(Debug)]
pub(super) struct RefUpdate<'n> {
    name: &'n str,
    expected: Expected,
    new: Oid,
    durable: bool,
}

impl RefUpdate<'static> {
    /// Moves the main ref from `old` to `new`; the journal makes that durable.
    pub(super) fn main(old: Option<Oid>, new: Oid) -> Self {
        RefUpdate::new(REF, Expected::Value(old), new)
    }
}

impl<'n> RefUpdate<'n> {
    /// Moves any ref.
    pub(super) fn new(name: &'n str, expected: Expected, new: Oid) -> Self {
        Self {
            name,
            expected,
            new,
            durable: false,
        }
    }

    /// Waits until the disk has it.
    pub(super) fn durable(self) -> Self {
        Self {
            durable: true,
            ..self
        }
    }
}

/// The lock of a ref; it goes with its owner, unless it has become the ref: then the file of that name is another's.
struct RefLock {
    path: PathBuf,
    file: File,
    is_ref: bool,
}

impl Drop for RefLock {
    fn drop(&mut self) {
        if !self.is_ref {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Store {
    /// Moves a ref; false if it is not what was expected.
    ///
    /// # Errors
    /// [`StoreError::Busy`] where somebody holds its lock for too long; a ref that can't be read or written.
    pub(super) fn update_ref(&self, lock: &WriteLock, update: &RefUpdate<'_>) -> Result<bool> {
        let held = self.lock_ref(lock, update.name, update.new)?;
        let moved = self.move_locked(held, update);
        lock.end_move();
        moved
    }

    fn move_locked(&self, mut held: RefLock, update: &RefUpdate<'_>) -> Result<bool> {
        let fail = || io(format!("can't move {}", update.name));
        let old = match update.expected {
            // What can't be read gives way, and no reflog names a commit that is not there.
            Expected::Any => {
                let old = self.ref_value(update.name).ok().flatten();
                match old {
                    Some(old) if self.is_commit(old)? => Some(old),
                    _ => None,
                }
            }
            Expected::Value(expected) => {
                if self.ref_value(update.name)? != expected {
                    return Ok(false);
                }
                expected
            }
        };
        if old == Some(update.new) {
            return Ok(true);
        }
        let path = self.common_dir().join(update.name);
        writeln!(held.file, "{}", update.new).map_err(fail())?;
        if update.durable {
            held.file.sync_all().map_err(fail())?;
        }
        self.log_move(update.name, old, update.new)?;
        rename_over_empty_folders(&held.path, &path).map_err(fail())?;
        held.is_ref = true;
        if update.durable {
            path.parent().map_or(Ok(()), sync_folder).map_err(fail())?;
        }
        Ok(true)
    }

    /// Removes a ref that is loose alone, or leaves one that is packed to git.
    pub(super) fn delete_ref(&self, lock: &WriteLock, name: &str) -> Result<()> {
        if self.packed_ref(name)?.is_some() {
            let output = super::git::output(self.git().args(["update-ref", "-d", name]))?;
            return super::git::checked("update-ref", output.status.success(), &output.stderr);
        }
        let held = self.lock_ref(lock, name, Oid(self.repo.object_hash().null()))?;
        let removed = [self.common_dir().join(name), self.log_of(name)]
            .iter()
            .try_for_each(|path| match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            });
        drop(held);
        lock.end_move();
        removed.map_err(io(format!("can't remove {name}")))
    }

    /// Removes the folders that a ref has left empty; git leaves them.
    pub(super) fn remove_folders_of(&self, name: &str) {
        for path in [self.common_dir().join(name), self.log_of(name)] {
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
    /// that a lock of somebody else is never taken for ours.
    fn lock_ref(&self, lock: &WriteLock, name: &str, new: Oid) -> Result<RefLock> {
        let path = self.common_dir().join(format!("{name}.lock"));
        let patience = self.ref_lock_timeout();
        let (start, mut pause) = (Instant::now(), Duration::from_millis(1));
        let mut rounds = 0;
        loop {
            lock.begin_move(name, new);
            let error = match self.permissions().create_new(&path) {
                Ok(file) => {
                    let is_ref = false;
                    return Ok(RefLock { path, file, is_ref });
                }
                Err(error) => error,
            };
            lock.end_move();
            match error.kind() {
                ErrorKind::NotFound if rounds < ROUNDS => {
                    rounds += 1;
                    let folder = path.parent().unwrap_or(&path);
                    self.permissions()
                        .folders(folder)
                        .map_err(io(format!("can't make {}", folder.display())))?;
                }
                ErrorKind::AlreadyExists => {
                    if patience.is_some_and(|patience| start.elapsed() >= patience) {
                        return Err(StoreError::Busy(format!(
                            "{name}.lock: somebody else holds it"
                        )));
                    }
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                _ => return Err(io(format!("can't lock {name}"))(error)),
            }
        }
    }

    /// How long to wait for the lock of a ref; none for ever.
    fn ref_lock_timeout(&self) -> Option<Duration> {
        let configured = self.config("core.filesRefLockTimeout");
        let millis = configured.and_then(|text| text.trim().parse::<i64>().ok());
        u64::try_from(millis.unwrap_or(TIMEOUT))
            .ok()
            .map(Duration::from_millis)
    }

    /// The commit that a ref leads to, read from its file, else from the packed refs. Whoever holds the ref's lock
    /// reads what nobody else changes.
    fn ref_value(&self, name: &str) -> Result<Option<Oid>> {
        let path = self.common_dir().join(name);
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
            Err(error) if is_absence(&error) => self.packed_ref(name),
            Err(error) => Err(io(format!("can't read {name}"))(error)),
        }
    }

    pub(super) fn packed_ref(&self, name: &str) -> Result<Option<Oid>> {
        let path = self.common_dir().join("packed-refs");
        if !path.exists() {
            return Ok(None);
        }
        let hash = self.repo.object_hash();
        let refs = packed::Buffer::open(path, LARGE, hash).map_err(unreadable("packed-refs"))?;
        let found = refs.try_find(name).map_err(unreadable(name))?;
        Ok(found.map(|found| Oid(found.target())))
    }

    fn log_of(&self, name: &str) -> PathBuf {
        self.common_dir().join("logs").join(name)
    }

    /// Appends to the reflog, where the configuration wants one. Git itself keeps none of refs outside of branches
    /// and remotes, unless one is there; of the main ref we begin one.
    fn log_move(&self, name: &str, old: Option<Oid>, new: Oid) -> Result<()> {
        let begins = match self.repo.refs.write_reflog {
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
        let open = || self.permissions().append(&path);
        let mut file = match open() {
            Err(error) if is_absence(&error) => {
                let folder = path.parent().unwrap_or(&path);
                self.permissions().folders(folder).and_then(|()| open())
            }
            Err(_) if path.is_dir() => remove_empty_folders(&path).and_then(|()| open()),
            opened => opened,
        }
        .map_err(fail())?;
        file.write_all(&line).map_err(fail())
    }

    fn log_line(&self, old: Option<Oid>, new: Oid) -> std::io::Result<Vec<u8>> {
        let old = old.map_or_else(|| new.0.kind().null(), |old| old.0);
        let mut line = format!("{old} {new} ").into_bytes();
        let committer = self.signature("COMMITTER");
        let mut buffer = gix::date::parse::TimeBuf::default();
        committer.to_ref(&mut buffer).trim().write_to(&mut line)?;
        line.extend(format!("\t{MESSAGE}\n").bytes());
        Ok(line)
    }
}

/// Whether there is no such file; a folder in its place holds none of our refs.
fn is_absence(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory
    )
}

/// Renames a file to a place where git may have left empty folders.
fn rename_over_empty_folders(from: &Path, to: &Path) -> std::io::Result<()> {
    match fs::rename(from, to) {
        Err(_) if to.is_dir() => remove_empty_folders(to).and_then(|()| fs::rename(from, to)),
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
