//! An attempt at a claim: what is sent, the look that decides, and what follows here.

use std::time::Duration;

use super::super::PATIENCE;
use super::{Attempt, ClaimChoice, RemoteStart};
use crate::model::Uid;
use crate::model::lease::LeaseRecord;
use crate::ops::shared::claim;
use crate::ops::shared::leases;
use crate::ops::shared::sync::{Sync, exchange};
use crate::ops::tracker::ClaimPolicy;
use crate::ops::{Code, Error, Result, View};
use crate::store::door;
use crate::store::lease_book::HeldLease;
use crate::store::{ClaimLook, ClaimMove, Failure, MainPush, Oid, Push, StoreError, notices};

/// The time that a remote may say nothing which has said nothing to a push.
const SHORT: Duration = Duration::from_secs(2);

/// Returns true for an exchange that was given up, since the remote said nothing.
fn is_silent<T>(exchanged: &Result<T, StoreError>) -> bool {
    matches!(
        exchanged,
        Err(StoreError::Remote {
            failure: Failure::Silent(_),
            ..
        })
    )
}

/// The ref of an issue, as a look has found it after a push.
enum ClaimFound {
    /// It leads to the claim that was sent.
    Own,
    /// It is as it was before.
    Before,
    /// It is another's, or was given back.
    Other,
}

