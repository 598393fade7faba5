//! Claims that come back with an undo or a restore: the remote is asked for them again.

use super::{RemoteStart, give_back, send_ends};
use crate::model::Issue;
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

fn regain_one(
    tracker: &Tracker,
    id: &String,
    issue: &Issue,
    (remote, policy): (&str, ClaimPolicy),
) -> Result<()> {
    let Some(holder) = issue.holder().filter(|_| is_to_be_asked(tracker, issue)) else {
        return Ok(());
    };
    if holder != tracker.party() {
        // Who can ask for it is its holder alone.
        tracker.warn(format!("{id} is open: {holder} can start it again"));
        give_back(tracker, std::slice::from_ref(id));
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
    let is_held = held.get(&issue.uid()).is_some_and(|held| held.is_granted);
    issue.last_fence() > 0 && !is_held
}
