//! The claim of an issue in an answer.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::moment::Moment;

/// A claim that a remote has confirmed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct RemoteLease {
    /// The remote.
    pub remote: String,
    /// The time without a sign of its holder after which it is over, where it has one: `30m`.
    #[serde(
        rename = "lease",
        serialize_with = "in_minutes",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub minutes: Option<u32>,
}

#[expect(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn in_minutes<S: Serializer>(minutes: &Option<u32>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{}m", minutes.unwrap_or_default()))
}

/// The claim of an issue in an answer: its holder, and since when.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ClaimView {
    /// The person, or the agent as `person/agent`.
    pub(super) by: String,
    /// Its time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<Moment>,
    /// True if the caller holds it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) mine: bool,
    /// The time since the agent last did something on this machine, where that is known of another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) last_activity: Option<String>,
    /// `gone` where the client of the agent has ended on this machine, `ended` where its session has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) activity: Option<&'static str>,
    /// The remote that has confirmed it just now.
    #[serde(flatten)]
    pub(crate) lease: Option<RemoteLease>,
    /// True where the remote has not taken it yet: another one may have been first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) tentative: bool,
}

impl ClaimView {
    /// Returns what is to be said behind the holder: that the agent has left, or how long it did nothing, as a time behind
    /// `idle`; and that the claim is tentative.
    pub(crate) fn remarks(&self, idle: &str) -> impl Iterator<Item = String> {
        let tentative = self.tentative.then(|| "tentative".to_owned());
        self.activity(idle).into_iter().chain(tentative)
    }

    /// Returns whether its agent has left it, or its lease is over.
    pub(crate) fn is_left(&self) -> bool {
        self.activity.is_some()
    }

    fn activity(&self, idle: &str) -> Option<String> {
        let time = self.last_activity.as_ref();
        let time = time.map(|time| format!("{idle}{time}"));
        self.activity.map(str::to_owned).or(time)
    }
}
