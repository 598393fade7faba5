//! The errors below the operations, and the only place that reads the texts of gix: where its errors have no
//! type or class for something that we distinguish, a function below names the text.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::Failure;
use crate::model::command::Command;
use crate::model::limits::ValueError;

/// An error below the operations.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No repository encloses the directory.
    #[error("not a git repository (or any of the parent directories): {0}")]
    NotARepository(PathBuf),
    /// A repository we must not open or write.
    #[error("{0}")]
    Refused(String),
    /// Something else in the place of a file or folder of our own.
    #[error("{path} {what}; nothing was read or written there", path = .path.display())]
    NotOurs { path: PathBuf, what: &'static str },
    /// A repository of another user.
    #[error("the repository at {dir} belongs to another user; {} trusts it", Command::line("git config --global --add safe.directory").path(.0), dir = .0.display())]
    Untrusted(PathBuf),
    /// The repository has no issues yet.
    #[error("no issue store in this repository ({})", .0.display())]
    NoStore(PathBuf),
    /// The ref, a commit or a tree cannot be read; never the same as empty.
    #[error("{what} can't be read: {why}")]
    Unreadable {
        /// The ref or object.
        what: String,
        /// The reason that git gives.
        why: String,
    },
    /// The packed refs can't be read, by git neither.
    #[error("{what} can't be read: {why}")]
    PackedRefs {
        /// The ref.
        what: String,
        /// The reason that gix gives.
        why: String,
    },
    /// The reftable can't be read, by git neither.
    #[error("{what} can't be read: {why}")]
    Reftable {
        /// Its file.
        what: String,
        /// The reason.
        why: String,
    },
    /// There are more packs than there was room for when the repository was opened: opened again, it has room.
    #[error("{what} can't be read yet: packs have come faster than they were noticed")]
    TooManyPacks {
        /// The ref or object.
        what: String,
    },
    /// Another writer holds the lock.
    #[error("another writer is busy here ({0})")]
    Busy(String),
    /// The ref kept moving.
    #[error("others wrote during every attempt; nothing was changed")]
    LostRace,
    /// Reading or writing a file failed.
    #[error("{what}: {source}")]
    Io {
        /// The action that failed.
        what: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// Git could not write an object or a ref.
    #[error("{what}: {why}")]
    Write {
        /// The thing that was being written.
        what: String,
        /// The reason that git gives.
        why: String,
        /// The system's error, if it was one.
        kind: Option<ErrorKind>,
    },
    /// No such remote.
    #[error("`{name}` is not a remote of this repository ({})", if .known.is_empty() { "it has none".to_owned() } else { format!("it has: {known}") })]
    NoRemote {
        /// The name.
        name: String,
        /// Those it has.
        known: String,
    },
    /// A remote did not do what was asked of it.
    #[error("{remote}: {said}")]
    Remote {
        /// Its name.
        remote: String,
        /// The ref that was exchanged.
        reference: String,
        /// The words of git and of the remote.
        said: String,
        /// The kind of the failure.
        failure: Failure,
    },
    /// A value of the configuration that means nothing.
    #[error("{key} is `{value}`")]
    Setting {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// A value that means something.
        example: &'static str,
    },
    /// Data of a remote that must not reach our ref.
    #[error("rejected what the remote has: {0}")]
    Rejected(String),
    /// A write that others would refuse.
    #[error(transparent)]
    Limit(#[from] ValueError),
    /// A git command failed.
    #[error("`git {command}` failed: {stderr}")]
    Git {
        /// The subcommand.
        command: String,
        /// Its standard error.
        stderr: String,
    },
}

/// The result of store functions.
pub(crate) type Result<T, E = StoreError> = std::result::Result<T, E>;

/// A disk that takes no writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiskFault {
    /// It is full, or a quota is used up.
    Full,
    /// A file would pass the limit of file sizes.
    FileSize,
    /// We may not write there.
    ReadOnly,
    /// Git does not say what it is.
    Unnamed,
}

impl StoreError {
    /// Returns true where a remote has answered a push, or wants to know who pushes.
    pub(super) fn is_answer(&self) -> bool {
        let answers = [
            Failure::Refused,
            Failure::Content,
            Failure::ReadOnly,
            Failure::UnknownWriter,
        ];
        matches!(self, Self::Remote { failure, .. } if answers.contains(failure))
    }

    /// Returns true where a remote has nothing of a push, also for a reason that another try may not meet.
    pub(super) fn has_taken_nothing(&self) -> bool {
        let failed = matches!(self, Self::Remote { failure, .. } if *failure == Failure::NotTaken);
        failed || self.is_answer()
    }

    /// Returns true if something can't be read, so that it may be damaged.
    pub(crate) fn is_unreadable(&self) -> bool {
        matches!(
            self,
            Self::Unreadable { .. } | Self::PackedRefs { .. } | Self::Reftable { .. }
        )
    }

    /// Returns what is wrong with the disk, if it is that.
    pub(crate) fn disk_fault(&self) -> Option<DiskFault> {
        match self {
            Self::Io { source, .. } => fault_of(source.kind()).or_else(|| {
                // What a library has wrapped has no kind of its own.
                (source.kind() == ErrorKind::Other)
                    .then(|| fault_in(&source.to_string()))
                    .flatten()
            }),
            Self::Write { why, kind, .. } => kind.and_then(fault_of).or_else(|| fault_in(why)),
            Self::Git { stderr, .. } => fault_in(stderr),
            _ => None,
        }
    }
}

fn fault_of(kind: ErrorKind) -> Option<DiskFault> {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some(DiskFault::Full),
        ErrorKind::FileTooLarge => Some(DiskFault::FileSize),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Some(DiskFault::ReadOnly),
        _ => None,
    }
}

