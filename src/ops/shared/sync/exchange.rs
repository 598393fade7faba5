//! The loop of fetch, join and push.
//!
//! The tip of a remote is validated, and joined with the one here in a state to which no ref leads; that is sent, and becomes
//! the state here once the remote has taken it. When the remote has moved in the meantime it is dropped, and all of it done
//! again: so an exchange leaves one merge however often it was refused. Where nothing can be sent, what came is not lost:
//! then the last such state becomes the state here too. Nothing is forced, and what was once seen of a remote is joined
//! before what it has now, so that a rewound or emptied remote takes nothing away.

mod carried;
mod mailboxes;
mod on_top;
mod places;
mod receive;
mod route;
mod send;
mod sendable;

use std::time::{Duration, Instant};

use super::yields::{Yielded, yield_to};
use super::{OnTop, SILENCE, Sync, Synced};
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};
use crate::store::carry::CarryNotes;
use crate::store::push_url::pushes_elsewhere;
use crate::store::{
    BRANCH, Cancel, ExchangeLock, HistoryPart, KeptCommit, Mailbox, Oid, Push, REF, Remotes, Store,
    StoreError,
};
use receive::Received;
use route::SendRoute;
use sendable::Sendable;

/// Others may push for as long in between, and at least so often, before it is given up.
const PATIENCE: Duration = Duration::from_secs(60);
const LEAST: u32 = 4;
/// So often the time of an attempt is doubled for the longest pause after it.
const DOUBLINGS: u32 = 5;
/// No pause is longer: where attempts are slow, some still have to come before the end.
const LONGEST: Duration = Duration::from_secs(15);

/// One exchange with one remote.
pub(super) struct Exchange<'a> {
    tracker: &'a Tracker,
    store: &'a Store,
    cancel: &'a Cancel,
    remote: &'a str,
    request: &'a Sync,
    pub(super) synced: Synced,
    /// What is made on top of what came, to be sent with it.
    on_top: Option<OnTop<'a>>,
    /// The way on which what is here is sent.
    route: SendRoute,
    /// The tip that was just fetched, and with that checked.
    fetched: Option<Oid>,
    /// The mailboxes that the last fetch has brought.
    brought: Vec<Mailbox>,
    /// The branches that it has brought too, which hold anything else.
    others: Vec<String>,
    /// Those of which all is here.
    merged: Vec<Mailbox>,
    /// The carry files that were looked at.
    notes: CarryNotes,
    /// Keeps what is being sent.
    kept: KeptCommit,
    /// What the remote has taken.
    taken: Option<Oid>,
    /// What waits goes into a file, since the user has said that nothing is sent.
    is_for_file: bool,
    /// No other exchange of this clone is under way. One that is lets claims give way itself.
    alone: Option<ExchangeLock>,
    /// The branches in which folders were fetched that a filter has left out.
    fetched_folders: usize,
    /// The bytes that files have brought.
    carried_bytes: usize,
    /// A push goes to a repository that a fetch does not ask.
    pushes_elsewhere: bool,
    /// It is the remote that is used by default: its state came first.
    is_arbiter: bool,
}

impl<'a> Exchange<'a> {
    /// Returns an exchange that is still to be run.
    /// Errors: a setting that names no branch.
    pub(super) fn new(tracker: &'a Tracker, remote: &'a str, request: &'a Sync) -> Result<Self> {
        let store = tracker.store();
        let usual = store.remotes().remote(None).ok().flatten();
        let pushes_elsewhere = request.push && pushes_elsewhere(store, remote);
        Ok(Self {
            tracker,
            store,
            cancel: tracker.cancel(),
            remote,
            request,
            synced: Synced {
                remote: remote.to_owned(),
                dry_run: request.dry_run,
                ..Synced::default()
            },
            on_top: None,
            route: SendRoute::of(store, remote, (request.push, request.probe))?,
            fetched: None,
            brought: Vec::new(),
            fetched_folders: 0,
            carried_bytes: 0,
            others: Vec::new(),
            merged: Vec::new(),
            notes: CarryNotes::of(store),
            kept: KeptCommit::none(),
            taken: None,
            is_for_file: false,
            alone: None,
            pushes_elsewhere,
            is_arbiter: !pushes_elsewhere && usual.as_deref() == Some(remote),
        })
    }

    /// Returns the same, which also sends what is made on top of what came, or nothing of that.
    pub(super) fn with(self, on_top: Option<OnTop<'a>>) -> Self {
        Self { on_top, ..self }
    }

    /// Returns true if the remote has said what it has, or has taken what was sent.
    pub(super) fn has_heard(&self) -> bool {
        self.fetched.is_some() || self.taken.is_some()
    }

