//! Joining the store that a remote has, where none is here: for `init`, which begins one where no remote has any, and for the
//! first command of a session, which begins none.

use std::time::Duration;

use crate::model::{Blob, prefix};
use crate::ops::tracker::note_branch;
use crate::ops::{Code, Command, Error, Result, Tracker};
use crate::store::door::{self, Admission, Beside, Candidate, EntryRules, StateSource};
use crate::store::{BRANCH, Cancel, HistoryPart, Oid, REF, Remotes, StoreError, short};

/// The look for a store at remotes.
pub(crate) struct StoreSearch<'t> {
    tracker: &'t Tracker,
    /// The prefix that the store must have, if it matters.
    prefix: Option<&'t str>,
    /// True if no one can answer a question of git.
    is_unattended: bool,
    /// The part of the history to bring.
    part: HistoryPart,
    cancel: Cancel,
}

/// The outcome of a search.
#[derive(Default)]
pub(crate) struct Searched {
    /// The remote whose store was joined.
    pub(crate) remote: Option<String>,
    /// The reason why the first remote that did not answer gave none, where none was joined.
    pub(crate) failure: Option<StoreError>,
}

impl<'t> StoreSearch<'t> {
    /// Returns a search as a person waits for it, for a store with a prefix, if that matters.
    pub(crate) fn of(tracker: &'t Tracker, prefix: Option<&'t str>) -> Self {
        Self {
            tracker,
            prefix,
            is_unattended: false,
            part: HistoryPart::Usual,
            cancel: tracker.cancel().clone(),
        }
    }

    /// Returns the same, for so many commits of the history, if that is said.
    pub(crate) fn newest(self, commits: Option<u32>) -> Self {
        let part = commits.map_or(self.part, HistoryPart::Newest);
        Self { part, ..self }
    }

    /// Returns the search of a session that begins: it takes so long at most, and asks no one.
    pub(crate) fn unattended(tracker: &'t Tracker, limit: Duration) -> Self {
        Self {
            is_unattended: true,
            cancel: tracker.cancel().clone().after(limit),
            ..Self::of(tracker, None)
        }
    }

