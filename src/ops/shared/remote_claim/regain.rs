//! Claims that come back with an undo or a restore: the remote is asked for them again.

use super::{RemoteStart, give_back, send_ends};
use crate::model::{Issue, Party};
use crate::ops::shared::issue_diff::IssueChange;
use crate::ops::tracker::ClaimPolicy;
use crate::ops::{Error, Result, Tracker};

/// Gives back the claims that a change has ended, and asks the remote again for those that it has brought back, as an undo
/// does; an issue whose claim is not to be had is open then.
/// Errors: as [`super::start_chosen`], of the first that was not to be had.
pub(crate) fn regain<'i>(
    tracker: &Tracker,
    ids: impl IntoIterator<Item = &'i String>,
) -> Result<()> {
    send_ends(tracker)?;
    let store = tracker.store();
    if !store.agents().leases().exist() {
        return Ok(());
    }
    // What was written is written: a remote that is configured wrongly is no error of it.
    let usual = store.remotes().remote(None).unwrap_or_else(|error| {
        tracker.warn(error.to_string());
        None
    });
    let Some(remote) = usual else {
        return Ok(());
    };
    let policy = match tracker.claim_policy() {
        Ok(ClaimPolicy::Strict) => ClaimPolicy::Strict,
        // Claims that a remote keeps can be asked for by one command alone.
        Ok(ClaimPolicy::Local | ClaimPolicy::Remote) | Err(_) => ClaimPolicy::Remote,
    };
    for id in ids {
        // What was taken back can be the issue itself.
        if let Ok(issue) = tracker.read(|view| view.issue(view.find(id)?)) {
            regain_one(tracker, id, &issue, (&remote, policy))?;
        }
    }
    Ok(())
}

/// Does the same after an undo, which can also give an issue back to another one.
/// Errors: as [`regain`].
pub(crate) fn regain_undone(tracker: &Tracker, issues: &[IssueChange]) -> Result<()> {
    let of_work = issues.iter().filter(|issue| issue.is_about_work());
    free(tracker, of_work.map(|issue| &issue.id))?;
    regain(tracker, issues.iter().map(|issue| &issue.id))
}

/// Opens the issues that an undo has given back to others whose claims the remote keeps no more: who can ask for one is its
/// holder alone. Before anything is sent, since another clone would take what it hears of for a claim that counts.
fn free<'i>(tracker: &Tracker, ids: impl IntoIterator<Item = &'i String>) -> Result<()> {
    if !tracker.store().agents().leases().exist() {
        return Ok(());
    }
    for id in ids {
        if let Some(holder) = free_one(tracker, id)? {
            tracker.warn(format!("{id} is open: {holder} can start it again"));
        }
    }
    Ok(())
}

/// Returns the holder of the claim that was released.
fn free_one(tracker: &Tracker, id: &str) -> Result<Option<Party>> {
    tracker.write(
        |tx| {
            // What was taken back can be the issue itself.
            let Ok(mut issue) = tx.find(id).and_then(|uid| tx.issue(uid)) else {
                return Ok(None);
            };
            let holder = issue.holder().filter(|it| *it != tracker.party());
            if holder.is_none() || !is_to_be_asked(tracker, &issue) || is_kept(tracker, &issue) {
                return Ok(None);
            }
            let writer = tx.writer(&issue)?;
            issue.release(&writer);
            tx.put(issue);
            Ok(holder)
        },
        |holder, _| Ok(holder),
    )
}

/// Returns true if the remote still keeps the claim of an issue for its holder, as far as is known.
fn is_kept(tracker: &Tracker, issue: &Issue) -> bool {
    let book = tracker.store().agents().leases().read();
    let is_taken = book
        .held
        .get(&issue.uid())
        .is_some_and(|held| held.is_granted);
    let kept = book.barred(issue.uid()).filter(|_| !is_taken);
    kept.is_some_and(|it| Some(&it.holder) == issue.holder().as_ref())
}

fn regain_one(
    tracker: &Tracker,
    id: &String,
    issue: &Issue,
    (remote, policy): (&str, ClaimPolicy),
) -> Result<()> {
    if issue.holder() != Some(tracker.party()) || !is_to_be_asked(tracker, issue) {
        return Ok(());
    }
    let start = RemoteStart::open(tracker, policy, remote.to_owned(), false)?;
    let regained = start.run(&|_| Ok(issue.uid()));
    regained.map(drop).map_err(|error| {
        give_back(tracker, std::slice::from_ref(id));
        let message = format!(
            "{id} is open, since its claim could not be confirmed: {}",
            error.message
        );
        Error { message, ..error }
    })
}

/// Returns true for an issue whose claim a remote has kept, and keeps no more: what was taken back has its number still.
fn is_to_be_asked(tracker: &Tracker, issue: &Issue) -> bool {
    let held = tracker.store().agents().leases().read().held;
    let held = held.get(&issue.uid()).filter(|held| held.is_granted);
    let is_held = held.is_some_and(|held| Some(&held.record.holder) == issue.holder().as_ref());
    issue.last_fence() > 0 && !is_held
}
