//! Looking at everything: each object that the ref leads to, the ref itself, and our own files.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use gix::objs::{CommitRefIter, Kind, TreeRefIter};

use super::door::{Candidate, StateSource};
use super::journal;
use super::journal_pack::begin_next;
use super::loose::UNFINISHED;
use super::restore::Restore;
use super::{
    Location, Oid, Remotes, Result, Snapshot, Store, StoreError, TreePath, explain, io, look_twice,
    private_file,
};
use crate::files;
use crate::model::Blob;
use crate::platform::{self, Owner};

/// The result of looking at every object.
#[derive(Debug, Default)]
pub(crate) struct FsckReport {
    /// Commits that were looked at.
    pub commits: usize,
    /// Objects of all kinds that were looked at.
    pub objects: usize,
    /// Objects that are missing or damaged: the id, the place, and the reason.
    pub bad: Vec<(Oid, String, String)>,
}

/// Files in the place of the store that the owner of the repository does not own.
#[derive(Debug)]
pub(crate) struct ForeignFiles {
    /// The owner of the repository.
    pub(crate) owner: Owner,
    /// The files and folders.
    pub(crate) paths: Vec<PathBuf>,
    /// The parts of the git directory that they are in.
    pub(crate) parts: Vec<PathBuf>,
}

/// The check of every object, of the ref and of our own files.
#[derive(Clone, Copy)]
pub(crate) struct Fsck<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the check of every object, of the ref and of our own files.
    pub(crate) fn fsck(&self) -> Fsck<'_> {
        Fsck { store: self }
    }
}

