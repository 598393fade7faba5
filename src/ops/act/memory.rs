//! Acts on questions, notes and conflicts.

use super::outcome::ActOutcome;
use super::{ActKind, AskAct, Remark};
use crate::model::NewQuestion;
use crate::ops::shared::note::Note;
use crate::ops::shared::question::brief;
use crate::ops::verbs::answer::{self, AnswerRequest};
use crate::ops::verbs::resolve::{self, Resolve};
use crate::ops::verbs::{ask, note};
use crate::ops::{Result, Tracker};

pub(super) fn answer(tracker: &Tracker, act: &AnswerRequest) -> Result<ActOutcome> {
    let answered = answer::answer(tracker, act)?;
    let said = answered.question.answer.unwrap_or_default();
    let unblock = || Remark::act("still blocked", ActKind::Unblock, "unblocks");
    Ok(ActOutcome {
        next: answered.blocked.then(unblock),
        ..ActOutcome::of(&answered.id, format!("answered: {}", brief(&said)))
    })
}

pub(super) fn ask(tracker: &Tracker, act: &AskAct) -> Result<ActOutcome> {
    let question = NewQuestion {
        text: act.text.clone(),
        options: act.option.clone(),
        to: act.to.clone(),
    };
    let asked = ask::ask(tracker, &act.id, &question)?;
    let what = format!("asked: {}", brief(&act.text));
    Ok(ActOutcome::of(&asked.issue.id, what))
}

pub(super) fn note(tracker: &Tracker, act: &Note) -> Result<ActOutcome> {
    let noted = note::note(tracker, act)?;
    // A comment that takes off what waits for a person is the answer to that.
    let how = match act.status.is_some() || !act.remove_labels.is_empty() {
        true => "answered",
        false => "commented",
    };
    let opened = match act.status.as_deref() {
        Some("open") => "; open again",
        _ => "",
    };
    let what = match act.comments.first() {
        Some(text) => format!("{how}: {}{opened}", brief(text)),
        None => "noted".to_owned(),
    };
    Ok(ActOutcome::of(&noted.issue.id, what))
}

pub(super) fn resolve(tracker: &Tracker, act: &Resolve) -> Result<ActOutcome> {
    let updated = resolve::resolve(tracker, act)?;
    let what = format!("{} settled", brief(&act.field));
    Ok(ActOutcome::of_all(updated, what))
}
