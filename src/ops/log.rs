//! `log`: what was done, newest first.

use schemars::JsonSchema;
use serde::Serialize;

use super::view::{Answer, Kind};
use super::{Result, Tracker};
use crate::model::{Context, time};

/// Operations, newest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Log {
    /// The operations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<Operation>,
}

/// One command that changed something.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Operation {
    /// Its commit.
    pub commit: String,
    /// When.
    pub at: String,
    /// Who.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub actor: String,
    /// What, in a line.
    pub subject: String,
    /// Why, where an agent said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
}

impl Answer for Log {
    fn kind(&self) -> Kind {
        Kind::Report
    }
}

/// Lists the operations on an issue, or on all; `limit` 0 means all of them.
///
/// # Errors
/// Not found, or a history that can't be read.
pub fn log(tracker: &Tracker, id: Option<&str>, limit: usize) -> Result<Log> {
    tracker.read(|view| {
        let uid = id.map(|id| view.find(id)).transpose()?;
        let operations = view.index.operations(uid, limit)?.into_iter().map(|operation| Operation {
            commit: operation.commit,
            at: time::format(operation.at),
            actor: operation.actor,
            subject: operation.subject,
            context: operation.context,
        });
        Ok(Log { operations: operations.collect() })
    })
}
