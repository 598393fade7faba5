//! Texts of other people, made harmless before they reach a terminal.

use crate::model::id::is_format;

/// Shows characters that control the terminal or hide text by their number; line breaks and tabs stay.
pub(in crate::cli) fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            c if c.is_control() || is_format(c) => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

/// Escapes such characters as JSON does, outside of which they can't occur in it.
pub(super) fn escaped(json: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_shown_and_not_sent() {
        assert_eq!(
            harmless("a\u{1b}[31mb\u{202e}c\u{200b}\u{9b}d\ne"),
            "a\\u{1b}[31mb\\u{202e}c\\u{200b}\\u{9b}d\ne"
        );
    }
}
