//! The memory of an issue, by kind.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Memory, MemoryKind, time};

/// An entry of memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// Its id; the end of it is enough for `redact`.
    pub id: String,
    /// What it says.
    pub text: String,
    /// Who said it.
    pub by: String,
    /// When.
    pub at: String,
}

/// The memory of an issue, oldest first.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct MemoryView {
    /// Facts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Entry>,
    /// Choices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Entry>,
    /// Anything else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Entry>,
    /// Whether a limit left some out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// How many, by kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<More>,
}

/// How many entries a limit left out.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct More {
    /// Findings.
    #[serde(skip_serializing_if = "is_zero")]
    pub findings: usize,
    /// Decisions.
    #[serde(skip_serializing_if = "is_zero")]
    pub decisions: usize,
    /// Comments.
    #[serde(skip_serializing_if = "is_zero")]
    pub comments: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl MemoryView {
    /// Sorts entries by kind and keeps the newest `limit` of each.
    pub(crate) fn new(memory: &[Memory], limit: usize) -> Self {
        let of = |kind: MemoryKind| {
            let all: Vec<&Memory> = memory
                .iter()
                .filter(|entry| entry.kind() == kind && !entry.is_redacted())
                .collect();
            let left_out = all.len().saturating_sub(limit);
            let entry = |memory: &&Memory| Entry {
                id: memory.uid().to_string(),
                text: memory.text().to_owned(),
                by: memory.by().to_owned(),
                at: time::format(memory.at()),
            };
            (
                // Oldest first, so what is left out is at the beginning.
                all[left_out..].iter().map(entry).collect::<Vec<_>>(),
                left_out,
            )
        };
        let (findings, more_findings) = of(MemoryKind::Finding);
        let (decisions, more_decisions) = of(MemoryKind::Decision);
        let (comments, more_comments) = of(MemoryKind::Comment);
        let more = More {
            findings: more_findings,
            decisions: more_decisions,
            comments: more_comments,
        };
        let truncated = more.findings + more.decisions + more.comments > 0;
        Self {
            findings,
            decisions,
            comments,
            truncated,
            more: truncated.then_some(more),
        }
    }

    /// Returns true if there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.decisions.is_empty() && self.comments.is_empty()
    }
}
