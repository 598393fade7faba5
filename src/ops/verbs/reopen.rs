//! `reopen`: closed issues are open again.

use crate::model::issue::StatusRegister;
use crate::model::limits::check_text;
use crate::model::review::REVIEW_LABEL;
use crate::model::{Issue, MemoryKind, Status, Uid, Writer};
use crate::ops::shared::edit::{Updated, change, edit_all};
use crate::ops::{Code, Command, Error, Result, Tracker, Tx};

/// Opens closed issues again.
pub(crate) fn reopen(tracker: &Tracker, ids: &[String], reason: Option<&str>) -> Result<Updated> {
    change(tracker, ids, "reopen", |tx, issue, writer| {
        open_again(tx, issue, writer, reason)
    })
}

/// Opens a closed issue again within a change; returns it.
pub(crate) fn reopen_one(tx: &mut Tx<'_>, id: &str, reason: Option<&str>) -> Result<Uid> {
    let edited = edit_all(tx, &[id.to_owned()], "reopen", |tx, issue, writer| {
        open_again(tx, issue, writer, reason)
    })?;
    Ok(edited.uids[0])
}

fn open_again(
    tx: &mut Tx<'_>,
    issue: &mut Issue,
    writer: &Writer,
    reason: Option<&str>,
) -> Result<Vec<&'static str>> {
    let id = issue.id().to_owned();
    match issue.status() {
        Status::Closed => {}
        Status::Tombstone => return Err(Error::deleted(&id)),
        other => {
            return Err(
                Error::new(Code::NotClosed, format!("{id} is {other}, not closed"))
                    .hinted(Command::of("show").id(id)),
            );
        }
    }
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    issue.unassign_started(writer);
    issue.set_state(writer, &StatusRegister::new(Status::Open, reason));
    if let Some(reason) = reason {
        check_text("the reason", reason)?;
        // The register loses the reason with the next status; memory keeps it.
        tx.remember(issue, MemoryKind::Comment, &format!("Reopened: {reason}"))?;
    }
    let mut changed = vec!["status"];
    // The review that it asks for is done: it goes back to who has to go on.
    if issue.set_label(writer, REVIEW_LABEL, false)? {
        changed.push("labels");
    }
    Ok(changed)
}
