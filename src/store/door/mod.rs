//! Why the ref lacks a state that was answered for, and what follows from that.
//!
//! A crash and a fetch take back what was answered; a person decides. Only the first two converge by themselves: what a
//! person has taken back stays away until a person brings it back, since it may hold what was to be removed.

mod explain;
mod overlay;

use std::path::Path;

use super::known::Known;
use super::reach::Reach;
use super::{Admitted, Cancel, Oid, Restore, Result, Store, StoreError};
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
        if merge_answered(store, tip, None, cancel).is_err() {
            lacked.push(tip);
        }
    }
    lacked
}

/// Merges a tip that was answered for, with what the journals hold of it, or one that was put aside.
/// Errors: parts of it are gone, and as of [`Store::merge_tips`]; then nothing is merged.
pub(crate) fn merge_answered(
    store: &Store,
    tip: Oid,
    aside: Option<&Path>,
    cancel: &Cancel,
) -> Result<()> {
    let contents = store.set_back().journal(aside)?;
    let known = Known::of(&contents);
    let overlaid = store.overlaid(known.objects())?;
    let reach = Reach::new(&overlaid);
    if let Some(hole) = reach.hole(tip, store.tip()?) {
        return Err(StoreError::Unreadable {
            what: format!("commit {hole}"),
            why: "it, or what it leads to, is gone".to_owned(),
        });
    }
    {
        let _lock = store.lock()?;
        // The line of the tip alone: other objects of the journal may lack what they lead to.
        Restore::of(store).rewrite(known.line_to(&reach, tip).into_iter())?;
    }
    store.merge_tips(&[Admitted::known(tip)], cancel).map(drop)
}
