//! Going away: what we have put into a repository, and taking it out again.

use std::fs;
use std::path::PathBuf;

use gix::refs::transaction::{Change, PreviousValue, RefEdit, RefLog};
use gix::refs::{FullName, Target};

use super::git::{checked, output};
use super::{Oid, Result, Store, io, own, unreadable, unwritable};

/// Where our refs lie.
const SPACES: [&str; 3] = ["refs/beads/", "refs/beads-remotes/", "refs/beads-seen/"];
/// Keys that are ours alone.
const KEYS: &str = r"^(beads\..*|branch\..*\.bead|color\.beads(\..*)?|pager\.beads)$";
/// What is kept of what was replaced begins so.
const ASIDE: &str = "aside-";

impl Store {
    /// The keys of this repository's configuration that are ours.
    ///
    /// # Errors
    /// A configuration that git can't read.
    pub fn own_keys(&self) -> Result<Vec<String>> {
        let asked = output(self.git().args(["config", "--local", "--name-only", "--get-regexp", KEYS]))?;
        let text = String::from_utf8_lossy(&asked.stdout).into_owned();
        let mut keys: Vec<String> = text.lines().map(str::to_owned).collect();
        keys.dedup();
        Ok(keys)
    }

    /// The refspecs that `beads.trackFetch` has added, with the key each stands under.
    pub fn own_refspecs(&self) -> Vec<(String, String)> {
        let each = self.remotes().into_iter().flat_map(|remote| {
            let (key, ours) = (format!("remote.{remote}.fetch"), self.refspec(&remote));
            let found = output(self.git().args(["config", "--local", "--get-all", &key]));
            let text = found.map(|found| String::from_utf8_lossy(&found.stdout).into_owned()).unwrap_or_default();
            text.lines().filter(|line| *line == ours).map(|line| (key.clone(), line.to_owned())).collect::<Vec<_>>()
        });
        each.collect()
    }

    /// Takes keys and refspecs out of the configuration.
    ///
    /// # Errors
    /// What `git config` said.
    pub fn unset(&self, keys: &[String], refspecs: &[(String, String)]) -> Result<()> {
        let unset = ["config", "--local", "--unset-all"];
        for key in keys {
            let done = output(self.git().args(unset).arg(key))?;
            checked("config", done.status.success(), &done.stderr)?;
        }
        for (key, value) in refspecs {
            let done = output(self.git().args(["config", "--local", "--fixed-value", "--unset-all", key, value]))?;
            checked("config", done.status.success(), &done.stderr)?;
        }
        Ok(())
    }

    /// Our refs, with what each points to.
    ///
    /// # Errors
    /// A ref that can't be read.
    pub fn own_refs(&self) -> Result<Vec<(String, Oid)>> {
        let mut found = Vec::new();
        let platform = self.repo.references().map_err(unreadable("the refs"))?;
        for space in SPACES {
            for reference in platform.prefixed(space).map_err(unreadable("the refs"))? {
                let Ok(reference) = reference else { continue };
                let oid = reference.try_id().map(|id| Oid(id.detach()));
                found.extend(oid.map(|oid| (reference.name().as_bstr().to_string(), oid)));
            }
        }
        Ok(found)
    }

    /// Removes refs that still point where they were seen; their objects stay until git collects them.
    ///
    /// # Errors
    /// A ref that was moved meanwhile, or can't be removed; then all stay.
    pub fn remove_refs(&self, refs: &[(String, Oid)]) -> Result<()> {
        let _lock = self.lock()?;
        let edit = |(name, oid): &(String, Oid)| {
            let expected = PreviousValue::MustExistAndMatch(Target::Object(oid.0));
            let name = FullName::try_from(name.as_str()).ok()?;
            Some(RefEdit::new(name, Change::Delete { expected, log: RefLog::AndReference }))
        };
        let edits: Vec<RefEdit> = refs.iter().filter_map(edit).collect();
        self.repo.edit_references_as(edits, None).map_err(unwritable("can't remove our refs"))?;
        Ok(())
    }

    /// Removes our folder: the index, the lock, and the journal once all it holds is packed. What was kept of
    /// damaged files stays; returns where.
    ///
    /// # Errors
    /// A journal that can't be packed, or a folder that can't be written.
    pub fn remove_folder(&self) -> Result<Vec<PathBuf>> {
        let folder = self.folder();
        if !fs::symlink_metadata(&folder).is_ok_and(|meta| meta.is_dir()) {
            return Ok(Vec::new());
        }
        self.clear_journal()?;
        let fail = || io(format!("can't remove {}", folder.display()));
        let entries = fs::read_dir(&folder).map_err(fail())?;
        let paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>().map_err(fail())?;
        let is_kept = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(ASIDE));
        let (kept, ours): (Vec<_>, Vec<_>) = paths.into_iter().partition(is_kept);
        for path in ours {
            fs::remove_file(&path).map_err(fail())?;
        }
        if kept.is_empty() {
            fs::remove_dir(&folder).map_err(fail())?;
            own::sync_folder(self.common_dir()).map_err(fail())?;
        }
        Ok(kept)
    }
}
