//! Acts that begin, end or put off work.

use super::outcome::{ActOutcome, ended, names, with_reason};
use super::{ActKind, DoneAct, ReasonAct, Remark};
use crate::model::Evidence;
use crate::ops::answer::Summary;
use crate::ops::shared::question::brief;
use crate::ops::verbs::done::{self, Done};
use crate::ops::verbs::start::{self, Start};
use crate::ops::verbs::{defer, delete};
use crate::ops::{Result, Tracker};

pub(super) fn start(tracker: &Tracker, act: &Start) -> Result<ActOutcome> {
    let started = start::start(tracker, act)?;
    let mut remarks = started.remarks;
    if !started.open_blockers.is_empty() {
        remarks.push(format!(
            "still blocked by {}",
            names(&started.open_blockers)
        ));
    }
    let holder = started.issue.holder().unwrap_or_default();
    let what = format!("in progress by {}", brief(&holder));
    Ok(ActOutcome {
        remarks,
        ..ActOutcome::of(&started.issue.id, what)
    })
}

pub(super) fn done(tracker: &Tracker, act: &DoneAct) -> Result<ActOutcome> {
    let request = Done {
        ids: act.ids.clone(),
        reason: act.reason.clone(),
        evidence: Evidence {
            commit: act.commit.clone(),
            pr: act.pr.clone(),
            file: act.file.clone(),
        },
        landed: false,
    };
    let closed = done::done(tracker, &request)?;
    let mut remarks = closed.remarks;
    remarks.extend(ended(&closed.auto_closed));
    let next = |issue: Summary| Remark::text(brief(&format!("next: {} {}", issue.id, issue.title)));
    Ok(ActOutcome {
        ids: match closed.ids.is_empty() {
            true => vec![closed.closed],
            false => closed.ids,
        },
        what: with_reason("closed", act.reason.as_deref()),
        remarks,
        next: closed.next_ready.or(closed.elsewhere).map(next),
    })
}

pub(super) fn defer(tracker: &Tracker, ids: &[String], until: Option<&str>) -> Result<ActOutcome> {
    let deferred = defer::defer(tracker, ids, until)?;
    let what = match until {
        Some(until) => format!("deferred until {}", brief(until)),
        None => "deferred".to_owned(),
    };
    Ok(ActOutcome::of_all(deferred, what))
}

pub(super) fn delete(tracker: &Tracker, act: &ReasonAct) -> Result<ActOutcome> {
    let reason = act.reason.as_deref();
    let deleted = delete::delete(tracker, &act.ids, reason)?;
    Ok(ActOutcome {
        next: Some(Remark::act("", ActKind::Undo, "brings it back")),
        ..ActOutcome::of_all(deleted, with_reason("deleted", reason))
    })
}
