//! `task_start`: take an issue, or make an epic of what the user asked for.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{TaskView, TaskViewOptions, filled, owned};
use crate::model::Field;
use crate::ops::answer::shortened;
use crate::ops::shared::claim::{self, ClaimOutcome};
use crate::ops::shared::discovered::{PENDING, title_of};
use crate::ops::shared::new_issue::build;
use crate::ops::{Error, Hint, Result, Tracker, Tx};

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
            (None, Some(asked)) => Ok((epic(tx, request, asked)?, ClaimOutcome::default())),
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

fn epic(tx: &mut Tx<'_>, request: &TaskStart, asked: &str) -> Result<crate::model::Uid> {
    let given = |text: &Option<String>| owned(text.as_deref());
    let title = title_of(asked);
    let request_text = format!("USER REQUEST: {asked}");
    let description = match given(&request.description) {
        None => request_text,
        // The title has only the beginning: the rest of the request is kept too.
        Some(text) if title != asked => format!("{text}\n\n{request_text}"),
        Some(text) => text,
    };
    let pending = |text| Some(given(text).unwrap_or_else(|| PENDING.to_owned()));
    let fields = [
        (Field::Title, Some(title)),
        (Field::Type, Some("epic".to_owned())),
        (Field::Description, Some(description)),
        (Field::Design, pending(&request.design)),
        (Field::Acceptance, pending(&request.acceptance)),
    ];
    let mut epic = build(tx, &fields.into(), None)?;
    let writer = tx.writer(&epic)?;
    claim::claim(tx, &mut epic, &writer, false)?;
    tx.subject(format!("start {}: {}", epic.id(), epic.title()));
    let uid = epic.uid();
    tx.put(epic);
    Ok(uid)
}
