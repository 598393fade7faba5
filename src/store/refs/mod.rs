//! Refs, in whichever format the repository keeps them. All that the store reads and writes of refs goes through
//! [`Refs`]; nothing else of it knows the format.
//!
//! | | files | reftable |
//! |---|---|---|
//! | read by | gix, from loose files and `packed-refs` | `git for-each-ref` |
//! | written by | us, as `git update-ref` does it ([`files`]) | `git update-ref` ([`reftable`]) |
//! | moved when changes | the loose file, or `packed-refs` | `reftable/tables.list` |
//! | locked by | `<ref>.lock` | `reftable/tables.list.lock`, for all refs |

mod dead_locks;
mod files;
pub(super) mod format;
mod reftable;
mod stack;
pub(super) mod value;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use gix::refs::FullName;

use super::write_lock::{RefMove, SOON, WriteLock};
use super::{Oid, REF, Result, Store};
use files::Files;
use format::{RefFiles, RefFingerprint, RefFormat, RefWatch};
use value::RefValue;

/// Clocks of file systems are this coarse.
const COARSE: Duration = Duration::from_millis(20);
/// The namespace of branches.
pub(super) const BRANCHES: &str = "refs/heads/";
/// The message of our moves in the reflog.
const MESSAGE: &str = "git-beads";

/// Returns what the log says of a ref: the main one's name, of others the first two parts. The rest of a name can be
/// a text of the user's.
fn shown(name: &str) -> &str {
    let second = name.match_indices('/').nth(1);
    match second {
        Some((end, _)) if name != REF => &name[..end],
        _ => name,
    }
}

/// Returns a ref as people name it.
pub(crate) fn short(reference: &str) -> &str {
    reference.strip_prefix(BRANCHES).unwrap_or(reference)
}

/// An entry of a reflog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogEntry {
    pub(super) old: Option<Oid>,
    pub(super) new: Option<Oid>,
    pub(super) why: String,
}

impl LogEntry {
    /// Returns true for a move that git-beads has made.
    pub(super) fn is_ours(&self) -> bool {
        self.why.starts_with(MESSAGE)
    }
}

/// The value that a ref must have before it is moved.
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

/// The refs of a repository.
#[derive(Clone, Copy)]
pub(super) struct Refs<'s> {
    store: &'s Store,
}

impl Store {
    pub(super) fn refs(&self) -> Refs<'_> {
        Refs { store: self }
    }
}

