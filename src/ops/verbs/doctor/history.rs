//! The ref and every object that it leads to: each is there, and is what its id says.

use std::collections::HashSet;

use super::{FIX, Visit};
use crate::ops::{Code, Command, Error, Hint, Result};
use crate::store::door::{self, Admission, Beside, EntryRules};
use crate::store::{FsckReport, Oid, Restore, Restored, StoreError, look_twice};

/// Where else the objects may be.
const FROM_ANOTHER_CLONE: &str = "ask a remote or another clone: git fetch --refetch --no-filter REMOTE '+refs/beads/*:refs/beads-remotes/REMOTE/*'";
/// More damaged objects than this are counted, not listed.
const LISTED: usize = 20;

impl Visit<'_> {
    /// The commit of the ref, after it was put back where that was needed and asked for.
    pub(super) fn reference(&mut self) -> Result<Option<Oid>> {
        let look = || {
            let snapshot = self.store.snapshot()?;
            snapshot.check_is_of_a_store()?;
            Ok(snapshot.commit())
        };
        let why = match look_twice(look) {
            Ok(tip) => return Ok(Some(tip)),
            Err(StoreError::NoStore(place)) => {
                // No store is an error, but what was found in its place has to be shown.
                if self.found.findings.is_empty() {
                    return Err(StoreError::NoStore(place).into());
                }
                return Ok(None);
            }
            Err(error) => error.to_string(),
        };
        if !self.request.fix {
            self.find("ref", why, FIX, false);
            return Ok(None);
        }
        let put_to = match self.completed() {
            Some(tip) => Ok(tip),
            None => self.put_back(),
        };
        let tip = put_to.as_ref().ok().copied();
        self.fix("ref", why, |_| put_to.map(drop));
        Ok(tip)
    }

    /// Reads every object; returns the tip, which mending may have moved.
    pub(super) fn objects(&mut self, tip: Oid) -> Oid {
        let mut checked = self.store.fsck().check(tip);
        let bad = checked.bad.clone();
        if !bad.is_empty() && self.request.fix {
            // What can't be written is found missing again.
            let _ = self.store.replay().recover();
            checked = self.store.fsck().check(tip);
            if !checked.bad.is_empty() && self.may_ask() {
                self.ask_for_all();
                checked = self.store.fsck().check(tip);
            }
        }
        self.found.commits = checked.commits;
        self.found.objects = checked.objects;
        self.report(&bad, &checked);
        self.store.tip().ok().flatten().unwrap_or(tip)
    }

    fn report(&mut self, bad: &[(Oid, String, String)], after: &FsckReport) {
        let still: HashSet<Oid> = after.bad.iter().map(|(oid, ..)| *oid).collect();
        let remedy = match (self.request.fix, self.request.remote, self.store.remotes().names().is_empty()) {
            (false, ..) => FIX.to_owned(),
            // Repaired from what is here, and some is still missing: the remotes were not asked yet.
            (true, false, false) => format!("{FIX} --remote"),
            _ => "fetch it from another clone: git fetch --refetch --no-filter PATH 'refs/beads/*:refs/beads-remotes/rescue/*'"
                .to_owned(),
        };
        for (oid, place, why) in bad.iter().take(LISTED) {
            let place = if place.is_empty() { "the root" } else { place };
            self.find(
                "object",
                format!("{oid} ({place}): {why}"),
                remedy.clone(),
                !still.contains(oid),
            );
        }
        if bad.len() > LISTED {
            let fixed = bad
                .iter()
                .skip(LISTED)
                .all(|(oid, ..)| !still.contains(oid));
            self.find(
                "object",
                format!("and {} objects more", bad.len() - LISTED),
                remedy,
                fixed,
            );
        }
    }

    /// Returns whether a repair may ask remotes: a clone with a filter relies on them anyway.
    fn may_ask(&self) -> bool {
        self.request.remote || self.store.remotes().is_partial()
    }

    /// Returns the commit of the ref where a filter alone has left out what it needs, and that was fetched now.
    fn completed(&mut self) -> Option<Oid> {
        if !self.store.remotes().is_partial() {
            return None;
        }
        self.ask_for_all();
        let snapshot = self.store.snapshot().ok()?;
        snapshot.check_is_of_a_store().ok()?;
        Some(snapshot.commit())
    }

    fn ask_for_all(&mut self) {
        for remote in self.store.remotes().names() {
            if let Err(error) = self
                .store
                .remotes()
                .fetch(&remote, true, self.tracker.cancel())
            {
                self.failed("remote", &error.into());
            }
        }
    }

    /// Puts the ref to the newest recorded state, and merges what the reflog and remotes have; without a record, to
    /// the newest of those. An older state is put there only if that is asked for.
    fn put_back(&mut self) -> Result<Oid> {
        // Objects first; a ref with garbage is put back by this already.
        self.store.replay().recover()?;
        let mut restored = Restore::of(self.store).newest()?;
        if let Restored::Gone { .. } = restored
            && self.request.remote
        {
            self.ask_for_all();
            restored = Restore::of(self.store).newest()?;
        }
        let tip = match restored {
            Restored::To { .. } => self.store.tip()?,
            Restored::Nothing => None,
            Restored::Gone { .. } if self.request.older => Restore::of(self.store).older()?,
            Restored::Gone { tip, hole, is_held } => return Err(self.gone(tip, hole, is_held)),
        };
        self.join_known(tip)?.ok_or_else(|| {
            Error::new(
                Code::Damaged,
                "no complete state is in the journal, the reflog or the remotes",
            )
            .hinted(Hint::text(FROM_ANOTHER_CLONE))
        })
    }

    /// Merges all complete states that are known with that of the ref; where it leads to none, it is put to the first.
    fn join_known(&self, mut tip: Option<Oid>) -> Result<Option<Oid>> {
        let (store, cancel) = (self.store, self.tracker.cancel());
        for candidate in store.fsck().known_states()? {
            if let Some(ours) = tip {
                // Only what shares history is merged: another store, or one that was replaced, must not be joined here.
                let bases = store.merging().merge_bases(ours, candidate.tip);
                if bases.is_ok_and(|bases| !bases.is_empty()) {
                    match door::enter(store, vec![candidate], &EntryRules::usual(cancel)) {
                        // Another one may be whole.
                        Err(error) if error.is_unreadable() => {}
                        entered => drop(entered?),
                    }
                    tip = store.tip()?;
                }
                continue;
            }
            let admission = door::admit(
                store,
                candidate,
                Beside::of(None),
                &EntryRules::usual(cancel),
            );
            let Ok(Admission::Passes(admitted)) = admission else {
                continue;
            };
            if store.fsck().check(admitted.tip()).bad.is_empty() {
                store.fsck().put_back(admitted.tip())?;
                tip = Some(admitted.tip());
            }
        }
        Ok(tip)
    }

    /// The error about the newest recorded state, which is not whole.
    fn gone(&self, tip: Oid, hole: Oid, is_held: bool) -> Error {
        let why = match is_held {
            true => "parts of it are gone",
            false => {
                "it is gone, and the journal does not hold it: it was too large, or came from elsewhere"
            }
        };
        let message = format!("the newest recorded state {tip} needs {hole}: {why}");
        let error = Error::new(Code::Damaged, message);
        let error = match self.request.remote || self.store.remotes().names().is_empty() {
            true => error.hinted(Hint::text(FROM_ANOTHER_CLONE)),
            false => error.hinted(Command::of("doctor").flag("--fix").flag("--remote")),
        };
        error.also(Hint::run(
            "to go on from an older state, which lacks later changes: ",
            Command::of("doctor").flag("--fix").flag("--older"),
        ))
    }
}
