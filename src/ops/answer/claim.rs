//! Who works on the issues of an answer.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::summary::{Moment, Summary};
use crate::model::Party;
use crate::model::status::IN_PROGRESS;
use crate::ops::Tracker;

/// The claim of an issue in an answer: its holder, and since when.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ClaimView {
    /// The person, or the agent as `person/agent`.
    by: String,
    /// Its time.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Moment>,
    /// True if the caller holds it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) mine: bool,
}

impl ClaimView {
    /// Returns the claim of an issue; none unless it is in progress and has an assignee.
    pub(crate) fn of(issue: &Summary, caller: &Party) -> Option<Self> {
        let holder = issue.party().filter(|_| issue.status == IN_PROGRESS)?;
        Some(Self {
            by: holder.to_string(),
            since: issue.since.map(Moment),
            mine: holder == *caller,
        })
    }

    /// Returns the claims of the issues that have one, by id.
    pub(crate) fn all<'a>(
        tracker: &Tracker,
        issues: impl Iterator<Item = &'a Summary>,
    ) -> BTreeMap<String, Self> {
        let held: Vec<&Summary> = issues.filter(|issue| issue.status == IN_PROGRESS).collect();
        // Who calls is looked up only where something is in progress.
        if held.is_empty() {
            return BTreeMap::new();
        }
        let caller = tracker.party();
        let claim = |issue: &Summary| Some((issue.id.clone(), Self::of(issue, &caller)?));
        held.into_iter().filter_map(claim).collect()
    }
}
