//! Memory of an issue: findings, decisions, comments. Their text never changes.

use serde_json::Value;

use super::blob::{Blob, Writer};
use super::claim::AGENT;
use super::stamp::Uid;

/// Kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryKind {
    /// A fact: observation, measurement, log.
    Finding,
    /// A choice with its reason.
    Decision,
    Comment,
    /// A line of an import that belongs to no issue.
    Note,
}

impl MemoryKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Finding => "finding",
            Self::Decision => "decision",
            Self::Comment => "comment",
            Self::Note => "memory",
        }
    }

    /// Reads the stored word; anything unknown is a comment.
    pub(crate) fn new(text: &str) -> Self {
        match text {
            "finding" => Self::Finding,
            "decision" => Self::Decision,
            "memory" => Self::Note,
            _ => Self::Comment,
        }
    }

    /// Returns the marker that the text begins with where only comments exist.
    pub(crate) fn marker(self) -> &'static str {
        match self {
            Self::Finding => "FINDING: ",
            Self::Decision => "KEY DECISION: ",
            Self::Comment | Self::Note => "",
        }
    }
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
