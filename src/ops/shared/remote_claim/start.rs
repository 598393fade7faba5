//! One start that asks the remote: the quiet way first, then the ref alone, and a look that decides.

mod attempt;

use std::thread;
use std::time::Duration;

use super::{Choose, PATIENCE, or_locally};
use crate::model::lease::LeaseRecord;
use crate::model::{Issue, Stamp, Uid};
use crate::ops::answer::{RemoteLease, Summary};
use crate::ops::shared::claim::{self, ClaimOutcome, Started, start_here};
use crate::ops::shared::leases::{self, DEFAULT_LEASE};
use crate::ops::tracker::ClaimPolicy;
use crate::ops::{Code, Command, Error, Hint, Result, Tracker, Tx};
use crate::store::lease_book::{OpenLeaseBook, SeenLease};
use crate::store::{ClaimLook, ClaimRefs, Oid};

/// Others may be faster so often.
const ROUNDS: u32 = 12;

/// An issue that was chosen, and the commit that starts it.
struct ClaimChoice {
    uid: Uid,
    outcome: ClaimOutcome,
    /// None where the caller has it already.
    tip: Option<Oid>,
    /// The object that its ref leads to now, as far as is known.
    from: Option<Oid>,
    /// True where that is the claim of another one, which is over or taken by force.
    is_takeover: bool,
    /// True where that is not over, and another one's.
    is_live: bool,
    record: LeaseRecord,
    notices: Vec<(String, String)>,
}

/// The outcome of an attempt.
enum Attempt {
    Won,
    /// Another one has it.
    Lost,
    /// The remote keeps no claims, or can't be asked.
    Failed(Error),
}

/// Returns true where an issue that was not to be had may be free by what the remote says now.
fn may_be_free(error: &Error) -> bool {
    matches!(
        error.code,
        Code::NotFound | Code::NothingReady | Code::Claimed
    )
}

/// Returns true where an issue was not to be had, and another one may be.
fn may_be_another(error: &Error) -> bool {
    matches!(
        error.code,
        Code::Claimed | Code::Closed | Code::Assigned | Code::NothingReady
    )
}

/// A start that asks the remote.
pub(super) struct RemoteStart<'t> {
    tracker: &'t Tracker,
    policy: ClaimPolicy,
    remote: String,
    force: bool,
    refs: ClaimRefs<'t>,
    /// Held until the end: of this clone one command asks at a time.
    open: OpenLeaseBook<'t>,
    /// True once the remote was asked for its claims by this command.
    has_looked: bool,
    /// True where the last push was given up, since the remote said nothing.
    is_silent: bool,
    /// The issue whose claim the remote did not take though no one had it.
    refused: Option<Uid>,
    /// The mark of this clone.
    mark: String,
}

impl<'t> RemoteStart<'t> {
    pub(super) fn open(
        tracker: &'t Tracker,
        policy: ClaimPolicy,
        remote: String,
        force: bool,
    ) -> Result<Self> {
        let store = tracker.store();
        Ok(Self {
            tracker,
            policy,
            force: force || tracker.is_forced(),
            refs: store.remotes().within(PATIENCE).claims(&remote)?,
            open: store.agents().leases().open(tracker.cancel())?,
            remote,
            has_looked: false,
            is_silent: false,
            refused: None,
            mark: store.agents().leases().mark(),
        })
    }

