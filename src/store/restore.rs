//! Putting objects and states back that a journal holds.
//!
//! A state takes the place of a ref that is absent, can't be read, or leads to no state of a store. Recorded is what the
//! journals' moves name, and what the ref or its reflog names where another program has moved the ref. Only the newest
//! of these is a repair: an older one lacks what was answered, so a person alone puts one in place. The journal does not
//! hold every operation whole: of an import that is too large for it, and of what came from another repository, its
//! record names the commit alone.

use std::collections::HashSet;

use super::known::Known;
use super::object::Object;
use super::reach::Reach;
use super::refs::{Expected, RefUpdate};
use super::write_lock::WriteLock;
use super::{Oid, REF, Result, Store, io, journal, private_file};

/// The result of putting the newest recorded state in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Restored {
    /// The ref leads to it.
    To {
        tip: Oid,
        /// Objects that were missing or damaged and are whole again.
        objects: usize,
    },
    /// No state is recorded.
    Nothing,
    /// It is not whole.
    Gone {
        /// The newest recorded state.
        tip: Oid,
        /// The commit of its history that can't be read, or whose tree is not whole.
        hole: Oid,
        /// Whether a journal holds that commit.
        is_held: bool,
    },
}

/// The objects and states that can be put back.
#[derive(Clone, Copy)]
pub(crate) struct Restore<'s> {
    store: &'s Store,
}

impl<'s> Restore<'s> {
    pub(crate) const fn of(store: &'s Store) -> Self {
        Self { store }
    }

    /// Returns true if the ref leads to a state of a store.
    pub(super) fn is_at_a_state(self) -> bool {
        let snapshot = self.store.snapshot();
        snapshot.is_ok_and(|snapshot| snapshot.check_is_of_a_store().is_ok())
    }

    /// Puts the newest recorded state in the place of a ref that leads to no state of a store, also where a person has
    /// deleted it: for `doctor --fix` alone.
    pub(crate) fn newest(self) -> Result<Restored> {
        let lock = self.store.lock()?;
        if self.is_at_a_state()
            && let Some(tip) = self.store.tip()?
        {
            return Ok(Restored::To { tip, objects: 0 });
        }
        let contents = journal::all(self.store.env(), &self.store.folder())?;
        match self.newest_of(&lock, &Known::of(&contents))? {
            Restored::Nothing => Ok(self.newest_logged()),
            restored => Ok(restored),
        }
    }

    /// Returns whether the newest state of the reflog is gone, where no journal knows any.
    fn newest_logged(self) -> Restored {
        let reach = Reach::new(self.store);
        let logged = self.store.refs().logged_tips().unwrap_or_default();
        let newest = logged.into_iter().find(|tip| !reach.is_foreign(*tip));
        let gone = newest.and_then(|tip| Some((tip, reach.hole(tip, None)?)));
        match gone {
            Some((tip, hole)) => Restored::Gone {
                tip,
                hole,
                is_held: true,
            },
            None => Restored::Nothing,
        }
    }

    /// Puts the newest state of the journals that is whole in that place, though a newer one is recorded.
    pub(crate) fn older(self) -> Result<Option<Oid>> {
        let lock = self.store.lock()?;
        let contents = journal::all(self.store.env(), &self.store.folder())?;
        let known = Known::of(&contents);
        let overlaid = self.store.overlaid(known.objects())?;
        let reach = Reach::new(&overlaid);
        let states = known.tips().filter(|tip| !reach.is_foreign(*tip));
        let mut tried = HashSet::new();
        for tip in states.filter(|tip| tried.insert(*tip)) {
            if reach.is_whole(tip, None) {
                self.put_whole(&lock, &known, &reach, tip)?;
                return Ok(Some(tip));
            }
        }
        Ok(None)
    }

    /// Returns the newest state that the journals know, where the ref leads to none.
    pub(crate) fn lacked_state(self) -> Option<Oid> {
        if self.is_at_a_state() {
            return None;
        }
        let contents = journal::all(self.store.env(), &self.store.folder()).ok()?;
        let known = Known::of(&contents);
        let overlaid = self.store.overlaid(known.objects()).ok()?;
        let reach = Reach::new(&overlaid);
        known.tips().find(|tip| !reach.is_foreign(*tip))
    }

