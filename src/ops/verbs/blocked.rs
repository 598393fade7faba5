//! `blocked`: what waits for something, and for what.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::Fact;
use crate::ops::answer::{Answer, AnswerKind, ClaimView};
use crate::ops::shared::blockers::{BlockedRow, waiting};
use crate::ops::shared::query::{List, Query, check_no_groups, condition, no_past, page};
use crate::ops::{Result, Tracker};

/// Lists what waits for something.
pub fn blocked(tracker: &Tracker, query: &Query) -> Result<Blocked> {
    // It is about the present alone, however the past was asked for.
    if query.at.is_some() {
        return Err(no_past());
    }
    check_no_groups(query.group.as_deref())?;
    tracker.read(|view| {
        let blocked = condition(view, query)?.and(Fact::Blocked);
        let found = page(view, query, &blocked)?;
        let waiting = found.rows.iter().map(|row| waiting(view, row));
        let mut waiting: Vec<BlockedRow> = waiting.collect::<Result<_>>()?;
        let summaries = waiting.iter_mut().map(|row| &mut row.summary);
        ClaimView::add(tracker, summaries);
        let List {
            total_count,
            returned,
            truncated,
            hint,
            ..
        } = List::new(tracker, found, query.offset);
        Ok(Blocked {
            issues: waiting,
            total_count,
            returned,
            truncated,
            hint,
        })
    })
}

/// A page of issues that wait.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Blocked {
    /// The issues, each with what it waits for.
    pub issues: Vec<BlockedRow>,
    /// How many there are in all.
    pub total_count: u64,
    /// How many are here.
    pub returned: usize,
    /// Whether there are more.
    pub truncated: bool,
    /// How to see the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Answer for Blocked {
    fn kind(&self) -> AnswerKind {
        if self.issues.is_empty() {
            AnswerKind::Empty
        } else {
            AnswerKind::Summary
        }
    }
}
