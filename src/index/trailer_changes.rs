//! Status changes as the message of a commit names them, for its operation's record.

use crate::model::{StatusChange, StatusChanges, Uid, status_change};
use crate::store::Commit;

/// The status changes that the trailers of a commit name.
pub(super) enum TrailerChanges {
    These(StatusChanges),
    /// The same change for all issues.
    All(&'static str),
    /// Not named: they follow from the states.
    Nothing,
}

impl TrailerChanges {
    pub(super) fn by(commit: &Commit) -> Self {
        if commit.is_merge() {
            return Self::All("");
        }
        if let Some(turns) = commit.trailer(status_change::TRAILER) {
            return Self::These(StatusChanges::parse(turns));
        }
        match (commit.trailer("Issues"), commit.subject.split(' ').next()) {
            (None | Some("*"), _) | (_, Some("undo" | "carried:")) => Self::Nothing,
            (_, Some("start")) => Self::All("open>in_progress"),
            (_, Some("reopen")) => Self::All("closed>open"),
            _ => Self::All(""),
        }
    }

    /// Returns the change of one of its issues as it is stored: none is not known yet, empty is no change.
    pub(super) fn of(&self, uid: Uid) -> Option<String> {
        match self {
            Self::These(turns) => Some(
                turns
                    .get(uid)
                    .map(StatusChange::to_text)
                    .unwrap_or_default(),
            ),
            Self::All(text) => Some((*text).to_owned()),
            Self::Nothing => None,
        }
    }
}