    /// Fetches, joins and sends until the remote has what we have.
    pub(super) fn run(&mut self) -> Result<()> {
        if self.request.probe && !self.request.dry_run {
            self.store.note_reach(|notes| notes.forget(self.remote));
        }
        let mut last = None;
        let sent = self.attempts(&mut last);
        let Some(mut made) = last else { return sent };
        if let (Err(_), Some(beneath)) = (&sent, made.beneath.take()) {
            // What was to be sent with it has never happened.
            made.staged = beneath;
        }
        let (base, tip) = (made.staged.base(), made.staged.tip());
        // Also where nothing could be sent: what has come is here from now on.
        let adopted = self.adopt(made);
        self.kept.release(self.store);
        adopted?;
        if let (Err(_), Some(base), Some(tip)) = (&sent, base, tip) {
            let remotes = self.store.remotes();
            remotes.note_unanswered(self.remote, base, tip)?;
        }
        sent?;
        match self.request.push {
            true => self.end(tip),
            false => Ok(()),
        }
    }

    /// Fetches, stages and sends until the remote has taken it. The last one made is the caller's to adopt.
    fn attempts(&mut self, last: &mut Option<Sendable>) -> Result<()> {
        let (began, mut attempt, mut before) = (Instant::now(), 0_u32, None);
        let remarks = self.synced.remarks.len();
        loop {
            let start = Instant::now();
            // What an attempt before has said is said again where it still holds.
            self.synced.remarks.truncate(remarks);
            // Before the remote is asked: another exchange may go on beside this one, and note a later tip.
            let seen = self.store.remotes().seen_tip(self.remote)?;
            let known = self.store.remotes().remote_tip(self.remote)?;
            // After a refused push the remote has moved, so it is asked even where the caller did not want that.
            let asks = attempt > 0 || (self.request.fetch && !self.may_trust(known)?);
            let theirs = if asks { self.ask()? } else { known };
            self.route.choose(theirs.is_some());
            // A push alone has to merge too once it was refused: it is never forced.
            let is_received =
                attempt > 0 || (self.request.merge && (asks || self.on_top.is_none()));
            let candidates = match is_received {
                true => self.received(theirs, seen)?,
                false => Received::default(),
            };
            // A fetch alone writes nothing.
            if !self.request.push && self.request.merge && !self.request.dry_run {
                let at_once = self.cancel.clone().after(Duration::ZERO);
                self.alone = ExchangeLock::take(self.store, &at_once).ok();
            }
            let made = last.insert(self.stage(candidates, theirs)?);
            if let Some(error) = made.refused.take() {
                return Err(error);
            }
            match self.add_on_top(made) {
                // By what the remote has now it is perhaps to be had, or what is here is not so there.
                Err(_) | Ok(false) if !asks => {
                    attempt += 1;
                    continue;
                }
                added => _ = added?,
            }
            // Refused with a lease at the tip that it still has: then a plain push says what is in the way.
            let is_leased = self.is_arbiter && (attempt == 0 || theirs != before);
            let sent = self.send_staged(made, theirs, is_leased);
            let sent = sent.or_else(|error| self.after_silence(made, theirs, error))?;
            if !matches!(sent, Push::Behind) {
                return Ok(());
            }
            self.check_it_may_move(attempt, theirs, before)?;
            before = theirs;
            let rest = PATIENCE.saturating_sub(began.elapsed());
            if rest.is_zero() && attempt >= LEAST {
                let message = format!("{} kept changing: others are pushing too", self.remote);
                return Err(Error::new(Code::RemoteRace, message).hinted(Command::of("sync")));
            }
            // In units of what an attempt takes here: many clones that were refused at once should not come back at once, and
            // slow ones need longer pauses.
            attempt += 1;
            let longest = start.elapsed() * 2_u32.pow(attempt.min(DOUBLINGS));
            let share = f64::from(self.tracker.env().random() as u32) / f64::from(u32::MAX);
            self.cancel
                .pause(longest.min(LONGEST).mul_f64(share).min(rest));
        }
    }

    /// Returns an error where another attempt would be refused again: what is in the way of a push is no newer state that a fetch
    /// brings. `before` is what the fetch of the attempt before has found.
    fn check_it_may_move(
        &self,
        attempt: u32,
        theirs: Option<Oid>,
        before: Option<Oid>,
    ) -> Result<()> {
        // Refused twice at the same fetched tip: what is in the way is at the other address.
        if attempt > 0 && theirs == before && self.pushes_elsewhere {
            return Err(elsewhere(self.remote));
        }
        // Refused again and again where two fetches in turn have found nothing.
        if attempt > 1 && theirs.is_none() && before.is_none() {
            return Err(unseen(self.remote, self.route.target()));
        }
        if attempt > 0 {
            // After the first refusal: another process can have made the mailbox since the fetch.
            self.check_mailbox_is_free()?;
        }
        if theirs.is_none() {
            // The remote had no such ref, so this need not be a race.
            self.remotes().check_in_the_way(self.remote, self.cancel)?;
        }
        Ok(())
    }

