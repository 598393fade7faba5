//! The state that an exchange makes to be sent, and that becomes the state here afterwards.

use super::super::hear::say_lost;
use super::super::lost_claim::LostClaim;
use super::Exchange;
use super::carried::CarriedFile;
use super::receive::Received;
use crate::ops::{Error, Result};
use crate::store::door::{self, Staged};
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
    /// The same without what is made to be sent with it.
    pub(super) beneath: Option<Staged>,
}

impl Exchange<'_> {
    /// Makes the state that is sent: what came is merged with what is here, and what is only here gives way to it.
    pub(super) fn stage(&mut self, received: Received, theirs: Option<Oid>) -> Result<Sendable> {
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
            beneath: None,
        };
        if made.refused.is_none() {
            self.give_way(&mut made, theirs)?;
        }
        Ok(made)
    }

    /// Lets it give way to what the remote had first.
    fn give_way(&self, made: &mut Sendable, theirs: Option<Oid>) -> Result<()> {
        if let (Some(tip), Some(theirs)) = (made.staged.tip(), theirs) {
            let Some(yielded) = self.judge(tip, theirs)? else {
                made.is_outdated = true;
                return Ok(());
            };
            made.staged.add(yielded.made);
            made.lost = yielded.lost;
        }
        Ok(())
    }

    /// Lets it be the state here, and reports what came.
    pub(super) fn adopt(&mut self, made: Sendable) -> Result<()> {
        if !self.request.dry_run {
            let was_sent = self.taken.is_some();
            door::adopt(self.store, &made.staged, was_sent, self.cancel)?;
        }
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
        Ok(())
    }
}