/// Reads the system's words in what git or a library says.
fn fault_in(text: &str) -> Option<DiskFault> {
    let text = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match () {
        () if says(&["no space", "diskspace", "quota"]) => Some(DiskFault::Full),
        () if says(&["file too large"]) => Some(DiskFault::FileSize),
        () if says(&["read-only", "permission", "denied"]) => Some(DiskFault::ReadOnly),
        // All that git says of a reftable, also where the disk is full.
        () if says(&["i/o error"]) => Some(DiskFault::Unnamed),
        () => None,
    }
}

/// Renders an error with everything below it on one line.
pub(super) fn explain(error: &gix::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in error.iter_errors() {
        let text = cause.to_string();
        // Many errors of gix repeat the text of their cause.
        if parts.last().is_none_or(|last| !last.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}

/// Returns what reading something failed with.
pub(super) fn unreadable(what: impl Into<String>) -> impl FnOnce(gix::Error) -> StoreError {
    let what = what.into();
    move |error| match explain(&error) {
        why if lacks_room(&why) => StoreError::TooManyPacks { what },
        why if is_of_packed_refs(&why) => StoreError::PackedRefs { what, why },
        why => StoreError::Unreadable { what, why },
    }
}

/// Returns what writing something failed with.
pub(super) fn unwritable(what: &str) -> impl FnOnce(gix::Error) -> StoreError {
    let what = what.to_owned();
    move |error| match explain(&error) {
        why if lacks_room(&why) => StoreError::TooManyPacks { what },
        why => {
            let system = error.downcast_any_ref::<std::io::Error>();
            let kind = system.map(std::io::Error::kind);
            StoreError::Write { what, why, kind }
        }
    }
}

/// Returns what a file operation failed with.
pub(super) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> StoreError {
    let what = what.into();
    move |source| StoreError::Io { what, source }
}

/// Returns why a repository was not found or not opened.
pub(super) fn refusal(dir: &Path, error: &gix::Error) -> StoreError {
    if is_untrusted(error) {
        return StoreError::Untrusted(dir.to_owned());
    }
    if error.classify().is_not_found() {
        return StoreError::NotARepository(dir.to_owned());
    }
    StoreError::Unreadable {
        what: format!("the repository at {}", dir.display()),
        why: explain(error),
    }
}

/// Returns true if gix's table of packs, which is made when a repository is opened, is full.
fn lacks_room(why: &str) -> bool {
    why.contains("too few index slots")
}

/// Returns true if gix can't make sense of `packed-refs`.
fn is_of_packed_refs(why: &str) -> bool {
    why.contains("packed reference")
}

/// Returns true if gix refuses a repository for its owner: its class is that of any file that we may not read.
fn is_untrusted(error: &gix::Error) -> bool {
    explain(error).contains("considered unsafe")
}

#[cfg(test)]
mod tests {
    use gix::odb::store::init::Slots;
    use gix::open::Options;

    use super::*;

    fn repository() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        gix::init_bare(dir.path()).unwrap();
        dir
    }

    #[test]
    fn too_many_packs_are_no_damage() {
        let dir = repository();
        let packs = dir.path().join("objects/pack");
        std::fs::create_dir_all(&packs).unwrap();
        for digit in ["1", "2", "3"] {
            for ending in ["idx", "pack"] {
                let name = format!("pack-{}.{ending}", digit.repeat(40));
                std::fs::write(packs.join(name), "").unwrap();
            }
        }
        let options = Options::isolated().object_store_slots(Slots::Given(1));
        let repo = gix::open_opts(dir.path(), options).unwrap();
        let id = gix::ObjectId::from_hex("a".repeat(40).as_bytes()).unwrap();
        for error in [
            repo.find_header(id).map_err(unreadable("x")).err(),
            repo.find_header(id).map_err(unwritable("x")).err(),
        ] {
            assert!(
                matches!(error, Some(StoreError::TooManyPacks { .. })),
                "{error:?}"
            );
        }
    }

    #[test]
    fn packed_refs_that_make_no_sense_are_told_apart() {
        for garbage in ["garbage\n", "# pack-refs with: sorted \ngarbage\n"] {
            let dir = repository();
            std::fs::write(dir.path().join("packed-refs"), garbage).unwrap();
            let repo = gix::open_opts(dir.path(), Options::isolated()).unwrap();
            let found = repo.try_find_reference("refs/beads/main");
            let error = found.map_err(unreadable("x")).err();
            assert!(
                matches!(error, Some(StoreError::PackedRefs { .. })),
                "{error:?}"
            );
        }
    }

    #[test]
    fn repositories_of_others_are_told_from_none() {
        let dir = repository();
        let reduced = Options::isolated().with(gix::sec::Trust::Reduced);
        let other = gix::open_opts(dir.path(), reduced.bail_if_untrusted(true));
        let error = refusal(dir.path(), &other.unwrap_err());
        assert!(matches!(error, StoreError::Untrusted(_)), "{error:?}");

        let empty = tempfile::tempdir().unwrap();
        let absent = gix::open_opts(empty.path(), Options::isolated()).unwrap_err();
        let above = gix::discover(empty.path()).unwrap_err();
        let missing = gix::discover(empty.path().join("missing")).unwrap_err();
        for error in [absent, above, missing] {
            let found = refusal(empty.path(), &error);
            assert!(
                matches!(found, StoreError::NotARepository(_)),
                "{found:?} {error:?}"
            );
        }
    }

    #[test]
    fn a_disk_that_takes_no_writes_is_known_by_kind_and_in_gits_words() {
        let io = |kind: ErrorKind| StoreError::Io {
            what: "x".into(),
            source: kind.into(),
        };
        let git = |stderr: &str| StoreError::Git {
            command: "gc".into(),
            stderr: stderr.into(),
        };
        for (error, fault) in [
            (io(ErrorKind::StorageFull), Some(DiskFault::Full)),
            (io(ErrorKind::PermissionDenied), Some(DiskFault::ReadOnly)),
            (io(ErrorKind::NotFound), None),
            (
                git("fatal: write error: No space left on device"),
                Some(DiskFault::Full),
            ),
            (
                git("fatal: write error: Disk quota exceeded"),
                Some(DiskFault::Full),
            ),
            (
                git("error: cannot lock ref: Read-only file system"),
                Some(DiskFault::ReadOnly),
            ),
            (
                git("fatal: could not open: Permission denied"),
                Some(DiskFault::ReadOnly),
            ),
            (
                git("fatal: reftable: transaction failure: I/O error"),
                Some(DiskFault::Unnamed),
            ),
            (git("fatal: bad object"), None),
        ] {
            assert_eq!(error.disk_fault(), fault, "{error}");
        }
    }
}