    /// Returns the exchange with remotes, at the ref where this one has the store.
    fn remotes(&self) -> Remotes<'_> {
        let remotes = self.store.remotes().at(&self.route.at);
        let remotes = remotes.part(match self.request.whole {
            true => HistoryPart::Whole,
            false => HistoryPart::Usual,
        });
        // Who starts an issue waits for the answer. One that has answered is only slow.
        match self.on_top {
            Some(_) if self.fetched.is_none() => remotes.within(SILENCE),
            _ => remotes,
        }
    }

    /// Asks the remote what it has, and for its mailboxes.
    fn ask(&mut self) -> Result<Option<Oid>> {
        let patterns = self.mailbox_patterns()?;
        let remotes = self.remotes();
        let fetched = match remotes.fetch_with(self.remote, &patterns, self.cancel) {
            Err(StoreError::Rejected(_)) if self.route.is_trying_branch() => {
                self.leave_branch()?;
                return Ok(None);
            }
            fetched => fetched?,
        };
        self.fetched = fetched.tip;
        self.brought = fetched.mailboxes;
        self.others = fetched.others;
        for (branch, why) in &fetched.left {
            self.leave_alone(branch, why);
        }
        if let Some(why) = fetched.missed {
            let remark = format!("the mailboxes of {} could not be had: {why}", self.remote);
            self.synced.remarks.push(remark);
        }
        // Who sends to a host that takes branches only hears of the branch by that.
        let is_due = !self.request.push || self.request.probe || self.store.tip()?.is_none();
        if self.fetched.is_none() && is_due && self.route.may_be_elsewhere() {
            self.ask_at(BRANCH)?;
        } else if self.fetched.is_none() && self.route.may_be_back() {
            self.ask_at(REF)?;
        }
        Ok(self.fetched)
    }

    /// Asks for the store at another ref: at the branch where a host takes branches only, or at the usual ref again where that
    /// branch has gone.
    fn ask_at(&mut self, reference: &str) -> Result<()> {
        let remotes = self.store.remotes().at(reference);
        match remotes.fetch(self.remote, false, self.cancel) {
            Ok(Some(tip)) => {
                self.fetched = Some(tip);
                reference.clone_into(&mut self.route.at);
                Ok(())
            }
            // A branch of that name can hold anything.
            Ok(None) | Err(StoreError::Rejected(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns true if the last known tip will do: a push beyond it fails by itself when the remote has moved since.
    fn may_trust(&self, known: Option<Oid>) -> Result<bool> {
        let is_sent = self.request.push && !self.request.dry_run;
        let only_sends = is_sent && (!self.request.merge || self.on_top.is_some());
        match (known, self.store.tip()?) {
            (Some(known), Some(ours)) if only_sends && (known != ours || self.on_top.is_some()) => {
                Ok(self.store.merging().contains(ours, known)?)
            }
            _ => Ok(false),
        }
    }

    /// Lets claims that are only here give way to what the remote has. None where a later tip of that is to be merged first.
    ///
    /// Where all that is here was made with knowledge of it nothing can give way.
    fn judge(&self, ours: Oid, theirs: Oid) -> Result<Option<Yielded>> {
        let unchanged = Yielded {
            made: None,
            lost: Vec::new(),
        };
        let is_alone = self.request.push || self.alone.is_some();
        let is_judge = self.is_arbiter && is_alone && !self.request.dry_run;
        let asks = self.request.fetch || self.request.push;
        if !is_judge || !asks {
            return Ok(Some(unchanged));
        }
        // Where all that is here was made with knowledge of what the remote has nothing gives way.
        let is_known = self.store.ancestry().is_built_on(ours, theirs)?;
        if ours == theirs || is_known || !self.store.merging().contains(ours, theirs)? {
            return Ok(Some(unchanged));
        }
        yield_to(self.tracker, ours, theirs, self.remote)
    }
}

/// A ref that a push meets is shown to no fetch.
fn unseen(remote: &str, reference: &str) -> Error {
    let message = format!(
        "{remote} refuses {reference} as if it had changed, and shows no such ref to a fetch: it hides it \
         (uploadpack.hideRefs), or a lock was left behind there"
    );
    Error::new(Code::Remote, message)
        .hinted(Hint::text("everything is safe here"))
        .also(Hint::text(
            "ask its owner to show the ref, or to look for the lock",
        ))
}

/// The repository that is pushed to has what no fetch from the remote brings.
fn elsewhere(remote: &str) -> Error {
    let message = format!(
        "{remote} is pushed to at another address than it is fetched from, and has changes there that are not here"
    );
    let which = Command::line("git remote get-url --push").word(remote);
    let name = Command::line("git remote add NAME URL");
    let join = Command::of("sync").flag("--remote").placeholder("NAME");
    Error::new(Code::PushesElsewhere, message)
        .hinted(name.then(" gives that one a name of its own"))
        .also(which.then(" says which it is"))
        .also(join.then(" joins it"))
}
