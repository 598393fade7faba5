//! `task_status`: an issue, after a wait for news of it where that is asked for, or all that are in progress.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::owned;
use super::view::{TaskView, TaskViewOptions, WaitedView};
use crate::mcp::tool::CallContext;
use crate::ops::answer::{After, Answer, AnswerKind, ClaimView, Next, Summary};
use crate::ops::shared::next_ready::free;
use crate::ops::shared::query::in_progress;
use crate::ops::verbs::wait::{Until, WaitRequest, Waited};
use crate::ops::{Error, Hint, Result};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskStatus {
    id: Option<String>,
    wait: Option<i64>,
    #[serde(flatten)]
    shape: TaskViewOptions,
}

/// One issue, or all that is in progress.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum TaskStatusView {
    One(Box<TaskView>),
    /// None yet: the call waits on, and this is not sent.
    Pending {},
    /// All that is in progress.
    All {
        /// The repository, where it is not the obvious one.
        #[serde(skip_serializing_if = "Option::is_none")]
        repo: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        issues: Vec<Summary>,
        /// Their claims, by id.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        claims: BTreeMap<String, ClaimView>,
        you: String,
        /// Hint for when there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<&'static str>,
        #[serde(skip)]
        after: After,
    },
}

impl Answer for TaskStatusView {
    fn kind(&self) -> AnswerKind {
        match self {
            Self::One(_) | Self::Pending {} => AnswerKind::Issue,
            Self::All { issues, .. } if issues.is_empty() => AnswerKind::Empty,
            Self::All { .. } => AnswerKind::Summary,
        }
    }
    fn next(&self) -> Next {
        match self {
            Self::One(view) => view.next(),
            Self::Pending {} => After::WaitOver.next(),
            Self::All { after, .. } => after.next(),
        }
    }
}

/// Hints where nothing is in progress.
const NOTHING: &str = "nothing is in progress: ask whether to start a new epic";
const READY: &str = "nothing is in progress: task_start(id=\"next\") takes what is ready, or ask whether to start a new epic";

/// Returns the wait for news of an issue.
fn news_of(id: Option<&String>) -> Result<WaitRequest> {
    let one = "task_status(id=\"ID\", wait=50)";
    let missing = || {
        Error::invalid("Missing required fields: id, which wait is for")
            .hinted(Hint::call("task_status", one))
    };
    Ok(WaitRequest {
        ids: vec![id.ok_or_else(missing)?.clone()],
        until: Until::News,
        all: false,
    })
}

/// Returns an issue, after a wait for news of it where that is asked for, or all that are in progress.
pub(crate) fn status(call: &CallContext<'_>, request: &TaskStatus) -> Result<TaskStatusView> {
    request.shape.check()?;
    let (tracker, says_repo) = (call.tracker, call.says_repo);
    let id = owned(request.id.as_deref());
    let waited = match request.wait.filter(|seconds| *seconds > 0) {
        Some(seconds) => {
            let waited = call
                .waiting
                .look(tracker, &news_of(id.as_ref())?, seconds)?;
            let Some(waited) = waited else {
                return Ok(TaskStatusView::Pending {});
            };
            Some(waited)
        }
        None => None,
    };
    tracker.read(|view| match &id {
        Some(id) => {
            let uid = view.find(id)?;
            let one = TaskView::new(view, uid, &request.shape)?.with_relations(view, uid)?;
            Ok(TaskStatusView::One(Box::new(after_wait(
                one,
                waited.as_ref(),
            ))))
        }
        None => {
            let issues = in_progress(view)?
                .into_iter()
                .map(|row| Summary::with_ready_children(view, row))
                .collect::<Result<Vec<_>>>()?;
            let after = free(view)?;
            let hint = issues.is_empty().then_some(match after.next() {
                Next::StartNextReady => READY,
                _ => NOTHING,
            });
            let claims = ClaimView::all(tracker, issues.iter());
            Ok(TaskStatusView::All {
                you: tracker.party().to_string(),
                repo: says_repo.then(|| tracker.store().place().display().to_string()),
                after,
                claims,
                issues,
                hint,
            })
        }
    })
}

/// Says how a wait for news has ended, if there was one.
fn after_wait(mut view: TaskView, waited: Option<&Waited>) -> TaskView {
    if let Some(waited) = waited {
        let changed = !waited.reached.is_empty();
        view.waited = Some(WaitedView { changed });
        if waited.next() == Next::Retry {
            view.after = After::WaitOver;
        }
    }
    view
}
