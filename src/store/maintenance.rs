//! Keeping what we leave in the repository small.
//!
//! Git's own maintenance begins with the user's commands and rewrites the user's packs; of a repository that is used
//! through us alone no one takes care. So the packs of journals have a name of their own, and where there are many of
//! them, small ones become one: those of journals, and those of our fetches, which get such a name too. Loose objects,
//! which only writers without a journal leave behind, are packed by `git maintenance`. Both happen in the background,
//! in a process that no one waits for; who has switched git's automatic maintenance off has switched off ours.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::git::{checked, collect, detach};
use super::pack::{ENDINGS, PREFIX};
use super::{Oid, Result, Snapshot, Store, StoreError, io, private_file, run, unreadable};
use crate::{files, platform};

/// So many of our packs are few: more become fewer.
const FEW: usize = 8;
/// One in 256 folders holds so many of about 7,000 loose objects: as many as make `git gc --auto` begin.
const LOOSE: usize = 27;
/// Between two attempts, however they end.
const PAUSE: Duration = Duration::from_secs(5);
/// The time that a writer waits for a `git gc` that runs at the same time.
const PATIENCE: Duration = Duration::from_millis(250);
/// No `git gc` runs for longer; git itself takes one that did for dead.
const LONGEST: Duration = Duration::from_secs(12 * 3600);
/// `git maintenance` packs up to 50,000 objects at a time.
const ROUNDS: usize = 20;

/// A pack of our own: its path without the ending, and its size in bytes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pack {
    bytes: u64,
    path: PathBuf,
}

/// The care for what we leave in a repository.
#[derive(Clone, Copy)]
pub(crate) struct Maintenance<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the care for what we leave in a repository.
    pub(crate) fn maintenance(&self) -> Maintenance<'_> {
        Maintenance { store: self }
    }
}

