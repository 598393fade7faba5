//! The state that an exchange makes to be sent, and that becomes the state here afterwards.

use super::super::hear::say_lost;
use super::super::lost_claim::LostClaim;
use super::super::yields::hand_over;
use super::Exchange;
use super::carried::CarriedFile;
use super::receive::Received;
use crate::model::Uid;
use crate::ops::shared::leases;
use crate::ops::{Error, Result};
use crate::store::door::{self, Staged};
use crate::store::lease_book::ReplacedLease;
use crate::store::{Destination, Oid};

/// A state that is made to be sent.
pub(super) struct Sendable {
    /// It, with what came and what gave way to that.
    pub(super) staged: Staged,
    /// The carry files whose changes it has.
    files: Vec<CarriedFile>,
    /// The error about a state of the remote, or a file, that was left alone: nothing is sent.
    pub(super) refused: Option<Error>,
    /// Another exchange of this clone has fetched a later tip of the remote, which is to be merged before anything is sent.
    pub(super) is_outdated: bool,
    /// The claims that gave way.
    lost: Vec<LostClaim>,
    /// The claims that the remote gave to others, and that this state follows.
    replaced: Vec<(Uid, ReplacedLease)>,
}

impl Exchange<'_> {
    /// Makes the state that is sent: what came is merged with what is here, and what is only here gives way to it.
    pub(super) fn stage(
        &mut self,
        received: Received,
        theirs: Option<Oid>,
        replaced: Vec<(Uid, ReplacedLease)>,
    ) -> Result<Sendable> {
        let mut staged =
            self.with_rules(|rules| Ok(door::stage(self.store, received.candidates, rules)?))?;
        let refused = self.refused(&staged.arrivals).or(received.failed);
        let is_sent = self.request.push && self.sends_to_store();
        if let (Some(theirs), None, true) = (theirs, &refused, is_sent) {
            door::stage_descendant(self.store, &mut staged, theirs, self.cancel)?;
        }
        let mut made = Sendable {
            refused,
            staged,
            files: received.files,
            is_outdated: false,
            lost: Vec::new(),
            replaced: Vec::new(),
        };
        if made.refused.is_none() {
            self.give_way(&mut made, theirs, replaced)?;
        }
        Ok(made)
    }

    /// Lets it give way to what the remote had first.
    fn give_way(
        &self,
        made: &mut Sendable,
        theirs: Option<Oid>,
        replaced: Vec<(Uid, ReplacedLease)>,
    ) -> Result<()> {
        if let (Some(tip), Some(theirs)) = (made.staged.tip(), theirs) {
            let Some(yielded) = self.judge(tip, theirs)? else {
                made.is_outdated = true;
                return Ok(());
            };
            made.staged.add(yielded.made);
            made.lost = yielded.lost;
        }
        if let Some(tip) = made.staged.tip().filter(|_| !replaced.is_empty()) {
            // The tip of the remote is no older than the look that has found them.
            let Some(yielded) = hand_over(self.tracker, tip, self.remote, &replaced, theirs)?
            else {
                made.is_outdated = true;
                return Ok(());
            };
            made.staged.add(yielded.made);
            made.lost.extend(yielded.lost);
            made.replaced = replaced;
        }
        Ok(())
    }

    /// Lets it be the state here, and reports what came.
    pub(super) fn adopt(&mut self, made: Sendable) -> Result<()> {
        if !self.request.dry_run {
            let was_sent = self.taken.is_some();
            door::adopt(self.store, &made.staged, was_sent, self.cancel)?;
        }
        let tip = made.staged.tip();
        if let Some(taken) = self.taken {
            let remotes = self.remotes();
            match &self.route.to {
                Destination::Mailbox(mailbox) => {
                    remotes.note_taken_by(mailbox, self.remote, taken)?;
                }
                Destination::Store | Destination::Nowhere => {
                    remotes.note_taken(self.remote, taken)?;
                }
            }
        }
        for arrival in made.staged.arrivals {
            self.report(arrival, &made.files)?;
        }
        if self.request.dry_run {
            return Ok(());
        }
        self.keep_notes()?;
        say_lost(self.tracker, self.request, &mut self.synced, made.lost);
        if let Some(tip) = tip.filter(|_| !made.replaced.is_empty()) {
            leases::forget_replaced(self.tracker, &made.replaced)?;
            self.say_gone(tip, &made.replaced)?;
        }
        Ok(())
    }
}
