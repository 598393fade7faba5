//! An attempt at a claim: what is sent, the look that decides, and what follows here.

use std::time::Duration;

use super::{Attempt, ClaimChoice, RemoteStart};
use crate::model::Uid;
use crate::ops::shared::claim;
use crate::ops::shared::leases;
use crate::ops::shared::sync::{Sync, exchange};
use crate::ops::{Code, Error, Result};
use crate::store::lease_book::HeldLease;
use crate::store::{ClaimMove, MainPush, Oid, Push, notices};

/// The time that a remote may say nothing to who starts an issue.
const PATIENCE: Duration = Duration::from_secs(8);

impl RemoteStart<'_> {
    pub(super) fn attempt(&mut self, choice: &ClaimChoice, tip: Oid) -> Result<Attempt> {
        let oid = self.refs.make(&choice.record.encode(choice.uid))?;
        // Before anything is sent: who is killed now finds it in the book, and at the remote.
        let before = self.open.book.held.remove(&choice.uid);
        let asked = HeldLease::asked(&self.remote, oid, choice.record.clone());
        self.open.book.held.insert(choice.uid, asked);
        self.open.save();
        let claim = ClaimMove {
            uid: choice.uid,
            from: choice.from,
            to: Some(oid),
        };
        if !self.open.book.is_busy() && self.is_current(tip)? {
            if self.push_quietly(tip, claim)? {
                return self.adopt(choice, tip);
            }
            match self.look(choice.uid, oid, before.as_ref()) {
                Ok(Some(attempt)) => return self.settle(choice, attempt),
                Ok(None) => self.open.book.note_busy(),
                Err(error) => return self.settle(choice, Attempt::Failed(error)),
            }
        }
        self.push_alone(choice, claim, oid, before.as_ref())
    }

    /// Sends the ref of the claim alone; the start follows where that is taken.
    fn push_alone(
        &mut self,
        choice: &ClaimChoice,
        claim: ClaimMove,
        oid: Oid,
        before: Option<&HeldLease>,
    ) -> Result<Attempt> {
        let pushed = self.refs.push(&[claim], false, self.tracker.cancel());
        if matches!(pushed, Ok(true)) {
            return self.settle(choice, Attempt::Won);
        }
        let attempt = match self.look(choice.uid, oid, before) {
            Ok(Some(attempt)) => attempt,
            // It can have been another's a moment ago.
            Ok(None) if !self.is_refused => {
                self.is_refused = true;
                Attempt::Lost
            }
            Ok(None) => {
                self.open.book.held.remove(&choice.uid);
                self.open.book.note_refusal(&self.remote);
                let message = format!("{} refuses to keep claims", self.remote);
                Attempt::Failed(Error::new(Code::Remote, message))
            }
            Err(error) => Attempt::Failed(error),
        };
        self.settle(choice, attempt)
    }

    /// Returns true if a commit follows what the remote had, as far as is known, and knows all of it.
    fn is_current(&self, tip: Oid) -> Result<bool> {
        let store = self.tracker.store();
        match store.remotes().tracked(&self.remote)? {
            Some(theirs) => Ok(store.ancestry().is_built_on(tip, theirs)?),
            None => Ok(true),
        }
    }

    /// Sends the start and the claim at once, with the ends of others that wait to be sent.
    fn push_quietly(&self, tip: Oid, claim: ClaimMove) -> Result<bool> {
        let remotes = self.tracker.store().remotes();
        let mut claims = leases::ended(self.tracker, &self.remote, tip)?;
        claims.retain(|ended| ended.uid != claim.uid);
        claims.push(claim);
        let push = MainPush {
            remote: &self.remote,
            tip,
            after: remotes.tracked(&self.remote)?,
            claims: &claims,
        };
        let remotes = remotes.within(PATIENCE);
        let pushed = remotes.push_with_claims(&push, self.tracker.cancel());
        Ok(matches!(pushed, Ok(Some(Push::Done(_)))))
    }

    /// Looks what the ref of an issue is: that of this claim, another's, or none.
    fn look(&mut self, uid: Uid, oid: Oid, before: Option<&HeldLease>) -> Result<Option<Attempt>> {
        let look = self.refs.look(Some(uid), self.tracker.cancel())?;
        let found = look.claims.get(&uid).copied();
        if found == Some(oid) {
            return Ok(Some(Attempt::Won));
        }
        if found.is_some() {
            self.open.book.held.remove(&uid);
        }
        if let Some(before) = before.filter(|before| found == Some(before.oid)) {
            // Of a command of this caller that was killed: it is taken from there.
            self.open.book.held.insert(uid, before.clone());
            self.has_looked = true;
            return Ok(Some(Attempt::Lost));
        }
        self.note(&look)?;
        if found.is_none() {
            self.open.book.seen.remove(&uid);
        }
        Ok(found.map(|_| Attempt::Lost))
    }

    /// Does what follows from an attempt.
    fn settle(&mut self, choice: &ClaimChoice, attempt: Attempt) -> Result<Attempt> {
        match attempt {
            Attempt::Won => self.follow(choice),
            other => {
                self.open.save();
                Ok(other)
            }
        }
    }

    /// Takes over the commit that was pushed.
    fn adopt(&mut self, choice: &ClaimChoice, tip: Oid) -> Result<Attempt> {
        let store = self.tracker.store();
        // Before the merge: a commit of another command can come on top of it.
        let ended = leases::ended(self.tracker, &self.remote, tip)?;
        store.merge_tip(tip, self.tracker.cancel())?;
        store.remotes().note_pushed(&self.remote, tip)?;
        for change in ended.iter().filter(|ended| ended.uid != choice.uid) {
            self.open.book.held.remove(&change.uid);
        }
        self.grant(choice);
        Ok(Attempt::Won)
    }

    /// Starts an issue whose claim the remote has: once what it knew besides is here. Where another one has ended it
    /// meanwhile, the claim is given back.
    fn follow(&mut self, choice: &ClaimChoice) -> Result<Attempt> {
        let fetch = Sync {
            remote: Some(self.remote.clone()),
            push: false,
            ..Sync::default()
        };
        // The claim is ours in any case; what can't be fetched now comes with the next exchange.
        if let Err(error) = exchange(self.tracker, &fetch) {
            self.tracker.warn(error.message);
        }
        let started = self.tracker.write(
            |tx| {
                let record = &choice.record;
                // Taken over at the remote, whatever the store says of who had it.
                let force = self.force || record.fence > 1;
                let outcome = claim::take(tx, choice.uid, force)?;
                if outcome.already.is_none() {
                    let mut issue = tx.issue(choice.uid)?;
                    issue.keep_claim_at(&self.remote, record.fence, record.minutes);
                    tx.put(issue);
                }
                Ok(())
            },
            |(), _| Ok(()),
        );
        match started {
            Ok(()) => {
                self.grant(choice);
                Ok(Attempt::Won)
            }
            Err(error) => {
                self.give_back(choice.uid);
                Err(error)
            }
        }
    }

    fn give_back(&mut self, uid: Uid) {
        if let Some(held) = self.open.book.held.remove(&uid) {
            let free = ClaimMove {
                uid,
                from: Some(held.oid),
                to: None,
            };
            // One that stays there is over with its lease.
            let _ = self.refs.give_back(&[free], self.tracker.cancel());
        }
        self.open.save();
    }

    fn grant(&mut self, choice: &ClaimChoice) {
        let book = &mut self.open.book;
        book.seen.remove(&choice.uid);
        if let Some(held) = book.held.get_mut(&choice.uid) {
            held.grant();
        }
        self.open.save();
        for (agent, line) in &choice.notices {
            notices::leave(self.tracker.store(), agent, line);
        }
    }
}