impl Fsck<'_> {
    /// Reads every object that a commit leads to, its history included, and compares each with its id.
    ///
    /// What is missing is looked for once more on a repository opened again: it may just have gone into a pack.
    pub(crate) fn check(self, tip: Oid) -> FsckReport {
        let found = self.check_once(tip);
        if found.bad.is_empty() {
            return found;
        }
        let again = Store::discover(&Location {
            dir: self.store.common_dir().to_owned(),
            explicit: true,
            env: self.store.env().clone(),
        });
        again.map_or(found, |again| again.fsck().check_once(tip))
    }

    fn check_once(self, tip: Oid) -> FsckReport {
        let mut walk = Walk {
            store: self.store,
            seen: HashSet::new(),
            found: FsckReport::default(),
        };
        // Without them, all that was cut off would count as missing.
        let cut = match self.store.ancestry().cuts() {
            Ok(cuts) => cuts,
            Err(error) => {
                let place = "the history".to_owned();
                walk.found.bad.push((tip, place, error.to_string()));
                return walk.found;
            }
        };
        let mut commits = vec![tip.0];
        while let Some(commit) = commits.pop() {
            let Some(bytes) = walk.object(commit, Kind::Commit, "the history") else {
                continue;
            };
            walk.found.commits += 1;
            let parsed = || CommitRefIter::from_bytes(&bytes, commit.kind());
            if let Ok(tree) = parsed().tree_id() {
                walk.tree(tree);
            }
            if !cut.contains(&Oid(commit)) {
                commits.extend(parsed().parent_ids());
            }
        }
        walk.found
    }

    /// Returns the states of a store that the ref pointed to, newest knowledge first: by the journal, the reflog, and what
    /// remotes had.
    pub(crate) fn known_states(self) -> Result<Vec<Candidate>> {
        let is_state = |tip: &Oid| {
            let snapshot = self.store.snapshot_at(*tip);
            snapshot.is_ok_and(|snapshot| snapshot.check_is_of_a_store().is_ok())
        };
        let known = journal::all(self.store.env(), &self.store.folder())?;
        // One that is no state of a store is a person's mistake, and what was before it counts.
        let logged = self.store.refs().logged_tips()?.into_iter().find(is_state);
        let answered = known.newest().into_iter().chain(logged);
        let mut found: Vec<Candidate> = answered
            .map(|tip| Candidate::of(tip, StateSource::Answered))
            .collect();
        let remotes = self.store.remotes();
        for remote in remotes.names() {
            let tracked = remotes.resolve(&Remotes::tracking(&remote)).ok().flatten();
            let merged = remotes
                .resolve(&Remotes::merged_ref(&remote))
                .ok()
                .flatten();
            // What a plain `git fetch` has brought was never looked at.
            let tracked =
                tracked.map(|tip| Candidate::of(tip, StateSource::Tracked(remote.clone())));
            let merged = merged.map(|tip| Candidate::of(tip, StateSource::Former(remote)));
            found.extend(tracked.into_iter().chain(merged));
        }
        found.retain(|candidate| is_state(&candidate.tip));
        Ok(found)
    }

    /// Puts the ref to a commit that something else remembers. What is in its place is kept next to the journal.
    pub(crate) fn put_back(self, tip: Oid) -> Result<()> {
        let lock = self.store.lock()?;
        Restore::of(self.store).put_ref(&lock, tip)
    }

    /// In how many places the journals can't be read.
    pub(crate) fn journal_damage(self) -> Result<usize> {
        Ok(journal::all(self.store.env(), &self.store.folder())?.damage)
    }

    /// Begins a new journal and packs what the others hold; damaged ones are kept aside.
    pub(crate) fn renew_journal(self) -> Result<()> {
        if self.journal_damage()? > 0 {
            let _lock = self.store.lock()?;
            // No one else is asked to pack it: their claim would keep us from it.
            begin_next(self.store)?;
        }
        self.store.journals().pack_rotated()?;
        match self.journal_damage()? {
            0 => Ok(()),
            _ => Err(StoreError::Write {
                what: "the damaged journal stays".to_owned(),
                why: "another process is packing it".to_owned(),
                kind: None,
            }),
        }
    }

    /// Returns our own files that others can read or write and that are not shared, or that are something else than
    /// they should be.
    pub(crate) fn open_files(self) -> Vec<PathBuf> {
        let folder = self.store.folder();
        let entries = files::entries(&folder).map(|entry| entry.path());
        let is_open = |path: &PathBuf| {
            let unfinished = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with(UNFINISHED));
            let open = |meta: fs::Metadata| {
                let allowed = self.store.permissions().of_own(meta.is_dir());
                meta.is_symlink() || platform::mode(&meta) & 0o077 & !allowed != 0
            };
            !unfinished && fs::symlink_metadata(path).is_ok_and(open)
        };
        std::iter::once(folder.clone())
            .chain(entries)
            .filter(is_open)
            .collect()
    }

    /// Returns why nothing can be written in a repository of the caller's; none where it can, or where it is another user's.
    pub(crate) fn refusal_to_write(self) -> Option<std::io::Error> {
        let places = [
            self.store.folder().join("lock"),
            self.store.common_dir().join("HEAD"),
        ];
        if self.store.permissions().leave_nothing() {
            return None;
        }
        let refusals = [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem];
        // Opened alone, which changes neither.
        let place = places.iter().find(|place| place.exists())?;
        let opened = fs::OpenOptions::new().write(true).open(place);
        let refused = opened.err()?;
        refusals.contains(&refused.kind()).then_some(refused)
    }

    /// Returns what the superuser or another user has left where the owner has to write; none where the repository is
    /// shared, or is that of another user.
    pub(crate) fn foreign_files(self) -> Option<ForeignFiles> {
        let common = self.store.common_dir();
        let found = fs::symlink_metadata(common).ok()?;
        let owner = platform::owner(&found)?;
        let is_asked_for = platform::other_owner(&found).is_none() || platform::is_superuser();
        if self.store.permissions().is_shared() || !is_asked_for {
            return None;
        }
        let (mut paths, mut parts) = (Vec::new(), Vec::new());
        let refs = ["refs", "logs/refs"].map(|folder| files::entries(common.join(folder)));
        let refs = refs.into_iter().flatten().filter(|entry| {
            let name = entry.file_name();
            name.to_string_lossy().starts_with("beads")
        });
        let own = [self.store.folder(), common.join("objects")].into_iter();
        for part in own.chain(refs.map(|entry| entry.path())) {
            let before = paths.len();
            // Anyone may read an object or a ref, and no one writes into its file: only the folder counts.
            let is_log = part.starts_with(common.join("logs"));
            let only_folders = part != self.store.folder() && !is_log;
            add_foreign(&part, owner, only_folders, &mut paths);
            if paths.len() > before {
                parts.push(part);
            }
        }
        (!paths.is_empty()).then_some(ForeignFiles {
            owner,
            paths,
            parts,
        })
    }

    /// Closes our own files to others; links are left as they are.
    pub(crate) fn close_files(self) -> Result<()> {
        for path in self.open_files() {
            let fail = || io(format!("can't close {} to others", path.display()));
            let meta = fs::symlink_metadata(&path).map_err(fail())?;
            if !meta.is_symlink() {
                let allowed = 0o700 | self.store.permissions().of_own(meta.is_dir());
                let mode = platform::mode(&meta) & allowed;
                platform::set_mode(&path, mode).map_err(fail())?;
            }
        }
        Ok(())
    }

    /// Refs of what remotes had that can't be read; git stops at them.
    pub(crate) fn broken_remote_refs(self) -> Vec<String> {
        let names = self
            .store
            .remotes()
            .names()
            .into_iter()
            .flat_map(|remote| [Remotes::tracking(&remote), Remotes::merged_ref(&remote)]);
        names
            .filter(|name| {
                self.store.remotes().resolve(name).is_err()
                    && self.store.common_dir().join(name).is_file()
            })
            .collect()
    }

    /// Moves them out of the way: the next fetch makes them again.
    pub(crate) fn set_broken_remote_refs_aside(self) -> Result<usize> {
        let broken = self.broken_remote_refs();
        for name in &broken {
            let aside = self
                .store
                .folder()
                .join(format!("aside-{}", name.replace('/', "-")));
            private_file::set_aside(
                &self.store.common_dir().join(name),
                &aside,
                self.store.permissions(),
            )?;
        }
        Ok(broken.len())
    }
}

