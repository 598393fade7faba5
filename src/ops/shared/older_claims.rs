//! Claims that clones with versions before this one hold at a remote by refs of their own: for one release they keep strict starts
//! from being made beside them, until `doctor --remote --fix` has written what they say into the main ref.

use crate::model::{Issue, Party, Status, time};
use crate::ops::shared::sync::{SILENCE, Sync, exchange};
use crate::ops::tracker::LEAST_SILENCE;
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};
use crate::store::OlderClaim;

/// So many of them are named.
const MOST_NAMED: usize = 5;

/// Refuses a remote where such claims are.
/// Errors: there are some, or the remote can't be asked.
pub(crate) fn check_none(tracker: &Tracker, remote: &str) -> Result<()> {
    let store = tracker.store();
    if store.reach_notes().has_no_older_claims(remote) {
        return Ok(());
    }
    let remotes = store.remotes().within(SILENCE);
    let claims = remotes.older_claims(remote, tracker.cancel())?;
    if claims.is_empty() {
        store.note_reach(|notes| notes.note_no_older_claims(remote));
        return Ok(());
    }
    let named = claims.iter().take(MOST_NAMED);
    let named: Vec<String> = named.map(|claim| line(tracker, claim)).collect();
    let more = match claims.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!(
        "clones with an older git-beads hold claims at {remote} that only they see: {}{more}",
        named.join("; ")
    );
    let fix = Command::of("doctor").flag("--remote").flag("--fix");
    Err(Error::new(Code::ClaimsOfOlder, message)
        .hinted(Hint::text("update git-beads in every clone"))
        .also(Hint::run("then ", fix)))
}

/// Returns a claim with its holder, its clone and its age.
pub(crate) fn line(tracker: &Tracker, claim: &OlderClaim) -> String {
    let id = tracker.read(|view| view.id(claim.issue));
    let id = id.unwrap_or_else(|_| claim.issue.to_string());
    let holder = claim.holder.as_ref().map(ToString::to_string);
    let holder = holder.unwrap_or_else(|| "someone".to_owned());
    let age = match claim.at {
        0 => String::new(),
        at => match time::ago(at, tracker.now()).as_str() {
            "now" => ", now".to_owned(),
            ago => format!(", {ago} ago"),
        },
    };
    let clone = match claim.clone.as_str() {
        "" => String::new(),
        clone => format!(" (clone {clone}{age})"),
    };
    format!("{id} by {holder}{clone}")
}

/// Writes the claims into the main ref that are not there, sends that, and removes the refs of all that it has.
/// Errors: a remote that does not take it.
pub(crate) fn take_into_main(tracker: &Tracker, remote: &str) -> Result<()> {
    let request = || Sync {
        remote: Some(remote.to_owned()),
        ..Sync::default()
    };
    exchange(tracker, &request())?;
    let store = tracker.store();
    let claims = store.remotes().older_claims(remote, tracker.cancel())?;
    tracker.write(
        |tx| {
            for claim in &claims {
                let Some(holder) = &claim.holder else {
                    continue;
                };
                // What was purged here has no issue.
                let Ok(mut issue) = tx.issue(claim.issue) else {
                    continue;
                };
                if is_missing(&issue, holder) {
                    let writer = tx.writer(&issue)?;
                    issue.take(&writer, holder);
                    // As long as nothing is heard of it, so that one which is gone ends.
                    issue.limit_claim(claim.lease.max(LEAST_SILENCE));
                    tx.put(issue);
                }
            }
            tx.subject("keep claims of older clones".to_owned());
            Ok(())
        },
        |(), _| Ok(()),
    )?;
    exchange(tracker, &request())?;
    if store.remotes().remote_tip(remote)? != store.tip()? {
        // As where it takes mailboxes alone.
        let message =
            format!("{remote} has not taken the claims into its main ref, so their refs stay");
        return Err(Error::new(Code::RemoteRefused, message).hinted(Command::of("sync")));
    }
    // The main ref has each of them, or says that it has ended, or knows no such issue.
    let (settled, left): (Vec<_>, Vec<_>) =
        claims.into_iter().partition(|claim| claim.holder.is_some());
    let removed = store
        .remotes()
        .remove_older_claims(remote, &settled, tracker.cancel())?;
    if !removed {
        let message = format!("{remote} does not let the refs of claims be removed");
        let list = Command::line("git ls-remote").word(remote);
        let list = list.word("refs/beads/claims/*");
        return Err(Error::new(Code::RemoteRefused, message).hinted(list.then(" lists them")));
    }
    let Some(claim) = left.first() else {
        return Ok(());
    };
    let message = format!("the claim ref of {} can't be read", claim.issue);
    let name = store.remotes().older_claim_ref(claim);
    let delete = Command::line("git push --delete").word(remote).word(name);
    let text = " removes it, once no older clone works on that issue";
    Err(Error::new(Code::ClaimsOfOlder, message).hinted(delete.then(text)))
}

/// Returns true if an issue does not say that a holder works on it, nor that the work has ended. A claim at its ref counted more
/// than what the main ref said.
fn is_missing(issue: &Issue, holder: &Party) -> bool {
    let is_under_way = matches!(issue.status(), Status::Open | Status::InProgress);
    is_under_way && !issue.is_deleted() && issue.holder().as_ref() != Some(holder)
}
