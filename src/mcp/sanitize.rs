//! JSON without characters that hide text or steer a terminal: what other people wrote is sent to models.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

use crate::model::id::is_format;

/// Returns compact JSON without characters that hide or steer.
pub(super) fn harmless(answer: &impl Serialize) -> String {
    let mut out = Vec::with_capacity(512);
    let mut serializer =
        serde_json::Serializer::with_formatter(&mut out, Harmless(CompactFormatter));
    // Writing our own types into memory can't fail.
    let _ = answer.serialize(&mut serializer);
    String::from_utf8(out).unwrap_or_default()
}

/// Returns a name of the caller's, as far as an error repeats it.
pub(super) fn legible(name: &str) -> String {
    let shown = name.chars().filter(char::is_ascii_graphic);
    shown.take(60).collect()
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
            // The two joiners stay: scripts and emoji are written with them.
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
            // All other escapes are of control characters, which are left out.
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