impl RemoteStart<'_> {
    /// Tries to have a claim at the remote; `tip` is the commit that starts the issue.
    pub(super) fn attempt(&mut self, choice: &ClaimChoice, tip: Oid) -> Result<Attempt> {
        let was_unsure = self.open.book.is_unsure;
        // Who is killed from here on leaves that: the next command asks the remote what this clone holds.
        self.open.book.is_unsure = true;
        let attempt = self.send(choice, tip)?;
        if !matches!(attempt, Attempt::Failed(_)) {
            self.open.book.is_unsure = was_unsure;
            self.open.save();
        }
        Ok(attempt)
    }

    /// Sends a claim, with its start or alone, and does what follows from what became of it.
    fn send(&mut self, choice: &ClaimChoice, tip: Oid) -> Result<Attempt> {
        let oid = self.refs.make(&choice.record.encode(choice.uid))?;
        // Before anything is sent: who is killed now finds it in the book, and at the remote.
        let before = self.open.book.held.remove(&choice.uid);
        let asked = HeldLease::asked(self.tracker.env(), &self.remote, oid, choice.record.clone());
        self.open.book.held.insert(choice.uid, asked);
        self.open.save();
        let claim = ClaimMove {
            uid: choice.uid,
            from: choice.from,
            to: Some(oid),
        };
        if !self.open.book.is_busy(self.tracker.env()) && self.is_current(tip)? {
            if self.push_quietly(tip, claim)? {
                return self.adopt(choice, tip);
            }
            match self.look(claim, before.as_ref()) {
                // Only the tip has moved.
                Ok(ClaimFound::Before) if !self.is_silent => {
                    self.open.book.note_busy(self.tracker.env());
                }
                found => return self.after(choice, before, found),
            }
        }
        // The ref alone; the start follows where that is taken.
        let pushed = self.refs.push(&[claim], false, self.tracker.cancel());
        self.is_silent = is_silent(&pushed);
        let found = match pushed {
            Ok(true) => Ok(ClaimFound::Own),
            _ => self.look(claim, before.as_ref()),
        };
        self.after(choice, before, found)
    }

    /// Does what follows from the ref of a claim after it was sent.
    fn after(
        &mut self,
        choice: &ClaimChoice,
        before: Option<HeldLease>,
        found: Result<ClaimFound>,
    ) -> Result<Attempt> {
        let is_before = matches!(found, Ok(ClaimFound::Before));
        let is_answered = found.is_ok();
        let attempt = match found {
            Ok(ClaimFound::Own) => return self.follow(choice, before),
            Ok(ClaimFound::Other) => Attempt::Lost,
            Ok(ClaimFound::Before) => self.not_taken(choice.uid),
            Err(error) => {
                self.open.book.note_unreachable(self.tracker.env());
                Attempt::Failed(error)
            }
        };
        // An answer that did not come says nothing: what was asked for can be there.
        if is_answered {
            self.forget_asked(choice, before, is_before);
        }
        self.open.save();
        Ok(attempt)
    }

    /// Decides about a claim that the remote did not take though no one has it.
    fn not_taken(&mut self, uid: Uid) -> Attempt {
        let failed = |why: String| Attempt::Failed(Error::new(Code::Remote, why));
        if self.is_silent {
            // It can be read, and no push is answered: waiting once more would not help.
            self.open.book.note_unreachable(self.tracker.env());
            return failed(format!("{} does not answer a push", self.remote));
        }
        if self.refused != Some(uid) {
            // Others can have held a lock for a moment.
            self.refused = Some(uid);
            return Attempt::Lost;
        }
        self.open
            .book
            .note_refusal(self.tracker.env(), &self.remote);
        failed(format!("{} refuses claims", self.remote))
    }

    /// Forgets a claim that was asked for and not granted. That of another agent of this clone stays as it is, or its holder
    /// hears that it was taken over.
    fn forget_asked(&mut self, choice: &ClaimChoice, before: Option<HeldLease>, is_before: bool) {
        let held = &mut self.open.book.held;
        let is_asked = held
            .get(&choice.uid)
            .is_some_and(|held| !held.is_granted && held.record == choice.record);
        if is_asked {
            held.remove(&choice.uid);
            if let Some(before) = before.filter(|before| before.is_granted) {
                held.insert(choice.uid, before);
                if !is_before {
                    leases::lose(self.tracker.env(), &mut self.open.book, choice.uid);
                }
            }
        }
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
    fn push_quietly(&mut self, tip: Oid, claim: ClaimMove) -> Result<bool> {
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
        self.is_silent = is_silent(&pushed);
        Ok(matches!(pushed, Ok(Some(Push::Done(_)))))
    }

    /// Asks for the ref of an issue; a remote that said nothing to a push gets little time for it.
    fn look_at(&self, uid: Uid) -> Result<ClaimLook> {
        let limit = if self.is_silent { SHORT } else { PATIENCE };
        let remotes = self.tracker.store().remotes().within(limit);
        let refs = remotes.claims(&self.remote)?;
        Ok(refs.look(Some(uid), self.tracker.cancel())?)
    }

    /// Looks at the ref of an issue after a push that was not answered well.
    fn look(&mut self, claim: ClaimMove, before: Option<&HeldLease>) -> Result<ClaimFound> {
        let uid = claim.uid;
        let look = self.look_at(uid)?;
        let found = look.claims.get(&uid).copied();
        if found == claim.to {
            return Ok(ClaimFound::Own);
        }
        if found == claim.from {
            return Ok(ClaimFound::Before);
        }
        self.has_looked = true;
        match (found, before) {
            // Of a command of this caller that was killed: it is taken from there.
            (Some(found), Some(before)) if found == before.oid => {
                self.open.book.held.insert(uid, before.clone());
            }
            (Some(_), _) => self.note(&look)?,
            // It was given back since.
            (None, _) => _ = self.open.book.seen.remove(&uid),
        }
        Ok(ClaimFound::Other)
    }

    /// Makes sure that the remote has a claim that the store says it keeps for the caller: the command that asked for it
    /// can have been killed, and another clone can have taken it over. False where it has not.
    pub(super) fn confirm(&mut self, choice: &ClaimChoice) -> Result<bool> {
        let uid = choice.uid;
        let Some(held) = self.open.book.held.get(&uid) else {
            return Ok(true);
        };
        let is_asked = held.is_asked_by(&choice.record.holder);
        if !is_asked && !held.is_unsure(self.tracker.env()) && self.policy != ClaimPolicy::Strict {
            return Ok(true);
        }
        let look = self.refs.look(Some(uid), self.tracker.cancel())?;
        let is_there = look.claims.get(&uid).copied() == Some(held.oid);
        if is_there {
            self.open.book.grant(self.tracker.env(), uid);
        } else if is_asked {
            self.open.book.held.remove(&uid);
        } else {
            self.note(&look)?;
            leases::lose(self.tracker.env(), &mut self.open.book, uid);
        }
        self.open.save();
        Ok(self.open.book.held.contains_key(&uid))
    }

    /// Takes over the commit that was pushed.
    fn adopt(&mut self, choice: &ClaimChoice, tip: Oid) -> Result<Attempt> {
        let store = self.tracker.store();
        // Before the merge: a commit of another command can come on top of it.
        let ended = leases::ended(self.tracker, &self.remote, tip)?;
        door::enter_named(store, tip, self.tracker.cancel())?;
        store.remotes().note_taken(&self.remote, tip)?;
        for change in ended.iter().filter(|ended| ended.uid != choice.uid) {
            self.open.book.held.remove(&change.uid);
        }
        self.grant(choice);
        Ok(Attempt::Won)
    }

    /// Starts an issue whose claim the remote has: once what else it knew is here. Where another one has ended it
    /// meanwhile, or what it knew can't be had, the claim is given back; `before` is that of another agent of this clone.
    fn follow(&mut self, choice: &ClaimChoice, before: Option<HeldLease>) -> Result<Attempt> {
        let fetch = Sync {
            remote: Some(self.remote.clone()),
            push: false,
            ..Sync::default()
        };
        // The ref was free also if another one had the issue and has ended it: only what the remote knew says so.
        if let Err(error) = exchange(self.tracker, &fetch) {
            self.give_back(choice, before);
            return Ok(Attempt::Failed(error));
        }
        // Taken over at the remote, where the store still names who had it.
        let force = self.force || choice.is_takeover;
        let uid = choice.uid;
        // Before its number grows: with that it would look like a claim that came after what has ended the issue.
        if let Err(error) = self
            .tracker
            .prepare(None, |tx| claim::check_start(tx, uid, force))
        {
            self.give_back(choice, before);
            return Err(error);
        }
        let Some(record) = self.raised(choice)? else {
            self.give_back(choice, before);
            return Ok(Attempt::Lost);
        };
        let started = self.tracker.write(
            |tx| {
                claim::take(tx, choice.uid, force)?;
                // The fetch can have brought an earlier claim of the caller, by a command that was killed.
                let kept = (self.remote.as_str(), record.fence);
                if tx.issue(choice.uid)?.claim_ref() != Some(kept) {
                    self.write_lease(tx, choice.uid, record.fence, record.minutes)?;
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
                self.give_back(choice, before);
                Err(error)
            }
        }
    }

    /// Returns the claim with a number larger than all that the store knows by now; the remote gets it where that is another.
    /// None where it did not take that.
    fn raised(&mut self, choice: &ClaimChoice) -> Result<Option<LeaseRecord>> {
        let (uid, own) = (choice.uid, &choice.record);
        let held = self.open.book.held.get(&uid);
        let (Some(fence), Some(held)) = (self.larger_fence(choice)?, held) else {
            return Ok(Some(own.clone()));
        };
        let record = LeaseRecord {
            fence,
            ..own.clone()
        };
        let oid = self.refs.make(&record.encode(uid))?;
        let (from, to) = (Some(held.oid), Some(oid));
        if !self.push_move(ClaimMove { uid, from, to })? {
            return Ok(None);
        }
        let asked = HeldLease::asked(self.tracker.env(), &self.remote, oid, record.clone());
        self.open.book.held.insert(uid, asked);
        Ok(Some(record))
    }

    /// Returns the number of a claim that grows on, where the store knows one that is not smaller by now.
    fn larger_fence(&self, choice: &ClaimChoice) -> Result<Option<u64>> {
        let last = |view: &View<'_>| self.last_fence(&view.issue(choice.uid)?);
        let last = self.tracker.read(last)?;
        let is_enough = last < choice.record.fence || self.came_back(choice.tip)?;
        Ok((!is_enough).then_some(last + 1))
    }

    /// Moves the ref of a claim at the remote; returns true if it leads there then, whatever the answer to the push was.
    fn push_move(&self, claim: ClaimMove) -> Result<bool> {
        let cancel = self.tracker.cancel();
        if self.refs.push(&[claim], false, cancel)? {
            return Ok(true);
        }
        let look = self.refs.look(Some(claim.uid), cancel)?;
        Ok(look.claims.get(&claim.uid).copied() == claim.to)
    }

    /// Returns true if a fetch has brought the commit of a start: the remote had taken it, and its answer was lost.
    fn came_back(&self, start: Option<Oid>) -> Result<bool> {
        let store = self.tracker.store();
        match (store.tip()?, start) {
            (Some(tip), Some(start)) => Ok(store.merging().contains(tip, start)?),
            _ => Ok(false),
        }
    }

    /// Gives a claim back that came to nothing: to who had it, where that one was still at work, or to no one.
    fn give_back(&mut self, choice: &ClaimChoice, before: Option<HeldLease>) {
        let uid = choice.uid;
        if let Some(held) = self.open.book.held.remove(&uid) {
            let cancel = self.tracker.cancel();
            let mut back = ClaimMove {
                uid,
                from: Some(held.oid),
                to: choice.from.filter(|_| choice.is_live),
            };
            let is_restored =
                back.to.is_some() && matches!(self.refs.push(&[back], false, cancel), Ok(true));
            if !is_restored {
                back.to = None;
                // One that stays there is over with its lease.
                let _ = self.refs.give_back(&[back], cancel);
            }
            // Where it was not restored the next look finds it gone, and its holder is told.
            let before = before.filter(|before| before.is_granted);
            let before = before.map(|before| (uid, before));
            self.open.book.held.extend(before);
        }
        self.open.save();
    }

    fn grant(&mut self, choice: &ClaimChoice) {
        self.open.book.grant(self.tracker.env(), choice.uid);
        self.open.save();
        for (agent, line) in &choice.notices {
            notices::leave(self.tracker.store(), agent, line);
        }
    }
}
