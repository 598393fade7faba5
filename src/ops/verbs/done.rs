//! `done`: ending work, rolling epics up, saying what is ready next.

use crate::ops::shared::claim;
use crate::ops::shared::close::{ClosedSet, answer, close_all};
use crate::ops::shared::edit::edit_all;
use crate::ops::shared::evidence;
use crate::ops::shared::fields::{Update, apply};
use crate::ops::shared::note::{Note, add};
use crate::ops::shared::remote_claim::send_ends;
use crate::ops::{Command, Error, Result, Tracker, Tx};

pub(crate) use crate::ops::shared::close::{Closed, Done};

/// Closes issues in one commit. Open blockers or children do not prevent it; the answer names them.
pub(crate) fn done(tracker: &Tracker, request: &Done) -> Result<Closed> {
    if request.ids.is_empty() {
        return Err(Error::invalid("no ID given").hinted(
            Command::of("done")
                .placeholder("ID")
                .flag("-r")
                .placeholder("what was done"),
        ));
    }
    let request = checked(tracker, request)?;
    closed(tracker, |tx| close_all(tx, std::slice::from_ref(&request)))
        .map_err(|error| claim::repeating(error, request.reason.as_deref()))
}

/// Closes issues after their last findings and decisions are noted, in one commit: none is closed without what was
/// learnt from it.
pub(crate) fn done_with(tracker: &Tracker, note: &Note, request: &Done) -> Result<Closed> {
    let request = checked(tracker, request)?;
    closed(tracker, |tx| {
        if !note.is_empty() {
            let uid = tx.find(&note.id)?;
            add(tx, uid, note)?;
        }
        close_all(tx, std::slice::from_ref(&request))
    })
    .map_err(|error| claim::repeating(error, request.reason.as_deref()))
}

/// Closes issues in one commit, and gives back the claims on them that the remote keeps.
fn closed(
    tracker: &Tracker,
    close: impl FnMut(&mut Tx<'_>) -> Result<ClosedSet>,
) -> Result<Closed> {
    let closed = tracker.write(close, answer)?;
    send_ends(tracker)?;
    Ok(closed)
}

/// Returns a request whose evidence has its full names.
fn checked(tracker: &Tracker, request: &Done) -> Result<Done> {
    request.check()?;
    Ok(Done {
        evidence: evidence::checked(tracker, &request.evidence)?,
        ..request.clone()
    })
}

/// Changes fields and closes the issues, in one commit.
pub(crate) fn done_updated(tracker: &Tracker, changes: &Update, reason: &str) -> Result<Closed> {
    let close = Done {
        ids: changes.ids.clone(),
        reason: Some(reason.to_owned()),
        ..Done::default()
    };
    closed(tracker, |tx| {
        if !changes.is_empty() {
            edit_all(tx, &changes.ids, "update", |tx, issue, by| {
                apply(tx, issue, by, changes)
            })?;
        }
        close_all(tx, std::slice::from_ref(&close))
    })
}
