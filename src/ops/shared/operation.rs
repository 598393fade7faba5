//! An operation, as the history lists it.

use schemars::JsonSchema;
use serde::Serialize;

use super::issue_diff::IssueChange;
use super::news::{Said, is_speaking, said_by};
use crate::index::OpRecord;
use crate::model::{Context, Party, Uid, time};
use crate::ops::{Result, View};

/// One command that changed something.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Operation {
    /// Its commit.
    pub commit: String,
    /// When.
    pub at: String,
    /// Who.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub actor: String,
    /// The agent that acted for that person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What, in a line.
    pub subject: String,
    /// What it said: questions, answers, findings, decisions, comments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<Said>,
    /// Why, where an agent said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// The commits of the operations that it takes back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undoes: Vec<String>,
    /// What it changed, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<IssueChange>,
    /// Number of the issues that it changed and that are left out, where not all were asked for.
    #[serde(skip)]
    pub more: usize,
}

impl Operation {
    /// Returns who acted: the person, or the agent as `person/agent`.
    pub(crate) fn party(&self) -> Party {
        Party {
            person: self.actor.clone(),
            agent: self.agent.clone(),
        }
    }

    /// Returns an operation with what it said, of one issue or of all.
    pub(crate) fn with_words(view: &View<'_>, found: OpRecord, issue: Option<Uid>) -> Result<Self> {
        let said = match is_speaking(&found.subject) {
            true => {
                let commit = view.snapshot().store().ancestry().commit(found.commit)?;
                said_by(view, &commit, issue)?
            }
            false => Vec::new(),
        };
        let operation = Self::of(found);
        Ok(Self { said, ..operation })
    }

    /// An operation as the index knows it.
    pub(crate) fn of(operation: OpRecord) -> Self {
        Self {
            commit: operation.commit.to_string(),
            at: time::format(operation.at),
            actor: operation.actor,
            agent: operation.agent,
            subject: operation.subject,
            said: Vec::new(),
            context: operation.context,
            undoes: operation.undoes.iter().map(ToString::to_string).collect(),
            issues: Vec::new(),
            more: 0,
        }
    }
}
