//! A ref that someone set back: what it lacks of what we answered for is named until it is there again, or gone.
//!
//! Replaying only goes forward, so this is a check of its own: against the last tip that an answer was made from. What
//! is found is kept in a file of our own, one id in a line, and each command says so as long as it can be brought back.

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::door::{RefOrigin, Why, explain};
use super::journal;
use super::known::Known;
use super::reach::Reach;
use super::write_lock::WriteLock;
use super::{Cancel, Oid, Result, Store, io, private_file};
use crate::files;

const FILE: &str = "left-out";
/// The tips that a person does not want back, in the same form.
pub(super) const FORGOTTEN: &str = "forgotten";
/// The beginning of the names of journals that were put aside for good.
const ASIDE: &str = "aside-journal-";

/// A tip whose operations the ref lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// The tip.
    pub tip: Oid,
    /// The journal that was put aside with it, if that is what knows it.
    pub journal: Option<PathBuf>,
    /// True if its history and all of its objects are there.
    pub is_whole: bool,
    /// Why the ref lacks it.
    pub why: Why,
}

impl LeftOut {
    /// Returns true if `doctor --fix` merges it.
    pub(crate) fn can_be_merged(&self) -> bool {
        self.is_whole && matches!(self.why, Why::Fetch | Why::Person)
    }
}

/// The operations that a ref lacks which was set back.
#[derive(Clone, Copy)]
pub(crate) struct SetBack<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the operations that a ref lacks which was set back.
    pub(crate) fn set_back(&self) -> SetBack<'_> {
        SetBack { store: self }
    }
}

