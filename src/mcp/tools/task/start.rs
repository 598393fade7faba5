//! `task_start`: take an issue, or make an epic of what the user asked for.

use std::cell::Cell;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{TaskView, TaskViewOptions, filled, owned};
use crate::model::Uid;
use crate::ops::answer::{After, Answer, AnswerKind, Next, shortened};
use crate::ops::shared::claim::{ClaimOutcome, about};
use crate::ops::shared::next_ready::{first_claimable, own_work};
use crate::ops::shared::remote_claim::start_chosen;
use crate::ops::verbs::start::{UserRequest, begin};
use crate::ops::{Code, Error, Hint, Result, Tracker, Tx};

/// The id that means the most urgent issue that can be started.
const NEXT: &str = "next";

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskStart {
    /// "next": first ready, of parent
    id: Option<String>,
    parent: Option<String>,
    user_request: Option<String>,
    description: Option<String>,
    design: Option<String>,
    acceptance: Option<String>,
    #[serde(flatten)]
    shape: TaskViewOptions,
}

impl TaskStart {
    /// Returns the start of what is ready next, of an epic where one is named, with all that an agent needs for it.
    pub(super) fn next(parent: Option<String>) -> Self {
        Self {
            id: Some(NEXT.to_owned()),
            parent,
            shape: TaskViewOptions::whole(5),
            ..Self::default()
        }
    }

    fn choice(&self) -> Result<Choice<'_>> {
        let (id, asked, parent) = (
            filled(self.id.as_deref()),
            filled(self.user_request.as_deref()),
            filled(self.parent.as_deref()),
        );
        if parent.is_some() && id != Some(NEXT) {
            let message = "parent goes with id=\"next\" only";
            return Err(Error::invalid(message).hinted(Hint::call("task_start", next_call(parent))));
        }
        match (id, asked) {
            (Some(_), Some(_)) => Err(Error::invalid(
                "task_start takes id or user_request, not both",
            )),
            (None, None) => Err(Error::invalid("task_start requires id or user_request")),
            (Some(id), None) if self.has_texts() => {
                let message = "task_start(id) takes no description, design or acceptance; use task_update_meta";
                let (tool, call) = match id {
                    NEXT => ("task_start", format!("task_start(id=\"{NEXT}\")")),
                    id => ("task_progress", kept_call(id, self)),
                };
                Err(Error::invalid(message).hinted(Hint::call(tool, call)))
            }
            (Some(NEXT), None) => Ok(Choice::Next(parent)),
            (Some(id), None) => Ok(Choice::Id(id)),
            (None, Some(asked)) => Ok(Choice::Epic(asked)),
        }
    }

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

/// What `task_start` has started.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum TaskStarted {
    /// The issue that is in progress now.
    One(Box<TaskView>),
    /// Nothing: none was there that the caller may start.
    Nothing {
        /// The agent that has asked.
        you: String,
        /// What to do about it.
        hint: &'static str,
        #[serde(skip)]
        after: After,
    },
}

impl Answer for TaskStarted {
    fn kind(&self) -> AnswerKind {
        match self {
            Self::One(view) => view.kind(),
            Self::Nothing { .. } => AnswerKind::Empty,
        }
    }
    fn next(&self) -> Next {
        match self {
            Self::One(view) => view.next(),
            Self::Nothing { after, .. } => after.next(),
        }
    }
}

enum Choice<'r> {
    Epic(&'r str),
    /// The most urgent issue that can be started, of an epic where one is named.
    Next(Option<&'r str>),
    Id(&'r str),
}

/// Starts an issue, the next one that can be started, or a new epic.
pub(crate) fn start(tracker: &Tracker, request: &TaskStart) -> Result<TaskStarted> {
    request.shape.check()?;
    let choice = request.choice()?;
    if let Choice::Epic(asked) = choice {
        let begin = |tx: &mut Tx<'_>| begin(tx, &request.asked(asked));
        let started = tracker.write(begin, |uid, view| {
            let shown = TaskView::new(view, uid, &request.shape)?;
            let started = shown.started(tracker, true, ClaimOutcome::default());
            Ok(TaskStarted::One(Box::new(started)))
        })?;
        // It works for a user now, who says what comes after that.
        tracker.note_queue(false);
        return Ok(started);
    }
    let is_none = Cell::new(false);
    let started = start_chosen(tracker, &|tx| chosen(tx, &choice, &is_none), false);
    if started.is_err() && is_none.get() {
        let has_own = tracker.read(|view| Ok(!own_work(view, &[])?.is_empty()))?;
        return Ok(TaskStarted::Nothing {
            you: tracker.party().to_string(),
            after: After::Free {
                has_own,
                claimable: false,
            },
            hint: "nothing there can be started: task_list(mode=\"blocked\") says what waits",
        });
    }
    let started = started.map_err(|error| match choice {
        Choice::Id(id) => about(error, id),
        _ => error,
    })?;
    if let Choice::Next(None) = choice {
        tracker.note_queue(true);
    }
    // A question of its own: with the word of the remote the state can be a later one than that of the start.
    tracker.read(|view| {
        let uid = view.find_one(&started.issue.id)?;
        let shown = TaskView::new(view, uid, &request.shape)?;
        let shown = shown.started(tracker, false, started.outcome());
        Ok(TaskStarted::One(Box::new(shown.kept_at(&started))))
    })
}

/// Returns the issue to start; notes where there is none.
fn chosen(tx: &Tx<'_>, choice: &Choice<'_>, is_none: &Cell<bool>) -> Result<Uid> {
    let parent = match choice {
        Choice::Id(id) | Choice::Epic(id) => return tx.find(id),
        Choice::Next(parent) => parent.map(|id| tx.find(id)).transpose()?,
    };
    // Chosen under the lock: two that take the next one get different ones.
    let row = first_claimable(&tx.view, parent)?;
    is_none.set(row.is_none());
    let nothing = || Error::new(Code::NothingReady, "nothing there can be started");
    let row = row.ok_or_else(nothing)?;
    Ok(row.uid)
}

fn next_call(parent: Option<&str>) -> String {
    format!("task_start(id=\"{NEXT}\", parent={})", Value::from(parent))
}

/// Returns the call that keeps a text of a request as a finding: the texts of the issue are not replaced for it.
fn kept_call(id: &str, request: &TaskStart) -> String {
    let texts = [
        ("description", &request.description),
        ("design", &request.design),
        ("acceptance", &request.acceptance),
    ];
    let given = texts
        .into_iter()
        .find_map(|(name, text)| Some((name, filled(text.as_deref())?)));
    let (name, text) = given.unwrap_or(("design", "..."));
    let text = shortened(text, 200).unwrap_or_else(|| text.to_owned());
    format!(
        "task_progress(id={}, findings=[{}])",
        Value::from(id),
        Value::from(format!("{name}: {text}"))
    )
}
