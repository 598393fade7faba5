//! The rows of an inbox.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Evidence, Uid};
use crate::ops::answer::{Question, Summary};
use crate::ops::shared::active::Active;
use crate::ops::shared::conflicts;
use crate::ops::shared::news::NewsSummary;

/// A repository that was asked for what needs the caller.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct AskedRepo {
    /// Its name in this answer.
    pub repo: String,
    /// The path of its folder.
    pub path: String,
    /// The reason for which it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The command that leads on then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A question that waits for an answer, and its issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct OpenQuestion {
    /// The repository, where several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The issue that asks.
    pub issue: String,
    /// Its identity.
    #[serde(skip)]
    pub uid: Option<Uid>,
    /// The title of the issue.
    pub title: String,
    /// Its priority.
    #[serde(skip)]
    pub priority: i64,
    /// The question as `show` has it.
    #[serde(flatten)]
    pub question: Question,
    /// True if the caller can answer it: a person, or an agent that is asked itself.
    #[serde(skip)]
    pub is_for_caller: bool,
}

/// The reason for which an issue needs a person; those of greater urgency come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NeedReason {
    /// It has the label `human`, or is blocked for a reason.
    Person,
    /// A field was changed by two at the same time.
    Conflict,
    /// An agent has closed it and no one has accepted that, or it is open and has the label `review`.
    Review,
    /// A commit on the default branch closes it, and it is open.
    Landed,
    /// Its agent has left it, its lease is over, or nothing has happened for days.
    Stale,
}

impl NeedReason {
    /// All reasons, in their order.
    pub(crate) const ALL: [Self; 5] = [
        Self::Person,
        Self::Conflict,
        Self::Review,
        Self::Landed,
        Self::Stale,
    ];
}

/// An issue that needs a person.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Need {
    /// The repository, where several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The reason for it.
    pub reason: NeedReason,
    /// The id of the issue.
    pub issue: String,
    /// Its identity.
    #[serde(skip)]
    pub uid: Option<Uid>,
    /// The title of the issue.
    pub title: String,
    /// Its priority.
    #[serde(skip)]
    pub priority: i64,
    /// The time of the value, else of the last change of the issue.
    pub at: String,
    /// The reason for which it is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_for: Option<String>,
    /// The values of the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<conflicts::Entry>,
    /// What is to be accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub close: Option<CloseToAccept>,
    /// The commit that closes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Its subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The claim, and its last activity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<Box<Active>>,
}

/// What an agent said when it closed an issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct CloseToAccept {
    /// The agent, as `person/agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Evidence that it is done.
    #[serde(skip_serializing_if = "Evidence::is_empty")]
    pub evidence: Evidence,
}

/// An issue in progress.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct AtWork {
    /// The repository, where several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    #[serde(flatten)]
    pub active: Active,
}

/// Changes by others in a repository since the last `whats-new` of the caller.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Changed {
    /// The repository, where several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The time of that look.
    pub since: String,
    #[serde(flatten)]
    pub news: NewsSummary,
}

/// An issue that can be started.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct NextIssue {
    /// The repository, where several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Number of issues that wait for it.
    #[serde(skip_serializing_if = "is_zero")]
    pub unblocks: u64,
    #[serde(flatten)]
    pub summary: Summary,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Need {
    /// Returns a row of a reason, of no issue yet.
    pub(super) fn new(reason: NeedReason) -> Self {
        Self {
            repo: None,
            reason,
            issue: String::new(),
            uid: None,
            title: String::new(),
            priority: 0,
            at: String::new(),
            blocked_for: None,
            conflict: None,
            close: None,
            commit: None,
            subject: None,
            holder: None,
        }
    }
}
