//! Packs that others replace, and that stay for a minute.
//!
//! A git lists the packs first and opens them when it needs them; one that fetches compares the pack it was sent with
//! the one that has its name. Both fail where a pack goes in between, although another one holds the same objects. So
//! a pack that was renamed or merged is noted, and goes when any git that has listed it has long looked again.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::pack::{self, is_there};
use super::{Result, Store, io, private_file};
use crate::platform;

/// The name of the note.
pub(super) const FILE: &str = "replaced-packs";
/// The beginning of the name of a note that is being written.
pub(super) const UNFINISHED: &str = "replaced-new-";
/// In milliseconds.
const STAYS: u64 = 60_000;

/// A pack and the one that has its objects: file names without an ending.
struct ReplacedPack {
    /// In milliseconds since 1970.
    since: u64,
    old: String,
    new: String,
}

impl ReplacedPack {
    /// Returns what a line says; none where it was cut off, or names a file that is no pack.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let since = words.next()?.parse().ok()?;
        let mut name = || words.next().filter(|name| is_name(name)).map(str::to_owned);
        let (old, new) = (name()?, name()?);
        (old != new).then_some(Self { since, old, new })
    }

    fn line(&self) -> String {
        format!("{} {} {}\n", self.since, self.old, self.new)
    }

    fn is_due(&self, now: u64) -> bool {
        // In both directions: after the clock was set back, none is kept for ever.
        self.since.abs_diff(now) > STAYS
    }
}

fn is_name(name: &str) -> bool {
    let id = name.strip_prefix("pack-").or(name.strip_prefix("beads-"));
    id.is_some_and(|id| id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The packs of a repository that others replace.
#[derive(Clone, Copy)]
pub(super) struct ReplacedPacks<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the packs that others replace.
    pub(super) fn replaced_packs(&self) -> ReplacedPacks<'_> {
        ReplacedPacks { store: self }
    }
}

impl ReplacedPacks<'_> {
    /// Returns the names of packs whose objects another one has, without endings.
    pub(super) fn names(self) -> BTreeSet<String> {
        let noted = self.noted().into_iter();
        noted
            .filter(|pack| is_there(&self.pack(&pack.new)))
            .map(|pack| pack.old)
            .collect()
    }

    /// Notes packs, by their paths, whose objects a new one has. The new one is durable by then.
    pub(super) fn note<'a>(
        self,
        old: impl IntoIterator<Item = &'a Path>,
        new: &Path,
    ) -> Result<()> {
        let name = |path: &Path| path.file_stem()?.to_str().map(str::to_owned);
        let replaced = |old: &Path| {
            Some(ReplacedPack {
                since: self.store.env().now(),
                old: name(old)?,
                new: name(new)?,
            })
        };
        let lines = old.into_iter().filter_map(replaced);
        let text: String = lines.map(|pack| pack.line()).collect();
        let _lock = self.store.lock()?;
        let mut file = private_file::open(&self.path(), self.store.permissions())?;
        let wrote = file
            .seek(SeekFrom::End(0))
            .and_then(|_| file.write_all(text.as_bytes()));
        wrote.map_err(io(format!("can't write {}", self.path().display())))
    }

    /// Removes the packs that were replaced over a minute ago; costs one look where none was.
    pub(super) fn remove_due(self) -> Result<()> {
        // What a multi-pack index names must stay until git itself writes another one.
        if !self.path().exists() || self.store.maintenance().has_multi_pack_index() {
            return Ok(());
        }
        let _lock = self.store.lock()?;
        let now = self.store.env().now();
        let (due, waiting): (Vec<_>, Vec<_>) =
            self.noted().into_iter().partition(|pack| pack.is_due(now));
        if due.is_empty() {
            return Ok(());
        }
        // In the order in which they came: a pack goes before the one that replaced it is replaced itself and goes.
        for pack in due {
            self.remove(&pack);
        }
        // A process that is killed before this leaves notes of packs that are gone.
        self.rewrite(&waiting)
            .map_err(io(format!("can't write {}", self.path().display())))
    }

    fn rewrite(self, waiting: &[ReplacedPack]) -> std::io::Result<()> {
        if waiting.is_empty() {
            return fs::remove_file(self.path());
        }
        let scratch = self
            .store
            .permissions()
            .own_scratch(UNFINISHED, &self.store.folder())?;
        let text: String = waiting.iter().map(ReplacedPack::line).collect();
        scratch.as_file().write_all(text.as_bytes())?;
        platform::persist_file(scratch, &self.path())
            .map(drop)
            .map_err(|failed| failed.error)
    }

    fn remove(self, pack: &ReplacedPack) {
        let old = self.pack(&pack.old);
        // Anyone may have repacked since: then nothing of ours has the objects, and it is no longer ours to remove.
        if is_there(&self.pack(&pack.new)) && !old.with_extension("keep").exists() {
            pack::remove(&old);
        }
    }

    fn noted(self) -> Vec<ReplacedPack> {
        let Ok(text) = fs::read_to_string(self.path()) else {
            return Vec::new();
        };
        text.lines().filter_map(ReplacedPack::parse).collect()
    }

    fn path(self) -> PathBuf {
        self.store.folder().join(FILE)
    }

    fn pack(self, name: &str) -> PathBuf {
        self.store.common_dir().join("objects/pack").join(name)
    }
}
