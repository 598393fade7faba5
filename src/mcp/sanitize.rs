//! JSON without characters that hide text or steer a terminal: what other people wrote is sent to models.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

use crate::model::visible::without_hidden;

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
        // Clients that read by lines take these for their ends.
        let text = without_hidden(fragment)
            .replace('\u{2028}', "\\u2028")
            .replace('\u{2029}', "\\u2029");
        writer.write_all(text.as_bytes())
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

    #[test]
    fn marks_of_scripts_and_flags_stay() {
        let scotland = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";
        for text in [
            scotland,
            "\u{5e9}\u{5dc}\u{5d5}\u{5dd}!\u{200f} (ok)",
            "\u{200e}+972",
            "\u{633}\u{644}\u{627}\u{645}\u{61c}!",
            "\u{e20}\u{e32}\u{e29}\u{e32}\u{200b}\u{e44}\u{e17}\u{e22}",
            "Donau\u{ad}dampf\u{ad}schiff",
            "a\u{2028}b\u{2029}c",
            "\u{182d}\u{1820}\u{180e}\u{1820}",
        ] {
            let answer = harmless(&json!({ "t": text }));
            assert!(!answer.contains(['\u{2028}', '\u{2029}']), "{answer:?}");
            let read: serde_json::Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(read["t"], text, "{answer:?}");
        }
        for (text, left) in [
            ("a\u{200b}b", "ab"),
            ("a\u{ad} b\u{ad}", "a b"),
            ("\u{200e}\u{200f}\u{200e}a", "\u{200e}a"),
            ("\u{1f3f4}\u{e0067}x", "\u{1f3f4}x"),
            ("\u{2066}a\u{2069}\u{202d}b\u{202c}\u{feff}\u{2060}", "ab"),
        ] {
            let read: serde_json::Value =
                serde_json::from_str(&harmless(&json!({ "t": text }))).unwrap();
            assert_eq!(read["t"], left, "{text:?}");
        }
    }
}
