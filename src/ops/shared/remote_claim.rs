//! Starting an issue with the word of the remote: the start is made on what the remote has, and pushed there by
//! compare-and-swap. It becomes part of the state here once the remote has taken it; where another one was faster it is
//! dropped, and an issue is chosen again. So a claim that was answered is in the main ref of the remote.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::model::{Stamp, Status, Uid};
use crate::ops::answer::{RemoteLease, Summary};
use crate::ops::shared::claim::{self, ClaimOutcome, Started, start_here};
use crate::ops::shared::older_claims;
use crate::ops::shared::sync::{
    DeliveryKind, LostClaim, Sync, Synced, exchange, exchange_with, lost_work,
};
use crate::ops::tracker::ClaimPolicy;
use crate::ops::{Code, Command, Error, ExitClass, Hint, Result, Tracker, Tx, View};
use crate::store::notices;
use crate::store::push_url::pushes_elsewhere;

/// Names the issue to start, on the state of a change.
type Choose<'c> = &'c dyn Fn(&Tx<'_>) -> Result<Uid>;

/// A start that was made, to be sent.
struct PreparedStart {
    uid: Uid,
    outcome: ClaimOutcome,
    /// The lines for agents whose claims it ends.
    notices: Vec<(String, String)>,
    lease: Option<u32>,
}

/// Starts the issue that `choose` names, where the policy wants it with the word of the remote; chosen again when
/// another one was faster.
/// Errors: claimed by another. With the policy `strict` also a remote that can't be asked or takes no claims: then nothing
/// has changed.
pub(crate) fn start_chosen(tracker: &Tracker, choose: Choose<'_>, force: bool) -> Result<Started> {
    if tracker.claim_policy()? == ClaimPolicy::Local {
        return start_here(tracker, choose, force);
    }
    let remote = match arbiter(tracker) {
        Ok(remote) => remote,
        Err(error) => return tentative(tracker, choose, force, error),
    };
    match older_claims::check_none(tracker, &remote) {
        Ok(()) => start_at(tracker, &remote, choose, force),
        Err(error) => tentative(tracker, choose, force, when_it_answers(error)),
    }
}

/// Returns the remote whose main ref decides on claims.
/// Errors: there is none, or it does not show what is pushed to it.
fn arbiter(tracker: &Tracker) -> Result<String> {
    let remotes = tracker.store().remotes();
    let Some(remote) = remotes.remote(None)? else {
        let error = Error::new(Code::Remote, "there is no remote to confirm the claim");
        return Err(error.hinted(Command::line("git remote add origin URL")));
    };
    match pushes_elsewhere(tracker.store(), &remote) {
        false => Ok(remote),
        true => Err(Error::new(
            Code::Remote,
            format!("{remote} confirms no claims, since pushes go to another address"),
        )),
    }
}

fn start_at(tracker: &Tracker, remote: &str, choose: Choose<'_>, force: bool) -> Result<Started> {
    let (made, refused) = (RefCell::new(None), Cell::new(None));
    let request = Sync {
        remote: Some(remote.to_owned()),
        unattended: true,
        ..Sync::default()
    };
    let exchanged = exchange_with(tracker, &request, &|tip| {
        let prepared = tracker.prepare(tip, |tx| prepare(tx, choose, force));
        refused.set(prepared.as_ref().err().map(|error| error.code));
        let (start, aside) = prepared?;
        made.replace(Some(start));
        Ok(aside)
    });
    if let Err(error) = exchanged {
        // What was chosen is not to be had: nothing about the remote.
        return match refused.get() == Some(error.code) {
            true => Err(error),
            false => tentative(tracker, choose, force, when_it_answers(error)),
        };
    }
    let Some(start) = made.take() else {
        return Err(Error::new(Code::Internal, "the exchange has made no start"));
    };
    for (agent, line) in &start.notices {
        notices::leave(tracker.store(), agent, line);
    }
    let lease = RemoteLease {
        remote: remote.to_owned(),
        minutes: start.lease,
    };
    tracker.read(|view| {
        Ok(Started {
            lease: Some(lease.clone()),
            ..Started::of(Summary::of(view, start.uid)?, start.outcome.clone())
        })
    })
}

fn prepare(tx: &mut Tx<'_>, choose: Choose<'_>, force: bool) -> Result<PreparedStart> {
    let uid = choose(tx)?;
    let outcome = claim::take(tx, uid, force)?;
    Ok(PreparedStart {
        uid,
        outcome,
        notices: tx.notices.borrow().clone(),
        lease: tx.issue(uid)?.lease(),
    })
}

/// Starts an issue here alone, where that is allowed: the remote decides at the next exchange.
fn tentative(tracker: &Tracker, choose: Choose<'_>, force: bool, error: Error) -> Result<Started> {
    if error.is(Code::RemoteRace) {
        let message = format!("{}; nothing was started", error.message);
        return Err(Error::new(Code::Busy, message).hinted(Hint::again("", "")));
    }
    let message = error.message.lines().next().unwrap_or_default();
    let is_strict = tracker.claim_policy()? == ClaimPolicy::Strict;
    if is_strict && error.is(Code::ClaimsOfOlder) {
        return Err(error);
    }
    if is_strict {
        let message = format!("{message}; nothing was started here");
        let refused = Error { message, ..error };
        let local = Command::of("start").placeholder("ID").flag("--local");
        // An agent is not led past it, and a disk here takes no other start either.
        let is_way = tracker.agent().is_none() && refused.class() == ExitClass::Remote;
        return Err(match is_way {
            true => refused.also(local.then(" starts it in this clone only")),
            false => refused,
        });
    }
    tracker.warn(format!(
        "the claim is tentative, since {message}: the next sync decides whether another one was first"
    ));
    Ok(Started {
        tentative: true,
        ..start_here(tracker, choose, force)?
    })
}

/// Says of a remote that was not there that the same command is to be tried again.
fn when_it_answers(error: Error) -> Error {
    match error.is(Code::Remote) {
        true => error.hinted(Hint::again(
            "",
            " when it answers: with beads.claims=strict nothing starts without it",
        )),
        false => error,
    }
}

/// Makes a change that sets a status. Where that starts issues, and the policy wants it, each of them is started with the word
/// of the remote first; all are given back where one is not to be had, or the change fails. Returns also whether any was started
/// so.
/// Errors: those of the change, and as [`start_chosen`].
pub(crate) fn starting<T>(
    tracker: &Tracker,
    ids: &[String],
    status: Option<&str>,
    change: impl FnOnce() -> Result<T>,
) -> Result<(T, bool)> {
    let is_start = status.and_then(Status::parse) == Some(Status::InProgress);
    if !is_start || tracker.claim_policy()? == ClaimPolicy::Local {
        return Ok((change()?, false));
    }
    let mut begun = Vec::new();
    let start = |id: &String| {
        let started = start_chosen(tracker, &|tx| tx.find(id), false)?;
        begun.extend(
            started
                .already_in_progress
                .is_none()
                .then_some(started.issue.id),
        );
        Ok(())
    };
    let changed = ids.iter().try_for_each(start).and_then(|()| change());
    if changed.is_err() && !begun.is_empty() {
        give_back(tracker, &begun);
    }
    Ok((changed?, !begun.is_empty()))
}

/// Opens issues again that were only started; what can't be given back is said.
fn give_back(tracker: &Tracker, begun: &[String]) {
    let released = tracker.write(
        |tx| {
            for id in begun {
                let mut issue = tx.issue(tx.find(id)?)?;
                let writer = tx.writer(&issue)?;
                claim::release(tx, &mut issue, &writer)?;
                tx.put(issue);
            }
            tx.subject(format!("stop {}", begun.join(" ")));
            Ok(())
        },
        |(), _| Ok(()),
    );
    if let Err(error) = released.and_then(|()| send_ends(tracker)) {
        let message = error.message;
        tracker.warn(format!("{} stays in progress: {message}", begun.join(", ")));
    }
}

/// Sends what this command has written of who works on issues, where nothing of that may happen twice. A remote that can't be
/// asked hears of it at the next exchange.
/// Errors: `claimed`, where it was taken over meanwhile: then what ended it is not applied.
pub(crate) fn send_ends(tracker: &Tracker) -> Result<()> {
    let written = tracker.take_work();
    if written.is_empty() || tracker.claim_policy()? != ClaimPolicy::Strict {
        return Ok(());
    }
    match arbiter(tracker).and_then(|remote| send(tracker, remote)) {
        Ok(synced) => {
            let names = |view: &View<'_>| {
                let uids = written.keys();
                // What was purged has no name.
                Ok(uids.filter_map(|uid| view.id(*uid).ok()).collect())
            };
            let ids: Vec<String> = tracker.read(names)?;
            let mut lost = synced.claims_lost.iter();
            let own = lost.find(|lost| lost.not_applied.is_some() && ids.contains(&lost.id));
            own.map_or(Ok(()), |lost| Err(not_applied(lost)))?;
            check_applied(tracker, &written)
        }
        Err(error) => {
            let message = error.message.lines().next().unwrap_or_default();
            let message = message.trim();
            tracker.warn(format!(
                "the remote has not heard of it ({message}): the next git beads sync sends it"
            ));
            Ok(())
        }
    }
}