    fn remotes(&self) -> Remotes<'t> {
        let remotes = self.tracker.store().remotes().part(self.part);
        match self.is_unattended {
            true => remotes.unattended(),
            false => remotes,
        }
    }

    /// Joins the store of the first of some remotes that has one, by our ref or by a branch that the clone brought along.
    pub(crate) fn joined(&self, candidates: &[String]) -> Result<Searched> {
        let (mut failures, mut without) = (Vec::new(), Vec::new());
        for remote in candidates {
            match self.remotes().fetch(remote, false, &self.cancel) {
                Ok(Some(tip)) => {
                    let candidate = Candidate::of(tip, StateSource::Tracked(remote.clone()));
                    let is_checked = !self.remotes().is_partial();
                    self.take(self.remotes(), remote, candidate.checked(is_checked))?;
                    return Ok(Searched::at(remote));
                }
                Ok(None) => without.push(remote),
                // Another remote may answer; what this one said counts only if none has a store.
                Err(error @ StoreError::Remote { .. }) => failures.push(error),
                Err(error) => return Err(error.into()),
            }
        }
        for remote in candidates {
            if self.take_cloned(remote)? {
                return Ok(Searched::at(remote));
            }
        }
        for remote in without {
            match self.found_elsewhere(remote) {
                Ok(Some(found)) => {
                    self.take_elsewhere(remote, found)?;
                    return Ok(Searched::at(remote));
                }
                Ok(None) => {}
                Err(error @ StoreError::Remote { .. }) => failures.push(error),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Searched {
            remote: None,
            failure: failures.into_iter().next(),
        })
    }

    /// Returns the tip of the store that a host has as a branch since it takes branches only, or that is in a mailbox
    /// alone, and whether it is the former; none where it has neither.
    fn found_elsewhere(&self, remote: &str) -> Result<Option<(Oid, bool)>, StoreError> {
        let remotes = self.remotes();
        if remotes.addresses(remote).of_store() != REF {
            return Ok(None);
        }
        let patterns = remotes.mailboxes(remote).patterns()?;
        let fetch = |remotes: Remotes<'_>| remotes.fetch_with(remote, &patterns, &self.cancel);
        let (fetched, has_branch) = match fetch(remotes.at(BRANCH)) {
            // A branch of that name can hold anything: then the mailboxes are asked for alone.
            Err(StoreError::Rejected(_)) => (fetch(remotes)?, false),
            fetched => (fetched?, true),
        };
        let branch = fetched.tip.filter(|_| has_branch).map(|tip| (tip, true));
        let mailbox = fetched
            .mailboxes
            .first()
            .map(|mailbox| (mailbox.tip, false));
        Ok(branch.or(mailbox))
    }

    /// Takes over the store that a plain clone has brought along as a branch; false where there is none.
    fn take_cloned(&self, remote: &str) -> Result<bool> {
        let Some((branch, tip)) = self.remotes().cloned_store(remote)? else {
            return Ok(false);
        };
        let candidate = Candidate::of(tip, StateSource::Tracked(remote.to_owned()));
        self.take(self.remotes().at(&branch), remote, candidate)?;
        let store = self.tracker.store();
        let place = format!("refs/remotes/{remote}/{}", short(&branch));
        store.note_reach(|notes| notes.set_found_at(place));
        note_branch(store, remote, &branch)?;
        Ok(true)
    }

    /// Takes over what was found elsewhere than at the ref of the store.
    fn take_elsewhere(&self, remote: &str, (tip, is_store): (Oid, bool)) -> Result<()> {
        let (remotes, source) = match is_store {
            true => (
                self.remotes().at(BRANCH),
                StateSource::Tracked(remote.to_owned()),
            ),
            false => (self.remotes(), StateSource::Named),
        };
        self.take(remotes, remote, Candidate::of(tip, source))?;
        let store = self.tracker.store();
        let place = match is_store {
            true => format!("{remote} {}", short(BRANCH)),
            false => format!("{remote} (mailbox)"),
        };
        store.note_reach(|notes| notes.set_found_at(place));
        match is_store {
            true => note_branch(store, remote, BRANCH),
            false => Ok(()),
        }
    }

    /// Takes over the tip of a remote, once it is admitted.
    fn take(&self, remotes: Remotes<'_>, remote: &str, candidate: Candidate) -> Result<()> {
        let (store, tip) = (self.tracker.store(), candidate.tip);
        let rules = EntryRules {
            bring: &|it, lack| remotes.bring_missing(remote, it.tip, lack, &self.cancel),
            ..EntryRules::usual(&self.cancel)
        };
        let beside = Beside::of(store.tip()?);
        if let Admission::Ends(arrival) = door::admit(store, candidate.clone(), beside, &rules)? {
            arrival.accepted()?;
        }
        // Before anything is joined: what is refused changes nothing.
        let meta = store.snapshot_at(tip)?.meta()?;
        kept(&meta, self.prefix, &format!("in {remote}")).map_err(|error| {
            error.hinted(Command::of("init").then(" joins them and keeps their prefix"))
        })?;
        door::enter_one(store, candidate.checked(true), &rules)?;
        if store.config_bool("beads.trackFetch") == Some(true) {
            remotes.track_fetch(remote)?;
        }
        Ok(())
    }
}

impl Searched {
    fn at(remote: &str) -> Self {
        Self {
            remote: Some(remote.to_owned()),
            failure: None,
        }
    }
}

/// Returns the prefix of a store that is there, unless another one is asked for.
pub(crate) fn kept(meta: &Blob, asked: Option<&str>, place: &str) -> Result<String> {
    let prefix = prefix::of(meta);
    match asked.filter(|asked| *asked != prefix) {
        None => Ok(prefix.to_owned()),
        Some(asked) => Err(Error::new(
            Code::Exists,
            format!("already tracking issues {place}, with the prefix {prefix}"),
        )
        .hinted(Command::of("rename-prefix").text(asked))),
    }
}
