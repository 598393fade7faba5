//! What both sides have though they share no commit of it: the changes of a clone that a carry file has brought to the other
//! side.
//!
//! The clone has made them in commits of its own, the other side has one that was rebuilt of the file. The state in the file
//! is a state of that clone, blob by blob, so this follows from the two histories alone, and all who merge them see it.

use std::collections::{HashMap, HashSet};

use super::Merging;
use crate::store::door::older::{CARRIED, CARRIED_AFTER};
use crate::store::{Commit, Oid, Result, Snapshot, StoreError};

/// So many files are compared with so many commits of a clone, the newest of each: both are what others have sent.
const MOST: usize = 256;

impl<'s> Merging<'s> {
    /// Returns the commits that carry files have brought to one side, of which the other side has made all changes.
    pub(super) fn carried_bases(self, ours: Oid, theirs: Oid) -> Result<Vec<Snapshot<'s>>> {
        let (us, them) = (
            Snapshot::at(self.store, ours)?,
            Snapshot::at(self.store, theirs)?,
        );
        let (our, their) = (us.history(Some(theirs))?, them.history(Some(ours))?);
        let mut bases = Vec::new();
        for (brought, made) in [(&their, &our), (&our, &their)] {
            for commit in likely_bases(brought, made) {
                let state = Snapshot::at(self.store, commit.oid)?;
                if self.is_of_one(commit, state, made)? {
                    bases.push(state);
                }
            }
            bases.extend(self.earlier_bases(brought, made)?);
        }
        Ok(bases)
    }

    /// Returns the commits of carry files on one side that the writer of a file on the other side knew.
    ///
    /// All of them are looked at, since the newest by the clocks of their writers need not be those that came last; of the
    /// files of one writer the last one has what the others have.
    fn earlier_bases(self, brought: &[Commit], made: &[Commit]) -> Result<Vec<Snapshot<'s>>> {
        let sums: HashSet<&str> = carried(brought).filter_map(sum_of).collect();
        if sums.is_empty() {
            return Ok(Vec::new());
        }
        let known: HashSet<&str> = carried(made)
            .flat_map(earlier_sums)
            .filter(|sum| sums.contains(sum))
            .collect();
        let is_known = |commit: &&Commit| sum_of(commit).is_some_and(|sum| known.contains(sum));
        let earlier: Vec<&Commit> = carried(brought).filter(is_known).collect();
        let states = last_of(&earlier).into_iter().take(MOST);
        states
            .map(|commit| Snapshot::at(self.store, commit.oid))
            .collect()
    }

    /// Returns true if one of the commits has each blob that a carried one has changed.
    fn is_of_one(self, commit: &Commit, carried: Snapshot<'_>, made: &[Commit]) -> Result<bool> {
        let before = commit.only_parent();
        let Some(before) = before.filter(|it| self.store.is_commit(*it).unwrap_or(false)) else {
            return Ok(false);
        };
        let before = Snapshot::at(self.store, before)?.tree();
        let mut changed = Vec::new();
        self.store
            .diff::<StoreError>(Some(before), carried.tree(), &mut |change| {
                changed.push((change.text.clone(), change.oid));
                Ok(())
            })?;
        for commit in made.iter().filter(|it| !it.is_carried()).take(MOST) {
            let state = Snapshot::at(self.store, commit.oid)?;
            if has_all(state, &changed)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn has_all(state: Snapshot<'_>, blobs: &[(String, Option<Oid>)]) -> Result<bool> {
    for (path, oid) in blobs {
        if state.entry(path)? != *oid {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the commits of carry files among some commits.
fn carried(commits: &[Commit]) -> impl Iterator<Item = &Commit> {
    commits.iter().filter(|commit| commit.is_carried())
}

/// Returns the sum of the file that a commit was rebuilt of.
fn sum_of(commit: &Commit) -> Option<&str> {
    commit.trailer(CARRIED)
}

/// Returns the sums of the files that the writer of a file knew.
fn earlier_sums(commit: &Commit) -> impl Iterator<Item = &str> {
    let named = commit.trailer(CARRIED_AFTER).unwrap_or_default();
    named.split_whitespace()
}

/// Returns the commits of which no other has all: a whole file on the same commit has what the earlier ones of its writer
/// have. Of two that name each other, as where a state was written once more, both stay.
fn last_of<'c>(commits: &[&'c Commit]) -> Vec<&'c Commit> {
    let mut later: HashMap<(Option<Oid>, &str), Vec<&str>> = HashMap::new();
    for commit in commits.iter().filter(|commit| !commit.is_carried_part()) {
        for sum in earlier_sums(commit) {
            let place = later.entry((commit.only_parent(), sum)).or_default();
            place.extend(sum_of(commit));
        }
    }
    let is_last = |commit: &&&Commit| {
        let sum = sum_of(commit).unwrap_or_default();
        let by = later.get(&(commit.only_parent(), sum));
        let is_later = |by: &&str| earlier_sums(commit).all(|sum| sum != *by);
        !by.is_some_and(|by| by.iter().any(is_later))
    };
    commits.iter().filter(is_last).copied().collect()
}

/// Returns the commits of carry files on one side whose changes the other side can have made, as many as are compared: those
/// of its own actors first.
fn likely_bases<'c>(brought: &'c [Commit], made: &[Commit]) -> Vec<&'c Commit> {
    let own = made.iter().filter(|commit| !commit.is_carried());
    let actors: HashSet<&str> = own.filter_map(|commit| commit.trailer("Actor")).collect();
    let is_own = |commit: &&Commit| {
        commit
            .trailer("Actor")
            .is_some_and(|it| actors.contains(it))
    };
    let mut likely: Vec<&Commit> = carried(brought).collect();
    likely.sort_by_key(|commit| !is_own(commit));
    likely.truncate(MOST);
    likely
}
