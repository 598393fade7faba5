//! What a client is sent: one text of compact JSON, harmless and of bounded size.
//!
//! Text of issues is somebody else's. Characters that are invisible or turn text around are left out, so
//! that nothing hides in an answer that a person would not see in the issue.

use serde::Serialize;

use super::sanitize::harmless;
use super::truncate::{LONGEST, cut, cut_rows};
use crate::ops::answer::{Failure, envelope, shortened};

/// Characters of a message or hint at most: either may repeat what a caller sent.
const LONGEST_MESSAGE: usize = 2_000;

/// An answer, and whether it tells of an error.
#[derive(Clone, Debug)]
pub(super) struct Response {
    /// Compact JSON, or a text.
    pub(super) text: String,
    /// Whether it is a text.
    pub(super) plain: bool,
    /// Whether the call has failed.
    pub(super) failed: bool,
}

impl Response {
    /// An answer, with what the user should know besides.
    pub(super) fn new(answer: &impl Serialize, warnings: &[String]) -> Self {
        let text = fit(harmless(answer), LONGEST);
        Self {
            text: with_warnings(text, warnings),
            plain: false,
            failed: false,
        }
    }

    /// A text of bounded size, which is harmless already.
    pub(super) fn plain(text: String) -> Self {
        Self {
            text,
            plain: true,
            failed: false,
        }
    }

    /// The answer as JSON, for an answer that holds it.
    pub(super) fn into_json(self) -> String {
        if self.plain {
            harmless(&self.text)
        } else {
            self.text
        }
    }

    /// An error as an answer.
    pub(super) fn error(mut failure: Failure) -> Self {
        for text in [Some(&mut failure.message), failure.hint.as_mut()]
            .into_iter()
            .flatten()
        {
            if let Some(short) = shortened(text, LONGEST_MESSAGE) {
                *text = short;
            }
        }
        Self {
            text: harmless(&envelope(failure)),
            plain: false,
            failed: true,
        }
    }

    /// The same answer, marked as an error.
    pub(super) fn failed(self, failed: bool) -> Self {
        Self { failed, ..self }
    }
}

/// An answer as it is, or cut to so many characters.
pub(super) fn fit(text: String, limit: usize) -> String {
    if text.len() <= limit || text.chars().count() <= limit {
        return text;
    }
    cut_rows(&text, limit)
        .unwrap_or_else(|| cut(serde_json::from_str(&text).unwrap_or_default(), limit))
}

/// Adds warnings to an answer that is an object.
fn with_warnings(text: String, warnings: &[String]) -> String {
    match text.strip_suffix('}') {
        Some(open) if !warnings.is_empty() => {
            let comma = if open.ends_with('{') { "" } else { "," };
            format!("{open}{comma}\"warnings\":{}}}", harmless(&warnings))
        }
        _ => text,
    }
}
