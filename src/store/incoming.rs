//! The gate: what comes from a remote passes here before it can reach our ref.
//!
//! Names, modes, order, depth and sizes are checked, sizes before anything is inflated. What is sound in
//! these and can't be read otherwise is carried as it is; anything else refuses the whole fetch. The limits
//! are part of format 1: what we write ourselves keeps to them, else others would refuse it.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use gix::objs::tree::{EntryMode, EntryRef};
use gix::objs::{Data, Find, FindHeader, Kind, TreeRefIter};
use gix::traverse::commit::Simple;

use super::{Oid, Result, Snapshot, Store, StoreError, TreePath, explain, unreadable};
use crate::model::Blob;
use crate::model::limits::{LARGEST_BLOB, LARGEST_TREE};

/// Components of the longest path: `issues/h/h/h/uid/entry.json`, and room for one more.
const DEEPEST: usize = 7;
/// Longest name in bytes.
const LONGEST_NAME: usize = 200;
/// Largest commit in bytes.
const LARGEST_COMMIT: u64 = 1 << 20;
/// Most entries that one fetch may bring.
const MOST_ENTRIES: u64 = 50_000_000;
/// Most paths beyond two for each entry: trees of our own are never shared, so more is a bomb.
const MOST_SHARED: u64 = 100_000;

/// The objects that come from a remote, before they can reach our ref.
#[derive(Clone, Copy)]
pub struct Incoming<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns what comes from a remote, before it can reach our ref.
    pub fn incoming(&self) -> Incoming<'_> {
        Incoming { store: self }
    }
}

impl Incoming<'_> {
    /// Checks all that a tip brings beyond what is known.
    ///
    /// # Errors
    /// [`StoreError::Rejected`] naming the first thing that is not sound, and the limit it breaks.
    pub fn validate(self, tip: Oid, known: Option<Oid>) -> Result<()> {
        let new = Snapshot::at(self.store, tip)?;
        let old = known
            .map(|known| Snapshot::at(self.store, known))
            .transpose()?
            .map(|old| old.tree().0);
        // Sizes are read from headers, before any object is inflated: a small pack can hold a huge blob.
        let mut gate = Validator::new(self.store);
        gate.tree(old, new.tree().0, "", 0)?;
        // What hides in the history would go on to every host and clone.
        let hidden = known.map(|known| known.0);
        for commit in self
            .store
            .repo
            .rev_walk([tip.0])
            .with_hidden(hidden)
            .all()
            .map_err(unreadable("the history"))?
        {
            let commit = Oid(commit.map_err(unreadable("the history"))?.id);
            gate.tree(old, Snapshot::at(self.store, commit)?.tree().0, "", 0)?;
        }
        match new.find(TreePath::Meta)? {
            None if known.is_none_or(|known| self.are_unrelated(tip, known)) => Err(rejected(
                "there is no meta.json: not a store of issues".to_owned(),
            )),
            // A relative of ours that has lost it gets it back by the merge: absence is never deletion.
            None => Ok(()),
            Some((_, bytes)) => Blob::parse(&bytes)
                .map(drop)
                .map_err(|why| rejected(format!("meta.json: {why}"))),
        }
    }

    fn are_unrelated(self, a: Oid, b: Oid) -> bool {
        self.store
            .merging()
            .merge_bases(a, b)
            .is_ok_and(|bases| bases.is_empty())
    }

    /// Returns true if a tip that no one has inspected yet can be walked through at all.
    pub(super) fn is_bounded(self, tip: Snapshot<'_>, known: Snapshot<'_>) -> bool {
        Validator::new(self.store)
            .tree(Some(known.tree().0), tip.tree().0, "", 0)
            .is_ok()
    }

    /// Checks the commits that a tip brings, before anything reads them as a whole.
    ///
    /// # Errors
    /// [`StoreError::Rejected`] for one past the limit, and for a history that can't be read.
    pub(super) fn check_commits(self, tip: Oid, known: Option<Oid>) -> Result<()> {
        let commits = Commits::of(self.store, self.store.ancestry().cuts()?);
        let walk = Simple::new([tip.0], &commits)
            .hide(known.map(|known| known.0))
            .map_err(unreadable("the history"))?;
        for commit in walk {
            let Err(error) = commit else { continue };
            return Err(rejected(match commits.too_large.get() {
                Some((id, size)) => {
                    format!("commit {id}: {size} bytes; the limit is {LARGEST_COMMIT}")
                }
                None => format!("its history can't be read: {}", explain(&error)),
            }));
        }
        Ok(())
    }
}

