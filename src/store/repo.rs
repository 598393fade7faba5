//! Finding and opening the repository.
//!
//! The repository that encloses the current directory is the store, so nothing has to be configured
//! and nothing can be routed wrongly. All linked worktrees share it through the common directory.

use std::path::{Path, PathBuf};

use gix::discover::upwards;
use gix::sec::trust::Mapping;

use super::{Oid, REF, Result, Snapshot, StoreError, explain, git, unreadable};
use crate::env;

/// Where to look for the repository.
#[derive(Clone, Debug)]
pub struct Location {
    /// The directory to start from.
    pub dir: PathBuf,
    /// Whether the user named it: then git's own variables (`GIT_DIR` and the like) do not apply.
    pub explicit: bool,
}

/// A repository that may hold issues.
pub struct Store {
    pub(super) repo: gix::Repository,
    common: PathBuf,
}

impl Store {
    /// Opens the repository that encloses a location.
    ///
    /// # Errors
    /// [`StoreError::NotARepository`]; [`StoreError::Refused`] for one owned by somebody else or one
    /// whose refs we could not write so that git sees them.
    pub fn discover(location: &Location) -> Result<Self> {
        let options = || {
            let overrides = env::var("GIT_CONFIG_PARAMETERS").map(|text| git::config_parameters(&text));
            let options = gix::open::Options::default().cli_overrides(overrides.unwrap_or_default());
            options.bail_if_untrusted(true)
        };
        let trust = Mapping { full: options(), reduced: options() };
        let upwards = upwards::Options { match_ceiling_dir_or_error: false, ..Default::default() }.apply_environment();
        let found = match env::var_os("GIT_DIR").filter(|_| !location.explicit) {
            // Absolute: a hook's `GIT_DIR=.` is taken for a work tree otherwise.
            Some(dir) => {
                let dir = location.dir.join(dir);
                gix::ThreadSafeRepository::open_opts(dir.canonicalize().unwrap_or(dir), options())
            }
            None => gix::ThreadSafeRepository::discover_opts(&location.dir, upwards, trust),
        };
        let repo = found.map_err(|error| refusal(&location.dir, &error))?.to_thread_local();
        let store = Self::from_repo(repo)?;
        if env::var_os("GIT_DIR").is_none() && store.lies_on_ceiling(&location.dir) {
            return Err(StoreError::NotARepository(location.dir.clone()));
        }
        Ok(store)
    }

    /// Whether the search had to stop below: git never looks into a ceiling above the start, gix does.
    fn lies_on_ceiling(&self, start: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (start, top) = (real(start), self.work_tree().unwrap_or_else(|| self.git_dir()));
        let ceilings = env::paths("GIT_CEILING_DIRECTORIES");
        ceilings
            .iter()
            .map(|path| real(path))
            .any(|ceiling| ceiling == top && start != ceiling && start.starts_with(&ceiling))
    }

    fn from_repo(mut repo: gix::Repository) -> Result<Self> {
        let backend = repo.config_snapshot().string("extensions.refStorage");
        if let Some(backend) = backend.filter(|backend| backend.as_slice() != b"files") {
            return Err(StoreError::Refused(format!(
                "this repository keeps its refs as `{backend}`, which is not supported yet; `git refs migrate --ref-format=files` converts it"
            )));
        }
        let common = repo.common_dir().canonicalize().unwrap_or_else(|_| repo.common_dir().to_owned());
        repo.object_cache_size_if_unset(1 << 20);
        Ok(Self { repo, common })
    }

    /// The directory that all linked worktrees share.
    pub fn common_dir(&self) -> &Path {
        &self.common
    }

    /// Our own folder in it: lock, index. Made on first use.
    pub fn folder(&self) -> PathBuf {
        self.common.join("beads")
    }

    /// The git directory of this worktree.
    pub fn git_dir(&self) -> PathBuf {
        let dir = self.repo.git_dir();
        dir.canonicalize().unwrap_or_else(|_| dir.to_owned())
    }

    /// The top of the work tree; none in a bare repository.
    pub fn work_tree(&self) -> Option<PathBuf> {
        self.repo.workdir().map(|dir| dir.canonicalize().unwrap_or_else(|_| dir.to_owned()))
    }

    /// What a person calls this repository: its work tree, else its git directory.
    pub fn place(&self) -> PathBuf {
        self.work_tree().unwrap_or_else(|| self.common.clone())
    }

    /// A value of git's configuration, from any scope and from `git -c`.
    pub fn config(&self, key: &str) -> Option<String> {
        self.repo.config_snapshot().string(key).map(|value| value.to_string())
    }

    /// A boolean of git's configuration.
    pub fn config_bool(&self, key: &str) -> Option<bool> {
        self.repo.config_snapshot().boolean(key)
    }

    /// The names of the remotes.
    pub fn remotes(&self) -> Vec<String> {
        self.repo.remote_names().iter().map(ToString::to_string).collect()
    }

    /// The user's name as git knows it.
    pub fn user_name(&self) -> Option<String> {
        self.who("AUTHOR").0
    }

    /// Name and email of an `AUTHOR` or `COMMITTER`, in git's order of precedence.
    ///
    /// Not by gix, which learns the local time zone on the way: that reads a hundred files.
    pub(super) fn who(&self, role: &str) -> (Option<String>, Option<String>) {
        let find = |what: &str| {
            let from_env = env::var(&format!("GIT_{role}_{}", what.to_uppercase()));
            from_env
                .or_else(|| self.config(&format!("{}.{what}", role.to_lowercase())))
                .or_else(|| self.config(&format!("user.{what}")))
        };
        let filled = |text: &String| !text.trim().is_empty();
        (find("name").filter(filled), find("email").or_else(|| env::var("EMAIL")).filter(filled))
    }

    /// The commit the ref points to; none where it does not exist.
    ///
    /// # Errors
    /// A ref that exists and can't be read is an error, never the same as none.
    pub fn tip(&self) -> Result<Option<Oid>> {
        let found = self.repo.try_find_reference(REF).map_err(unreadable(REF))?;
        let Some(reference) = found else { return Ok(None) };
        match reference.try_id() {
            Some(id) => Ok(Some(Oid(id.detach()))),
            None => Err(StoreError::Unreadable { what: REF.into(), why: "it is a symbolic ref".into() }),
        }
    }

    /// The state at a commit of any ref.
    ///
    /// # Errors
    /// A commit that can't be read.
    pub fn snapshot_at(&self, commit: Oid) -> Result<Snapshot<'_>> {
        Snapshot::at(self, commit)
    }

    /// The newest state, read without a lock.
    ///
    /// # Errors
    /// [`StoreError::NoStore`] where there is none.
    pub fn snapshot(&self) -> Result<Snapshot<'_>> {
        let tip = self.tip()?.ok_or_else(|| StoreError::NoStore(self.place()))?;
        Snapshot::at(self, tip)
    }
}

fn refusal(dir: &Path, error: &gix::Error) -> StoreError {
    let why = explain(error);
    if why.contains("considered unsafe")
        || why.contains("untrusted")
        || why.contains("insufficient trust")
        || why.contains("safe.directory")
    {
        return StoreError::Refused(format!(
            "the repository at {} belongs to another user; `git config --global --add safe.directory {0}` trusts it",
            dir.display()
        ));
    }
    if error.classify().is_not_found()
        || why.contains("not a git repository")
        || why.contains("Could not find a git repository")
    {
        return StoreError::NotARepository(dir.to_owned());
    }
    StoreError::Unreadable { what: format!("the repository at {}", dir.display()), why }
}
