//! Issues that the user's own commits close: `list --landed`, `done --landed`, `beads.autoClose`.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::close::{Closed, Done, answer, close_all};
use super::remote_claim::send_ends;
use super::words::plain;
use crate::index::{IndexError, Row};
use crate::model::Uid;
use crate::ops::answer::SHOWN_COMMITS;
use crate::ops::{Command, Result, Tracker, View};

/// A commit's time is whole seconds.
const SECOND: u64 = 1000;
/// Digits of a commit in a reason.
const SHORT: usize = 12;

/// The open issues that a commit on the default branch closes, and that commit. What a person has decided of an
/// issue after the commit was made counts more.
pub(crate) fn closed_by_commits(view: &View<'_>) -> Result<Vec<(Row, String)>> {
    let mut found = Vec::new();
    for (row, commit, at) in view.index.commit_links().named_as_closed()? {
        if counts(view, row.uid, at)? {
            found.push((row, commit));
        }
    }
    Ok(found)
}

/// Returns whether a commit of a time counts more than what was decided of an issue.
fn counts(view: &View<'_>, uid: Uid, at: u64) -> Result<bool> {
    let (decided, is_opened) = view.issue(uid)?.decided().unwrap_or_default();
    // The commit's time is cut to the second: within the same second the commit counts, unless the issue was opened again.
    let within = if is_opened { 0 } else { SECOND };
    Ok(at + within > decided)
}

/// An open issue that a commit on the default branch closes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Landed {
    /// The issue.
    pub id: String,
    /// The newest such commit.
    pub commit: String,
}

/// Returns which of some issues have landed, as far as [`follow`] has read, where that has found any commit that closes one.
pub(crate) fn landed_among<'r>(
    view: &View<'_>,
    rows: impl IntoIterator<Item = &'r Row>,
) -> Result<Vec<Landed>> {
    let rows: Vec<&Row> = rows.into_iter().collect();
    let nums: Vec<i64> = rows.iter().map(|row| row.num).collect();
    let commits = view.index.commit_links().closing_among(&nums)?;
    let mut landed = Vec::new();
    for row in rows {
        if let Some((commit, at)) = commits.get(&row.num)
            && counts(view, row.uid, *at)?
        {
            landed.push(Landed {
                id: row.id.clone(),
                commit: commit.clone(),
            });
        }
    }
    landed.dedup_by(|one, other| one.id == other.id);
    Ok(landed)
}

/// Returns the line that names what has landed, with the command that closes it; none where nothing has.
pub(crate) fn landed_line(landed: &[Landed]) -> Option<String> {
    let ids: Vec<String> = landed.iter().map(|it| plain(&it.id)).collect();
    let done = Command::of("done").flag("--landed");
    (!ids.is_empty()).then(|| format!("landed, still open: {} ({done})", ids.join(", ")))
}

/// Reads what came to the default branch since the last time, for the pages of issues. Returns whether any commit closes an
/// issue. A history that can't be read is a warning.
pub(crate) fn follow(view: &View<'_>) -> Result<bool> {
    warned(view, view.index.commit_links().fill_commit_links())
}

/// The newest commits that name issues, by the id they name.
pub(crate) fn all_commits(
    view: &View<'_>,
) -> Result<HashMap<String, Vec<crate::index::CommitLink>>> {
    warned(view, view.index.commit_links().all_commits(SHOWN_COMMITS))
}

fn warned<T: Default>(view: &View<'_>, outcome: Result<T, IndexError>) -> Result<T> {
    match outcome {
        Err(IndexError::Store(error)) => {
            // The issue itself can be shown.
            view.tracker.warn(format!(
                "the commits of the default branch can't be read: {error}"
            ));
            Ok(T::default())
        }
        outcome => Ok(outcome?),
    }
}

/// Closes what has landed, in one commit, and gives back the claims on it that the remote keeps.
pub(crate) fn close_landed(tracker: &Tracker) -> Result<Closed> {
    let closed = close(tracker)?;
    send_ends(tracker)?;
    Ok(closed)
}

fn close(tracker: &Tracker) -> Result<Closed> {
    // Asked without the lock first: most of the time nothing has landed.
    if tracker.read(closed_by_commits)?.is_empty() {
        return Ok(Closed::default());
    }
    tracker.write(
        |tx| {
            // Asked again under the lock: others may have closed or reopened some of them since.
            let ended = closed_by_commits(&tx.view)?;
            let reason =
                |commit: &str| Some(format!("landed in {}", &commit[..SHORT.min(commit.len())]));
            let one = |(row, commit): &(Row, String)| Done {
                ids: vec![row.id.clone()],
                reason: reason(commit),
                landed: true,
                ..Done::default()
            };
            close_all(tx, &ended.iter().map(one).collect::<Vec<_>>())
        },
        answer,
    )
}

/// The same, where the user wants it without being asked; returns what was closed. What can't be closed now is left
/// to the next command that asks for it.
pub(crate) fn auto_close(tracker: &Tracker) -> Vec<String> {
    if tracker.store().config_bool("beads.autoClose") != Some(true)
        || !tracker.store().tip().is_ok_and(|tip| tip.is_some())
    {
        return Vec::new();
    }
    match close(tracker) {
        Ok(closed) => {
            // It stays closed; the next exchange gives the claims back.
            if let Err(error) = send_ends(tracker) {
                tracker.warn(error.message);
            }
            // `ids` is filled only where there are several.
            let one = Some(closed.closed).filter(|id| !id.is_empty() && closed.ids.is_empty());
            closed.ids.into_iter().chain(one).collect()
        }
        Err(error) => {
            tracker.warn(format!("landed issues could not be closed: {error}"));
            Vec::new()
        }
    }
}
