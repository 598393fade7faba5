//! `conflicts`: values that were written at the same time and are not settled.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::conflicts::{Entry, of_issue};
use crate::ops::{Result, Tracker};

/// Values that were written at the same time as those shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Conflicts {
    /// The values.
    pub conflicts: Vec<Entry>,
}

impl Answer for Conflicts {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Whose conflicts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Of {
    /// One issue; all by default.
    #[schemars(description = "")]
    pub id: Option<String>,
}

/// Lists what is not settled, of one issue or of all.
pub(crate) fn conflicts(tracker: &Tracker, id: Option<&str>) -> Result<Conflicts> {
    tracker.read(|view| {
        let uids = match id {
            Some(id) => vec![view.find(id)?],
            None => view.index.conflicted()?,
        };
        let mut conflicts = Vec::new();
        for uid in uids {
            conflicts.extend(
                of_issue(view, &view.issue(uid)?)?
                    .into_iter()
                    .map(|(entry, _)| entry),
            );
        }
        Ok(Conflicts { conflicts })
    })
}