    pub(super) fn run(mut self, choose: Choose<'_>) -> Result<Started> {
        if self.open.book.is_refused(self.tracker.env(), &self.remote)
            && self.policy == ClaimPolicy::Remote
        {
            let message = format!("{} stores no claims", self.remote);
            return self.tentative(choose, &Error::new(Code::Remote, message));
        }
        if self.open.book.is_unreachable(self.tracker.env()) && self.policy == ClaimPolicy::Remote {
            let message = format!("{} did not answer a moment ago", self.remote);
            return self.tentative(choose, &Error::new(Code::Remote, message));
        }
        for round in 0..ROUNDS {
            // Those that were refused together should not come back together: up to 200 ms from the fifth on.
            if round > 1 {
                let most = 25 << (round - 1).min(3);
                thread::sleep(Duration::from_millis(
                    self.tracker.env().random() as u64 % most,
                ));
            }
            let choice = match self.choose(choose) {
                // What others had is perhaps free by now.
                Err(error) if may_be_free(&error) && !self.has_looked => {
                    let look = self.refs.look(None, self.tracker.cancel());
                    match look {
                        // Kept in any case: a claim is over by when it was seen first.
                        Ok(look) => self.note_all(&look)?,
                        Err(_) => return Err(error),
                    }
                    continue;
                }
                chosen => chosen?,
            };
            let Some(tip) = choice.tip else {
                match self.confirm(&choice) {
                    Ok(true) => return self.answer(&choice),
                    // It is asked for again.
                    Ok(false) => continue,
                    Err(error) if self.policy == ClaimPolicy::Remote => {
                        let message = error.message.lines().next().unwrap_or_default();
                        let text =
                            format!("it is not known whether the claim is still valid: {message}");
                        self.tracker.warn(text);
                        return self.answer(&choice);
                    }
                    Err(error) => return Err(error),
                }
            };
            match self.attempt(&choice, tip) {
                Ok(Attempt::Won) => return self.answer(&choice),
                Ok(Attempt::Lost) => {}
                // The state has moved on meanwhile: an issue that was named is refused by it, else another one is free.
                Err(error) if may_be_another(&error) => {}
                Ok(Attempt::Failed(error)) => return self.tentative(choose, &error),
                Err(error) => return Err(error),
            }
        }
        let message = format!("{} kept changing: others are claiming too", self.remote);
        Err(Error::new(Code::RemoteRace, message).hinted(Command::of("ready").flag("--claim")))
    }

    /// Chooses an issue, and makes the commit that starts it without moving the ref.
    fn choose(&self, choose: Choose<'_>) -> Result<ClaimChoice> {
        let minutes = self.tracker.lease().unwrap_or(DEFAULT_LEASE);
        let mut notices = Vec::new();
        let ((uid, outcome, (from, fence)), made) = self.tracker.prepare(None, |tx| {
            let uid = choose(tx)?;
            let barred = self.barred(uid);
            if let Some(other) = barred.filter(|_| self.has_looked && !self.force) {
                return Err(self.claimed(&tx.issue(uid)?, other));
            }
            // Before the change, which names the number.
            let (from, fence) = self.before(uid, &tx.issue(uid)?)?;
            let outcome = self.take(tx, uid, fence, minutes)?;
            notices = tx.notices.borrow().clone();
            Ok((uid, outcome, (from, fence)))
        })?;
        let stamp = Stamp::after(
            Stamp::default(),
            self.tracker.env().now(),
            self.tracker.env().random(),
        );
        let seen = self.open.book.seen.get(&uid);
        let is_free = seen.is_some_and(|seen| seen.oid == from && seen.is_free());
        let is_over = seen.is_some_and(|seen| seen.oid == from && seen.is_over());
        let held = self.open.book.held.get(&uid);
        let is_own = held.is_some_and(|held| held.record.holder == self.tracker.party());
        let is_takeover = from.is_some() && !is_free;
        Ok(ClaimChoice {
            uid,
            outcome,
            tip: made.map(|made| made.tip),
            from,
            is_takeover,
            is_live: is_takeover && !is_over && !is_own,
            record: LeaseRecord {
                holder: self.tracker.party(),
                beat: 0,
                fence,
                minutes,
                nonce: LeaseRecord::nonce(&stamp.to_string(), &self.mark),
            },
            notices,
        })
    }

    /// Returns the claim of another clone that keeps an issue from being taken, as far as is known.
    fn barred(&self, uid: Uid) -> Option<&LeaseRecord> {
        let other = self.open.book.barred(uid);
        other.filter(|other| !other.is_of_clone(&self.mark))
    }

    /// Starts an issue within a change, by a claim of that number unless the remote keeps one of the caller already.
    fn take(&self, tx: &mut Tx<'_>, uid: Uid, fence: u64, minutes: u32) -> Result<ClaimOutcome> {
        let mut outcome = claim::take(tx, uid, self.force)?;
        let issue = tx.issue(uid)?;
        let is_kept = issue.claim_ref().is_some();
        let is_held = self.open.book.held.contains_key(&uid);
        if !is_held && is_kept {
            // Another one has had it since: this is a new claim.
            outcome.already = None;
        }
        if let Some(other) = self.barred(uid).filter(|_| self.force && !is_held) {
            // The store here may still name the caller.
            outcome.note_taken_from(issue.id(), &other.holder);
        }
        if outcome.already.is_none() || !is_held || !is_kept {
            self.write_lease(tx, uid, fence, minutes)?;
        }
        Ok(outcome)
    }

