//! `diff`: what happened to the issues between two states.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::issue_diff::{ChangeKind, DiffDetail, IssueChange, describe_between};
use crate::ops::{Command, Error, Result, Tracker};

/// Two states and what lies between them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Diff {
    /// The commit of the first.
    pub from: String,
    /// The commit of the second.
    pub to: String,
    /// The issues that differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<IssueChange>,
}

impl Answer for Diff {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Compares two states: `A..B`, or `A` for what has happened since.
pub(crate) fn diff(tracker: &Tracker, range: &str, detail: DiffDetail) -> Result<Diff> {
    let (from, to) = range.split_once("..").unwrap_or((range, ""));
    if to.starts_with('.') {
        let message = "`A...B` is not taken; `A..B` compares two states";
        let range = format!("{from}..{}", to.trim_start_matches('.'));
        return Err(Error::invalid(message).hinted(Command::of("diff").word(range)));
    }
    let named = |text: &str| {
        if text.trim().is_empty() {
            "@".to_owned()
        } else {
            text.to_owned()
        }
    };
    tracker.read(|view| {
        let state = |text: &str| view.state_at(&named(text)).map(|(state, _)| state);
        let (from, to) = (state(from)?, state(to)?);
        let mut issues = describe_between(view, &from, &to, detail)?;
        issues.retain(|issue| issue.what != ChangeKind::Changed || !issue.changes.is_empty());
        Ok(Diff {
            from: from.commit().to_string(),
            to: to.commit().to_string(),
            issues,
        })
    })
}
