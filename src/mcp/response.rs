//! What a client is sent: one text of compact JSON, harmless and of bounded size.
//!
//! Text of issues is somebody else's. Characters that are invisible or turn text around are left out, so
//! that nothing hides in an answer that a person would not see in the issue.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

use super::truncate::{LONGEST, cut, cut_rows};
use crate::model::id::is_format;
use crate::ops::Error;
use crate::ops::answer::{Failure, envelope, shortened};

/// Characters of a message or hint at most: either may repeat what a caller sent.
const LONGEST_MESSAGE: usize = 2_000;

/// An answer, and whether it tells of an error.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    /// Compact JSON, or a text.
    pub(super) text: String,
    /// Whether it is a text.
    pub(super) plain: bool,
    /// Whether the call has failed.
    pub(super) failed: bool,
}

impl Reply {
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
    pub(super) fn error(error: &Error) -> Self {
        let mut failure = Failure::from(error);
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

/// Compact JSON without characters that hide or steer.
pub(super) fn harmless(answer: &impl Serialize) -> String {
    let mut out = Vec::with_capacity(512);
    let mut serializer =
        serde_json::Serializer::with_formatter(&mut out, Harmless(CompactFormatter));
    // Writing our own types into memory can't fail.
    let _ = answer.serialize(&mut serializer);
    String::from_utf8(out).unwrap_or_default()
}

struct Harmless(CompactFormatter);

impl Formatter for Harmless {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.bytes().all(|byte| (b' '..0x7f).contains(&byte)) {
            return writer.write_all(fragment.as_bytes());
        }
        let hides =
            |c: char| c.is_control() || (is_format(c) && !matches!(c, '\u{200c}' | '\u{200d}'));
        for part in fragment.split(hides) {
            writer.write_all(part.as_bytes())?;
        }
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        match escape {
            CharEscape::Quote
            | CharEscape::ReverseSolidus
            | CharEscape::Solidus
            | CharEscape::LineFeed
            | CharEscape::Tab => self.0.write_char_escape(writer, escape),
            _ => Ok(()),
        }
    }

    fn write_raw_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        self.0.write_raw_fragment(writer, fragment)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_hides_or_steers_is_left_out() {
        let text = harmless(
            &json!({"t": "a\u{1b}[31mb\u{202e}c\u{e0041}d\r\n\t\"\\e\u{9b}f\u{200b}g\u{200d}h"}),
        );
        assert_eq!(text, "{\"t\":\"a[31mbcd\\n\\t\\\"\\\\efg\u{200d}h\"}");
    }
}
