//! `task_start`: take an issue, or make an epic of what the user asked for.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{TaskView, TaskViewOptions, filled, owned};
use crate::ops::answer::shortened;
use crate::ops::shared::claim::{self, ClaimOutcome};
use crate::ops::verbs::start::{UserRequest, begin};
use crate::ops::{Error, Hint, Result, Tracker};

/// `task_start`: by id, or with what the user asked for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskStart {
    id: Option<String>,
    /// Makes a new epic
    user_request: Option<String>,
    description: Option<String>,
    design: Option<String>,
    acceptance: Option<String>,
    #[serde(flatten)]
    shape: TaskViewOptions,
}

impl TaskStart {
    fn has_texts(&self) -> bool {
        [&self.description, &self.design, &self.acceptance]
            .iter()
            .any(|text| filled(text.as_deref()).is_some())
    }

    /// Returns what the user asked for, as the epic of it is made.
    fn asked(&self, text: &str) -> UserRequest {
        let given = |text: &Option<String>| owned(text.as_deref());
        UserRequest {
            text: text.to_owned(),
            description: given(&self.description),
            design: given(&self.design),
            acceptance: given(&self.acceptance),
        }
    }
}

/// Starts an issue, or creates an epic in progress.
pub(crate) fn start(tracker: &Tracker, request: &TaskStart) -> Result<TaskView> {
    request.shape.check()?;
    let (id, asked) = (
        filled(request.id.as_deref()),
        filled(request.user_request.as_deref()),
    );
    let is_new = asked.is_some();
    tracker.write(
        |tx| match (id, asked) {
            (Some(_), Some(_)) => Err(Error::invalid("task_start takes id or user_request, not both")),
            (None, None) => Err(Error::invalid("task_start requires id or user_request")),
            (Some(id), None) if request.has_texts() => {
                let message = "task_start(id) takes no description, design or acceptance; use task_update_meta";
                Err(Error::invalid(message).hinted(Hint::call("task_update_meta", update_call(id, request))))
            }
            (Some(id), None) => {
                let uid = tx.find(id)?;
                Ok((uid, claim::take(tx, uid, false)?))
            }
            (None, Some(asked)) => Ok((begin(tx, &request.asked(asked))?, ClaimOutcome::default())),
        },
        |(uid, taken), view| Ok(TaskView::new(view, uid, &request.shape)?.started(is_new, taken)),
    )
}

/// Returns the call that writes the texts of a request to its issue.
fn update_call(id: &str, request: &TaskStart) -> String {
    let texts = [
        ("description", &request.description),
        ("design", &request.design),
        ("acceptance", &request.acceptance),
    ];
    let given = texts
        .into_iter()
        .find_map(|(name, text)| Some((name, text.as_deref()?)));
    let (name, text) = given.unwrap_or(("design", "..."));
    let text = shortened(text, 200).unwrap_or_else(|| text.to_owned());
    format!(
        "task_update_meta(id=\"{id}\", {name}={})",
        Value::from(text)
    )
}
