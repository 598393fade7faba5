//! Who works on the issues of an answer.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::summary::{Moment, Summary};
use crate::model::status::IN_PROGRESS;
use crate::model::{Party, time};
use crate::ops::Tracker;
use crate::store::agents::Departure;

/// A claim that a remote keeps.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct RemoteLease {
    /// The remote.
    pub remote: String,
    /// Its number, raised by each takeover: what it guards can refuse an older one.
    pub fence: u64,
    /// The minutes without a sign of its holder after which it is over.
    pub minutes: u32,
}

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
    /// The time since the agent last did something on this machine, where that is known of another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_activity: Option<String>,
    /// `gone` where the client of the agent has ended on this machine, `ended` where its session has.
    #[serde(skip_serializing_if = "Option::is_none")]
    activity: Option<&'static str>,
    /// The remote that keeps it, where one does and that was asked for.
    #[serde(flatten)]
    pub(crate) lease: Option<RemoteLease>,
    /// True where the remote could not be asked: another one may have been first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) tentative: bool,
}

impl ClaimView {
    /// Returns the claim of an issue; none unless it is in progress and has an assignee.
    pub(crate) fn of(issue: &Summary, tracker: &Tracker, caller: &Party) -> Option<Self> {
        let holder = issue.party().filter(|_| issue.status == IN_PROGRESS)?;
        let mine = holder == *caller;
        let (person, agents) = (&holder.person, tracker.store().agents());
        let other = holder.agent.as_ref().filter(|_| !mine);
        let idle = other.and_then(|agent| agents.idle(person, agent));
        let left = other.and_then(|agent| agents.has_left(person, agent));
        Some(Self {
            by: holder.to_string(),
            since: issue.since.map(Moment),
            mine,
            last_activity: idle.and_then(|idle| last_activity(idle.as_secs())),
            activity: left.map(Departure::word),
            lease: None,
            tentative: false,
        })
    }

    /// Returns the claim of the caller, who has just started the issue.
    pub(crate) fn own(issue: &Summary) -> Option<Self> {
        Some(Self {
            by: issue.party()?.to_string(),
            since: issue.since.map(Moment),
            mine: true,
            last_activity: None,
            activity: None,
            lease: None,
            tentative: false,
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
        let claim = |issue: &Summary| Some((issue.id.clone(), Self::of(issue, tracker, &caller)?));
        held.into_iter().filter_map(claim).collect()
    }
}

/// Returns the words for a time without activity; none for what is shorter than a minute.
fn last_activity(seconds: u64) -> Option<String> {
    (seconds >= 60).then(|| time::ago(0, seconds * 1000))
}