impl Incoming<'_> {
    /// Returns true if the commits that a tip brings meet one of these, or end where one can't be read.
    pub(super) fn meets(self, tip: Oid, known: Option<Oid>, commits: &HashSet<Oid>) -> bool {
        let found = Commits::of(self.store, commits.clone());
        let walk = Simple::new([tip.0], &found).hide(known.map(|known| known.0));
        let is_one = |id: gix::ObjectId| commits.contains(&Oid(id));
        walk.is_ok_and(|mut walk| walk.any(|commit| commit.map_or(true, |it| is_one(it.id))))
    }
}

/// The objects of a history, of which none is read that is larger than a commit may be. Those at which it is cut have no
/// parents here.
struct Commits<'s> {
    store: &'s Store,
    cuts: HashSet<Oid>,
    too_large: Cell<Option<(gix::ObjectId, u64)>>,
}

impl<'s> Commits<'s> {
    fn of(store: &'s Store, cuts: HashSet<Oid>) -> Self {
        Self {
            store,
            cuts,
            too_large: Cell::default(),
        }
    }
}

impl Find for Commits<'_> {
    fn try_find<'a>(
        &self,
        id: &gix::oid,
        buffer: &'a mut Vec<u8>,
    ) -> std::result::Result<Option<Data<'a>>, gix::Error> {
        let objects = &self.store.repo.objects;
        if let Some(header) = objects
            .try_header(id)?
            .filter(|header| header.size > LARGEST_COMMIT)
        {
            self.too_large.set(Some((id.to_owned(), header.size)));
            return Err(gix::Error::from_error(std::io::Error::other("too large")));
        }
        if !self.cuts.contains(&Oid(id.to_owned())) {
            return objects.try_find(id, buffer);
        }
        let found = objects.try_find(id, buffer)?;
        let Some((kind, hash, size)) = found.map(|it| (it.kind, it.object_hash, it.data.len()))
        else {
            return Ok(None);
        };
        buffer.truncate(size);
        remove_parents(buffer);
        Ok(Some(Data::new(buffer, kind, hash)))
    }
}

/// Removes the parents from the text of a commit: the lines after the first that begin so.
fn remove_parents(commit: &mut Vec<u8>) {
    let end_of = |from: usize, commit: &[u8]| {
        let line = commit[from..].iter().position(|byte| *byte == b'\n');
        line.map_or(commit.len(), |line| from + line + 1)
    };
    let first = end_of(0, commit);
    while commit[first..].starts_with(b"parent ") {
        commit.drain(first..end_of(first, commit));
    }
}

struct Validator<'s> {
    store: &'s Store,
    /// Paths below each tree that was found sound, by tree and depth: a tree is looked at once, however
    /// often it is named.
    checked: HashMap<(gix::ObjectId, usize), u64>,
    /// Entries of the trees that were looked at.
    entries: u64,
}

fn rejected(what: String) -> StoreError {
    StoreError::Rejected(what)
}

impl<'s> Validator<'s> {
    fn new(store: &'s Store) -> Self {
        Self {
            store,
            checked: HashMap::new(),
            entries: 0,
        }
    }

