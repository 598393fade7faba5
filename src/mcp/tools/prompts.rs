//! What a person can have a client ask its model: to go on with what was begun, or to hand it over.
//!
//! The request names issues by their ids alone; texts of issues go with it as data.

use serde::Serialize;
use serde_json::Value;

use super::Nothing;
use super::task::{TaskView, TaskViewOptions};
use crate::mcp::tool::CallContext;
use crate::ops::shared::query::Query;
use crate::ops::verbs::list::list;
use crate::ops::verbs::prime::{Prime, prime};
use crate::ops::{Result, Tracker};

const MOST: usize = 10;
const MEMORY: i64 = 5;
/// The summary of the session, as a hook prints it.
const SESSION: Prime = Prime {
    limit: 8,
    width: 140,
    bytes: 1200,
    compact: false,
    tools: true,
};

/// A prompt: the request to the model, and what it is about.
#[derive(Serialize)]
pub(super) struct PromptAnswer {
    ask: String,
    you: String,
    /// What is in progress by the caller, with its memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    issues: Vec<TaskView>,
    /// What else a session should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
}

/// Returns the prompt to go on with what the caller has begun.
pub(super) fn resume(call: &CallContext<'_>, _: &Nothing) -> Result<PromptAnswer> {
    let tracker = call.tracker;
    let (ids, issues) = mine(tracker)?;
    let ask = match ids.as_slice() {
        [] => "Nothing of mine is in progress. Tell me what is ready, and ask whether to start it or a new epic: \
               task_start(id=\"next\") takes the first ready issue."
            .to_owned(),
        [id] => format!(
            "Go on with {id}, which I have in progress. Read its texts and memory first. Record facts and choices \
             with task_progress(id={0}), and close it with task_done(id={0}, reason) when its acceptance holds.",
            Value::from(id.as_str())
        ),
        several => format!(
            "I have {} in progress. Tell me the state of each by its texts and memory, and ask which one to \
             resume.",
            several.join(", ")
        ),
    };
    let session = prime(tracker, SESSION)?.map(|session| session.text);
    Ok(PromptAnswer {
        ask,
        you: tracker.party().to_string(),
        issues,
        session,
    })
}

/// Returns the prompt to record what is known of the caller's work, and to release it.
pub(super) fn handover(call: &CallContext<'_>, _: &Nothing) -> Result<PromptAnswer> {
    let (ids, issues) = mine(call.tracker)?;
    let steps: Vec<String> = ids
        .iter()
        .map(|id| {
            format!(
                "task_progress(id={0}, findings=[...], decisions=[...]), then task_progress(id={0}, \
                 status=\"open\") to release it",
                Value::from(id.as_str())
            )
        })
        .collect();
    let ask = match steps.as_slice() {
        [] => "Nothing of mine is in progress, so there is nothing to release. Record what you have learnt and is \
               not written down yet with task_progress on the issue that it belongs to."
            .to_owned(),
        steps => format!(
            "Hand my work over to the agent that takes it next. Record for each issue what you know and its memory does not \
             say yet: facts, choices with their reasons, what is done, what is left, and where it is (branch, commit, \
             files). Then release it, unless its acceptance holds: close it then with task_done.\n- {}",
            steps.join("\n- ")
        ),
    };
    Ok(PromptAnswer {
        ask,
        you: call.tracker.party().to_string(),
        issues,
        session: None,
    })
}

/// Returns what the caller has in progress, by id and in full.
fn mine(tracker: &Tracker) -> Result<(Vec<String>, Vec<TaskView>)> {
    let query = Query {
        limit: MOST,
        ..Query::asking(tracker, "is:mine")?
    };
    let found = list(tracker, &query)?;
    let ids: Vec<String> = found.issues.into_iter().map(|issue| issue.id).collect();
    let issues = tracker.read(|view| {
        let shape = TaskViewOptions::whole(MEMORY);
        let shown = ids
            .iter()
            .map(|id| TaskView::new(view, view.find(id)?, &shape));
        shown.collect::<Result<_>>()
    })?;
    Ok((ids, issues))
}
