//! Reasons for which an act is not possible, as far as a row shows them; the verb itself decides, and says the rest.

use super::{ActKind, Remark};
use crate::model::review::REVIEW_LABEL;
use crate::model::{Party, Status};
use crate::ops::scene::rows::Head;
use crate::ops::shared::question::brief;

impl ActKind {
    /// Refuses an act that the state of an issue or the caller rules out; `Err` is what a face shows.
    pub(crate) fn can(self, head: &Head, caller: &Party) -> Result<(), Remark> {
        let status = Status::new(&head.summary.status);
        match (self, &status) {
            (Self::Undo | Self::Redo | Self::Create, _) | (Self::Restore, Status::Tombstone) => {
                return Ok(());
            }
            (Self::Restore, _) => return Err(Remark::text("not deleted")),
            (_, Status::Tombstone) => {
                return Err(Remark::act("deleted", Self::Restore, "brings it back"));
            }
            _ => {}
        }
        let closed = || Err(Remark::act("closed", Self::Reopen, "reopens"));
        match (self, &status) {
            (Self::Accept | Self::Answer, _) if caller.agent.is_some() => {
                let does = match self {
                    Self::Accept => "accept",
                    _ => "answer",
                };
                Err(Remark::text(format!("only a person can {does}")))
            }
            (Self::Answer, _) if !head.asks => {
                Err(Remark::act("asks nothing", Self::Note, "comments"))
            }
            (Self::Reopen, status) if *status != Status::Closed => {
                Err(Remark::act("not closed", Self::Done, "closes"))
            }
            (Self::Accept, status) if *status != Status::Closed && !has_review(head) => {
                Err(Remark::act("not closed", Self::Done, "closes"))
            }
            (
                Self::Ask
                | Self::Start
                | Self::Stop
                | Self::Done
                | Self::Block
                | Self::Unblock
                | Self::Defer,
                Status::Closed,
            ) => closed(),
            (Self::Start, _) => start(head, &status, caller),
            (Self::Stop, status) if *status != Status::InProgress => {
                Err(Remark::act("not in progress", Self::Start, "starts"))
            }
            (Self::Unblock, status) => unblock(head, status),
            _ => Ok(()),
        }
    }
}

fn has_review(head: &Head) -> bool {
    head.summary
        .labels
        .iter()
        .any(|label| label == REVIEW_LABEL)
}

/// Refuses a start of what the caller has, or another has for certain.
fn start(head: &Head, status: &Status, caller: &Party) -> Result<(), Remark> {
    let Some(holder) = head.summary.party() else {
        return Ok(());
    };
    let is_own = holder == *caller;
    if *status == Status::InProgress {
        // What its agent has left can be free: that is decided where it is known.
        let is_left = head
            .summary
            .claim
            .as_ref()
            .is_none_or(|claim| claim.is_left());
        return match is_own {
            true => Err(Remark::act("you work on it", ActKind::Stop, "lets go")),
            false if is_left => Ok(()),
            false => Err(Remark::act(
                format!("{} works on it", brief(&holder.to_string())),
                ActKind::Stop,
                "lets go",
            )),
        };
    }
    match holder.person == caller.person {
        true => Ok(()),
        false => Err(Remark::act(
            format!("assigned to {}", brief(&holder.person)),
            ActKind::Update,
            "assigns",
        )),
    }
}

/// Refuses to unblock what only its dependencies hold.
fn unblock(head: &Head, status: &Status) -> Result<(), Remark> {
    if matches!(status, Status::Blocked | Status::Deferred) {
        return Ok(());
    }
    let Some(first) = head.blockers.first() else {
        return Err(Remark::act("not blocked", ActKind::Block, "blocks it"));
    };
    let others = head.blocker_count.saturating_sub(1);
    let text = match others {
        0 => format!("waits for {}", first.id),
        n => format!("waits for {} and {n} more", first.id),
    };
    Err(Remark::act(text, ActKind::DepRm, "removes that"))
}
