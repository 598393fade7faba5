//! What is here and others are not known to have.

use std::collections::{BTreeSet, HashSet};

use super::bundle;
use super::state::carried_blob;
use super::{CarryFault, CarryFile, LARGEST_WRITTEN};
use crate::model::Uid;
use crate::store::{Commit, Oid, Result, Store, StoreError, TreePath};

/// The newest state of our history that others are known to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownState {
    At(Oid),
    /// None: the history began with this commit from a snapshot file of theirs, so all of it is carried.
    Begun(Oid),
}

/// The changes of a clone since a commit that others have.
#[derive(Debug)]
pub(crate) struct CarryDelta {
    tip: Oid,
    base: Option<Oid>,
    /// All that was done since, the newest first.
    commits: Vec<Commit>,
    /// The issues that were changed.
    pub(crate) issues: BTreeSet<Uid>,
    /// The reason why no one would collect it.
    pub(crate) refused: Option<CarryFault>,
}

/// The reason why there is no file.
#[derive(Debug)]
pub(crate) enum NoFile {
    /// It would have so many bytes.
    TooLarge(usize),
    /// A part of it is behind a cut of the history.
    Cut,
}

/// Returns the newest state of our history that a remote is known to have, or others where it never had one; none where no one
/// ever had one.
///
/// What another remote has, such as a fork, need not ever reach those who read the one that a file is for.
pub(crate) fn known_elsewhere(store: &Store, remote: Option<&str>) -> Result<Option<KnownState>> {
    let Some(ours) = store.tip()? else {
        return Ok(None);
    };
    if let Some(remote) = remote
        && let Some(base) = newest_common(store, ours, &|name| {
            name.strip_suffix("/main") == Some(remote)
        })?
    {
        return Ok(Some(KnownState::At(base)));
    }
    if let Some(base) = newest_common(store, ours, &|_| true)? {
        return Ok(Some(KnownState::At(base)));
    }
    let roots = store.merging().snapshot_roots(ours)?;
    let root = roots.first();
    Ok(root.map(|root| KnownState::Begun(root.commit)))
}