    /// Puts the newest recorded state in place.
    pub(super) fn newest_of(self, lock: &WriteLock, known: &Known<'_>) -> Result<Restored> {
        let overlaid = self.store.overlaid(known.objects())?;
        let reach = Reach::new(&overlaid);
        let Some(tip) = self.newest_recorded(known, &reach) else {
            return Ok(Restored::Nothing);
        };
        if let Some(hole) = reach.hole(tip, None) {
            // The operation that the journal lacks says more than the tip, whose tree has the same hole.
            let unread = known.tips().find(|tip| !reach.is_readable(*tip));
            let hole = unread.unwrap_or(hole);
            tracing::debug!(%tip, %hole, "the newest recorded state is not whole");
            let is_held = known.objects().any(|object| object.id == hole.0);
            return Ok(Restored::Gone { tip, hole, is_held });
        }
        tracing::debug!(%tip, "puts the newest recorded state in place");
        let objects = self.put_whole(lock, known, &reach, tip)?;
        Ok(Restored::To { tip, objects })
    }

    /// Returns the newest recorded state; none where the journals know none, since a reflog alone can be behind. The
    /// journals know all moves but those of other programs.
    fn newest_recorded(self, known: &Known<'_>, reach: &Reach<'_>) -> Option<Oid> {
        let is_state = |tip: &Oid| !reach.is_foreign(*tip);
        let newest = known.tips().find(is_state)?;
        let now = self.store.tip().ok().flatten();
        let logged = self.store.refs().logged_tips().unwrap_or_default();
        let Some(moved) = now.into_iter().chain(logged).find(is_state) else {
            return Some(newest);
        };
        if known.names(moved) || reach.has_operations_of(newest, moved) {
            return Some(newest);
        }
        let is_newer = match reach.is_readable(moved) {
            true => reach.has_operations_of(moved, newest),
            // It may have more than the journals know. After a power cut it may also be a change of this clone that was never
            // answered, so that its record is missing.
            false => known.is_of_here,
        };
        Some(if is_newer { moved } else { newest })
    }

    /// Puts a state that is whole, with what the journals hold, in place; returns how many objects that took.
    fn put_whole(
        self,
        lock: &WriteLock,
        known: &Known<'_>,
        reach: &Reach<'_>,
        tip: Oid,
    ) -> Result<usize> {
        let objects = self.rewrite(known.line_to(reach, tip).into_iter())?;
        self.put_ref(lock, tip)?;
        Ok(objects)
    }

    /// Puts the ref to a commit, no matter what it is. What was in its place is kept next to the journal.
    pub(super) fn put_ref(self, lock: &WriteLock, tip: Oid) -> Result<()> {
        if let Some(old) = self.store.refs().raw() {
            self.keep_aside("ref", &old)?;
        }
        // Any value gives way: the old one could not be read, and its bytes are kept by now.
        let update = RefUpdate::new(REF, Expected::Any, tip).durable();
        self.store.refs().update(lock, &update).map(|_| ())
    }

    /// Keeps what is about to be replaced, under the time.
    fn keep_aside(self, what: &str, bytes: &[u8]) -> Result<()> {
        let path = self
            .store
            .folder()
            .join(format!("aside-{what}-{}", self.store.env().now()));
        let mut file = private_file::open(&path, self.store.permissions())?;
        std::io::Write::write_all(&mut file, bytes)
            .map_err(io(format!("can't write {}", path.display())))
    }

    /// Writes again what the repository lacks of some objects, or has damaged; returns how much that was.
    pub(super) fn rewrite<'j>(self, objects: impl Iterator<Item = &'j Object>) -> Result<usize> {
        // Of its own, since a handle remembers objects that git may have removed since it was opened.
        let repo = self.store.repo.clone();
        let mut seen = HashSet::new();
        let mut rewritten = 0;
        for object in objects.filter(|object| seen.insert(object.id)) {
            if !is_sound(&repo, object) {
                self.store.loose().replace(object)?;
                rewritten += 1;
            }
        }
        Ok(rewritten)
    }
}

/// Returns true if a repository has exactly this object.
fn is_sound(repo: &gix::Repository, object: &Object) -> bool {
    repo.find_object(object.id)
        .is_ok_and(|found| found.kind == object.kind && found.data == object.bytes)
}
