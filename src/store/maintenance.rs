//! Keeping what we leave in the repository small.
//!
//! Git's own maintenance begins with the user's commands and rewrites the user's packs; of a repository that is used
//! through us alone nobody takes care. So the packs of journals bear a name of their own, and where there are many of
//! them, small ones become one. Loose objects, which only writers without a journal leave behind, are packed by
//! `git maintenance`. Both happen beside the user, in a process that nobody waits for; who has switched git's automatic
//! maintenance off has switched off ours.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use super::git::{checked, collect, detach};
use super::pack::PREFIX;
use super::{Result, Store, StoreError, io, private_file};

/// So many of our packs are few.
const FEW: usize = 8;
/// One in 256 folders holds so many of about 7,000 loose objects: as many as make `git gc --auto` begin.
const LOOSE: usize = 27;
/// Between two attempts, however they end.
const PAUSE: Duration = Duration::from_secs(5);
/// `git maintenance` packs up to 50,000 objects at a time.
const ROUNDS: usize = 20;

/// A pack of ours: its path without the ending, and its size in bytes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pack {
    bytes: u64,
    path: PathBuf,
}

impl Store {
    /// Whether anything may be packed beside the user: `beads.maintenance`, else what holds for git's own.
    fn is_maintained(&self) -> bool {
        let own = self.config_bool("beads.maintenance");
        own.unwrap_or_else(|| {
            self.config_bool("maintenance.auto") != Some(false)
                && self.config("gc.auto").as_deref() != Some("0")
        })
    }

    /// Starts to pack loose objects where there are many; costs one look into one folder.
    pub(super) fn tidy_if_due(&self) {
        if self.has_many_loose() && self.is_maintained() && !self.has_just_begun() {
            detach(self.common_dir(), &["hook", "tidy"]);
        }
    }

    /// By one folder of 256: ids are spread evenly.
    fn has_many_loose(&self) -> bool {
        let entries = fs::read_dir(self.common_dir().join("objects/17"));
        entries.is_ok_and(|entries| entries.take(LOOSE).count() == LOOSE)
    }

    fn has_just_begun(&self) -> bool {
        let began = fs::metadata(self.marker()).and_then(|meta| meta.modified());
        began
            .ok()
            .and_then(|time| time.elapsed().ok())
            .is_some_and(|age| age < PAUSE)
    }

    fn marker(&self) -> PathBuf {
        self.folder().join("tidy")
    }

    /// Makes sure that nobody else tidies; none where somebody does.
    fn claim_tidying(&self) -> Result<Option<File>> {
        private_file::folder(&self.folder())?;
        let marker = private_file::open(&self.marker())?;
        Ok(marker.try_lock().is_ok().then_some(marker))
    }

    /// Packs loose objects while there are many, unless somebody is at it.
    ///
    /// # Errors
    /// A failing git; nothing is lost then.
    pub fn tidy(&self) -> Result<()> {
        let Some(marker) = self.claim_tidying()? else {
            return Ok(());
        };
        // Whoever asks meanwhile sees that it has begun.
        let _ = marker.set_modified(crate::env::moment(0));
        for _ in 0..ROUNDS {
            if !self.has_many_loose() {
                break;
            }
            let mut command = self.git();
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
    pub(super) fn merge_packs(&self) -> Result<()> {
        // What a multi-pack index names must stay until git itself writes another one.
        let folder = self.common_dir().join("objects/pack");
        let indexed = ["multi-pack-index", "multi-pack-index.d"]
            .iter()
            .any(|name| folder.join(name).exists());
        if indexed || !self.is_maintained() {
            return Ok(());
        }
        let Some(_claim) = self.claim_tidying()? else {
            return Ok(());
        };
        let packs = self.own_packs()?;
        let small = light(&packs);
        if packs.len() <= FEW || small.len() < 2 {
            return Ok(());
        }
        let mut ids = BTreeSet::new();
        for pack in small {
            self.read_ids(pack, &mut ids)?;
        }
        let made = self.pack(
            &[],
            &ids.into_iter().map(|id| id + "\n").collect::<String>(),
        )?;
        for pack in small.iter().filter(|pack| pack.path != made) {
            for ending in ["idx", "rev", "pack"] {
                // What stays costs only its space.
                let _ = fs::remove_file(pack.path.with_extension(ending));
            }
        }
        Ok(())
    }

    /// Our packs, smallest first, without those that somebody wants to be kept.
    fn own_packs(&self) -> Result<Vec<Pack>> {
        let mut packs = Vec::new();
        let folder = self.common_dir().join("objects/pack");
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
            if !ours || path.with_extension("keep").exists() {
                continue;
            }
            if let Ok(meta) = fs::metadata(path.with_extension("pack")) {
                packs.push(Pack {
                    bytes: meta.len(),
                    path: path.with_extension(""),
                });
            }
        }
        packs.sort();
        Ok(packs)
    }

    /// The ids of the objects in a pack, as hexadecimal text.
    fn read_ids(&self, pack: &Pack, ids: &mut BTreeSet<String>) -> Result<()> {
        let index = File::open(pack.path.with_extension("idx"))
            .map_err(io("can't open the index of a pack"))?;
        let format = format!("--object-format={}", self.repo.object_hash());
        let mut command = self.git();
        command
            .args(["show-index", &format])
            .stdin(Stdio::from(index))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let shown = command.spawn().and_then(collect);
        let output = shown.map_err(io("can't run git show-index"))?;
        checked("show-index", output.status.success(), &output.stderr)?;
        let text = String::from_utf8_lossy(&output.stdout);
        for line in text.lines() {
            let id = line.split(' ').nth(1).ok_or_else(|| StoreError::Write {
                what: "can't merge packs".into(),
                why: format!("`git show-index` says {line}"),
            })?;
            ids.insert(id.to_owned());
        }
        Ok(())
    }
}

/// The longest run of packs from the smallest on in which none weighs more than twice those before it.
fn light(packs: &[Pack]) -> &[Pack] {
    let mut before = 0;
    let heavier = packs.iter().position(|pack| {
        let heavy = before > 0 && pack.bytes > 2 * before;
        before += pack.bytes;
        heavy
    });
    &packs[..heavier.unwrap_or(packs.len())]
}

#[cfg(test)]
mod tests {
    use super::{Pack, light};

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
            (&[5], 1),
            (&[5, 5, 5], 3),
            (&[5, 11, 5000], 1),
            (&[5, 6, 7, 37, 5000], 3),
            (&[5, 6, 7, 36], 4),
        ] {
            assert_eq!(light(&packs(sizes)).len(), run, "{sizes:?}");
        }
    }
}
