//! The part of an exchange that is about claims which the remote keeps: those that have ended here are given back with
//! what ended them, and what another clone has taken over meanwhile gives way to it.

use std::time::Duration;

use super::super::hear::leave;
use super::Exchange;
use crate::model::Uid;
use crate::ops::shared::leases;
use crate::ops::tracker::ClaimPolicy;
use crate::ops::{Command, Result};
use crate::store::lease_book::ReplacedLease;
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
                Ok(_) => {}
                // What is said of the exchange itself is the answer: the claims are looked at with the next one.
                Err(_) => {
                    tracing::debug!("claims could not be read");
                    return Ok(());
                }
            }
            leases::clear_ended(self.tracker, self.remote)?;
        }
        Ok(())
    }

    /// Returns the claims that others have taken over, or that are gone at the remote, as far as this exchange follows them.
    pub(super) fn replaced_claims(&self) -> Vec<(Uid, ReplacedLease)> {
        // What only receives may be part of a claim, which has the book; and what asks nothing knows no newer tip.
        let is_asked = self.request.push || (self.request.unattended && self.request.fetch);
        match is_asked && !self.request.dry_run {
            true => leases::replaced(self.tracker, self.remote),
            false => Vec::new(),
        }
    }

    /// Says which claims the remote has no more, though no one has taken them over.
    pub(super) fn say_gone(&mut self, tip: Oid, replaced: &[(Uid, ReplacedLease)]) -> Result<()> {
        let snapshot = self.store.snapshot_at(tip)?;
        for (uid, lease) in replaced {
            if lease.by.is_none() && leases::is_kept(&snapshot, *uid, &lease.held)? {
                let id = self.tracker.read(|view| view.id(*uid))?;
                let line = format!(
                    "{id}: {} has lost the claim of {}; {} asks for it again",
                    self.remote,
                    lease.held.record.holder,
                    Command::of("start").id(&id)
                );
                leave(self.tracker, self.request, &lease.held.record.holder, &line);
                self.synced.remarks.push(line);
            }
        }
        Ok(())
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
        let mut ended = ended.to_vec();
        let mut pushed = Push::Behind;
        for pause in PAUSES {
            let remotes = self.remotes();
            pushed = remotes.push_fenced(&self.push_of(tip, after, &ended), self.cancel)?;
            if !matches!(pushed, Push::Behind) {
                break;
            }
            let look = leases::look(self.tracker, self.remote)?;
            let has_lost = !leases::replaced(self.tracker, self.remote).is_empty();
            if has_lost || look.main != after {
                return Ok(Push::Behind);
            }
            // A beat of another command has moved one, or nothing has moved: others held a lock for a moment.
            ended = leases::ended(self.tracker, self.remote, tip)?;
            std::thread::sleep(pause);
        }
        if matches!(pushed, Push::Behind) {
            // Or it lets nothing be removed.
            pushed = self
                .remotes()
                .push_freeing(&self.push_of(tip, after, &ended), self.cancel)?;
        }
        if !matches!(pushed, Push::Behind) {
            leases::forget(self.tracker, &ended)?;
        }
        Ok(pushed)
    }

    fn push_of<'c>(
        &'c self,
        tip: Oid,
        after: Option<Oid>,
        claims: &'c [ClaimMove],
    ) -> MainPush<'c> {
        MainPush {
            remote: self.remote,
            tip,
            after,
            claims,
        }
    }
}