impl Maintenance<'_> {
    /// Returns true if a `git gc` runs here.
    pub(super) fn is_collecting(self) -> bool {
        let path = self.store.common_dir().join("gc.pid");
        let Ok(text) = fs::read_to_string(&path) else {
            return false;
        };
        // The file stays when its git is killed: then the process is gone or, as git has it too, the file is old.
        let process = text
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .parse::<i32>();
        let began = fs::metadata(path).and_then(|meta| meta.modified());
        let age = began.ok().and_then(|time| time.elapsed().ok());
        age.is_none_or(|age| age < LONGEST)
            && process.is_ok_and(|process| !platform::has_ended(process))
    }

    /// Waits while a `git gc` runs here, but not for long.
    pub(super) fn wait_for_collection(self) {
        let start = Instant::now();
        while self.is_collecting() && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns true if packing in the background is allowed: `beads.maintenance`, else what holds for git's own.
    fn is_maintained(self) -> bool {
        let own = self.store.config_bool("beads.maintenance");
        own.unwrap_or_else(|| {
            self.store.config_bool("maintenance.auto") != Some(false)
                && self.store.config("gc.auto").as_deref() != Some("0")
        })
    }

    /// Starts to pack loose objects where there are many; costs one look into one folder.
    pub(super) fn maintain_if_due(self) {
        if self.has_many_loose() && self.is_maintained() && !self.has_just_begun() {
            detach(self.store, &["hook", "tidy"]);
        }
    }

    /// By one folder of 256: ids are spread evenly.
    fn has_many_loose(self) -> bool {
        // The folder that `git gc --auto` looks into as well.
        let entries = fs::read_dir(self.store.common_dir().join("objects/17"));
        entries.is_ok_and(|entries| entries.take(LOOSE).count() == LOOSE)
    }

    fn has_just_begun(self) -> bool {
        let began = fs::metadata(self.marker()).and_then(|meta| meta.modified());
        began
            .ok()
            .and_then(|time| time.elapsed().ok())
            .is_some_and(|age| age < PAUSE)
    }

    fn marker(self) -> PathBuf {
        self.store.folder().join("tidy")
    }

    /// Makes sure that no one else tidies; none where someone does.
    fn claim_tidying(self) -> Result<Option<File>> {
        private_file::folder(&self.store.folder(), self.store.permissions())?;
        let marker = private_file::open(&self.marker(), self.store.permissions())?;
        // Where locks are not known nothing is written either.
        Ok(marker.try_lock().is_ok().then_some(marker))
    }

    /// Packs loose objects while there are many, and makes few packs of many of our own, unless someone is at it.
    pub(crate) fn maintain(self) -> Result<()> {
        self.pack_loose()?;
        self.merge_packs()
    }

    fn pack_loose(self) -> Result<()> {
        let Some(marker) = self.claim_tidying()? else {
            return Ok(());
        };
        // Anyone who asks meanwhile sees that it has begun. Only its owner may set the time of a file; others write to
        // it.
        let _ = marker
            .set_modified(crate::env::file_time())
            .or_else(|_| platform::write_all_at(&marker, b"\n", 0));
        for _ in 0..ROUNDS {
            if !self.has_many_loose() {
                break;
            }
            let mut command = self.store.git().command();
            let output = super::git::output(command.args([
                "maintenance",
                "run",
                "--task=loose-objects",
                "--quiet",
            ]))?;
            checked("maintenance", output.status.success(), &output.stderr)?;
        }
        Ok(())
    }

    /// Makes one pack of our small ones, where there are many: those that together outweigh the next larger one. So
    /// they stay few, and no object is packed again often.
    pub(super) fn merge_packs(self) -> Result<()> {
        // What a multi-pack index names must stay until git itself writes another one.
        if self.has_multi_pack_index() || !self.is_maintained() {
            return Ok(());
        }
        let Some(_claim) = self.claim_tidying()? else {
            return Ok(());
        };
        self.store.replaced_packs().remove_due()?;
        let packs = self.own_packs()?;
        let small = packs_to_merge(&packs);
        if small.is_empty() {
            return Ok(());
        }
        let mut ids = BTreeSet::new();
        for pack in small {
            self.read_ids(pack, &mut ids)?;
        }
        // The new pack is durable before an old one goes.
        let made = self.store.packs().pack(
            &[],
            &ids.into_iter().map(|id| id + "\n").collect::<String>(),
        )?;
        let merged = small.iter().map(|pack| pack.path.as_path());
        self.store
            .replaced_packs()
            .note(merged.filter(|path| *path != made), &made)
    }

    /// Returns true if git has one index of many packs here.
    pub(super) fn has_multi_pack_index(self) -> bool {
        let folder = self.store.common_dir().join("objects/pack");
        ["multi-pack-index", "multi-pack-index.d"]
            .iter()
            .any(|name| folder.join(name).exists())
    }

    /// Starts to make few packs of our own where there are many.
    pub(super) fn merge_packs_if_due(self) {
        let are_many = self.own_packs().is_ok_and(|packs| packs.len() > FEW);
        if are_many && self.is_maintained() && !self.has_just_begun() {
            detach(self.store, &["hook", "tidy"]);
        }
    }

    /// Returns the packs that git has made here.
    pub(super) fn fetched_packs(self) -> BTreeSet<PathBuf> {
        let entries = files::entries(self.store.common_dir().join("objects/pack"));
        let paths = entries.map(|entry| entry.path());
        let is_fetched = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("pack-") && name.ends_with(".idx"))
        };
        paths.filter(is_fetched).collect()
    }

    /// Gives the pack that our fetch has made one of our names, so that many of them become few.
    ///
    /// One that a fetch of the user made at the same time brings other commits, or a copy of the same ones: it keeps
    /// its name, as does one whose missing objects a remote has promised.
    pub(super) fn adopt_pack(self, known: &BTreeSet<PathBuf>, tips: &[Oid]) -> Result<()> {
        // What stays costs only its space, so it is no reason for a fetch to fail.
        let _ = self.store.replaced_packs().remove_due();
        let all = self.fetched_packs();
        let mut new = all.difference(known);
        let (Some(index), None) = (new.next(), new.next()) else {
            return Ok(());
        };
        let is_kept = ["keep", "promisor"].map(|ending| index.with_extension(ending).exists());
        if is_kept.contains(&true) || !self.leads_to_all(tips, index)? {
            return Ok(());
        }
        let name = index.file_stem().and_then(|name| name.to_str());
        let id = name.and_then(|name| name.strip_prefix("pack-"));
        let ours = index.with_file_name(format!("{PREFIX}-{}", id.unwrap_or_default()));
        for ending in ENDINGS {
            let linked = fs::hard_link(index.with_extension(ending), ours.with_extension(ending));
            let is_there = |error: &std::io::Error| error.kind() == ErrorKind::AlreadyExists;
            match linked {
                // Not every git makes a reverse index.
                Err(error) if ending != "rev" && !is_there(&error) => return Ok(()),
                _ => {}
            }
        }
        // Both names are there until no git that has listed the packs looks for the old one.
        self.store.packs().sync_packs()?;
        let _ = self.store.replaced_packs().note([index.as_path()], &ours);
        self.merge_packs_if_due();
        Ok(())
    }

    /// Returns true if all commits in a pack are in the history of these tips, and were not known before.
    fn leads_to_all(self, tips: &[Oid], index: &Path) -> Result<bool> {
        let (mut news, known) = (HashSet::new(), self.store.tip()?);
        for tip in tips {
            let history = Snapshot::at(self.store, *tip)?.history(known)?;
            news.extend(history.into_iter().map(|commit| commit.oid));
        }
        let read = gix::odb::pack::index::File::at(index, self.store.repo.object_hash());
        let index = read.map_err(unreadable("the index of a pack"))?;
        let mut commits = 0;
        for entry in index.iter() {
            let oid = Oid(entry.oid);
            if self.store.is_commit(oid)? {
                commits += 1;
                if !news.contains(&oid) {
                    return Ok(false);
                }
            }
        }
        Ok(commits > 0)
    }

    /// Returns our packs, smallest first, without those that someone wants to be kept, or that others replace.
    fn own_packs(self) -> Result<Vec<Pack>> {
        let mut packs = Vec::new();
        let replaced = self.store.replaced_packs().names();
        let folder = self.store.common_dir().join("objects/pack");
        for entry in fs::read_dir(&folder)
            .map_err(io("can't list packs"))?
            .flatten()
        {
            let path = entry.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            let ours = name
                .strip_prefix(PREFIX)
                .is_some_and(|rest| rest.starts_with('-') && rest.ends_with(".idx"));
            let is_replaced = replaced.contains(name.trim_end_matches(".idx"));
            if !ours || is_replaced || path.with_extension("keep").exists() {
                continue;
            }
            if let Ok(meta) = fs::metadata(path.with_extension("pack")) {
                packs.push(Pack {
                    bytes: meta.len(),
                    path: path.with_extension(""),
                });
            }
        }
        packs.sort_unstable();
        Ok(packs)
    }

    /// Returns the ids of the objects in a pack, as hexadecimal text.
    fn read_ids(self, pack: &Pack, ids: &mut BTreeSet<String>) -> Result<()> {
        let index = File::open(pack.path.with_extension("idx"))
            .map_err(io("can't open the index of a pack"))?;
        let format = format!("--object-format={}", self.store.repo.object_hash());
        let mut command = self.store.git().command();
        command
            .args(["show-index", &format])
            .stdin(Stdio::from(index))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let shown = run::start(&mut command).and_then(collect);
        let output = shown.map_err(io("can't run git show-index"))?;
        checked("show-index", output.status.success(), &output.stderr)?;
        let text = String::from_utf8_lossy(&output.stdout);
        for line in text.lines() {
            let id = line.split(' ').nth(1).ok_or_else(|| StoreError::Write {
                what: "can't merge packs".into(),
                why: format!("`git show-index` says {line}"),
                kind: None,
            })?;
            ids.insert(id.to_owned());
        }
        Ok(())
    }
}

