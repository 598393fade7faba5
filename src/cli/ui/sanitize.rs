//! Texts of other people, made harmless before they reach a terminal.

use std::io::{self, Write};

use crate::model::id::is_format;
pub(in crate::cli) use crate::model::visible::visible as harmless;

/// Escapes such characters as JSON does, outside of which they can't occur in it.
pub(in crate::cli) fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && (c.is_control() || is_format(c)) {
            let mut units = [0; 2];
            out.extend(
                c.encode_utf16(&mut units)
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}")),
            );
        } else {
            out.push(c);
        }
    }
    out
}

/// A writer of lines to a terminal, each in a harmless form.
pub(super) struct HarmlessLines<'o> {
    out: &'o mut dyn Write,
    form: fn(&str) -> String,
    /// The last line, as far as it has come.
    begun: Vec<u8>,
}

impl<'o> HarmlessLines<'o> {
    pub(super) fn new(out: &'o mut dyn Write, form: fn(&str) -> String) -> Self {
        let begun = Vec::new();
        Self { out, form, begun }
    }

    /// Writes a last line that has no end.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let text = (self.form)(&String::from_utf8_lossy(&self.begun));
        self.begun.clear();
        self.out.write_all(text.as_bytes())
    }
}

impl Write for HarmlessLines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        if bytes.contains(&b'\n') {
            // A line feed is part of no other character.
            let end = self.begun.iter().rposition(|byte| *byte == b'\n');
            let rest = self.begun.split_off(end.map_or(0, |end| end + 1));
            self.finish()?;
            self.begun = rest;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_harmless_in_any_pieces() {
        let text = "a\u{1b}é\n\u{9b}\u{202e}b\nc\u{7}";
        for size in 1..=text.len() {
            let mut out = Vec::new();
            let mut lines = HarmlessLines::new(&mut out, harmless);
            for piece in text.as_bytes().chunks(size) {
                lines.write_all(piece).unwrap();
            }
            lines.finish().unwrap();
            let shown = String::from_utf8(out).unwrap();
            assert_eq!(shown, "a\\u{1b}é\n\\u{9b}\\u{202e}b\nc\\u{7}");
        }
    }

    #[test]
    fn hostile_text_is_shown_and_not_sent() {
        assert_eq!(
            harmless("a\u{1b}[31mb\u{202e}c\u{200b}\u{9b}d\ne"),
            "a\\u{1b}[31mb\\u{202e}c\\u{200b}\\u{9b}d\ne"
        );
    }
}
