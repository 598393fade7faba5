//! The states that may become part of this store, and the outcome for each.

use std::sync::Arc;

use crate::store::carry::CarriedState;
use crate::store::object::Object;
use crate::store::{Aside, Cancel, Oid, Result, StoreError};

/// A state that may become part of this store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) tip: Oid,
    pub(crate) source: StateSource,
    /// True where the fetch that has brought it has looked at all of it.
    is_checked: bool,
    /// The objects that it brings along, which are in the repository once it is merged.
    brought: Arc<[Object]>,
}

/// The place that a state is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StateSource {
    /// It was answered for here, and journals hold parts of it.
    Answered,
    /// The store of a remote; from then on this state is known as seen there.
    Tracked(String),
    /// A former state of a remote.
    Former(String),
    /// A branch that holds what its clone could not send to the store.
    Mailbox(String),
    /// A file of changes, by its place.
    File(String),
    /// A fetch of the caller, or a commit of its own.
    Named,
}

impl Candidate {
    /// Returns a state that is still to be checked.
    pub(crate) fn of(tip: Oid, source: StateSource) -> Self {
        Self {
            tip,
            source,
            is_checked: false,
            brought: Arc::new([]),
        }
    }

    /// Returns the state of a file, which is still to be checked.
    pub(crate) fn carried(state: CarriedState, source: StateSource) -> Self {
        Self {
            brought: state.objects,
            ..Self::of(state.tip, source)
        }
    }

    /// Returns the same for one that a fetch has just brought, if that has checked all of it.
    pub(crate) fn checked(self, is_checked: bool) -> Self {
        Self { is_checked, ..self }
    }

    pub(super) const fn is_checked(&self) -> bool {
        self.is_checked
    }

    pub(super) fn brought(&self) -> &Arc<[Object]> {
        &self.brought
    }
}

/// The part of a candidate that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// Objects that a filter has left out.
    Parts,
    /// The history that it has in common with this state.
    History { ours: Oid },
}

/// The rules by which states enter.
#[derive(Clone, Copy)]
pub(crate) struct EntryRules<'a> {
    /// A store that was begun separately is joined too.
    pub(crate) adopt: bool,
    /// Nothing is changed.
    pub(crate) dry_run: bool,
    /// Brings what is missing of a candidate from where it is; returns false where there is nothing to bring.
    pub(crate) bring: &'a dyn Fn(&Candidate, Lack) -> Result<bool>,
    pub(crate) cancel: &'a Cancel,
}

impl<'a> EntryRules<'a> {
    /// Returns the usual way: nothing is brought from elsewhere.
    pub(crate) fn usual(cancel: &'a Cancel) -> Self {
        Self {
            adopt: false,
            dry_run: false,
            bring: &|_, _| Ok(false),
            cancel,
        }
    }
}

/// A candidate that may be merged. Nothing else is.
#[derive(Clone, Debug)]
pub(crate) struct Admitted {
    pub(super) candidate: Candidate,
    /// The objects of it that the journals hold or that it brings along, to be written before.
    pub(super) restore: Arc<[Object]>,
}

impl Admitted {
    /// Returns a state that was made here of what was admitted.
    pub(super) fn staged(tip: Oid) -> Self {
        Self {
            candidate: Candidate::of(tip, StateSource::Named),
            restore: Arc::new([]),
        }
    }

    pub(crate) const fn tip(&self) -> Oid {
        self.candidate.tip
    }

    pub(in crate::store) fn restore(&self) -> &[Object] {
        &self.restore
    }

    pub(super) fn arrived(&self, outcome: EntryOutcome) -> Arrival {
        Arrival {
            candidate: self.candidate.clone(),
            outcome,
        }
    }
}

/// One of several merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MergeStep {
    /// The tip into which it was merged; none where it began the history.
    pub(crate) ours: Option<Oid>,
    /// The tip that was merged.
    pub(crate) theirs: Oid,
}

/// A state that was made and that the ref does not lead to.
#[derive(Clone, Debug)]
pub(crate) struct Staged {
    /// The state here on which it is built; none where there was no store.
    pub(super) base: Option<Oid>,
    /// What was merged.
    pub(super) admitted: Vec<Admitted>,
    /// None where nothing was to be made.
    pub(super) made: Option<Aside>,
    /// The outcome for each candidate, once it is adopted.
    pub(crate) arrivals: Vec<Arrival>,
}

impl Staged {
    pub(crate) fn tip(&self) -> Option<Oid> {
        self.sendable().or(self.base)
    }

    /// Returns the state here on which it is built; none where there was no store.
    pub(crate) const fn base(&self) -> Option<Oid> {
        self.base
    }

    /// Returns the commit that was made, to which no ref leads.
    pub(crate) fn sendable(&self) -> Option<Oid> {
        self.made.as_ref().map(|made| made.tip)
    }

    /// Goes on with what was made on top of it.
    pub(crate) fn add(&mut self, next: Option<Aside>) {
        self.made = match (self.made.take(), next) {
            (Some(made), Some(next)) => Some(made.then(next)),
            (made, next) => next.or(made),
        };
    }
}

/// A candidate, and its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) candidate: Candidate,
    pub(crate) outcome: EntryOutcome,
}

/// The outcome for a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EntryOutcome {
    /// All of it was here.
    Here,
    /// It is merged.
    Joined(MergeStep),
    /// It was left alone.
    Refused(Refused),
}

/// The reason why a candidate was left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It is not sound, or can't be merged.
    Rejected(String),
    /// It is of another store.
    Stranger { ours: String, theirs: String },
    /// The history that both have in common is not here.
    Cut,
    /// This commit of it, or what that leads to, is gone.
    Gone(Oid),
    /// It was answered for here, and shares no commit with our history.
    Rewritten,
}

impl Arrival {
    /// Returns an error where the candidate was left alone.
    pub(crate) fn accepted(self) -> Result<()> {
        match self.outcome {
            EntryOutcome::Refused(refused) => Err(refused.into()),
            EntryOutcome::Here | EntryOutcome::Joined(_) => Ok(()),
        }
    }
}

impl From<Refused> for StoreError {
    fn from(refused: Refused) -> Self {
        let why = match refused {
            Refused::Rejected(what) => what,
            Refused::Stranger { ours, theirs } => {
                format!("it is another store ({theirs}) than this repository has ({ours})")
            }
            Refused::Cut => "what both histories have in common is not here".to_owned(),
            Refused::Rewritten => "it shares no commit with the issues here".to_owned(),
            Refused::Gone(hole) => {
                return Self::Unreadable {
                    what: format!("commit {hole}"),
                    why: "it, or what it leads to, is gone".to_owned(),
                };
            }
        };
        Self::Rejected(why)
    }
}