/// Returns true if the remote that is used by default is known to have a commit, or any where there is none.
pub(super) fn is_known_elsewhere(store: &Store, commit: Oid) -> Result<bool> {
    let usual = store.remotes().remote(None).unwrap_or_default();
    let is_meant = |name: &str| match &usual {
        Some(usual) => name.strip_suffix("/main") == Some(usual),
        None => true,
    };
    for tip in known_tips(store, &is_meant)? {
        if store.is_commit(commit)? && store.merging().contains(tip, commit)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the newest commit that our history shares with what remotes are known to have, of those whose names are meant.
fn newest_common(store: &Store, ours: Oid, is_meant: &dyn Fn(&str) -> bool) -> Result<Option<Oid>> {
    let mut best: Option<Oid> = None;
    for known in known_tips(store, is_meant)? {
        for base in store.merging().merge_bases(ours, known)? {
            let base = base.commit();
            best = match best {
                Some(other) if !is_newer(store, base, other)? => Some(other),
                _ => Some(base),
            };
        }
    }
    Ok(best)
}

/// Returns the tips that remotes had when they were last asked, also remotes that are gone, of those whose names are meant.
fn known_tips(store: &Store, is_meant: &dyn Fn(&str) -> bool) -> Result<Vec<Oid>> {
    let mut tips = Vec::new();
    for space in ["refs/beads-remotes/", "refs/beads-seen/"] {
        let is_main = |name: &str| {
            let own = name.strip_prefix(space).is_some_and(is_meant);
            own && name.ends_with("/main") && !name.contains("/mailbox/")
        };
        for (name, tip) in store.refs().below(space)? {
            // A tip that a fetch with a filter left out says nothing of what it holds.
            if let (true, Some(tip)) = (is_main(&name), tip)
                && store.is_commit(tip)?
                && !tips.contains(&tip)
            {
                tips.push(tip);
            }
        }
    }
    Ok(tips)
}

fn is_newer(store: &Store, one: Oid, other: Oid) -> Result<bool> {
    if store.merging().contains(one, other)? {
        return Ok(true);
    }
    if store.merging().contains(other, one)? {
        return Ok(false);
    }
    let rank = |commit: Oid| {
        Ok::<_, crate::store::StoreError>((store.ancestry().commit(commit)?.at, commit))
    };
    Ok(rank(one)? > rank(other)?)
}

impl CarryDelta {
    /// Returns what is here and not in a state that others have; none where that is nothing.
    pub(crate) fn since(store: &Store, known: KnownState) -> Result<Option<Self>> {
        let delta = match known {
            KnownState::At(base) => Self::of(store, Some(base), Some(base)),
            KnownState::Begun(root) => Self::of(store, None, Some(root)),
        }?;
        // A merge alone says nothing that others lack.
        Ok(delta.filter(|delta| delta.operations() > 0))
    }

    /// Returns what is here beyond a commit that others have, with the issues that differ from those of another one.
    fn of(store: &Store, base: Option<Oid>, before: Option<Oid>) -> Result<Option<Self>> {
        let Some(tip) = store.tip()? else {
            return Ok(None);
        };
        let ours = store.snapshot_at(tip)?;
        let known = before.map(|before| store.snapshot_at(before)).transpose()?;
        let known = known.map(|known| known.tree());
        let (mut issues, mut refused) = (BTreeSet::new(), None);
        store.diff::<StoreError>(known, ours.tree(), &mut |change| {
            let Some(oid) = change.oid else {
                return Ok(());
            };
            issues.extend(change.path.and_then(TreePath::issue));
            // A whole store is not collected, but begun from.
            if before.is_some() {
                let was = change.old.map(|old| ours.read(old)).transpose()?;
                let is_known = was.is_some();
                let was: Vec<Vec<u8>> = was.into_iter().collect();
                let checked = carried_blob(change, &ours.read(oid)?, &was, is_known);
                refused = refused.take().or(checked.err());
            }
            Ok(())
        })?;
        Ok(Some(Self {
            tip,
            base,
            commits: ours.history(base)?,
            issues,
            refused,
        }))
    }

    /// Returns true if it has the whole history.
    pub(crate) const fn is_whole(&self) -> bool {
        self.base.is_none()
    }

    /// Returns how many operations it has: what merges join is counted by itself.
    pub(crate) fn operations(&self) -> usize {
        self.of_operations().count()
    }

    fn of_operations(&self) -> impl Iterator<Item = &Commit> {
        self.commits.iter().filter(|commit| commit.is_operation())
    }

    /// Returns true if a file with some tip has all of its operations.
    pub(crate) fn is_in(&self, store: &Store, tip: Oid) -> Result<bool> {
        if tip == self.tip {
            return Ok(true);
        }
        if !store.is_commit(tip)? || !store.merging().contains(self.tip, tip)? {
            return Ok(false);
        }
        let history = store.snapshot_at(tip)?.history(self.base)?;
        let held: HashSet<Oid> = history.iter().map(|commit| commit.oid).collect();
        let mut operations = self.of_operations();
        Ok(operations.all(|commit| held.contains(&commit.oid)))
    }

    /// Returns it as a file, with the time of its tip in milliseconds.
    pub(crate) fn file(&self, store: &Store) -> Result<Result<(CarryFile, u64), NoFile>> {
        let cuts = store.ancestry().cuts()?;
        if self.commits.iter().any(|commit| cuts.contains(&commit.oid)) {
            return Ok(Err(NoFile::Cut));
        }
        let subjects = self.of_operations().map(|commit| commit.subject.clone());
        let mut subjects: Vec<String> = subjects.collect();
        subjects.reverse();
        let file = CarryFile {
            base: self.base,
            known: None,
            tip: self.tip,
            operations: self.operations(),
            subjects,
            bundle: bundle::make(store, self.tip, self.base, &self.commits)?,
        };
        let size = file.encode().len();
        if size > LARGEST_WRITTEN {
            return Ok(Err(NoFile::TooLarge(size)));
        }
        let at = store.snapshot_at(self.tip)?.time()?;
        Ok(Ok((file, at)))
    }
}

/// Returns all that is here, as what a clone begins from.
pub(crate) fn whole(store: &Store) -> Result<Option<CarryDelta>> {
    CarryDelta::of(store, None, None)
}