/// Returns the smallest packs that are to become one, as `git repack --geometric=2` chooses them: so that each pack
/// that is left weighs at least twice the one before. For any sizes few packs stay.
fn packs_to_merge(packs: &[Pack]) -> &[Pack] {
    if packs.len() <= FEW {
        return &[];
    }
    let grows = |pair: &[Pack]| pair[1].bytes >= 2 * pair[0].bytes;
    // All up to the last pair that does not grow.
    let mut run = packs
        .windows(2)
        .rposition(|pair| !grows(pair))
        .map_or(0, |at| at + 2);
    // At least so many that `FEW` remain, the new one included.
    run = run.max(packs.len() + 1 - FEW);
    let mut before: u64 = packs[..run].iter().map(|pack| pack.bytes).sum();
    for pack in &packs[run..] {
        // The new pack weighs as much as all of them, and the next one has to outweigh that too.
        if pack.bytes >= 2 * before {
            break;
        }
        before += pack.bytes;
        run += 1;
    }
    &packs[..run]
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Pack, packs_to_merge};
    use crate::platform;
    use crate::store::repository::tests::scratch_store;

    #[test]
    fn a_collection_has_a_process_and_ends_within_a_day() {
        const GONE: i32 = 0x3fff_fff0;
        let (_folder, store) = scratch_store();
        let own = i32::try_from(std::process::id()).unwrap();
        for (process, is_old, runs) in [
            (own, false, true),
            (own, true, false),
            (GONE, false, !platform::has_ended(GONE)),
        ] {
            let path = store.common_dir().join("gc.pid");
            std::fs::write(&path, format!("{process} here")).unwrap();
            if is_old {
                let file = std::fs::File::options().write(true).open(&path).unwrap();
                let began = crate::env::file_time() - LONGEST;
                file.set_modified(began).unwrap();
            }
            assert_eq!(store.maintenance().is_collecting(), runs, "{process}");
        }
    }

    #[test]
    fn small_packs_do_not_drag_large_ones_along() {
        let packs = |sizes: &[u64]| -> Vec<Pack> {
            sizes
                .iter()
                .map(|bytes| Pack {
                    bytes: *bytes,
                    path: bytes.to_string().into(),
                })
                .collect()
        };
        for (sizes, run) in [
            (&[][..], 0),
            (&[5; 8], 0),
            (&[5; 9], 9),
            // A small one that came early hinders no one.
            (&[1, 90, 90, 90, 90, 90, 90, 90, 90], 9),
            (&[1, 90, 90, 90, 90, 90, 90, 90, 5000], 8),
            (&[5, 6, 7, 8, 9, 10, 11, 111, 5000], 8),
            (&[5, 6, 7, 8, 9, 10, 11, 112, 5000], 7),
            // What grows as it should is many only in the end.
            (&[1, 4, 10, 30, 90, 270, 810, 2430, 7290], 2),
        ] {
            assert_eq!(packs_to_merge(&packs(sizes)).len(), run, "{sizes:?}");
        }
    }
}
