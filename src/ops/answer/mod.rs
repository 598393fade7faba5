//! The shapes that both front ends serialise: the envelope and the issue in a list, and what the command line
//! adds. Nothing is null, empty or missing by accident: what has no value is left out.

mod claim;
mod claims;
mod conflict;
mod detail;
mod envelope;
mod memory;
mod moment;
mod next;
mod summary;

pub(crate) use claim::{ClaimView, RemoteLease};
pub(crate) use conflict::Conflict;
pub(crate) use conflict::conflicts;
pub(super) use conflict::{answer_field, disputed_questions, shown};
pub(crate) use detail::reason;
pub(crate) use detail::{Detail, FieldTexts, Texts};
pub(super) use detail::{SHOWN_COMMITS, closing_agent};
pub(crate) use envelope::{Answer, AnswerKind, Envelope, Failure, envelope};
pub(crate) use memory::{Entry, MemoryView, More, Question, is_zero};
pub(crate) use next::{After, Next};
pub(crate) use summary::{Link, Reference, Summary};

/// The first `limit` characters of a text and three dots, if it has more.
pub(crate) fn shortened(text: &str, limit: usize) -> Option<String> {
    text.char_indices()
        .nth(limit)
        .map(|(end, _)| format!("{}...", &text[..end]))
}