impl Snapshot<'_> {
    /// Returns the newest commit of the history in which the blob at a path can be read, if there is one.
    pub(crate) fn last_readable(&self, path: &str) -> Result<Option<Oid>> {
        let mut seen = HashSet::new();
        for commit in self.history(None)? {
            let state = Snapshot::at(self.store(), commit.oid)?;
            let Some(blob) = state.entry(path)?.filter(|blob| seen.insert(*blob)) else {
                continue;
            };
            if TreePath::parse(path).is_some() && Blob::parse(&state.read(blob)?).is_ok() {
                return Ok(Some(commit.oid));
            }
        }
        Ok(None)
    }
}

/// Adds what another user than `owner` has in a folder; nothing where it can't be looked at.
fn add_foreign(path: &Path, owner: Owner, only_folders: bool, found: &mut Vec<PathBuf>) {
    let Ok(meta) = fs::symlink_metadata(path) else {
        return;
    };
    let is_foreign = platform::owner(&meta).is_some_and(|of| of.user != owner.user);
    // What a mask has opened to a group is shared on purpose.
    let is_closed = platform::mode(&meta) & 0o020 == 0;
    if is_foreign && is_closed && (meta.is_dir() || !only_folders) {
        found.push(path.to_owned());
    }
    if meta.is_dir() {
        for entry in files::entries(path) {
            add_foreign(&entry.path(), owner, only_folders, found);
        }
    }
}

struct Walk<'s> {
    store: &'s Store,
    seen: HashSet<gix::ObjectId>,
    found: FsckReport,
}

impl Walk<'_> {
    /// Returns the bytes of an object that was not looked at before and is sound.
    fn object(&mut self, id: gix::ObjectId, kind: Kind, place: &str) -> Option<Vec<u8>> {
        if !self.seen.insert(id) {
            return None;
        }
        self.found.objects += 1;
        let read = look_twice(|| self.store.repo.find_object(id))
            .map_err(|error| explain(&error))
            .and_then(|object| {
                let same = gix::objs::compute_hash(id.kind(), kind, &object.data)
                    .is_ok_and(|hash| hash == id);
                if object.kind == kind && same {
                    Ok(object.data.clone())
                } else {
                    Err("it is not what its id says".into())
                }
            });
        match read {
            Ok(bytes) => Some(bytes),
            Err(why) => {
                self.found.bad.push((Oid(id), place.to_owned(), why));
                None
            }
        }
    }

    fn tree(&mut self, root: gix::ObjectId) {
        let mut trees = vec![(root, String::new())];
        while let Some((tree, path)) = trees.pop() {
            let Some(bytes) = self.object(tree, Kind::Tree, &path) else {
                continue;
            };
            for entry in
                TreeRefIter::from_bytes(&bytes, tree.kind()).filter_map(std::result::Result::ok)
            {
                let inside = format!(
                    "{path}{}{}",
                    if path.is_empty() { "" } else { "/" },
                    entry.filename
                );
                if entry.mode.is_tree() {
                    trees.push((entry.oid.to_owned(), inside));
                } else if entry.mode.is_blob() {
                    self.object(entry.oid.to_owned(), Kind::Blob, &inside);
                }
            }
        }
    }
}
