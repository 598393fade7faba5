//! `start`: take an issue and say so.

use crate::ops::answer::Summary;
use crate::ops::shared::claim::start_chosen;
use crate::ops::shared::current_branch::name_for;
use crate::ops::{Command, Error, Result, Tracker};

pub(crate) use crate::ops::shared::claim::Started;

/// An issue to start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Start {
    /// Its id.
    pub id: String,
    /// Takes it from another assignee.
    pub force: bool,
    /// Switches to a branch for it; one without a name is named after the issue.
    pub branch: Option<Option<String>>,
}

/// Starts an issue: status `in_progress`, the actor its assignee. Again by the same actor: no change.
///
/// # Errors
/// Claimed by another (unless forced), closed or deleted. A branch that can't be switched to leaves the issue
/// started, and says so.
pub(crate) fn start(tracker: &Tracker, request: &Start) -> Result<Started> {
    let started = start_chosen(tracker, &|tx| tx.find(&request.id), request.force)?;
    // The branch is switched after the commit: a work tree that refuses it must not undo the claim.
    let Some(named) = &request.branch else {
        return Ok(started);
    };
    let Summary { id, title, .. } = &started.issue;
    let branch = named
        .clone()
        .unwrap_or_else(|| name_for(tracker.store(), id, title));
    tracker
        .store()
        .user_branches()
        .switch_for(&branch, id)
        .map_err(|error| {
            let error = Error::from(error);
            let message = format!(
                "{id} is started, but the branch could not be switched: {}",
                error.message
            );
            Error { message, ..error }
                .hinted(Command::of("start").id(id).flag("--branch=OTHER-NAME"))
        })?;
    Ok(Started {
        branch: Some(branch),
        ..started
    })
}
