//! The part of an exchange that is about claims which the remote keeps: those that have ended here are given back with
//! what ended them, and what another clone has taken over meanwhile gives way to it.

use std::time::Duration;

use super::super::hear::say_lost;
use super::super::yields::hand_over;
use super::Exchange;
use crate::ops::Result;
use crate::ops::shared::leases;
use crate::ops::tracker::ClaimPolicy;
use crate::store::{ClaimMove, MainPush, Oid, Push};

/// The pauses between attempts at a remote where nothing has moved.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(30),
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::ZERO,
];

impl Exchange<'_> {
    /// Asks for the claims that the remote keeps, where they count here, and removes those that are of no use any more.
    pub(super) fn look_at_claims(&mut self) -> Result<()> {
        // A pull of a person asks no more than it was asked to; what watches the remote does.
        let is_asked = self.request.push || self.request.unattended;
        let is_whole = self.request.fetch && self.request.merge && is_asked;
        if !is_whole || !self.is_arbiter || self.request.dry_run {
            return Ok(());
        }
        let counts = self.tracker.claim_policy()? != ClaimPolicy::Local;
        if counts || self.store.agents().leases().exist() {
            match leases::look(self.tracker, self.remote) {
                Ok((_, replaced)) => self.replaced = replaced,
                // What is said of the exchange itself is the answer: the claims are looked at with the next one.
                Err(_) => {
                    tracing::debug!("claims could not be looked at");
                    return Ok(());
                }
            }
            leases::clear_ended(self.tracker, self.remote)?;
        }
        Ok(())
    }

    /// Lets what was ended under a claim that another one has taken over give way to that one.
    pub(super) fn yield_replaced(
        &mut self,
        judged: Option<Oid>,
        theirs: Option<Oid>,
    ) -> Result<Option<Oid>> {
        if self.replaced.is_empty() {
            return Ok(judged);
        }
        let replaced = std::mem::take(&mut self.replaced);
        let (tip, lost) = hand_over(self.tracker, &replaced, theirs)?;
        say_lost(self.tracker, self.request, &mut self.synced, lost);
        Ok(Some(tip))
    }

    /// Gives back claims whose ends the remote has already, as another program has sent them.
    pub(super) fn give_back(&self, ended: &[ClaimMove]) -> Result<Push> {
        let refs = self.store.remotes().claims(self.remote)?;
        if !ended.is_empty() && refs.give_back(ended, self.cancel)? {
            leases::forget(self.tracker, ended)?;
        }
        Ok(Push::Done(Vec::new()))
    }

    /// Sends the tip, and gives back the claims that have ended by it: all or nothing. Where one of them was taken over the
    /// remote refuses, and its end gives way before the next attempt.
    pub(super) fn send_with_ends(
        &mut self,
        tip: Oid,
        after: Option<Oid>,
        ended: &[ClaimMove],
    ) -> Result<Push> {
        let push = MainPush {
            remote: self.remote,
            tip,
            after,
            claims: ended,
        };
        let remotes = self.store.remotes();
        let mut pushed = Push::Behind;
        for pause in PAUSES {
            pushed = remotes.push_fenced(&push, self.cancel)?;
            if !matches!(pushed, Push::Behind) {
                break;
            }
            let (look, replaced) = leases::look(self.tracker, self.remote)?;
            self.replaced = replaced;
            if !self.replaced.is_empty() || look.main != after {
                return Ok(Push::Behind);
            }
            // Nothing has moved: others held a lock for a moment.
            std::thread::sleep(pause);
        }
        if matches!(pushed, Push::Behind) {
            // Or it lets nothing be removed.
            pushed = remotes.push_freeing(&push, self.cancel)?;
        }
        if !matches!(pushed, Push::Behind) {
            leases::forget(self.tracker, ended)?;
        }
        Ok(pushed)
    }
}
