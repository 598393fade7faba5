//! Finding and opening the repository.
//!
//! The repository that encloses the current directory is the store, so nothing has to be configured
//! and nothing can be routed wrongly. All linked worktrees share it through the common directory.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gix::discover::upwards;
use gix::odb::store::init::Slots;
use gix::sec::trust::Mapping;

use super::command_config::config_parameters;

use super::permissions::{KEY, Sharing};
use super::refs::format::{RefFingerprint, RefFormat, RefWatch};
use super::refs::value::RefValue;
use super::{Oid, Permissions, REF, Result, StoreError, refusal, unreadable};
use crate::env::Env;
use crate::files;
use crate::model::command::Command;
use crate::platform::{self, FileFingerprint};

/// Room for so many packs that a process which is over in a moment never runs out of it, or for twice as many as there
/// are: what is open takes the place that it was given.
const ROOM: Slots = Slots::AsNeededByDiskState {
    multiplier: 2.0,
    minimum: 128,
};

/// The place where to look for the repository.
#[derive(Clone, Debug)]
pub struct Location {
    /// The directory to start from.
    pub dir: PathBuf,
    /// True if the user named it: then git's own variables (`GIT_DIR` and the like) do not apply.
    pub explicit: bool,
    /// What else the command sees.
    pub env: Env,
}

/// The intent of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// To read: in the repository of another user it leaves nothing.
    Read,
    /// To change something.
    Write,
}

/// A repository that may hold issues.
pub struct Store {
    pub(super) repo: gix::Repository,
    common: PathBuf,
    config: Option<FileFingerprint>,
    pub(super) location: Location,
    packs: Cell<Option<FileFingerprint>>,
    permissions: Permissions,
    /// What the commands that follow are about to do.
    pub(crate) intent: Cell<Intent>,
    pub(super) ref_format: RefFormat,
    /// True if a file of our own folder can't be moved to the objects: they are separate mounts.
    pub(super) apart: Cell<bool>,
    /// The commit that counts as that of the ref, where a journal knows a later one and no one can move it.
    pub(super) journal_tip: Option<Oid>,
}

/// The directories of a repository, before it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    /// The git directory of this worktree.
    pub git_dir: PathBuf,
    /// The directory that all its worktrees share.
    pub common: PathBuf,
    /// The top of the work tree; none in a bare repository.
    pub work_tree: Option<PathBuf>,
}

impl Located {
    /// Returns the path by which a person knows this repository: its work tree, else its git directory.
    pub(crate) fn place(&self) -> &Path {
        self.work_tree.as_deref().unwrap_or(&self.common)
    }

    /// Returns whether this is a submodule of another repository: that keeps its git directory, or lists its path.
    pub(crate) fn is_submodule_of(&self, outer: &Self) -> bool {
        let mut kept = [&outer.common, &outer.git_dir].into_iter();
        if kept.any(|dir| self.common.starts_with(dir.join("modules"))) {
            return true;
        }
        let (Some(inner), Some(top)) = (&self.work_tree, &outer.work_tree) else {
            return false;
        };
        let listed = std::fs::read_to_string(top.join(".gitmodules")).unwrap_or_default();
        let path = |line: &str| {
            let value = line
                .trim()
                .strip_prefix("path")?
                .trim_start()
                .strip_prefix('=')?;
            Some(top.join(value.trim().trim_matches('"')))
        };
        inner != top && listed.lines().filter_map(path).any(|path| path == *inner)
    }
}

fn packs_of(common: &Path) -> PathBuf {
    common.join("objects/pack")
}

fn canonical(path: &Path) -> PathBuf {
    platform::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the options by which git looks for a repository.
fn search() -> upwards::Options<'static> {
    upwards::Options {
        match_ceiling_dir_or_error: false,
        ..Default::default()
    }
    .apply_environment()
}

impl Store {
    /// Finds the repository that encloses a location, and does not open it.
    ///
    /// # Errors
    /// [`StoreError::NotARepository`].
    pub(crate) fn locate(location: &Location) -> Result<Located> {
        let (found, _) = gix::discover::upwards_opts(&location.dir, search())
            .map_err(|error| refusal(&location.dir, &error))?;
        let (git_dir, work_tree) = found.into_repository_and_work_tree_directories();
        let git_dir = canonical(&git_dir);
        let shared = std::fs::read_to_string(git_dir.join("commondir")).ok();
        let common = shared.map_or_else(
            || git_dir.clone(),
            |shared| canonical(&git_dir.join(shared.trim_end())),
        );
        let located = Located {
            git_dir,
            common,
            work_tree: work_tree.map(|dir| canonical(&dir)),
        };
        if lies_on_ceiling(&location.env, &location.dir, located.place()) {
            return Err(StoreError::NotARepository(location.dir.clone()));
        }
        Ok(located)
    }

    /// Returns the fingerprint of the ref, without reading it: nothing else moves while these are the same.
    pub(crate) fn ref_mark(&self) -> RefFingerprint {
        self.refs().fingerprint()
    }