    /// Checks a tree and returns how many paths are below it, those of `old` left out.
    fn tree(
        &mut self,
        old: Option<gix::ObjectId>,
        new: gix::ObjectId,
        path: &str,
        depth: usize,
    ) -> Result<u64> {
        if old == Some(new) {
            return Ok(0);
        }
        // By depth as well: the same tree further down may exceed the limit.
        if let Some(paths) = self.checked.get(&(new, depth)) {
            return Ok(*paths);
        }
        if depth >= DEEPEST {
            return Err(rejected(format!("{path}: deeper than {DEEPEST} folders")));
        }
        let known = old
            .map(|old| self.known(old))
            .transpose()?
            .unwrap_or_default();
        // The size before the bytes.
        self.size(new, Kind::Tree, LARGEST_TREE as u64, path)?;
        let bytes = self.bytes(new)?;
        if depth > 0 && bytes.is_empty() {
            // Nothing is in it for a merge to find: one clone would have it and another not, for ever.
            return Err(rejected(format!("{path}: an empty folder")));
        }
        let entries = self.entries(&bytes, path)?;
        let mut below = 0u64;
        for entry in entries {
            let name = name(entry.filename, path)?;
            below = below.saturating_add(1);
            let before = known.get(name);
            if before.is_some_and(|(known, mode)| *known == entry.oid && *mode == entry.mode) {
                continue;
            }
            let inside = if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path}/{name}")
            };
            let old = before
                .filter(|(_, mode)| mode.is_tree())
                .map(|(oid, _)| *oid);
            below = below.saturating_add(self.entry(old, &entry, &inside, depth)?);
            // After each entry, so that a bomb ends the walk early instead of after minutes.
            self.count(below)?;
        }
        self.checked.insert((new, depth), below);
        Ok(below)
    }

    /// Checks what an entry names and returns how many paths are below it.
    fn entry(
        &mut self,
        old: Option<gix::ObjectId>,
        entry: &EntryRef<'_>,
        path: &str,
        depth: usize,
    ) -> Result<u64> {
        let oid = entry.oid.to_owned();
        match entry.mode.value() {
            0o040_000 => self.tree(old, oid, path, depth + 1),
            0o100_644 => self
                .size(oid, Kind::Blob, LARGEST_BLOB as u64, path)
                .map(|()| 0),
            mode => Err(rejected(format!(
                "{path}: neither a plain file nor a folder (mode {mode:06o})"
            ))),
        }
    }

    /// Returns the entries of a tree, which is written as git writes trees: in order, no name twice.
    fn entries<'b>(&mut self, bytes: &'b [u8], path: &str) -> Result<Vec<EntryRef<'b>>> {
        let hash = self.store.repo.object_hash();
        let entries: std::result::Result<Vec<_>, _> =
            TreeRefIter::from_bytes(bytes, hash).collect();
        let entries = entries.map_err(|_| rejected(format!("{path}: a malformed tree")))?;
        self.entries += entries.len() as u64;
        let mut names = HashSet::new();
        if let Some(twice) = entries.iter().find(|entry| !names.insert(entry.filename)) {
            return Err(rejected(format!(
                "{path}/{}: twice in one folder",
                name(twice.filename, path)?
            )));
        }
        // Git looks names up by their order: an entry out of order would be there for some readers only.
        if let Some(pair) = entries.windows(2).find(|pair| pair[0] > pair[1]) {
            return Err(rejected(format!(
                "{path}/{}: out of order",
                name(pair[1].filename, path)?
            )));
        }
        // A mode is read modulo 2^16, and with any zeros before it.
        let written = entries.iter().flat_map(|entry| {
            let mode = if entry.mode.is_tree() {
                b"40000".to_vec()
            } else {
                entry.mode.as_bytes(&mut [0; 6]).to_vec()
            };
            [
                mode,
                b" ".to_vec(),
                entry.filename.to_vec(),
                b"\0".to_vec(),
                entry.oid.as_bytes().to_vec(),
            ]
            .concat()
        });
        if !written.eq(bytes.iter().copied()) {
            return Err(rejected(format!(
                "{path}: a tree that git would write otherwise"
            )));
        }
        Ok(entries)
    }

    fn count(&self, paths: u64) -> Result<()> {
        if self.entries > MOST_ENTRIES {
            return Err(rejected(format!("more than {MOST_ENTRIES} entries")));
        }
        if paths > 2 * self.entries + MOST_SHARED {
            let entries = self.entries;
            return Err(rejected(format!(
                "more than {paths} paths of {entries} entries: the same folders again and again"
            )));
        }
        Ok(())
    }

    fn bytes(&self, id: gix::ObjectId) -> Result<Vec<u8>> {
        Ok(self
            .store
            .repo
            .find_tree(id)
            .map_err(unreadable(format!("tree {id}")))?
            .detach()
            .data)
    }

    /// Returns the entries of a tree that passed before: object and mode, by name.
    fn known(&self, id: gix::ObjectId) -> Result<HashMap<String, (gix::ObjectId, EntryMode)>> {
        let bytes = self.bytes(id)?;
        let entries = TreeRefIter::from_bytes(&bytes, self.store.repo.object_hash())
            .filter_map(std::result::Result::ok);
        Ok(entries
            .map(|entry| {
                (
                    entry.filename.to_string(),
                    (entry.oid.to_owned(), entry.mode),
                )
            })
            .collect())
    }

    fn size(&self, id: gix::ObjectId, kind: Kind, limit: u64, path: &str) -> Result<()> {
        let header = self
            .store
            .repo
            .find_header(id)
            .map_err(unreadable(format!("{path} ({id})")))?;
        if header.kind() != kind {
            return Err(rejected(format!("{path}: not what its mode says")));
        }
        if header.size() > limit {
            return Err(rejected(format!(
                "{path}: {} bytes; the limit is {limit}",
                header.size()
            )));
        }
        Ok(())
    }
}

/// Returns a name of letters, digits, `.`, `_` and `-` that no tool takes for an option or a place of its own.
fn name<'n>(bytes: &'n gix::bstr::BStr, path: &str) -> Result<&'n str> {
    let text = std::str::from_utf8(bytes).ok();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let sound = |text: &&str| {
        (1..=LONGEST_NAME).contains(&text.len())
            && !text.starts_with(['.', '-'])
            && text.chars().all(plain)
    };
    text.filter(sound).ok_or_else(|| {
        let shown: String = bytes.iter().take(40).map(|byte| std::ascii::escape_default(*byte).to_string()).collect();
        let size = bytes.len();
        rejected(format!(
            "a bad name in `/{path}`: \"{shown}\" ({size} bytes); a name has 1 to {LONGEST_NAME} of A-Z a-z 0-9 . _ - and does not begin with . or -"
        ))
    })
}
