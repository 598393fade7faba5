//! The shapes both front ends serialise: seed 004's envelope and summary issue, and what the command
//! line adds. Nothing is null, empty or missing by accident: what has no value is left out.

mod conflict;
mod detail;
mod envelope;
mod memory;
mod summary;

pub use conflict::Conflict;
pub(super) use conflict::{conflicts, shown};
pub use detail::{Detail, FieldTexts, Landed, Texts};
pub(super) use detail::{SHOWN_COMMITS, reason};
pub use envelope::{Answer, AnswerKind, Envelope, Failure, Next, envelope};
pub use memory::{Entry, MemoryView, More};
pub use summary::{Link, Moment, Reference, Summary};

/// The first `limit` characters of a text and three dots, if it has more.
pub fn shortened(text: &str, limit: usize) -> Option<String> {
    text.char_indices()
        .nth(limit)
        .map(|(end, _)| format!("{}...", &text[..end]))
}
