//! The loop of fetch, join and push.
//!
//! The tip of a remote is validated and joined, and our tip is sent; when the remote has moved in the meantime, all of
//! it again. Nothing is forced, and what was once seen of a remote is joined before what it has now, so that a rewound
//! or emptied remote takes nothing away.

mod carried;
mod claims;
mod mailboxes;
mod places;
mod receive;
mod route;
mod send;

use std::time::{Duration, Instant};

use super::hear::say_lost;
use super::yields::yield_to;
use super::{Sync, Synced};
use crate::ops::shared::leases::KnownLeases;
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};
use crate::store::push_url::pushes_elsewhere;
use crate::store::{
    BRANCH, Cancel, HistoryPart, Mailbox, Oid, Push, REF, Remotes, Store, StoreError,
};
use route::SendRoute;

/// Others may push as often in between, and for as long, before it is given up: with many clones one may lose more than
/// eight races, and where attempts are slow eight are enough.
const ATTEMPTS: u32 = 8;
const PATIENCE: Duration = Duration::from_secs(20);

/// What became of a look at the claims that are only here.
#[derive(Clone, Copy)]
enum Judged {
    /// What gives way does so in this commit, which may be sent; none where nothing is here.
    Sendable(Option<Oid>),
    /// Another exchange of this clone has fetched a later tip of the remote, which is to be merged first.
    Outdated,
}

/// One exchange with one remote.
pub(super) struct Exchange<'a> {
    tracker: &'a Tracker,
    store: &'a Store,
    cancel: &'a Cancel,
    remote: &'a str,
    request: &'a Sync,
    pub(super) synced: Synced,
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
    /// The branches in which folders were fetched that a filter has left out.
    fetched_folders: usize,
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
            route: SendRoute::of(store, remote, (request.push, request.probe))?,
            fetched: None,
            brought: Vec::new(),
            fetched_folders: 0,
            others: Vec::new(),
            merged: Vec::new(),
            pushes_elsewhere,
            is_arbiter: !pushes_elsewhere && usual.as_deref() == Some(remote),
        })
    }

    /// Fetches, joins and sends until the remote has what we have.
    pub(super) fn run(&mut self) -> Result<()> {
        if self.request.probe && !self.request.dry_run {
            self.store.note_reach(|notes| notes.forget(self.remote));
        }
        self.look_at_claims()?;
        let (began, mut attempt, mut before) = (Instant::now(), 0, None);
        while attempt < ATTEMPTS || began.elapsed() < PATIENCE {
            // Before the remote is asked: another exchange may go on beside this one, and note a later tip.
            let seen = self.store.remotes().seen_tip(self.remote)?;
            let known = self.store.remotes().remote_tip(self.remote)?;
            // Before it too: a claim that a look found to be gone can have ended by a push that an older tip lacks.
            let replaced = self.replaced_claims();
            // After a refused push the remote has moved, so it is asked even where the caller did not want that.
            let asks = attempt > 0
                || !replaced.is_empty()
                || (self.request.fetch && !self.may_trust(known)?);
            let theirs = if asks { self.ask()? } else { known };
            self.route.choose(theirs.is_some());
            // A push alone has to merge too once it was refused: it is never forced.
            if self.request.merge || attempt > 0 {
                self.receive(theirs, seen)?;
            }
            let judged = self.judge(theirs)?;
            let judged = self.yield_replaced(judged, theirs, &replaced)?;
            // Refused with a lease at the tip that it still has: then a plain push says what is in the way.
            let is_leased = self.is_arbiter && (attempt == 0 || theirs != before);
            match self.send_judged(judged, theirs, is_leased)? {
                Push::Done(_) | Push::Same => return Ok(()),
                Push::Behind => {
                    // Refused twice at the same fetched tip: what is in the way is at the other address, and no fetch
                    // will bring it.
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
                    before = theirs;
                    if theirs.is_none() {
                        // The remote had no such ref, so this need not be a race.
                        self.remotes().check_in_the_way(self.remote, self.cancel)?;
                    }
                    // Eight clones that were refused at once should not come back at once: up to 50 ms after the first
                    // refusal, up to 1.6 s after the sixth and later ones.
                    let pause = self.tracker.env().random() as u64 % (50 << attempt.min(5));
                    std::thread::sleep(Duration::from_millis(pause));
                    attempt += 1;
                }
            }
        }
        let message = format!("{} kept changing: others are pushing too", self.remote);
        Err(Error::new(Code::RemoteRace, message).hinted(Command::of("sync")))
    }

    /// Returns the exchange with remotes, at the ref where this one has the store.
    fn remotes(&self) -> Remotes<'_> {
        let remotes = self.store.remotes().at(&self.route.at);
        remotes.part(match self.request.whole {
            true => HistoryPart::Whole,
            false => HistoryPart::Usual,
        })
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
        let only_sends = self.request.push && !self.request.merge && !self.request.dry_run;
        match (known, self.store.tip()?) {
            (Some(known), Some(ours)) if only_sends && known != ours => {
                Ok(self.store.merging().contains(ours, known)?)
            }
            _ => Ok(false),
        }
    }

    /// Lets claims that are only here give way to what the remote has.
    ///
    /// Where all that is here was made with knowledge of it nothing can give way.
    fn judge(&mut self, theirs: Option<Oid>) -> Result<Judged> {
        let tip = self.store.tip()?;
        let (Some(ours), Some(theirs)) = (tip, theirs) else {
            return Ok(Judged::Sendable(tip));
        };
        let is_judge = self.is_arbiter && !self.request.dry_run;
        let asks = self.request.fetch || self.request.push;
        if !is_judge || !asks {
            return Ok(Judged::Sendable(tip));
        }
        let leases = KnownLeases::of(self.tracker, self.remote);
        // Where all that is here was made with knowledge of what the store of the remote says, only a claim that the remote
        // keeps can be unknown.
        let is_known =
            leases.others.is_empty() && self.store.ancestry().is_built_on(ours, theirs)?;
        if ours == theirs || is_known || !self.store.merging().contains(ours, theirs)? {
            return Ok(Judged::Sendable(tip));
        }
        let Some((judged, lost)) = yield_to(self.tracker, theirs, &leases)? else {
            return Ok(Judged::Outdated);
        };
        say_lost(self.tracker, self.request, &mut self.synced, lost);
        Ok(Judged::Sendable(Some(judged)))
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
