//! `accept`: a person confirms that an issue is done.

use crate::model::review::REVIEW_LABEL;
use crate::model::{Issue, Status, StatusRegister, Writer};
use crate::ops::shared::claim;
use crate::ops::shared::close::remarks;
use crate::ops::shared::edit::{Updated, change};
use crate::ops::{Code, Command, Error, Result, Tracker, Tx};

/// Accepts that issues are done; one that is open and asks for a review by its label is closed with that.
/// Errors: The caller is an agent, or one of them is open without that label.
pub(crate) fn accept(tracker: &Tracker, ids: &[String]) -> Result<Updated> {
    if let Some(agent) = tracker.agent() {
        let message = format!("only a person can accept, and {} is an agent", agent.name);
        let mut error = Error::new(Code::Protected, message);
        if let Some(id) = ids.first() {
            let note = Command::of("note").id(id).flag("--comment");
            error = error.hinted(note.placeholder("what you found"));
        }
        return Err(error);
    }
    change(tracker, ids, "accept", |tx, issue, writer| {
        accept_one(tx, issue, writer)
    })
}

fn accept_one(tx: &mut Tx<'_>, issue: &mut Issue, writer: &Writer) -> Result<Vec<&'static str>> {
    let id = issue.id().to_owned();
    let mut changed = Vec::new();
    match tx.status(issue.uid())? {
        Status::Closed => {}
        Status::Tombstone => return Err(Error::deleted(&id)),
        _ if issue.labels().iter().any(|label| label == REVIEW_LABEL) => {
            claim::end(tx, issue, writer, "accept")?;
            issue.set_state(writer, &StatusRegister::new(Status::Closed, None));
            tx.remarks.borrow_mut().extend(remarks(tx, issue)?);
            changed.push("status");
        }
        other => {
            let message = format!("{id} is {other}, not closed");
            return Err(Error::new(Code::NotClosed, message).hinted(Command::of("done").id(id)));
        }
    }
    if issue.set_label(writer, REVIEW_LABEL, false)? {
        changed.push("labels");
    }
    if let Some(earlier) = issue.acceptance() {
        let remark = format!("{id} was accepted already, by {}", earlier.by);
        tx.remarks.borrow_mut().push(remark);
        return Ok(changed);
    }
    issue.accept(writer);
    changed.push("accepted");
    Ok(changed)
}