    /// Returns a look at the ref that begins now, and needs no repository.
    pub(crate) fn ref_watch(&self) -> RefWatch {
        self.refs().watch()
    }

    /// Returns true if the repository is still the one that was opened, with the same configuration and room for all
    /// its packs. Who keeps it open for long asks before each use, and opens it again where it is not.
    pub(crate) fn is_current(&self) -> bool {
        self.config == FileFingerprint::at(&self.common.join("config")).ok() && self.has_room()
    }

    /// Returns true if the packs that have come fit with those that are known, with half of the room left over for
    /// more.
    fn has_room(&self) -> bool {
        let folder = packs_of(&self.common);
        let now = FileFingerprint::at(&folder).ok();
        if self.packs.get() == now {
            return true;
        }
        let metrics = self.repo.objects.store_ref().metrics();
        let entries = files::entries(folder);
        let is_index = |entry: &std::fs::DirEntry| {
            entry
                .path()
                .extension()
                .is_some_and(|ending| ending == "idx")
        };
        let on_disk = entries.filter(is_index).count();
        // All may be new ones, and those that are gone keep their place until these have found theirs.
        let fits = on_disk <= metrics.unused_slots / 2;
        if fits {
            self.packs.set(now);
        }
        fits
    }

    /// Opens the same repository again.
    pub(crate) fn reopened(&self) -> Result<Self> {
        let store = Self::discover(&self.location)?;
        store.intent.set(self.intent.get());
        Ok(store)
    }

    /// Opens the repository that encloses a location.
    ///
    /// # Errors
    /// [`StoreError::NotARepository`]; [`StoreError::Refused`] for one owned by someone else or one
    /// whose refs we could not write so that git sees them.
    pub fn discover(location: &Location) -> Result<Self> {
        let options = || {
            let parameters = location
                .env
                .var("GIT_CONFIG_PARAMETERS")
                .unwrap_or_default();
            let overrides = config_parameters(&parameters)
                .into_iter()
                .map(|(key, value)| value.map_or(key.clone(), |value| format!("{key}={value}")));
            // Sealed: no configuration of the machine or the user, and no variable of this process.
            let options = match location.env.is_sealed() {
                true => gix::open::Options::isolated(),
                false => gix::open::Options::default(),
            };
            let options = options.cli_overrides(overrides);
            options.bail_if_untrusted(true).object_store_slots(ROOM)
        };
        let trust = Mapping {
            full: options(),
            reduced: options(),
        };
        let found = match location
            .env
            .var_os("GIT_DIR")
            .filter(|_| !location.explicit)
        {
            // Absolute: a hook's `GIT_DIR=.` is taken for a work tree otherwise.
            Some(dir) => {
                let dir = location.dir.join(dir);
                gix::ThreadSafeRepository::open_opts(canonical(&dir), options())
            }
            None => gix::ThreadSafeRepository::discover_opts(&location.dir, search(), trust),
        };
        let mut repo = found
            .map_err(|error| refusal(&location.dir, &error))?
            .to_thread_local();
        // A commit on top of a replaced one would have the other's tree. By the handle: a configuration of our own
        // would cost each command 3 % of its instructions.
        repo.objects.ignore_replacements = true;
        if location.explicit && location.env.var_os("GIT_WORK_TREE").is_some() {
            let unread = unreadable(format!("the repository at {}", location.dir.display()));
            repo.set_workdir(Self::locate(location)?.work_tree)
                .map_err(unread)?;
        }
        let store = Self::from_repo(repo, location)?;
        let top = store.work_tree().unwrap_or_else(|| store.git_dir());
        if location.env.var_os("GIT_DIR").is_none()
            && lies_on_ceiling(&location.env, &location.dir, &top)
        {
            return Err(StoreError::NotARepository(location.dir.clone()));
        }
        Ok(store)
    }

    pub(super) fn from_repo(mut repo: gix::Repository, location: &Location) -> Result<Self> {
        let common = canonical(repo.common_dir());
        repo.object_cache_size_if_unset(1 << 18);
        // `git update-ref` knows no namespace either: it is for those who serve repositories.
        repo.clear_namespace();
        let config = FileFingerprint::at(&common.join("config")).ok();
        let packs = Cell::new(FileFingerprint::at(&packs_of(&common)).ok());
        let permissions = Permissions::new(sharing(&repo)?, &common);
        let ref_format = RefFormat::of(&repo, &common)?;
        Ok(Self {
            repo,
            common,
            config,
            location: location.clone(),
            packs,
            permissions,
            intent: Cell::new(Intent::Write),
            ref_format,
            apart: Cell::new(false),
            journal_tip: None,
        })
    }

    /// Returns the directory that all linked worktrees share.
    pub(crate) fn common_dir(&self) -> &Path {
        &self.common
    }

    /// Returns what may be created here, and with which modes.
    pub(crate) fn permissions(&self) -> Permissions {
        match self.intent.get() {
            Intent::Read => self.permissions.of_reader(),
            Intent::Write => self.permissions,
        }
    }

