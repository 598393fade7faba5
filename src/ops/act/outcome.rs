//! The words for what an act has done.

use super::Remark;
use crate::ops::shared::edit::Updated;
use crate::ops::shared::question::brief;

/// Issues that are named of those that an act is about.
const MOST_NAMED: usize = 3;

/// What a verb has done, to be said.
#[derive(Default)]
pub(super) struct ActOutcome {
    /// The issues that are named.
    pub(super) ids: Vec<String>,
    pub(super) what: String,
    pub(super) remarks: Vec<String>,
    pub(super) next: Option<Remark>,
}

impl ActOutcome {
    pub(super) fn of(id: &str, what: String) -> Self {
        Self {
            ids: vec![id.to_owned()],
            what,
            ..Self::default()
        }
    }

    pub(super) fn of_all(updated: Updated, what: impl Into<String>) -> Self {
        let mut remarks = updated.remarks;
        remarks.extend(ended(&updated.auto_closed));
        Self {
            ids: updated.issues.into_iter().map(|issue| issue.id).collect(),
            what: what.into(),
            remarks,
            next: None,
        }
    }
}

/// Says of epics that they ended with their last child.
pub(super) fn ended(epics: &[String]) -> impl Iterator<Item = String> {
    let epics = epics.iter();
    epics.map(|id| format!("{id} is closed with its last child"))
}

/// Returns the first ids, and how many more there are.
pub(super) fn names(ids: &[String]) -> String {
    let more = ids.len().saturating_sub(MOST_NAMED);
    let first = ids[..ids.len() - more].join(", ");
    match more {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Says what was done, and why where that was given.
pub(super) fn with_reason(what: &str, reason: Option<&str>) -> String {
    match reason.map(brief) {
        Some(reason) if !reason.is_empty() => format!("{what}: {reason}"),
        _ => what.to_owned(),
    }
}
