//! Replaying the journal, after a power cut or where something is missing.
//!
//! Replaying never moves a readable ref, except forward along the journal's own line. Let R be the ref's value, V all
//! ids that the journals' moves name, N the newest of them, and v the first of R and its ancestors that is in V.
//! "Elsewhere" is another boot, another file, or a machine that names no boot.
//!
//! | R | what is done |
//! |---|---|
//! | no state of a store | a person's mistake: nothing is done, and the journal stays as it is; `doctor --fix` puts N back |
//! | readable, no v | the journal is not of this ref: elsewhere it is put aside; `doctor` names it |
//! | readable, v = N | what is missing of the line is written again; elsewhere the journal starts afresh at R |
//! | readable, else | a person's decision: what is missing of the line up to v is written again, the rest is named |
//! | readable, v = R, elsewhere, N has all of R and is whole | R moves to N: a power cut took the rename of an answered write, unless the reflog says that someone went back from N to R |
//! | unreadable | the newest recorded state takes its place if it is whole, never an older one: see `restore` |
//! | absent | the same elsewhere; here it is named |
//!
//! Whether R is readable depends on R alone, and nothing is merged: a reader may replay. Where nothing could be put in
//! the place of R the journal stays as it is.

use std::time::Duration;

use super::door::{RefOrigin, Why};
use super::journal::{Contents, Journal};
use super::known::Known;
use super::object::Object;
use super::reach::Reach;
use super::refs::RefUpdate;
use super::restore::{Restore, Restored};
use super::write_lock::WriteLock;
use super::{Oid, REF, Result, Snapshot, Store, journal, look_twice, private_file};

/// A lock of git's that is still there after so many looks, right after a boot, is abandoned.
const LEFTOVER_LOOKS: u32 = 30;
const LEFTOVER_PAUSE: Duration = Duration::from_millis(100);
/// The result of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Replayed {
    /// Objects that were missing or damaged and are whole again.
    pub objects: usize,
    /// The commit that the ref was put to, if it had to be.
    pub tip: Option<Oid>,
    /// Refs of what remotes had that could not be read, and that the next fetch makes again.
    pub refs: usize,
}

impl Replayed {
    /// Returns true if anything was repaired.
    pub(crate) fn is_something(self) -> bool {
        self != Self::default()
    }
}

/// The state in which the ref is found.
enum Found {
    None,
    Tip(Oid),
    /// Its file holds neither an id nor the name of another ref, which is no decision of a person.
    Garbage,
}

/// The replay of the journals.
#[derive(Clone, Copy)]
pub(crate) struct Replay<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the replay of the journals.
    pub(crate) fn replay(&self) -> Replay<'_> {
        Replay { store: self }
    }
}

