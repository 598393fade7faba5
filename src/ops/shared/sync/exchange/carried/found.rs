//! The state that a carry file brings, and whether it is part of this history already, or can't be had yet.

use super::super::Exchange;
use super::CarryCandidate;
use crate::ops::Result;
use crate::store::carry::{CarriedState, CarryFault, CarryFile, CarryNotes};
use crate::store::door::older;
use crate::store::{Oid, Store};

/// The state that a file brings, as far as it can be had.
pub(super) enum FoundState {
    New(CarriedState),
    /// It is part of our history, or was written here.
    Here,
    Left(CarryFault),
}

fn left(why: &str) -> FoundState {
    FoundState::Left(CarryFault::Bad(why.to_owned()))
}

impl Exchange<'_> {
    /// Returns the state that a file brings.
    pub(super) fn state_of(&self, found: &CarryCandidate<'_>) -> Result<FoundState> {
        match CarryFile::is_one(found.bytes) {
            true => self.bundled(found),
            false => self.older(found),
        }
    }

    fn bundled(&self, found: &CarryCandidate<'_>) -> Result<FoundState> {
        let file = match CarryFile::parse(found.bytes) {
            Ok(file) => file,
            Err(why) => return Ok(FoundState::Left(why)),
        };
        let store = self.store;
        let bases = match file.bases(store) {
            Ok(bases) => bases,
            Err(why) => return Ok(FoundState::Left(why)),
        };
        if has(store, store.tip()?, file.tip)? {
            return Ok(FoundState::Here);
        }
        for base in bases {
            if !store.is_commit(base)? && !self.brings_base(base)? {
                return Ok(left("its base has not arrived"));
            }
            // One that is here by chance, and behind a cut.
            let is_ours = has(store, store.tip()?, base)? || has(store, found.theirs, base)?;
            if !is_ours && self.is_cut()? {
                self.brings_base(base)?;
            }
        }
        if store.tip()?.is_none() && found.theirs.is_none() {
            return Ok(left("no issue store here"));
        }
        Ok(match CarriedState::of(store, &file) {
            Ok(state) => FoundState::New(state),
            Err(why) => FoundState::Left(why),
        })
    }

    /// Returns the state of a file of an earlier version, which is rebuilt.
    fn older(&self, found: &CarryCandidate<'_>) -> Result<FoundState> {
        let file = match older::CarryFile::parse(found.bytes) {
            Ok(file) => file,
            Err(why) => return Ok(FoundState::Left(why)),
        };
        if is_own(self.store, &file)? {
            return Ok(FoundState::Here);
        }
        match self.base_of(&file, found.theirs)? {
            Ok(base) => Ok(FoundState::New(file.rebuild(self.store, base)?)),
            Err(why) => Ok(left(why)),
        }
    }

    /// Returns the commit here that a file of an earlier version builds on, or the reason why it is not about these issues, or
    /// can't be collected yet.
    fn base_of(
        &self,
        file: &older::CarryFile,
        theirs: Option<Oid>,
    ) -> Result<std::result::Result<Oid, &'static str>> {
        let store = self.store;
        // What the remote has comes in together with it.
        let known: Vec<Oid> = store.tip()?.into_iter().chain(theirs).collect();
        if known.is_empty() {
            return Ok(Err("no issue store here"));
        }
        let stores = &file.header.stores;
        let mut is_ours = false;
        for tip in &known {
            let meta = store.snapshot_at(*tip)?.meta()?;
            let mut named = meta.live("stores");
            is_ours |= named.any(|(id, _)| stores.iter().any(|it| it == id));
        }
        if !is_ours {
            return Ok(Err("it belongs to another store"));
        }
        let mut base = file.base_in(store)?;
        if base.is_none() && self.brings_base(file.header.base)? {
            base = file.base_in(store)?;
        }
        let Some(base) = base else {
            return Ok(Err("its base has not arrived"));
        };
        for tip in known {
            if !store.merging().merge_bases(tip, base)?.is_empty() {
                return Ok(Ok(base));
            }
        }
        Ok(Err("its base is no commit of these issues"))
    }

    fn is_cut(&self) -> Result<bool> {
        let ours = self.store.tip()?;
        Ok(ours.map_or(Ok(false), |ours| self.store.ancestry().is_cut(ours))?)
    }

    /// Brings the rest of a history that is cut, where a commit can be behind the cut; returns true if it is here then.
    fn brings_base(&self, base: Oid) -> Result<bool> {
        let (store, request, remote) = (self.store, self.request, self.remote);
        let asks = request.fetch && !request.dry_run && !remote.is_empty();
        let Some(ours) = store.tip()?.filter(|_| asks) else {
            return Ok(false);
        };
        let is_enough = || {
            let is_there = store.is_commit(base)? && store.merging().contains(ours, base)?;
            Ok(is_there || !store.ancestry().is_cut(ours)?)
        };
        self.remotes().bring_rest(remote, &is_enough, self.cancel)?;
        Ok(store.is_commit(base)?)
    }
}

/// Returns true if a commit is part of the history of another. One that lacks what it leads to is not: a command that was killed
/// can have written a part of what a file brings.
pub(super) fn has(store: &Store, tip: Option<Oid>, commit: Oid) -> Result<bool> {
    let is_here = store.is_commit(commit)?;
    let Some(tip) = tip.filter(|_| is_here) else {
        return Ok(false);
    };
    match store.merging().contains(tip, commit) {
        Err(error) if error.is_unreadable() => Ok(false),
        contains => Ok(contains?),
    }
}

/// Returns true for a file of an earlier version that this clone has written of what its history still has.
fn is_own(store: &Store, file: &older::CarryFile) -> Result<bool> {
    match store.tip()? {
        Some(tip) if CarryNotes::of(store).has_written(&file.header.sum) => {
            Ok(file.is_part_of(store.snapshot_at(tip)?)?)
        }
        _ => Ok(false),
    }
}