    /// Returns what the command sees beside the repository.
    pub(crate) fn env(&self) -> &Env {
        &self.location.env
    }

    /// Returns our own folder in it: lock, index. Made on first use.
    pub fn folder(&self) -> PathBuf {
        self.common.join("beads")
    }

    /// Returns the git directory of this worktree.
    pub(crate) fn git_dir(&self) -> PathBuf {
        canonical(self.repo.git_dir())
    }

    /// Returns the top of the work tree; none in a bare repository.
    pub(crate) fn work_tree(&self) -> Option<PathBuf> {
        self.repo.workdir().map(canonical)
    }

    /// Returns the path by which a person knows this repository: its work tree, else its git directory.
    pub(crate) fn place(&self) -> PathBuf {
        self.work_tree().unwrap_or_else(|| self.common.clone())
    }

    /// Returns a value of git's configuration, from any scope and from `git -c`.
    pub(crate) fn config(&self, key: &str) -> Option<String> {
        self.repo
            .config_snapshot()
            .string(key)
            .map(|value| value.to_string())
    }

    /// Returns all values of a key of git's configuration, from every scope.
    pub(super) fn config_all(&self, key: &str) -> Vec<String> {
        let snapshot = self.repo.config_snapshot();
        let values = snapshot.plumbing().strings(key).unwrap_or_default();
        values.iter().map(ToString::to_string).collect()
    }

    /// Returns a boolean of git's configuration.
    pub(crate) fn config_bool(&self, key: &str) -> Option<bool> {
        self.repo.config_snapshot().boolean(key)
    }

    /// Returns the names of the hooks that git's configuration defines, in any scope.
    pub(super) fn configured_hooks(&self) -> Vec<String> {
        let snapshot = self.repo.config_snapshot();
        let sections = snapshot
            .plumbing()
            .sections_by_name("hook")
            .into_iter()
            .flatten();
        sections
            .filter_map(|section| Some(section.header().subsection_name()?.to_string()))
            .collect()
    }

    /// Returns the names of the keys that git's configuration has in a section `[section "part"]`, in any scope.
    pub(crate) fn config_names(&self, section: &str, part: &str) -> BTreeSet<String> {
        let snapshot = self.repo.config_snapshot();
        let mut names = BTreeSet::new();
        for found in snapshot
            .plumbing()
            .sections_by_name(section)
            .into_iter()
            .flatten()
        {
            if found
                .header()
                .subsection_name()
                .is_some_and(|name| name == part)
            {
                let keys = found.value_names();
                names.extend(keys.map(|name| name.to_lowercase()));
            }
        }
        names
    }

    /// Returns the commit the ref points to; none where it does not exist.
    pub fn tip(&self) -> Result<Option<Oid>> {
        if self.journal_tip.is_some() {
            return Ok(self.journal_tip);
        }
        match self.refs().read(REF)? {
            None => Ok(None),
            Some(RefValue::Id(tip)) => Ok(Some(tip)),
            Some(RefValue::Symbolic(_)) => Err(StoreError::Unreadable {
                what: REF.into(),
                why: "it is a symbolic ref".into(),
            }),
        }
    }
}

/// Reads `core.sharedRepository`; a key without a value means true.
fn sharing(repo: &gix::Repository) -> Result<Sharing> {
    let config = repo.config_snapshot();
    let Some(value) = config.string(KEY) else {
        let value = config.boolean(KEY).unwrap_or_default();
        return Ok(Sharing::parse(&value.to_string()).unwrap_or(Sharing::Umask));
    };
    Sharing::parse(&value.to_string()).ok_or_else(|| {
        StoreError::Refused(format!(
            "{KEY} is `{value}`, which git refuses too; {} shares it with a group",
            Command::line("git config").word(KEY).word("group")
        ))
    })
}

/// Returns true if the search had to stop below: git never looks into a ceiling above the start, gix does.
fn lies_on_ceiling(env: &Env, start: &Path, top: &Path) -> bool {
    let start = canonical(start);
    let ceilings = env.paths("GIT_CEILING_DIRECTORIES");
    ceilings
        .iter()
        .map(|path| canonical(path))
        .any(|ceiling| ceiling == top && start != ceiling && start.starts_with(&ceiling))
}

/// Returns a value of the configuration that belongs to no repository.
pub(crate) fn global_config(env: &Env, key: &str) -> Option<String> {
    if env.is_sealed() {
        return None;
    }
    let config = gix::config::File::from_globals().ok()?;
    config.string(key).map(|value| value.to_string())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a new repository without a store, in a folder that goes with the test.
    pub(crate) fn scratch_store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        gix::init(folder.path()).unwrap();
        let location = Location {
            env: Env::of_process(),
            dir: folder.path().to_owned(),
            explicit: true,
        };
        let store = Store::discover(&location).unwrap();
        std::fs::create_dir_all(store.folder()).unwrap();
        (folder, store)
    }
}