    /// Writes a claim of the caller with the remote that keeps it and its number. It is made again, as a claim counts by one stamp.
    fn write_lease(&self, tx: &mut Tx<'_>, uid: Uid, fence: u64, minutes: u32) -> Result<()> {
        let mut issue = tx.issue(uid)?;
        let writer = tx.writer(&issue)?;
        issue.take(&writer, &self.tracker.party());
        issue.keep_claim_at(&self.remote, fence, minutes);
        tx.put(issue);
        Ok(())
    }

    /// Returns the object that the claim of an issue is taken from, as far as is known, and the number that it gets: larger
    /// than that of any claim before.
    fn before(&self, uid: Uid, issue: &Issue) -> Result<(Option<Oid>, u64)> {
        let (book, caller) = (&self.open.book, self.tracker.party());
        let (from, fence) = match book.held.get(&uid) {
            // Of a command of this caller that was killed: whether it is there a look has to say.
            Some(own) if own.record.holder == caller => {
                (Some(own.oid).filter(|_| self.has_looked), own.record.fence)
            }
            // Of another agent of this clone, or of another clone.
            Some(other) => (Some(other.oid), other.record.fence),
            None => {
                let is_free = |seen: &&SeenLease| {
                    let record = seen.record.as_ref();
                    let is_own = record.is_some_and(|it| it.is_of_clone(&self.mark));
                    self.force || seen.is_free() || seen.is_over() || is_own
                };
                let known = book.seen.get(&uid).filter(is_free);
                let record = known.and_then(|seen| seen.record.as_ref());
                let fence = record.map_or(0, |record| record.fence);
                (known.and_then(|seen| seen.oid), fence)
            }
        };
        Ok((from, fence.max(self.last_fence(issue)?) + 1))
    }

    /// Returns the largest number of a claim that is known here. What the remote has counts too: of two claims a merge keeps
    /// the later one, and by clocks that differ that can have the smaller number.
    fn last_fence(&self, issue: &Issue) -> Result<u64> {
        let store = self.tracker.store();
        let theirs = match store.remotes().tracked(&self.remote)? {
            Some(tip) => store.snapshot_at(tip)?.issue(issue.uid())?,
            None => None,
        };
        let theirs = theirs.and_then(std::result::Result::ok);
        let theirs = theirs.map_or(0, |issue| issue.last_fence());
        Ok(theirs.max(issue.last_fence()))
    }

    fn note(&mut self, look: &ClaimLook) -> Result<()> {
        self.has_looked = true;
        leases::note(self.tracker, &self.remote, look, &mut self.open.book)
    }

    fn note_all(&mut self, look: &ClaimLook) -> Result<()> {
        self.has_looked = true;
        leases::note_all(self.tracker, &self.remote, look, &mut self.open.book)?;
        self.open.save();
        Ok(())
    }

    /// Starts here alone, where that is allowed: the remote decides at the next exchange.
    fn tentative(&self, choose: Choose<'_>, error: &Error) -> Result<Started> {
        if self.policy == ClaimPolicy::Strict {
            let message = format!("{}; nothing was started here", error.message);
            let again = Hint::again(
                "",
                " when it answers: with beads.claims=strict nothing starts without it",
            );
            let error = Error::new(Code::Remote, message).hinted(again);
            return Err(or_locally(self.tracker, error));
        }
        let message = error.message.lines().next().unwrap_or_default();
        self.tracker.warn(format!(
            "the claim is tentative, since {message}: the next sync decides whether another one was first"
        ));
        Ok(Started {
            tentative: true,
            ..start_here(self.tracker, choose, self.force)?
        })
    }

    fn answer(&self, choice: &ClaimChoice) -> Result<Started> {
        let held = self.open.book.held.get(&choice.uid);
        let lease = held.map(|held| RemoteLease {
            remote: held.remote.clone(),
            fence: held.record.fence,
            minutes: held.record.minutes,
        });
        self.tracker.read(|view| {
            Ok(Started {
                lease: lease.clone(),
                ..Started::of(Summary::of(view, choice.uid)?, choice.outcome.clone())
            })
        })
    }

    fn claimed(&self, issue: &Issue, other: &LeaseRecord) -> Error {
        claim::claimed_at(self.tracker, issue, (&self.remote, other))
    }
}
