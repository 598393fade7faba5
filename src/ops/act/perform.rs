//! Performing an act: the function of its verb, under the guard, with what is said of it.

use schemars::JsonSchema;
use serde::Serialize;

use super::guard::Guard;
use super::outcome::{ActOutcome, names, with_reason};
use super::{Act, ActRequest, Remark, fields, memory, status};
use crate::model::{Field, Uid};
use crate::ops::scene::rows::{Head, heads_of};
use crate::ops::shared::edit::Updated;
use crate::ops::shared::question::brief;
use crate::ops::verbs::accept::accept;
use crate::ops::verbs::block::block;
use crate::ops::verbs::reopen::reopen;
use crate::ops::verbs::restore::restore;
use crate::ops::verbs::stop::stop;
use crate::ops::verbs::unblock::unblock;
use crate::ops::verbs::undo::{Left, Undo, undo};
use crate::ops::{Result, Tracker};
use crate::store::Oid;

/// An act that was performed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Acted {
    /// The commit; none where nothing has changed.
    pub commit: Option<String>,
    /// The outcome in a line.
    pub said: String,
    /// What is unusual about it.
    pub remarks: Vec<String>,
    /// The issues that have changed.
    pub(crate) heads: Vec<Head>,
    /// What a person may want next.
    pub(crate) next: Option<Remark>,
}

/// Performs an act in one commit, however many issues it is about. `mine` are commits of the same desk, after which the act may
/// follow unseen.
/// Errors: those of the verb, and `changed` where another one has set since what the act sets.
pub fn perform(tracker: &Tracker, request: &ActRequest, mine: &[String]) -> Result<Acted> {
    let act = &request.act;
    let guard = Guard {
        seen: request.seen.clone(),
        mine: mine.to_vec(),
        ids: act.ids().to_vec(),
        // Only the close that was shown is accepted.
        rests_on: matches!(act, Act::Accept(_)).then(|| Field::Status.key()),
    };
    let (outcome, commit) = tracker.checked(move |tx| guard.check(tx), || run(tracker, act))?;
    acted(tracker, outcome, commit)
}

/// Performs as an act what a person writes of an issue, as in an editor; `write` returns what was done, in words.
/// Errors: those of `write`, and `changed` where another one has set meanwhile what it sets.
pub(crate) fn perform_written(
    tracker: &Tracker,
    id: &str,
    write: impl FnOnce() -> Result<String>,
) -> Result<Acted> {
    let guard = Guard {
        seen: Some(tracker.read(|view| Ok(view.snapshot().commit().to_string()))?),
        mine: Vec::new(),
        ids: vec![id.to_owned()],
        rests_on: None,
    };
    let (what, commit) = tracker.checked(move |tx| guard.check(tx), write)?;
    acted(tracker, ActOutcome::of(id, what), commit)
}

fn acted(tracker: &Tracker, outcome: ActOutcome, commit: Option<Oid>) -> Result<Acted> {
    let what = match commit {
        Some(_) => outcome.what,
        None => "nothing to change".to_owned(),
    };
    let freed = tracker.take_unblocked();
    let freed = freed
        .iter()
        .map(|id| format!("{id} is open again: nothing blocks it any more"));
    let remarks = outcome.remarks.into_iter().chain(freed);
    Ok(Acted {
        said: match names(&outcome.ids) {
            names if names.is_empty() => what,
            names => format!("{names}: {what}"),
        },
        remarks: remarks.map(|remark| brief(&remark)).collect(),
        heads: commit.map_or(Ok(Vec::new()), |commit| heads(tracker, commit))?,
        next: outcome.next.filter(|_| commit.is_some()),
        commit: commit.map(|commit| commit.to_string()),
    })
}

/// Returns what rows show of the issues that a commit has changed; where these are a great many it lists none.
fn heads(tracker: &Tracker, commit: Oid) -> Result<Vec<Head>> {
    tracker.read(|view| {
        let commit = view.snapshot().store().ancestry().commit(commit)?;
        let listed = commit.trailer("Issues").unwrap_or_default().split(' ');
        let uids: Vec<Uid> = listed.filter_map(|uid| uid.parse().ok()).collect();
        view.last(|| heads_of(view, &uids))
    })
}

fn run(tracker: &Tracker, act: &Act) -> Result<ActOutcome> {
    match act {
        Act::Answer(act) => memory::answer(tracker, act),
        Act::Ask(act) => memory::ask(tracker, act),
        Act::Note(act) => memory::note(tracker, act),
        Act::Resolve(act) => memory::resolve(tracker, act),
        Act::Accept(act) => of_all(accept(tracker, &act.ids), "accepted"),
        Act::Start(act) => status::start(tracker, act),
        Act::Stop(act) => of_all(stop(tracker, &act.ids), "open again"),
        Act::Done(act) => status::done(tracker, act),
        Act::Reopen(act) => {
            let reason = act.reason.as_deref();
            let what = with_reason("open again", reason);
            of_all(reopen(tracker, &act.ids, reason), &what)
        }
        Act::Block(act) => {
            let reason = act.reason.as_deref();
            let what = with_reason("blocked", reason);
            of_all(block(tracker, &act.ids, reason), &what)
        }
        Act::Unblock(act) => of_all(unblock(tracker, &act.ids), "open again"),
        Act::Defer { ids, until } => status::defer(tracker, ids, until.as_deref()),
        Act::Update(act) => fields::update(tracker, act),
        Act::Create(act) => fields::create(tracker, act),
        Act::Split { id, plan } => fields::split(tracker, id, plan),
        Act::DepAdd(act) => fields::link(tracker, act, true),
        Act::DepRm(act) => fields::link(tracker, act, false),
        Act::Label(act) => fields::label(tracker, act),
        Act::Delete(act) => status::delete(tracker, act),
        Act::Restore(act) => of_all(restore(tracker, &act.ids), "restored"),
        Act::Undo(act) => take_back(tracker, &act.commit, "undone"),
        Act::Redo(act) => take_back(tracker, &act.commit, "redone"),
    }
}

fn of_all(updated: Result<Updated>, what: &str) -> Result<ActOutcome> {
    Ok(ActOutcome::of_all(updated?, what))
}

/// Takes back what a commit has done.
fn take_back(tracker: &Tracker, commit: &str, how: &str) -> Result<ActOutcome> {
    let request = Undo {
        what: Some(commit.to_owned()),
        ..Undo::default()
    };
    let undone = undo(tracker, &request)?;
    let operation = undone.operations.first();
    let subject = operation.map_or("", |operation| operation.subject.as_str());
    // The subject of an undo names what it has taken back behind its commit.
    let done = match how {
        "redone" => subject.split_once(": ").map_or(subject, |(_, done)| done),
        _ => subject,
    };
    let stays = |left: &Left| format!("{} {} stays: {}", left.id, left.field, left.why);
    Ok(ActOutcome {
        what: format!("{how}: {}", brief(done)),
        remarks: undone.left.iter().map(stays).collect(),
        ..ActOutcome::default()
    })
}
