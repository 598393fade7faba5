//! The review of what an agent has closed: a person accepts it, or opens the issue again. The register holds for one close.

use serde_json::json;

use super::issue::REVIEW;
use super::{Issue, Status, Writer, time};

/// The label by which an open issue asks for a review.
pub(crate) const REVIEW_LABEL: &str = "review";
/// The label of an issue that waits for a person.
pub(crate) const HUMAN_LABEL: &str = "human";

/// Stamp of the close that was accepted.
const OF: &str = "of";
/// Actor and time of that close: by these it is known where an undo has brought it back under another stamp.
const CLOSED_BY: &str = "closed_by";
const CLOSED_AT: &str = "closed_at";
const COMMIT: &str = "commit";

/// The word of a person that an issue is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Acceptance {
    pub(crate) by: String,
    /// Time in milliseconds.
    pub(crate) at: u64,
    /// The commit that was to be accepted.
    pub(crate) commit: Option<String>,
}

impl Issue {
    /// Returns who has accepted that it is closed; none where it is open, or was closed again since.
    pub(crate) fn acceptance(&self) -> Option<Acceptance> {
        let register = self.blob().registers.get(REVIEW)?;
        let close = self.blob().registers.get("status")?;
        let value = &register.value;
        let is_same = value[OF].as_str() == Some(&close.at.to_string());
        let is_back = close.when.is_some()
            && value[CLOSED_BY].as_str() == Some(&close.by)
            && value[CLOSED_AT].as_str() == Some(&time::format(close.written()));
        let is_valid = self.status() == Status::Closed && (is_same || is_back);
        is_valid.then(|| Acceptance {
            by: register.by.clone(),
            at: register.written(),
            commit: value[COMMIT].as_str().map(str::to_owned),
        })
    }

    /// Notes that the writer accepts the present close.
    pub(crate) fn accept(&mut self, writer: &Writer) {
        let Some(close) = self.blob().registers.get("status") else {
            return;
        };
        let mut value = json!({
            OF: close.at.to_string(),
            CLOSED_BY: close.by,
            CLOSED_AT: time::format(close.written()),
        });
        if let Some(commit) = self.state().evidence.commit {
            value[COMMIT] = commit.into();
        }
        self.blob_mut().set(writer, REVIEW, value);
    }

    /// Returns whether an agent has closed it and no one has accepted that.
    pub(crate) fn is_to_be_accepted(&self) -> bool {
        self.status() == Status::Closed
            && self.state().agent.is_some()
            && self.acceptance().is_none()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::join::join;
    use crate::model::{Stamp, StatusRegister};

    fn writer(n: u64) -> Writer {
        Writer {
            at: Stamp::after(Stamp::default(), n, 1),
            by: format!("w{n}"),
            millis: n,
        }
    }

    fn closed(at: u64, agent: Option<&str>) -> Issue {
        let mut issue = Issue::new(writer(1).at, &writer(1));
        issue.set_title(&writer(1), "One").unwrap();
        close(&mut issue, at, agent);
        issue
    }

    fn close(issue: &mut Issue, at: u64, agent: Option<&str>) {
        let state = StatusRegister {
            agent: agent.map(str::to_owned),
            ..StatusRegister::new(Status::Closed, None)
        };
        issue.set_state(&writer(at), &state);
    }

    #[test]
    fn what_a_person_has_closed_is_not_to_be_accepted() {
        assert!(!closed(2, None).is_to_be_accepted());
        assert!(closed(2, Some("bot")).is_to_be_accepted());
    }

    proptest! {
        #[test]
        fn an_acceptance_is_of_one_close(accepted in 3_u64..50, later in 51_u64..99) {
            let mut issue = closed(2, Some("bot"));
            issue.accept(&writer(accepted));
            let acceptance = issue.acceptance().unwrap();
            prop_assert_eq!((acceptance.by, acceptance.at), (format!("w{accepted}"), accepted));
            // Elsewhere it was opened and closed again.
            let mut other = closed(2, Some("bot"));
            other.set_state(&writer(later), &StatusRegister::new(Status::Open, None));
            close(&mut other, later + 1, Some("bot"));
            let joined = join(issue.blob(), other.blob());
            let joined = Issue::from_blob(issue.uid(), joined);
            prop_assert!(joined.is_to_be_accepted());
        }
    }
}
