//! Going away: what we have put into a repository, and taking it out again.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use super::git::output;
use super::journal::Journal;
use super::own_files::FileKind;
use super::pack::feed;
use super::{Oid, Result, Store, StoreError, incoming_ref, io, journal, own_files};
use crate::platform;

/// The namespaces of our refs.
const SPACES: [&str; 4] = [
    "refs/beads/",
    "refs/beads-remotes/",
    "refs/beads-seen/",
    incoming_ref::SPACE,
];
/// The destination of our refspecs.
const FETCHED: &str = ":refs/beads-remotes/";
/// Keys that only this program has.
const KEYS: &str =
    r"^(beads\..*|branch\..*\.bead|remote\..*\.beads(ref|push)|color\.beads(\..*)?|pager\.beads)$";
/// The number of times to pack once more what was written meanwhile.
const ROUNDS: usize = 20;

/// The things that we have put into a repository, to be taken out again.
#[derive(Clone, Copy)]
pub(crate) struct Uninstall<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the things that we have put into a repository, to be taken out again.
    pub(crate) fn uninstall(&self) -> Uninstall<'_> {
        Uninstall { store: self }
    }
}

impl Uninstall<'_> {
    /// Returns the keys of this repository's configuration that are ours.
    pub(crate) fn own_keys(self) -> Result<Vec<String>> {
        let asked = output(self.store.git().command().args([
            "config",
            "--local",
            "--name-only",
            "--get-regexp",
            KEYS,
        ]))?;
        let text = String::from_utf8_lossy(&asked.stdout).into_owned();
        let mut keys: Vec<String> = text.lines().map(str::to_owned).collect();
        keys.sort_unstable();
        keys.dedup();
        Ok(keys)
    }

    /// Returns our keys in other scopes: `global<TAB>beads.actor`.
    pub(crate) fn foreign_keys(self) -> Result<Vec<String>> {
        let asked = output(self.store.git().command().args([
            "config",
            "--show-scope",
            "--name-only",
            "--get-regexp",
            KEYS,
        ]))?;
        let text = String::from_utf8_lossy(&asked.stdout).into_owned();
        Ok(text
            .lines()
            .filter(|line| !line.starts_with("local\t"))
            .map(str::to_owned)
            .collect())
    }

    /// Returns the refspecs that bring issues along, with the key of each.
    pub(crate) fn own_refspecs(self) -> Vec<(String, String)> {
        let each = self.store.remotes().names().into_iter().flat_map(|remote| {
            let key = format!("remote.{remote}.fetch");
            let found =
                output(
                    self.store
                        .git()
                        .command()
                        .args(["config", "--local", "--get-all", &key]),
                );
            // A git that can't be run has stopped us before.
            let text = found
                .map(|found| String::from_utf8_lossy(&found.stdout).into_owned())
                .unwrap_or_default();
            let ours = text.lines().filter(|line| line.contains(FETCHED));
            ours.map(|line| (key.clone(), line.to_owned()))
                .collect::<Vec<_>>()
        });
        each.collect()
    }

    /// Returns the other work trees of this repository.
    pub(crate) fn other_work_trees(self) -> Vec<PathBuf> {
        let linked = self
            .store
            .repo
            .worktrees()
            .unwrap_or_default()
            .into_iter()
            .filter_map(|tree| tree.base().ok());
        let main = self
            .store
            .repo
            .main_repo()
            .ok()
            .and_then(|main| main.workdir().map(PathBuf::from));
        let real = |path: PathBuf| platform::canonicalize(&path).unwrap_or(path);
        let here = self.store.work_tree();
        linked
            .chain(main)
            .map(real)
            .filter(|path| Some(path) != here.as_ref() && path.is_dir())
            .collect()
    }

    /// Takes keys and refspecs out of the configuration.
    pub(crate) fn unset(self, keys: &[String], refspecs: &[(String, String)]) -> Result<()> {
        let whole = keys.iter().map(|key| vec![key.as_str()]);
        let some = refspecs
            .iter()
            .map(|(key, value)| vec!["--fixed-value", key.as_str(), value.as_str()]);
        for what in whole.chain(some) {
            self.store.git().unset_config(&what)?;
        }
        Ok(())
    }

    /// Returns our refs that can be read, with what each points to.
    pub(crate) fn own_refs(self) -> Result<Vec<(String, Oid)>> {
        let mut found = Vec::new();
        for space in SPACES {
            let below = self.store.refs().below(space)?.into_iter();
            found.extend(below.filter_map(|(name, oid)| Some((name, oid?))));
        }
        Ok(found)
    }

    /// Removes refs that still point where they were seen; their objects stay until git collects them.
    pub(crate) fn remove_refs(self, refs: &[(String, Oid)]) -> Result<()> {
        let _lock = self.store.lock()?;
        // Deleting takes the lock of the packed refs, which is git's.
        let edits: String = refs
            .iter()
            .map(|(name, oid)| format!("delete {name} {oid}\n"))
            .collect();
        let mut command = self.store.git().command();
        let began = Instant::now();
        let command = command.args(["update-ref", "--stdin"]);
        feed("update-ref", command, edits.as_bytes())
            .inspect_err(|_| self.store.refs().remove_dead_locks(began))?;
        for (name, _) in refs {
            self.store.refs().remove_folders_of(name);
        }
        Ok(())
    }

    /// Removes our folder: the index, the lock, and the journal once all it holds is packed. What was kept of
    /// damaged files, and what is not ours, stays; returns where.
    pub(crate) fn remove_folder(self) -> Result<Vec<PathBuf>> {
        let folder = self.store.folder();
        if self.store.tip().is_err() {
            // The journal may be all that knows where it was.
            self.store.replay().recover()?;
        }
        for _ in 0..ROUNDS {
            self.store.journals().pack_journal()?;
            let lock = self.store.lock()?;
            let last = Journal::open(&folder)?.map(|journal| journal.last.map(|last| last.number));
            // Number 0 is the record that a journal begins with: no one has written since it was packed.
            if journal::aside(&folder).is_empty() && matches!(last, None | Some(Some(0))) {
                let kept = self.empty_folder();
                drop(lock);
                return kept;
            }
        }
        Err(StoreError::Busy(format!(
            "others keep writing to {}",
            folder.display()
        )))
    }

    /// Removes our folder where only locks are in it, of which the caller holds that of writers.
    pub(super) fn remove_lock(self) {
        let files = self.store.own_files().unwrap_or_default();
        if files.iter().all(|file| file.kind == FileKind::Lock) {
            // What can't be removed is no issue, and is in no one's way.
            let _ = self.empty_folder();
        }
    }

    /// Removes our files; the lock last, which anyone who waits for it notices.
    fn empty_folder(self) -> Result<Vec<PathBuf>> {
        let folder = self.store.folder();
        let fail = || io(format!("can't remove {}", folder.display()));
        let files = self.store.own_files()?;
        let (kept, mut ours): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| file.kind.is_left());
        let kept: Vec<PathBuf> = kept.into_iter().map(|file| file.path).collect();
        ours.sort_by_key(|file| file.kind == FileKind::Lock);
        for file in ours {
            own_files::remove(&file.path)?;
        }
        // Where something is in it again, someone has started again.
        if kept.is_empty() && fs::remove_dir(&folder).is_ok() {
            platform::sync_folder(self.store.common_dir()).map_err(fail())?;
        }
        Ok(kept)
    }
}
