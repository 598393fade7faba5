//! A claim, as answers and refusals show it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Issue, Party, time};

/// Who works on an issue, and since when.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Held {
    /// The person, or the agent as `person/agent`.
    pub by: String,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// `gone` where the client of the agent has ended on this machine, `ended` where its session has, `stale` where its lease is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<&'static str>,
    /// The time since the agent last did something on this machine, where that is known and a minute or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_activity: Option<String>,
    /// The lease of a claim that the remote keeps for another clone: `30m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<String>,
}

impl Held {
    /// Returns the claim of an issue, by its holder.
    pub(super) fn of(issue: &Issue, holder: &Party, activity: Option<&'static str>) -> Self {
        Self {
            by: holder.to_string(),
            session: holder.agent.clone(),
            since: issue.started().map(time::format),
            activity,
            last_activity: None,
            lease: None,
        }
    }
}