fn send(tracker: &Tracker, remote: String) -> Result<Synced> {
    let request = Sync {
        remote: Some(remote),
        fetch: false,
        merge: false,
        ..Sync::default()
    };
    // One push, as long as no one was faster: the remote is asked first only after a refusal.
    let synced = exchange(tracker, &request)?;
    match synced.delivery {
        // Its store hears of it when a clone collects.
        Some(DeliveryKind::Mailbox) => Err(Error::new(
            Code::RemoteRefused,
            format!("{} takes a mailbox only", synced.remote),
        )),
        _ => Ok(synced),
    }
}

/// Errors: `claimed`, where what this command wrote gave way to another one in an exchange of another command, or by saying the
/// same as that one.
fn check_applied(tracker: &Tracker, written: &BTreeMap<Uid, Stamp>) -> Result<()> {
    tracker.read(|view| {
        for (uid, at) in written {
            if let Some(lost) = lost_work(view, *uid, *at)? {
                return Err(not_applied(&lost));
            }
        }
        Ok(())
    })
}

fn not_applied(lost: &LostClaim) -> Error {
    let (id, by) = (&lost.id, &lost.by);
    let verb = lost.not_applied.as_deref().unwrap_or("change");
    let how = match lost.how.as_str() {
        "claimed" => "taken over",
        how => how,
    };
    let message =
        format!("{id} was {how} by {by}; your {verb} is not applied, your notes are kept");
    let error = Error::new(Code::Claimed, message);
    match how {
        "taken over" => claim::hinted(error, id, None),
        _ => error.hinted(Command::of("show").word(id)),
    }
}
