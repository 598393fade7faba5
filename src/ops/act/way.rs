//! The acts by which a card moves from one column of the board to another.

use schemars::JsonSchema;
use serde::Serialize;

use super::ActKind;
use crate::model::status::IN_PROGRESS;

/// The act by which a card moves to another column.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct Way {
    pub(crate) act: ActKind,
    /// What it does, as it is said while a card is over a column.
    pub(crate) words: &'static str,
}

impl Way {
    /// Returns how a card moves from one column to another, by their keys; none where no act does that.
    pub(crate) fn between(from: &str, to: &str) -> Option<Self> {
        let (act, words) = match (from, to) {
            _ if from == to => return None,
            ("review", "done") => (ActKind::Accept, "accept"),
            ("done", "review") => return None,
            ("review" | "done", _) => (ActKind::Reopen, "reopen, asks why"),
            (IN_PROGRESS, "ready") => (ActKind::Stop, "let go"),
            ("blocked", "ready") => (ActKind::Unblock, "unblock"),
            (_, IN_PROGRESS) => (ActKind::Start, "start"),
            (_, "blocked") => (ActKind::Block, "block, asks why"),
            (_, "done") => (ActKind::Done, "close, asks why"),
            _ => return None,
        };
        Some(Self { act, words })
    }
}
