//! `labels`: the labels of issues.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::usage::{Usage, most_used};
use crate::ops::{Result, Tracker};

/// The labels of issues, most used first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LabelList {
    /// The labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Usage>,
}

impl Answer for LabelList {
    fn kind(&self) -> AnswerKind {
        match self.labels.is_empty() {
            true => AnswerKind::Empty,
            false => AnswerKind::Summary,
        }
    }
}

/// Lists the labels of issues; with `open` those of open issues alone.
pub(crate) fn labels(tracker: &Tracker, open: bool) -> Result<LabelList> {
    tracker.read(|view| {
        let mut labels = most_used(view.index.label_tallies()?);
        labels.retain(|label| !open || label.open > 0);
        Ok(LabelList { labels })
    })
}
