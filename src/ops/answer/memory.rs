//! The memory of an issue, by kind.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Memory, MemoryKind, Party, time};

/// An entry of memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// Its id; the end of it is enough for `redact`.
    pub id: String,
    /// What it says.
    pub text: String,
    /// Who said it.
    pub by: String,
    /// The agent that said it for that person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// When.
    pub at: String,
}

/// A question, and its answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Question {
    /// The question as an entry.
    #[serde(flatten)]
    pub entry: Entry,
    /// The person or agent that is asked; anybody where none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The answers that it offers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The person who gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// The time of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<String>,
}

impl Question {
    /// Returns a question as it is in the memory.
    pub(crate) fn of(memory: &Memory) -> Self {
        let (answer, register) = memory.answer().unzip();
        Self {
            entry: Entry::of(memory),
            to: memory.to().map(str::to_owned),
            options: memory.options().into_iter().map(str::to_owned).collect(),
            answer: answer.map(str::to_owned),
            answered_by: register.map(|register| register.by.clone()),
            answered_at: memory.answered().map(time::format),
        }
    }
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
    /// Questions to people, and their answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) questions: Vec<Question>,
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
    /// Questions.
    #[serde(skip_serializing_if = "is_zero")]
    pub questions: usize,
}

impl More {
    /// Returns how many they are together.
    pub(crate) fn total(&self) -> usize {
        self.findings + self.decisions + self.comments + self.questions
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
pub(crate) const fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Entry {
    fn of(memory: &Memory) -> Self {
        Self {
            id: memory.uid().to_string(),
            text: memory.text().to_owned(),
            by: memory.by().to_owned(),
            agent: memory.agent().map(str::to_owned),
            at: time::format(memory.at()),
        }
    }

    /// Returns who said it: the person, or the agent as `person/agent`.
    pub(crate) fn party(&self) -> Party {
        Party {
            person: self.by.clone(),
            agent: self.agent.clone(),
        }
    }
}

impl MemoryView {
    /// Sorts entries by kind and keeps the newest `limit` of each.
    pub(crate) fn new(memory: &[Memory], limit: usize) -> Self {
        let (findings, more_findings) = newest(memory, MemoryKind::Finding, limit, Entry::of);
        let (decisions, more_decisions) = newest(memory, MemoryKind::Decision, limit, Entry::of);
        let (comments, more_comments) = newest(memory, MemoryKind::Comment, limit, Entry::of);
        let (questions, more_questions) = newest(memory, MemoryKind::Question, limit, Question::of);
        let more = More {
            findings: more_findings,
            decisions: more_decisions,
            comments: more_comments,
            questions: more_questions,
        };
        let truncated = more.total() > 0;
        Self {
            findings,
            decisions,
            comments,
            questions,
            truncated,
            more: truncated.then_some(more),
        }
    }

    /// Returns true if there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.findings.is_empty()
            && self.decisions.is_empty()
            && self.comments.is_empty()
            && self.questions.is_empty()
    }
}

/// Returns the newest `limit` entries of a kind, oldest first, and how many are left out.
fn newest<T>(
    memory: &[Memory],
    kind: MemoryKind,
    limit: usize,
    shown: fn(&Memory) -> T,
) -> (Vec<T>, usize) {
    let is_shown = |entry: &&Memory| entry.kind() == kind && !entry.is_redacted();
    let all: Vec<&Memory> = memory.iter().filter(is_shown).collect();
    let left_out = all.len().saturating_sub(limit);
    // Oldest first, so what is left out is at the beginning.
    let kept = all[left_out..].iter().map(|entry| shown(entry));
    (kept.collect(), left_out)
}