impl<'s> Refs<'s> {
    fn files(self) -> Files<'s> {
        Files { store: self.store }
    }

    /// Returns the value of a ref; none where it does not exist, or can't have such a name.
    pub(super) fn read(self, name: &str) -> Result<Option<RefValue>> {
        if FullName::try_from(name).is_err() {
            return Ok(None);
        }
        match &self.store.ref_format {
            RefFormat::Files => self.files().read(name),
            RefFormat::Reftable(table) => table.read(self.store, name),
        }
    }

    /// Reads refs that are asked for soon, where each one alone would cost a git.
    pub(super) fn read_ahead(self, names: impl IntoIterator<Item = String>) {
        if let RefFormat::Reftable(table) = &self.store.ref_format {
            table.read_ahead(self.store, names);
        }
    }

    /// Returns the object that a ref names itself; none of a symbolic one.
    pub(super) fn id(self, name: &str) -> Result<Option<Oid>> {
        Ok(match self.read(name)? {
            Some(RefValue::Id(oid)) => Some(oid),
            Some(RefValue::Symbolic(_)) | None => None,
        })
    }

    /// Returns the refs whose names begin with a prefix that ends with a slash, as far as they can be read, with what
    /// they name themselves.
    pub(super) fn below(self, prefix: &str) -> Result<Vec<(String, Option<Oid>)>> {
        let id = |value| match value {
            RefValue::Id(oid) => Some(oid),
            RefValue::Symbolic(_) => None,
        };
        let found = match &self.store.ref_format {
            RefFormat::Files => self.files().below(prefix)?,
            RefFormat::Reftable(table) => table.below(self.store, prefix)?,
        };
        Ok(found
            .into_iter()
            .map(|(name, value)| (name, id(value)))
            .collect())
    }

    /// Returns the branch that is checked out in this worktree.
    pub(super) fn head_branch(self) -> Option<String> {
        let name = match &self.store.ref_format {
            RefFormat::Files => self.files().head(),
            RefFormat::Reftable(table) => table.head(self.store).ok().flatten(),
        };
        Some(name?.strip_prefix(BRANCHES)?.to_owned())
    }

    /// Returns what changes whenever the main ref is moved; other moves may change it too.
    pub(super) fn fingerprint(self) -> RefFingerprint {
        self.watched().fingerprint()
    }

    /// Returns a look at the ref that begins now.
    pub(super) fn watch(self) -> RefWatch {
        RefWatch::new(self.watched())
    }

    fn watched(self) -> RefFiles {
        let common = self.store.common_dir();
        RefFiles(match &self.store.ref_format {
            RefFormat::Files => [REF, "packed-refs"].map(|name| Some(common.join(name))),
            RefFormat::Reftable(table) => [Some(table.list()), None],
        })
    }

    /// Returns the newest entries of the main ref's reflog, so many at most, the newest first; none where it can't be
    /// read.
    pub(super) fn log_entries(self, most: usize) -> Vec<LogEntry> {
        match &self.store.ref_format {
            RefFormat::Files => self.files().log_entries(REF, most),
            RefFormat::Reftable(table) => table.log_entries(self.store, REF, most),
        }
    }

    /// Returns the commits that the main ref's reflog leads to, newest first.
    pub(super) fn logged_tips(self) -> Result<Vec<Oid>> {
        match &self.store.ref_format {
            RefFormat::Files => self.files().logged_tips(REF),
            RefFormat::Reftable(table) => Ok(table.logged_tips(self.store, REF)),
        }
    }

    /// Removes the entries of the main ref's reflog from the first one on that names such a commit; in a reftable all.
    pub(super) fn cut_log(self, lock: &WriteLock, is_old: &dyn Fn(Oid) -> bool) -> Result<()> {
        match &self.store.ref_format {
            RefFormat::Files => self.files().cut_log(REF, is_old),
            RefFormat::Reftable(table) => table.drop_log(self.store, lock, REF),
        }
    }

    /// Moves a ref; false if it is not what was expected.
    pub(super) fn update(self, lock: &WriteLock, update: &RefUpdate<'_>) -> Result<bool> {
        let moved = match &self.store.ref_format {
            RefFormat::Files => self.files().update(lock, update),
            RefFormat::Reftable(table) => table.update(self.store, lock, update),
        };
        let (name, new, moved_it) = (shown(update.name), update.new, moved.as_ref().ok());
        tracing::debug!(name, %new, moved = moved_it, "moves a ref");
        moved
    }

    /// Removes a ref.
    pub(super) fn delete(self, lock: &WriteLock, name: &str) -> Result<()> {
        let deleted = match &self.store.ref_format {
            RefFormat::Files => self.files().delete(lock, name),
            RefFormat::Reftable(table) => table.delete(self.store, lock, name),
        };
        tracing::debug!(
            name = shown(name),
            deleted = deleted.is_ok(),
            "removes a ref"
        );
        deleted
    }

    /// Removes the folders that a ref has left empty; git leaves them. A reftable has none.
    pub(super) fn remove_folders_of(self, name: &str) {
        if let RefFormat::Files = self.store.ref_format {
            self.files().remove_folders_of(name);
        }
    }

    /// Returns the file that is there while someone moves a ref.
    pub(super) fn lock_file(self, name: &str) -> PathBuf {
        match &self.store.ref_format {
            RefFormat::Files => self.store.common_dir().join(format!("{name}.lock")),
            RefFormat::Reftable(table) => table.lock_file(),
        }
    }

    /// Removes what a writer of our own has left that was killed over a move, which its note names; `noted` is the file
    /// with the note, and the caller holds its lock.
    pub(super) fn remove_leftover(self, noted: &std::fs::File, begun: &RefMove) {
        // The name becomes a path, and what is in the note can have been written by anybody.
        if FullName::try_from(begun.name.as_str()).is_err() {
            return;
        }
        match &self.store.ref_format {
            RefFormat::Files => self.files().remove_leftover(noted, begun),
            RefFormat::Reftable(table) => {
                let Ok(since) = noted.metadata().and_then(|meta| meta.modified()) else {
                    return;
                };
                table.remove_dead_locks(|meta| {
                    let made = meta.modified().ok();
                    made.is_some_and(|made| made + COARSE >= since && made < since + SOON)
                });
            }
        }
    }

    /// Returns what the main ref holds as text, to keep it before it is replaced.
    pub(super) fn raw(self) -> Option<Vec<u8>> {
        match &self.store.ref_format {
            RefFormat::Files => self.files().raw(REF),
            RefFormat::Reftable(_) => Some(format!("{}\n", self.id(REF).ok()??).into_bytes()),
        }
    }

    /// Returns true where the main ref has a file that holds neither an id nor the name of another ref, which is
    /// no decision of a person. Of a reftable that can't be read only git knows what is in it.
    pub(super) fn is_garbage(self) -> bool {
        match &self.store.ref_format {
            RefFormat::Files => self.files().is_garbage(REF),
            RefFormat::Reftable(_) => false,
        }
    }

    /// Returns whether all refs are in a stack of tables.
    pub(super) fn are_in_tables(self) -> bool {
        matches!(self.store.ref_format, RefFormat::Reftable(_))
    }

    /// Prepares a git that may move refs.
    pub(super) fn configure(self, command: &mut Command) {
        if let RefFormat::Reftable(table) = &self.store.ref_format {
            table.configure(self.store, command);
        }
    }

    /// Returns the files in which someone may hold a lock of refs: those of the main ref, of all, and in folders of
    /// ours.
    pub(super) fn lock_files(self) -> Vec<PathBuf> {
        match &self.store.ref_format {
            RefFormat::Files => self.files().lock_files(),
            RefFormat::Reftable(table) => table.lock_files(),
        }
    }

    /// Cleans up after a git of our own that a signal ended, perhaps while it moved refs.
    pub(super) fn clean_after_child(self, began: Instant) {
        if let RefFormat::Reftable(_) = self.store.ref_format
            && let Ok(_lock) = self.store.lock()
        {
            self.remove_dead_locks(began);
        }
    }

    /// Removes what a git of our own that has ended may have left of its locks on a reftable. The caller holds our lock.
    pub(super) fn remove_dead_locks(self, began: Instant) {
        if let RefFormat::Reftable(table) = &self.store.ref_format {
            table.remove_dead_locks(|meta| {
                let age = meta.modified().ok().and_then(|made| made.elapsed().ok());
                age.is_some_and(|age| age <= began.elapsed() + COARSE)
            });
        }
    }
}
