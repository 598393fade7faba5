//! `block`: an issue waits for something that no dependency expresses.

use crate::ops::shared::blockers::block_one;
use crate::ops::shared::edit::{Updated, alive, change};
use crate::ops::{Command, Error, Result, Tracker};

/// Marks issues as waiting for something that no dependency expresses.
pub(crate) fn block(tracker: &Tracker, ids: &[String], reason: Option<&str>) -> Result<Updated> {
    if let (Some((blocked, [by, more @ ..])), None) = (ids.split_first(), reason) {
        // Or a reason was given as an argument, which names no issue.
        tracker.read(|view| ids.iter().try_for_each(|id| view.find(id).map(|_| ())))?;
        return Err(unclear(blocked, by, more));
    }
    change(tracker, ids, "block", |tx, issue, writer| {
        alive(tx, issue)?;
        let before = issue.state();
        block_one(tx, issue, writer, reason)?;
        Ok(if issue.state() == before {
            Vec::new()
        } else {
            vec!["status"]
        })
    })
}

/// The error for several issues without a reason: most of the time the first one is meant to depend on the others.
fn unclear(blocked: &str, by: &str, more: &[String]) -> Error {
    let depend = Command::of("dep").word("add").id(blocked).flag("--on");
    let depend = more.iter().fold(depend.id(by), Command::id);
    let mark = Command::of("block").id(blocked).id(by);
    let mark = more.iter().fold(mark, Command::id);
    let mark = mark.flag("-r").placeholder("what they wait for");
    Error::invalid("several issues are blocked for a reason, or one of them by the others")
        .hinted(depend)
        .also(mark)
}
