//! The formats in which a repository can keep its refs.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use super::super::{Result, StoreError};
use super::stack::ReadRefs;
use crate::platform::FileFingerprint;

/// The format in which a repository keeps its refs.
pub(in super::super) enum RefFormat {
    /// Loose files and `packed-refs`.
    Files,
    /// Tables that only git reads and writes.
    Reftable(Reftable),
}

impl RefFormat {
    /// Reads the format from the configuration of a repository.
    pub(in super::super) fn of(repo: &gix::Repository, common: &Path) -> Result<Self> {
        let named = repo.config_snapshot().string("extensions.refStorage");
        match named.as_ref().map(|name| name.as_slice()) {
            None | Some(b"files") => Ok(Self::Files),
            Some(b"reftable") => Ok(Self::Reftable(Reftable::new(repo, common))),
            Some(_) => Err(StoreError::Refused(format!(
                "this repository keeps its refs as `{}`, which is not known here; `git refs migrate --ref-format=files` converts it",
                named.unwrap_or_default()
            ))),
        }
    }
}

/// The files that change with the ref, as they were at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefFingerprint([Option<FileFingerprint>; 2]);

/// The files that change with the ref.
#[derive(Clone, Debug)]
pub(super) struct RefFiles(pub(super) [Option<PathBuf>; 2]);

impl RefFiles {
    /// Returns how they are now.
    pub(super) fn fingerprint(&self) -> RefFingerprint {
        let mark = |path: &Option<PathBuf>| FileFingerprint::at(path.as_ref()?).ok();
        RefFingerprint(self.0.each_ref().map(mark))
    }
}

/// A look at the ref that goes on without the repository, so in any thread.
#[derive(Clone, Debug)]
pub(crate) struct RefWatch {
    files: RefFiles,
    before: RefFingerprint,
}

impl RefWatch {
    pub(super) fn new(files: RefFiles) -> Self {
        let before = files.fingerprint();
        Self { files, before }
    }

    /// Returns the folders in which something happens whenever the ref moves.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let folders = self
            .files
            .0
            .iter()
            .flatten()
            .filter_map(|file| file.parent());
        folders.map(Path::to_owned).collect()
    }

    /// Returns whether the ref may have moved since the watch began.
    pub(crate) fn has_moved(&self) -> bool {
        self.files.fingerprint() != self.before
    }
}

/// The reftable that the worktrees of a repository share.
pub(in super::super) struct Reftable {
    pub(super) folder: PathBuf,
    /// True if HEAD is in it too; a linked worktree has a stack of its own for that.
    pub(super) has_head: bool,
    pub(super) known: RefCell<Option<ReadRefs>>,
}

impl Reftable {
    pub(super) fn new(repo: &gix::Repository, common: &Path) -> Self {
        Self {
            folder: common.join("reftable"),
            has_head: repo.git_dir() == repo.common_dir(),
            known: RefCell::new(None),
        }
    }
}
