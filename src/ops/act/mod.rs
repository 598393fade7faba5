//! Acts: one edit each, as a face sends it. An act is the request of a verb; what it does is written there.

mod can;
mod fields;
mod given;
mod guard;
mod memory;
mod outcome;
mod perform;
mod request;
mod status;
mod table;
#[cfg(test)]
mod tests;
mod way;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shared::note::Note;
use super::verbs::answer::AnswerRequest;
use super::verbs::dep::Dep;
use super::verbs::resolve::Resolve;
use super::verbs::start::Start;
use given::GivenFields;

pub(crate) use perform::perform_written;
pub use perform::{Acted, perform};
pub use request::ActRequest;
pub(crate) use table::ACTS;
pub(crate) use way::Way;

/// An edit. Its members are the long options of its verb, with `_`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Act {
    Answer(AnswerRequest),
    Ask(AskAct),
    Note(Note),
    Resolve(Resolve),
    Accept(IdsAct),
    Start(Start),
    Stop(IdsAct),
    Done(DoneAct),
    Reopen(ReasonAct),
    Block(ReasonAct),
    Unblock(IdsAct),
    Defer {
        ids: Vec<String>,
        until: Option<String>,
    },
    Update(UpdateAct),
    Create(CreateAct),
    Split {
        id: String,
        /// The children, as a list of Markdown or JSON.
        plan: String,
    },
    DepAdd(Dep),
    DepRm(Dep),
    Label(LabelAct),
    Delete(ReasonAct),
    Restore(IdsAct),
    Undo(CommitAct),
    /// By the commit of the undo.
    Redo(CommitAct),
}

/// Issues alone.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct IdsAct {
    ids: Vec<String>,
}

/// Issues, and perhaps a reason.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct ReasonAct {
    ids: Vec<String>,
    reason: Option<String>,
}

/// A commit to take back.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct CommitAct {
    commit: String,
}

/// New values of fields.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct UpdateAct {
    ids: Vec<String>,
    #[serde(flatten)]
    fields: GivenFields,
}

/// A new issue.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct CreateAct {
    /// Issues that it waits for, or `type:id`.
    #[serde(default)]
    on: Vec<String>,
    dep_type: Option<String>,
    #[serde(flatten)]
    fields: GivenFields,
}

/// A question.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct AskAct {
    id: String,
    text: String,
    #[serde(default)]
    option: Vec<String>,
    to: Option<String>,
}

/// The end of work, with its reason and evidence.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct DoneAct {
    ids: Vec<String>,
    reason: Option<String>,
    commit: Option<String>,
    pr: Option<String>,
    file: Option<String>,
}

/// Labels to add and to remove.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct LabelAct {
    ids: Vec<String>,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    rm: Vec<String>,
}

/// The kind of an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ActKind {
    Answer,
    Ask,
    Note,
    Resolve,
    Accept,
    Start,
    Stop,
    Done,
    Reopen,
    Block,
    Unblock,
    Defer,
    Update,
    Create,
    Split,
    DepAdd,
    DepRm,
    Label,
    Delete,
    Restore,
    Undo,
    Redo,
}

/// A sentence for a person, and the act that helps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Remark {
    pub text: String,
    pub act: Option<ActKind>,
    /// What that act does, as in "reopens".
    #[serde(skip_serializing_if = "str::is_empty")]
    pub does: &'static str,
}

impl Remark {
    fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            act: None,
            does: "",
        }
    }

    fn act(text: impl Into<String>, act: ActKind, does: &'static str) -> Self {
        Self {
            text: text.into(),
            act: Some(act),
            does,
        }
    }

    /// Returns it as a sentence in which a face names the act, as by its key.
    pub(crate) fn sentence(&self, name: impl Fn(ActKind) -> String) -> String {
        let help = self.act.map(|act| format!("`{}` {}", name(act), self.does));
        match help {
            Some(help) if self.text.is_empty() => help,
            Some(help) => format!("{}: {help}", self.text),
            None => self.text.clone(),
        }
    }
}
