//! The door: every state that becomes part of this store comes in here.
//!
//! A candidate is admitted, or left alone and named; what is admitted is merged in one transaction, which moves the ref once.
//! Why the ref lacks a state that was answered for is explained before: a crash and a fetch take back what was answered, a
//! person decides. Only the first two converge by themselves: what a person has taken back stays away until a person brings
//! it back, since it may hold what was to be removed.

mod admit;
mod candidate;
mod enter;
mod explain;
pub(crate) mod older;
mod overlay;
#[cfg(test)]
mod simulation;

use super::{Cancel, Oid, Store};
pub(crate) use admit::{Admission, Beside, admit};
pub(crate) use candidate::{
    Admitted, Arrival, Candidate, EntryOutcome, EntryRules, Lack, MergeStep, Refused, Staged,
    StateSource,
};
pub use enter::enter_named;
pub(crate) use enter::{adopt, enter, enter_one, stage, stage_descendant};
pub(super) use explain::RefOrigin;
pub(crate) use explain::{Why, explain};
pub(crate) use overlay::unapplied;

/// Brings back what a fetch has taken from the ref, of some tips; returns those that it lacks still.
///
/// All of them are explained before any is merged, since a merge of ours is an entry of the reflog too.
pub(crate) fn bring_back(store: &Store, tips: &[Oid], cancel: &Cancel) -> Vec<Oid> {
    let (mut lacked, mut dropped) = (Vec::new(), Vec::new());
    let is_mirror = store.remotes().is_mirror();
    for tip in tips {
        match explain(store, *tip) {
            Why::Contained => {}
            Why::Fetch if !is_mirror => dropped.push(*tip),
            _ => lacked.push(*tip),
        }
    }
    for tip in dropped {
        // Each by itself: one that can't be merged holds up no other.
        let candidate = Candidate::of(tip, StateSource::Answered);
        if enter_one(store, candidate, &EntryRules::usual(cancel)).is_err() {
            lacked.push(tip);
        }
    }
    lacked
}
