//! Full journals become packs.
//!
//! A journal keeps growing and is replayed as a whole, so a full one is put aside and its objects are packed,
//! by a process of its own that nobody waits for. Git makes packs durable; then journal and loose copies go.

use std::fs::{self, TryLockError};
use std::io::Write as _;
use std::process::Stdio;

use super::git::checked;
use super::journal::{self, Journal};
use super::own::{self, sync_folder};
use super::{Oid, Result, Store, StoreError, git, io};

impl Store {
    /// Puts the journal aside and begins another, at where the ref is.
    pub(super) fn rotate(&self) -> Result<Journal> {
        if let Some(journal) = Journal::open(&self.folder())? {
            journal.put_aside(&self.folder())?;
        }
        let journal = Journal::create(&self.folder(), self.tip()?)?;
        git::detach(&self.place(), &["hook", "fold"]);
        Ok(journal)
    }

    /// Packs what the journals hold that were put aside, and does away with those; returns how many.
    ///
    /// # Errors
    /// Objects that can't be packed; then everything stays as it is.
    pub fn fold(&self) -> Result<usize> {
        let mut folded = 0;
        for (_, path) in journal::aside(&self.folder()) {
            let Some(file) = own::existing(&path)? else { continue };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => return Err(io("can't lock a journal")(error)),
            }
            let contents = journal::contents(&path)?;
            self.rewrite(&contents)?;
            let ids: Vec<Oid> =
                contents.moves().flat_map(|record| record.objects.iter().map(|object| Oid(object.id))).collect();
            let list: String = ids.iter().map(|id| format!("{id}\n")).collect();
            if !ids.is_empty() {
                self.pack(&[], &list)?;
            }
            if contents.damage > 0 {
                // Nobody has read all of it: a person may want to.
                own::set_aside(&path, &path.with_file_name(format!("aside-journal-{}", crate::env::now())))?;
                continue;
            }
            self.drop_loose(&ids);
            fs::remove_file(&path).map_err(io(format!("can't remove {}", path.display())))?;
            folded += 1;
        }
        Ok(folded)
    }

    /// Packs the objects of a list, and makes the pack durable.
    pub(super) fn pack(&self, options: &[&str], list: &str) -> Result<()> {
        let base = self.common_dir().join("objects/pack/pack");
        let mut command = self.git();
        command.args(["-c", "core.fsync=committed", "pack-objects", "--quiet"]).args(options).arg(base);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = piped.spawn().map_err(io("can't run git pack-objects"))?;
        if let Some(mut stdin) = child.stdin.take() {
            // What can't be written there, git says.
            let _ = stdin.write_all(list.as_bytes());
        }
        let output = child.wait_with_output().map_err(io("git pack-objects"))?;
        checked("pack-objects", output.status.success(), &output.stderr)?;
        self.sync_packs()
    }

    /// Makes the names of new packs durable; git does so for what is in them.
    pub(super) fn sync_packs(&self) -> Result<()> {
        let folder = self.common_dir().join("objects/pack");
        sync_folder(&folder).map_err(io("can't make a pack durable"))
    }

    /// Packs what a tip has beyond ours where it is loose, as after a small fetch of the user's own: git makes
    /// no loose object durable.
    pub(super) fn pack_loose_news(&self, theirs: Oid, ours: Option<Oid>) -> Result<()> {
        if !self.is_loose(theirs.0) {
            return Ok(());
        }
        let hidden = ours.map(|ours| format!("^{ours}\n")).unwrap_or_default();
        self.pack(&["--revs"], &format!("{theirs}\n{hidden}"))
    }

    /// Takes the text of purged issues out of the journal: what it holds is packed, and it begins anew.
    ///
    /// # Errors
    /// A journal that can't be packed.
    pub fn clear_journal(&self) -> Result<()> {
        {
            let _lock = self.lock()?;
            let Some(journal) = Journal::open(&self.folder())? else { return Ok(()) };
            journal.put_aside(&self.folder())?;
            Journal::create(&self.folder(), self.tip()?)?;
        }
        self.fold()?;
        match journal::aside(&self.folder()).is_empty() {
            true => Ok(()),
            false => Err(StoreError::Write {
                what: "the journal still holds what was purged".into(),
                why: "another process is packing it".into(),
            }),
        }
    }
}
