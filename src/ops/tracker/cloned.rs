//! A store that a plain clone or fetch has brought along: every command finds it, without a word of the network.

use super::Tracker;
use super::from_snapshot::{begin_from_snapshot, may_begin};
use crate::ops::Result;
use crate::store::door::{self, Candidate, EntryRules, StateSource};
use crate::store::{Oid, Remotes, Store};

/// A store that is here, and that no command has taken over yet.
struct Brought {
    remote: String,
    /// The branch of the remote that holds it, where it is not at the tracking ref.
    branch: Option<String>,
    tip: Oid,
}

impl Brought {
    /// Returns the ref that holds it here.
    fn reference(&self) -> String {
        let remote = &self.remote;
        match &self.branch {
            Some(branch) => format!("refs/remotes/{remote}/{}", crate::store::short(branch)),
            None => format!("refs/beads-remotes/{remote}/main"),
        }
    }
}

/// Takes over what a clone has brought along or can find; returns false where there is nothing, or where it may not be used, which is
/// said.
pub(super) fn take_over(tracker: &Tracker) -> bool {
    let store = &tracker.store;
    let is_taken = |it: &Brought| is_taken(tracker, it);
    // A snapshot comes last: it is a part, and older than what a remote has.
    may_begin(store)
        && (brought(store).iter().any(is_taken)
            || (tracker.finder)(tracker)
            || begin_from_snapshot(tracker))
}

/// Returns whether a clone or fetch has brought a store along.
pub(in crate::ops) fn is_brought_along(store: &Store) -> bool {
    !brought(store).is_empty()
}

/// Returns the stores that are here: those of the remote that git would choose first, and tracking refs before branches.
fn brought(store: &Store) -> Vec<Brought> {
    let remotes = store.remotes();
    let usual = remotes.remote(None).ok().flatten();
    let mut names = remotes.names();
    names.sort_by_key(|name| Some(name) != usual.as_ref());
    // What an exchange has checked comes before what git alone has brought.
    let fetched = names.iter().filter_map(|name| fetched(remotes, name));
    let cloned = names.iter().filter_map(|name| cloned(remotes, name));
    fetched.chain(cloned).collect()
}

fn fetched(remotes: Remotes<'_>, remote: &str) -> Option<Brought> {
    let tip = remotes.remote_tip(remote).ok().flatten()?;
    let (remote, branch) = (remote.to_owned(), None);
    Some(Brought {
        remote,
        branch,
        tip,
    })
}

fn cloned(remotes: Remotes<'_>, remote: &str) -> Option<Brought> {
    let (branch, tip) = remotes.cloned_store(remote).ok().flatten()?;
    let (remote, branch) = (remote.to_owned(), Some(branch));
    Some(Brought {
        remote,
        branch,
        tip,
    })
}

/// Takes over a store, or says why it may not be used.
fn is_taken(tracker: &Tracker, brought: &Brought) -> bool {
    let (remote, at) = (&brought.remote, brought.reference());
    let taken = take(tracker, brought);
    tracker.warn(match &taken {
        Ok(()) => format!(
            "the issues of {remote} were found in {at}, as last fetched; git beads sync asks for what is new"
        ),
        Err(error) => format!("{at} left alone: {error}"),
    });
    taken.is_ok()
}

fn take(tracker: &Tracker, brought: &Brought) -> Result<()> {
    let (store, remote, tip) = (&tracker.store, &brought.remote, brought.tip);
    let cancel = tracker.cancel();
    let remotes = match &brought.branch {
        Some(branch) => store.remotes().at(branch),
        None => store.remotes(),
    };
    let rules = EntryRules {
        bring: &|it, lack| remotes.bring_missing(remote, it.tip, lack, cancel),
        ..EntryRules::usual(cancel)
    };
    let candidate = Candidate::of(tip, StateSource::Tracked(remote.clone()));
    door::enter_one(store, candidate, &rules)?;
    store.note_reach(|notes| notes.set_found_at(brought.reference()));
    match &brought.branch {
        Some(branch) => note_branch(store, remote, branch),
        None => Ok(()),
    }
}

/// Remembers the branch of a remote that holds its store.
pub(in crate::ops) fn note_branch(store: &Store, remote: &str, branch: &str) -> Result<()> {
    let addresses = store.remotes().addresses(remote);
    if addresses.of_store() != branch {
        addresses.note_store(branch)?;
    }
    Ok(())
}