impl SetBack<'_> {
    /// Returns a tip of before, where one of now lacks operations of it, and remembers that as far as our folder can
    /// be written.
    pub(crate) fn notice_left_out(self, before: Oid, now: Oid) -> Option<Oid> {
        if !self.is_set_back(before, now) {
            return None;
        }
        // In a repository that can only be read this command alone says so.
        if let Ok(lock) = self.store.lock() {
            let _ = self.note_left_out(&lock, before);
        }
        Some(before)
    }

    /// Does the same for one who holds the lock.
    pub(super) fn notice_under_lock(self, lock: &WriteLock, before: Oid, now: Oid) -> Option<Oid> {
        if !self.is_set_back(before, now) {
            return None;
        }
        let _ = self.note_left_out(lock, before);
        Some(before)
    }

    /// Returns true as long as the ref lacks operations of a tip; also where there is no ref to compare it with.
    pub(crate) fn is_lacked(self, tip: Oid) -> bool {
        explain(self.store, tip) != Why::Contained && !self.forgotten().contains(&tip)
    }

    /// Returns true if the tip of now lacks operations of one of before, which can be brought back.
    fn is_set_back(self, before: Oid, now: Oid) -> bool {
        // A move forward is the usual one, and seen at once.
        !Reach::new(self.store).parents(now).contains(&before) && self.is_named(before)
    }

    /// Returns true for a tip that commands name.
    fn is_named(self, tip: Oid) -> bool {
        !matches!(explain(self.store, tip), Why::Contained | Why::Removed)
            && !self.forgotten().contains(&tip)
    }

    /// Notes a tip. Under the lock, as the file is removed: else the note could go with it.
    pub(super) fn note_left_out(self, _lock: &WriteLock, tip: Oid) -> Result<()> {
        self.append(FILE, tip)
    }

    /// Forgets all that the ref lacks: from now on no command names it. Returns the tips of it.
    pub(crate) fn forget(self) -> Result<Vec<Oid>> {
        let left = self.all_left_out()?;
        let _lock = self.store.lock()?;
        for left in &left {
            self.append(FORGOTTEN, left.tip)?;
        }
        Ok(left.into_iter().map(|left| left.tip).collect())
    }

    /// Adds a tip to one of the files.
    fn append(self, file: &str, tip: Oid) -> Result<()> {
        let path = self.store.folder().join(file);
        let fail = || io(format!("can't write {}", path.display()));
        // What can't be read must not be written over.
        let known = self.text_of(file).map_err(fail())?;
        if tips_in(&known).contains(&tip) {
            return Ok(());
        }
        // After a write that was cut off a new line begins, else two ids would be one.
        let is_whole = known.is_empty() || known.ends_with('\n');
        let line = format!("{}{tip}\n", if is_whole { "" } else { "\n" });
        // At the end, and never over what is there: on a full disk the other notes stay.
        let mut file = private_file::open(&path, self.store.permissions())?;
        file.seek(SeekFrom::End(0)).map_err(fail())?;
        file.write_all(line.as_bytes()).map_err(fail())
    }

    fn text_of(self, file: &str) -> std::io::Result<String> {
        match fs::read_to_string(self.store.folder().join(file)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            read => read,
        }
    }

    fn noted(self) -> Vec<Oid> {
        tips_in(&self.text_of(FILE).unwrap_or_default())
    }

    fn forgotten(self) -> Vec<Oid> {
        tips_in(&self.text_of(FORGOTTEN).unwrap_or_default())
    }

    /// Returns true if a command has noticed that the ref lacks a tip, or a person has forgotten it.
    pub(super) fn has_noticed(self, tip: Oid) -> bool {
        self.noted().contains(&tip) || self.forgotten().contains(&tip)
    }

    /// Returns the tips that were noticed, as far as the ref lacks them and they can still be brought back. Costs one
    /// look where none is.
    pub(crate) fn left_out(self) -> Vec<Oid> {
        let path = self.store.folder().join(FILE);
        if !path.exists() {
            return Vec::new();
        }
        let left = self.still_left_out();
        if left.as_ref().is_some_and(Vec::is_empty) {
            self.forget_notes(&path);
        }
        left.unwrap_or_default()
    }

    /// Returns the tips that were noticed and are named; none where there is no ref to compare them with.
    fn still_left_out(self) -> Option<Vec<Oid>> {
        self.store.tip().ok()??;
        let noted = self.noted().into_iter();
        Some(noted.filter(|tip| self.is_named(*tip)).collect())
    }

    /// Removes the file of the notes, unless one that counts has come meanwhile: they are written under the lock.
    /// Waits for no one: if it stays, the next command looks again.
    fn forget_notes(self, path: &Path) {
        let at_once = Cancel::when(Arc::new(AtomicBool::new(true)));
        if let Ok(_lock) = self.store.lock_unless(&at_once)
            && self.still_left_out().is_some_and(|left| left.is_empty())
        {
            let _ = fs::remove_file(path);
        }
    }

    /// Returns all that the ref lacks of what we ever answered for, by the journals and what was noticed.
    pub(crate) fn all_left_out(self) -> Result<Vec<LeftOut>> {
        loop {
            let Some(tip) = self.store.tip()? else {
                return Ok(Vec::new());
            };
            let found = self.left_out_of(tip)?;
            // A journal that was read after the ref may be ahead of it: another writer ended in between.
            if found.is_empty() || self.store.tip()? == Some(tip) {
                return Ok(found);
            }
        }
    }

    /// Returns what a tip lacks of the journals and of what was noticed.
    fn left_out_of(self, tip: Oid) -> Result<Vec<LeftOut>> {
        let (paths, used) = (self.journals_aside(), self.journal(None)?);
        let aside = paths.iter().map(|path| self.journal(Some(path)));
        let aside = aside.collect::<Result<Vec<_>>>()?;
        let used = Known::of(&used);
        let aside: Vec<Known<'_>> = aside.iter().map(Known::of).collect();
        // Where a journal was put aside, what was noticed may be in that one alone.
        let objects = aside.iter().chain([&used]).flat_map(Known::objects);
        let overlaid = self.store.overlaid(objects)?;
        let reach = Reach::new(&overlaid);
        let origin = RefOrigin::of(self.store, &reach, tip);
        let kept_in = |left: Oid| {
            let at = aside.iter().position(|known| known.ends().contains(&left));
            at.map(|at| paths[at].clone())
        };
        let ended = [&used].into_iter().chain(&aside);
        let ended = ended.flat_map(|known| self.answered_ends(known, tip));
        let forgotten = self.forgotten();
        let mut found: Vec<LeftOut> = Vec::new();
        for left in self.noted().into_iter().chain(ended) {
            if forgotten.contains(&left) || found.iter().any(|other| other.tip == left) {
                continue;
            }
            let why = origin.why(left);
            if why != Why::Contained {
                found.push(LeftOut {
                    tip: left,
                    journal: kept_in(left),
                    is_whole: reach.is_whole(left, Some(tip)),
                    why,
                });
            }
        }
        Ok(found)
    }

    /// Returns the tips that a journal ends with, but for one that a writer has announced and not reached yet, or was killed
    /// over: that was never answered.
    fn answered_ends(self, known: &Known<'_>, tip: Oid) -> Vec<Oid> {
        let mut ends = known.ends();
        let is_pending = known.last().is_some_and(|record| {
            record.old == Some(tip) && record.new != Some(tip) && self.store.is_interrupted()
        });
        if is_pending {
            ends.pop();
        }
        ends
    }

    /// Reads a journal that was put aside, or all that are in use.
    fn journal(self, aside: Option<&Path>) -> Result<journal::Contents> {
        match aside {
            Some(path) => journal::contents(self.store.env(), path),
            None => journal::all(self.store.env(), &self.store.folder()),
        }
    }

    /// Reads all journals that are in use, after those that were put aside.
    pub(super) fn every_journal(self) -> Result<journal::Contents> {
        let used = self.journal(None)?;
        let mut records = Vec::new();
        for path in self.journals_aside() {
            records.extend(self.journal(Some(&path))?.records);
        }
        records.extend(used.records);
        Ok(journal::Contents { records, ..used })
    }

    fn journals_aside(self) -> Vec<PathBuf> {
        let entries = files::entries(self.store.folder());
        let paths = entries.map(|entry| entry.path());
        let is_aside = |path: &PathBuf| {
            let name = path.file_name().map(|name| name.to_string_lossy());
            name.is_some_and(|name| name.starts_with(ASIDE))
        };
        paths.filter(is_aside).collect()
    }
}

/// Returns the tips in the text of a file, one in a line.
fn tips_in(text: &str) -> Vec<Oid> {
    text.lines().filter_map(Oid::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::repository::tests::scratch_store;

    #[test]
    fn a_note_that_was_cut_off_spoils_no_other() {
        let (_folder, store) = scratch_store();
        let id = |digit: &str| Oid::parse(&digit.repeat(40)).unwrap();
        let lock = store.lock().unwrap();
        store.set_back().note_left_out(&lock, id("1")).unwrap();
        let path = store.folder().join(FILE);
        let torn = format!(
            "{}{}",
            fs::read_to_string(&path).unwrap(),
            &id("2").to_string()[..7]
        );
        fs::write(&path, torn).unwrap();
        store.set_back().note_left_out(&lock, id("3")).unwrap();
        assert_eq!(store.set_back().noted(), [id("1"), id("3")]);
    }
}
