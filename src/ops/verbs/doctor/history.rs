//! The ref and every object that it leads to: each is there, and is what its id says.

use std::collections::HashSet;

use super::{FIX, Visit};
use crate::ops::{Code, Error, Hint, Result};
use crate::store::{Cancel, FsckReport, Oid, Store, StoreError};

/// More damaged objects than this are counted, not listed.
const LISTED: usize = 20;

impl Visit<'_> {
    /// The commit of the ref, after it was put back where that was needed and asked for.
    pub(super) fn reference(&mut self) -> Result<Option<Oid>> {
        let found = self.store.snapshot().and_then(|snapshot| {
            snapshot.check_is_of_a_store()?;
            Ok(snapshot.commit())
        });
        let why = match found {
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
        let mut put_to = None;
        self.fix("ref", why, |store| {
            put_to = Some(put_back(store)?);
            Ok(())
        });
        Ok(put_to)
    }

    /// Reads every object; returns the tip, which mending may have moved.
    pub(super) fn objects(&mut self, tip: Oid) -> Oid {
        let mut checked = self.store.fsck().check(tip);
        let bad = checked.bad.clone();
        if !bad.is_empty() && self.request.fix {
            // What can't be written is found missing again.
            let _ = self.store.replay().recover();
            checked = self.store.fsck().check(tip);
            if !checked.bad.is_empty() && self.request.remote {
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
            _ => "fetch it from another clone: git fetch --refetch PATH 'refs/beads/*:refs/beads-remotes/rescue/*'"
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
}

/// Puts the ref to the newest state that something remembers and that is complete, and joins the others.
fn put_back(store: &Store) -> Result<Oid> {
    // Objects first; a ref with garbage is put back by this already.
    store.replay().recover()?;
    let is_state = |tip: &Oid| {
        let snapshot = store.snapshot_at(*tip);
        snapshot.is_ok_and(|snapshot| snapshot.check_is_of_a_store().is_ok())
            && store.fsck().is_complete(*tip)
    };
    let mut tip = store.tip().ok().flatten().filter(is_state);
    for remembered in store.fsck().known_tips()? {
        if !is_state(&remembered) {
            continue;
        }
        match tip {
            None => {
                store.fsck().put_back(remembered)?;
                tip = Some(remembered);
            }
            // Only what shares history is merged: another store, or one that was replaced, must not be joined here.
            Some(ours) if !store.merging().merge_bases(ours, remembered)?.is_empty() => {
                store.merge_tips(&[remembered], &Cancel::default())?;
                tip = store.tip()?;
            }
            Some(_) => {}
        }
    }
    let none = || {
        Error::new(Code::Damaged, "no complete state is in the journal, the reflog or the remotes")
            .hinted(Hint::text("ask a remote or another clone: git fetch REMOTE '+refs/beads/*:refs/beads-remotes/REMOTE/*'"))
    };
    tip.ok_or_else(none)
}
