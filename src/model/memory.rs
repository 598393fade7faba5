//! Memory of an issue: findings, decisions, comments, questions. Their text never changes.

use serde_json::Value;

use super::blob::{Blob, Loser, Register, Writer};
use super::claim::AGENT;
use super::stamp::Uid;

/// The register of the answer to a question: a text, or null while it is open.
pub(crate) const ANSWER: &str = "answer";
/// The marker of an answer where only comments exist.
pub(crate) const ANSWER_MARKER: &str = "ANSWER: ";
/// The register of the answers that a question offers.
const OPTIONS: &str = "options";
/// The register of the name of the person or agent that is asked.
const TO: &str = "to";

/// Kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryKind {
    /// A fact: observation, measurement, log.
    Finding,
    /// A choice with its reason.
    Decision,
    Comment,
    /// A question to people; a program that does not know the kind shows a comment.
    Question,
    /// A line of an import that belongs to no issue.
    Note,
}

impl MemoryKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Finding => "finding",
            Self::Decision => "decision",
            Self::Comment => "comment",
            Self::Question => "question",
            Self::Note => "memory",
        }
    }

    /// Reads the stored word; anything unknown is a comment.
    pub(crate) fn new(text: &str) -> Self {
        match text {
            "finding" => Self::Finding,
            "decision" => Self::Decision,
            "question" => Self::Question,
            "memory" => Self::Note,
            _ => Self::Comment,
        }
    }

    /// Returns the marker that the text begins with where only comments exist.
    pub(crate) fn marker(self) -> &'static str {
        match self {
            Self::Finding => "FINDING: ",
            Self::Decision => "KEY DECISION: ",
            Self::Question => "QUESTION: ",
            Self::Comment | Self::Note => "",
        }
    }
}

/// A question before it is asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewQuestion {
    pub(crate) text: String,
    /// The answers that it offers.
    pub(crate) options: Vec<String>,
    /// The name of the person or agent that is asked; anybody where there is none.
    pub(crate) to: Option<String>,
}

/// Splits a comment's text into kind and text, by its leading marker.
pub fn classify(text: &str) -> (MemoryKind, &str) {
    for kind in [MemoryKind::Finding, MemoryKind::Decision] {
        // Without its final space: people also write `FINDING:text`.
        if let Some(rest) = text.trim_start().strip_prefix(kind.marker().trim_end()) {
            return (kind, rest.trim());
        }
    }
    (MemoryKind::Comment, text)
}

/// Removes the marker of `kind` that agents like to repeat, and surrounding space.
pub fn clean(kind: MemoryKind, text: &str) -> &str {
    let text = text.trim();
    let marker = kind.marker().trim_end();
    if marker.is_empty() {
        text
    } else {
        text.strip_prefix(marker).map_or(text, str::trim)
    }
}

/// An entry of the memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    uid: Uid,
    blob: Blob,
}

impl Memory {
    pub fn new(uid: Uid, writer: &Writer, kind: MemoryKind, text: &str) -> Self {
        let mut blob = Blob::new(Some(uid), writer);
        blob.put(writer, "kind", kind.as_str().into());
        blob.put(writer, "text", text.into());
        Self { uid, blob }
    }

    /// Wraps a decoded blob from the path of `uid`.
    pub fn from_blob(uid: Uid, blob: Blob) -> Self {
        Self { uid, blob }
    }

    pub(crate) fn uid(&self) -> Uid {
        self.uid
    }

    pub fn blob(&self) -> &Blob {
        &self.blob
    }

    pub(crate) fn blob_mut(&mut self) -> &mut Blob {
        &mut self.blob
    }

    pub fn kind(&self) -> MemoryKind {
        MemoryKind::new(self.blob.text("kind").unwrap_or_default())
    }

    pub fn text(&self) -> &str {
        self.blob.text("text").unwrap_or_default()
    }

    pub fn by(&self) -> &str {
        &self.blob.origin.by
    }

    /// Says which agent wrote it, below the person.
    pub(crate) fn set_agent(&mut self, writer: &Writer, agent: &str) {
        self.blob.put(writer, AGENT, agent.into());
    }

    /// Returns the agent that wrote it, if one did.
    pub(crate) fn agent(&self) -> Option<&str> {
        self.blob.text(AGENT)
    }

    /// Writes the answers that a question offers and the name of who is asked; its text is written by [`Memory::new`].
    pub(crate) fn set_question(&mut self, writer: &Writer, question: &NewQuestion) {
        // Registers without a value are not written: most questions have neither.
        if !question.options.is_empty() {
            let options = question.options.as_slice();
            self.blob.put(writer, OPTIONS, options.into());
        }
        if let Some(name) = &question.to {
            self.blob.put(writer, TO, name.as_str().into());
        }
    }

    /// Returns the answers that a question offers.
    pub(crate) fn options(&self) -> Vec<&str> {
        let options = self.blob.value(OPTIONS).as_array().into_iter().flatten();
        options.filter_map(Value::as_str).collect()
    }

    /// Returns the name of the person or agent that is asked; anybody where there is none.
    pub(crate) fn to(&self) -> Option<&str> {
        self.blob.text(TO).filter(|name| !name.is_empty())
    }

    /// Returns the answer to a question, and the register that holds it.
    pub(crate) fn answer(&self) -> Option<(&str, &Register)> {
        let register = self.blob.registers.get(ANSWER)?;
        let is_question = self.kind() == MemoryKind::Question;
        Some((register.value.as_str()?, register)).filter(|_| is_question)
    }

    /// Returns the time of the answer in milliseconds.
    pub(crate) fn answered(&self) -> Option<u64> {
        self.answer().map(|(_, register)| register.written())
    }

    /// Answers a question, which settles the answers that were given at the same time.
    pub(crate) fn set_answer(&mut self, writer: &Writer, answer: &str) {
        // The same text once more is a decision too: it settles what lost against it.
        if !self.blob.set(writer, ANSWER, answer.into()) {
            self.blob.settle(ANSWER, writer.at);
        }
    }

    /// Returns whether it waits for an answer.
    pub(crate) fn is_open_question(&self) -> bool {
        self.kind() == MemoryKind::Question && self.answer().is_none() && !self.is_redacted()
    }

    /// Returns the answers that were given at the same time as the one shown.
    pub(crate) fn lost_answers(&self) -> Vec<Loser<'_>> {
        let is_shown = self.kind() == MemoryKind::Question && !self.is_redacted();
        let lost = self.blob.unsettled();
        lost.filter(|(register, ..)| is_shown && *register == ANSWER)
            .collect()
    }

    /// Returns the time of the entry in milliseconds: as imported, else by the writer's clock, else
    /// by its stamp.
    pub fn at(&self) -> u64 {
        let imported = self.blob.value("import")["created_at"]
            .as_str()
            .and_then(super::time::parse);
        let when = self
            .blob
            .origin
            .when
            .as_deref()
            .and_then(super::time::parse);
        imported
            .or(when)
            .unwrap_or_else(|| self.blob.origin.at.millis())
    }

    /// Returns whether it is hidden, by `redact` or by a purge.
    pub fn is_redacted(&self) -> bool {
        self.blob.purged.is_some()
            || !matches!(
                self.blob.value("redacted"),
                Value::Null | Value::Bool(false)
            )
    }
}
