//! The depth of a fetch: all of the history of a store, unless the user wants less of it at first.
//!
//! A history that the user has not asked to be cut is completed by the next fetch: a `git fetch --depth` that was meant
//! for code can have cut it. One that `beads.depth` has cut stays so until the rest is asked for, or is needed.

use super::Remotes;
use crate::store::incoming_ref::IncomingRef;
use crate::store::{Oid, Result, StoreError};

/// The number of commits that the first fetch brings.
const KEY: &str = "beads.depth";
/// The option that brings a history that was cut. The largest depth but one: the largest would deepen the user's own
/// branches too.
const DEEPEST: &str = "--depth=2147483646";

/// The part of a history that the caller of a fetch wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum HistoryPart {
    /// The one that the configuration says.
    #[default]
    Usual,
    /// So many commits, where none is here yet.
    Newest(u32),
    /// All of it.
    Whole,
}

impl<'s> Remotes<'s> {
    /// Returns the same, for a fetch that brings this part of a history.
    pub(crate) fn part(self, part: HistoryPart) -> Self {
        Self { part, ..self }
    }

    /// Returns the depth of a fetch.
    pub(crate) fn depth(self) -> FetchDepth<'s> {
        FetchDepth { remotes: self }
    }
}

/// The depth of a fetch.
#[derive(Clone, Copy)]
pub(crate) struct FetchDepth<'s> {
    remotes: Remotes<'s>,
}

impl FetchDepth<'_> {
    /// Notes that a history is cut as the user wants it.
    pub(crate) fn note(self, commits: u32) -> Result<()> {
        let git = self.remotes.store.git();
        git.set_config(KEY, &commits.to_string())
    }

    /// Returns the option with which a fetch asks for more or less of a history than git would bring; none for that.
    pub(super) fn option(self, remote: &str) -> Result<Option<String>> {
        match self.wanted()? {
            Some(commits) => {
                let is_here = self.remotes.store.tip()?.is_some();
                let is_first = !is_here && self.remotes.tracked(remote)?.is_none();
                Ok(is_first.then(|| format!("--depth={commits}")))
            }
            None => Ok(self.is_history_cut(remote)?.then(|| DEEPEST.to_owned())),
        }
    }

    /// Returns the option that brings the rest of what a fetch has brought; none where nothing of that is cut, or the user
    /// wants it so.
    pub(super) fn rest_of(self, incoming: &IncomingRef) -> Result<Option<&'static str>> {
        let store = self.remotes.store;
        let cut = store.ancestry().cuts()?;
        if cut.is_empty() || self.wanted()?.is_some() {
            return Ok(None);
        }
        let mut tips = Vec::from_iter(store.refs().id(&incoming.reference())?);
        for (_, tip) in incoming.mailboxes(store)? {
            // A branch of code may be cut.
            if store.is_commit(tip)? && store.snapshot_at(tip)?.is_of_a_store()? {
                tips.push(tip);
            }
        }
        let known = store.tip()?;
        let is_cut = |tip: &Oid| store.incoming().meets(*tip, known, &cut);
        Ok(tips.iter().any(is_cut).then_some(DEEPEST))
    }

    /// Returns how many commits are enough at first; none where all are wanted.
    fn wanted(self) -> Result<Option<u32>> {
        match self.remotes.part {
            HistoryPart::Whole => Ok(None),
            HistoryPart::Newest(commits) => Ok(Some(commits)),
            HistoryPart::Usual => self.remotes.store.config(KEY).map(parse).transpose(),
        }
    }

    /// Returns true if what is known of the history of the store here, or at a remote, is cut.
    fn is_history_cut(self, remote: &str) -> Result<bool> {
        let tips = [self.remotes.store.tip()?, self.remotes.remote_tip(remote)?];
        for tip in tips.into_iter().flatten() {
            if self.remotes.store.ancestry().is_cut(tip)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Reads a number of commits.
fn parse(text: String) -> Result<u32> {
    let commits = text.trim().parse().ok().filter(|commits| *commits > 0);
    commits.ok_or(StoreError::Setting {
        key: KEY.to_owned(),
        value: text,
        example: "1000",
    })
}
