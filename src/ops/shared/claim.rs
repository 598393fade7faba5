//! Claiming an issue: it is in progress, and the actor works on it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Issue, Status, Uid, time};
use crate::ops::answer::{After, Answer, AnswerKind, Next, Summary};
use crate::ops::{Code, Command, Error, Result, Tracker, Tx};

/// What was started.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Started {
    /// The issue.
    pub issue: Summary,
    /// What it waits for and is nevertheless started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_blockers: Vec<String>,
    /// The branch that is about it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

impl Answer for Started {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Issue
    }
    fn next(&self) -> Next {
        After::Working.next()
    }
}

/// Starts the issue that `choose` names; runs again with the choice when another process was faster.
pub(crate) fn start_chosen(
    tracker: &Tracker,
    choose: &dyn Fn(&Tx<'_>) -> Result<Uid>,
    force: bool,
) -> Result<Started> {
    tracker.write(
        |tx| {
            // Chosen under the lock: two that take the first ready issue get different ones.
            let uid = choose(tx)?;
            Ok((uid, take(tx, uid, force)?))
        },
        |(uid, open_blockers), view| {
            Ok(Started {
                issue: Summary::of(view, uid)?,
                open_blockers,
                branch: None,
            })
        },
    )
}

/// Starts an issue within a change and says so; returns the open issues it waits for.
pub(crate) fn take(tx: &mut Tx<'_>, uid: Uid, force: bool) -> Result<Vec<String>> {
    let mut issue = tx.issue(uid)?;
    // Under the lock: of two that start the same issue, the second is refused here.
    check(tx, &issue, force)?;
    claim(tx, &mut issue)?;
    tx.subject(format!("start {}: {}", issue.id(), issue.title()));
    let waits = tx.open_blockers(uid)?;
    tx.put(issue);
    Ok(waits)
}

/// Sets the status to in progress and the actor as assignee.
pub(crate) fn claim(tx: &mut Tx<'_>, issue: &mut Issue) -> Result<()> {
    let writer = tx.writer(issue)?;
    issue.set_status(&writer, Status::InProgress);
    let actor = tx.view.tracker.actor().to_owned();
    issue.set_text(&writer, "assignee", &actor)?;
    Ok(())
}

/// Refuses to start what another works on, and what has ended.
pub(crate) fn check(tx: &Tx<'_>, issue: &Issue, force: bool) -> Result<()> {
    let id = issue.id();
    match tx.status(issue.uid())? {
        Status::Tombstone => Err(Error::deleted(id)),
        Status::Closed => Err(Error::new(Code::Closed, format!("{id} is closed")).hinted(
            Command::of("reopen")
                .id(id)
                .flag("-r")
                .placeholder("why it is not done"),
        )),
        Status::InProgress if !force => {
            let holder = issue.text("assignee");
            // Without an assignee, as an import can bring it, or the actor's own: a second `start` is no error.
            if holder.is_empty() || holder == tx.view.tracker.actor() {
                return Ok(());
            }
            let since = issue
                .written("status")
                .map(|at| time::ago(at, tx.view.now()));
            let since = match since.as_deref() {
                None => String::new(),
                Some("now") => " (since a moment)".to_owned(),
                Some(ago) => format!(" (for {ago})"),
            };
            let message = format!("{id} is claimed by {holder}{since}");
            Err(Error::new(Code::Claimed, message)
                .hinted(
                    Command::of("start")
                        .id(id)
                        .flag("--force")
                        .then(" takes it over"),
                )
                .also(Command::of("ready").then(" shows others")))
        }
        _ => Ok(()),
    }
}