impl Replay<'_> {
    /// Returns true if the journal was written, or replayed, here and under this boot of the machine; one that is not
    /// there is. Where the machine names no boot, one that ends where the ref is.
    pub(crate) fn is_settled(self) -> bool {
        self.is_settled_by(&Journal::open(&self.store.folder()))
    }

    fn is_settled_by(self, journal: &Result<Option<Journal>>) -> bool {
        match journal {
            Ok(Some(journal)) => {
                journal.is_of_here(self.store.env())
                    || self
                        .store
                        .tip()
                        .is_ok_and(|tip| journal.is_of_nameless_boot_at(self.store.env(), tip))
            }
            Ok(None) => match journal::aside(&self.store.folder()).last() {
                None => true,
                Some((_, path)) => {
                    journal::contents(self.store.env(), path).is_ok_and(|found| found.here)
                }
            },
            // No reason to replay: who needs the journal meets the error itself.
            Err(_) => true,
        }
    }

    /// Replays the journal.
    pub(crate) fn recover(self) -> Result<Replayed> {
        // Settled or not is asked under the lock: another process may be replaying right now.
        let lock = self.store.lock()?;
        let settled = self.is_settled();
        self.run(&lock, settled)
    }

    /// Replays the journal where it was written under another boot, or elsewhere; returns the tip that it ends with.
    /// The journal is opened once: checking its last record is a twentieth of a write.
    pub(super) fn replay_if_needed(self, lock: &WriteLock) -> Result<Option<Oid>> {
        let mut journal = Journal::open(&self.store.folder());
        if !self.is_settled_by(&journal) {
            self.run(lock, false)?;
            journal = Journal::open(&self.store.folder());
        }
        Ok(journal.ok().flatten().and_then(|journal| journal.newest()))
    }

    fn run(self, lock: &WriteLock, settled: bool) -> Result<Replayed> {
        let contents = journal::all(self.store.env(), &self.store.folder())?;
        let known = Known::of(&contents);
        // Git stops at a broken ref, and the rewriting below may run git.
        let refs = self.store.fsck().set_broken_remote_refs_aside()?;
        let elsewhere = !settled && !contents.here;
        tracing::debug!(settled, elsewhere, "replays the journal");
        if elsewhere {
            // The lock is held, so no unfinished file belongs to a writer at work.
            self.store.loose().sweep();
            self.outwait_leftover()?;
        }
        let mut done = self.replay_found(lock, &known, elsewhere)?;
        done.refs = refs;
        tracing::debug!(
            objects = done.objects,
            refs,
            moved = done.tip.is_some(),
            "replayed"
        );
        // The new journal names this boot and file, so that the next command finds nothing to do. It begins with where
        // the ref is, so none begins where that is no state: it would pass for the newest one.
        if !settled && !self.is_settled() && Restore::of(self.store).is_at_a_state() {
            self.store.journals().rotate()?;
        }
        Ok(done)
    }

    /// Replays by what is found in the place of the ref.
    fn replay_found(
        self,
        lock: &WriteLock,
        known: &Known<'_>,
        elsewhere: bool,
    ) -> Result<Replayed> {
        match self.found()? {
            Found::Tip(tip) => self.replay_at(lock, known, tip, elsewhere),
            // Deleted under this boot, so by a person: it is named, and not undone.
            Found::None if !elsewhere => {
                log_row("absent, here", None, None);
                Ok(Replayed::default())
            }
            Found::None | Found::Garbage => self.replace_unreadable(lock, known),
        }
    }

    /// Replays where the ref has a value.
    fn replay_at(
        self,
        lock: &WriteLock,
        known: &Known<'_>,
        tip: Oid,
        elsewhere: bool,
    ) -> Result<Replayed> {
        let overlaid = self.store.overlaid(known.objects())?;
        let reach = Reach::new(&overlaid);
        let Some(newest) = known.newest() else {
            return Ok(Replayed::default());
        };
        if reach.is_foreign(tip) {
            log_row("no state of a store", Some(tip), Some(newest));
            return Ok(Replayed::default());
        }
        let Some(nearest) = reach.first(tip, |commit| known.names(commit)) else {
            if self.has_lost(tip) {
                return self.replace_unreadable(lock, known);
            }
            log_row(
                "readable, the journal is not of this ref",
                Some(tip),
                Some(newest),
            );
            if elsewhere {
                self.put_journals_aside(tip)?;
            }
            return Ok(Replayed::default());
        };
        let origin = RefOrigin::of(self.store, &reach, tip).elsewhere(elsewhere);
        if nearest == tip && origin.why(newest) == Why::Crash {
            log_row(
                "readable, moves to the end of the journal",
                Some(tip),
                Some(newest),
            );
            return self.move_forward(lock, tip, newest, &known.line_to(&reach, newest));
        }
        log_row("readable, stays", Some(nearest), Some(newest));
        let line = known.line_to(&reach, nearest);
        let objects = Restore::of(self.store).rewrite(line.iter().copied())?;
        if self.has_lost(tip) {
            return self.replace_unreadable(lock, known);
        }
        if elsewhere && nearest != newest {
            // The journal that starts afresh knows none of this, so it is durable before.
            self.pack_objects(&line)?;
            self.put_journals_aside(tip)?;
            self.store.set_back().note_left_out(lock, newest)?;
        }
        Ok(Replayed {
            objects,
            ..Replayed::default()
        })
    }

    /// Moves the ref along a line of the journal, to its end.
    fn move_forward(
        self,
        lock: &WriteLock,
        tip: Oid,
        newest: Oid,
        line: &[&Object],
    ) -> Result<Replayed> {
        let objects = Restore::of(self.store).rewrite(line.iter().copied())?;
        // By compare-and-swap: a git that moves the ref meanwhile has decided otherwise. Durable, since the journal
        // that names it may be rotated next.
        let update = RefUpdate::main(Some(tip), newest).durable();
        let moved = self.store.refs().update(lock, &update)?;
        Ok(Replayed {
            objects,
            tip: moved.then_some(newest),
            refs: 0,
        })
    }

    /// Returns true if a commit is missing or damaged. An object of another kind in its place is a person's mistake,
    /// and stays.
    fn has_lost(self, tip: Oid) -> bool {
        let kind = look_twice(|| self.store.repo.find_header(tip.0)).map(|header| header.kind());
        kind.map_or(true, |kind| kind == gix::objs::Kind::Commit)
            && Snapshot::at(self.store, tip).is_err()
    }

    /// Puts the newest recorded state in the place of a ref that can't be read, or of one whose commit is gone.
    fn replace_unreadable(self, lock: &WriteLock, known: &Known<'_>) -> Result<Replayed> {
        match Restore::of(self.store).newest_of(lock, known)? {
            Restored::To { tip, objects } => Ok(Replayed {
                objects,
                tip: Some(tip),
                refs: 0,
            }),
            Restored::Nothing | Restored::Gone { .. } => Ok(Replayed::default()),
        }
    }

    /// Takes journals out of use that are not about the ref as it is, and begins another. They are kept: `doctor`
    /// looks into them.
    fn put_journals_aside(self, tip: Oid) -> Result<()> {
        let folder = self.store.folder();
        let full = journal::packed(&folder)
            .into_iter()
            .chain(journal::aside(&folder));
        let mut paths: Vec<_> = full.map(|(_, path)| path).collect();
        paths.push(folder.join("journal"));
        for (n, path) in paths.iter().filter(|path| path.exists()).enumerate() {
            let name = format!("aside-journal-{}-{n}", self.store.env().now());
            private_file::set_aside(path, &folder.join(name), self.store.permissions())?;
        }
        Journal::create(
            self.store.env(),
            &folder,
            Some(tip),
            self.store.permissions(),
        )
        .map(|_| ())
    }

    /// Packs objects that are there, and makes the pack durable.
    fn pack_objects(self, objects: &[&Object]) -> Result<()> {
        if objects.is_empty() {
            return Ok(());
        }
        let list: String = objects
            .iter()
            .map(|object| format!("{}\n", object.id))
            .collect();
        self.store.packs().pack(&[], &list).map(|_| ())
    }

    /// Moves a lock of the ref aside that outlived the boot it was made under, or was copied: one that no one
    /// takes away for a while.
    fn outwait_leftover(self) -> Result<()> {
        let path = self.store.refs().lock_file(REF);
        for _ in 0..LEFTOVER_LOOKS {
            if !path.exists() {
                return Ok(());
            }
            std::thread::sleep(LEFTOVER_PAUSE);
        }
        let aside = self
            .store
            .folder()
            .join(format!("aside-main.lock-{}", self.store.env().now()));
        private_file::set_aside(&path, &aside, self.store.permissions())
    }

    fn found(self) -> Result<Found> {
        match self.store.tip() {
            Ok(tip) => Ok(tip.map_or(Found::None, Found::Tip)),
            // Else it is among those that git has packed, which are not for us to repair.
            Err(_) if self.store.refs().is_garbage() => Ok(Found::Garbage),
            Err(error) => Err(error),
        }
    }

    /// Writes again what git has removed of what the journal holds; returns how much that was.
    pub(crate) fn write_missing_again(self) -> Result<usize> {
        let _lock = self.store.lock()?;
        self.rewrite_missing()
    }

    /// Writes again what the journal holds of the ref's line and the repository lacks; returns how much that was.
    pub(super) fn rewrite_missing(self) -> Result<usize> {
        let contents = journal::all(self.store.env(), &self.store.folder())?;
        let gone = self.needed(&contents).into_iter();
        let gone: Vec<&Object> = gone
            .filter(|object| self.store.loose().is_gone(object))
            .collect();
        gone.iter()
            .try_for_each(|object| self.store.loose().replace(object))?;
        Ok(gone.len())
    }

    /// Returns the objects of the journal that the ref needs: those of its line. What was left behind on purpose is not
    /// put back, where git may have removed what it in turn needs. Of a ref that can't be read all may be needed.
    pub(super) fn needed(self, contents: &Contents) -> Vec<&Object> {
        let known = Known::of(contents);
        let Ok(Some(tip)) = self.store.tip() else {
            return known.objects().collect();
        };
        let Ok(overlaid) = self.store.overlaid(known.objects()) else {
            return Vec::new();
        };
        let reach = Reach::new(&overlaid);
        match reach.first(tip, |commit| known.names(commit)) {
            Some(nearest) => known.line_to(&reach, nearest),
            None => Vec::new(),
        }
    }
}

/// Logs which row of the table of replays holds, and the commits that it decides on.
fn log_row(row: &str, tip: Option<Oid>, newest: Option<Oid>) {
    let [tip, newest] = [tip, newest].map(|id| id.map(tracing::field::display));
    tracing::debug!(tip, newest, "replay: {row}");
}
