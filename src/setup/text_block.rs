//! A block of lines at the end of a text. The text keeps its kind of ending, so that a block that
//! was added can be removed to the byte.

use std::ops::Range;

/// Returns the line ending at the end of a text.
fn newline_before(text: &str) -> &'static str {
    if text.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the first line ending of a text.
pub(super) fn newline(text: &str) -> &'static str {
    text.find('\n')
        .map_or("\n", |at| newline_before(&text[..=at]))
}

fn without_newline(text: &str) -> &str {
    let short = text.strip_suffix('\n').unwrap_or(text);
    short
        .strip_suffix('\r')
        .filter(|_| short.len() < text.len())
        .unwrap_or(short)
}

/// Appends a block, which has no final line ending, after a blank line.
pub(super) fn put(text: &str, block: &str) -> String {
    if text.is_empty() {
        return block.to_owned();
    }
    if text.ends_with('\n') {
        let newline = newline_before(text);
        return format!("{text}{newline}{}{newline}", block.replace('\n', newline));
    }
    let newline = newline(text);
    format!("{text}{newline}{newline}{}", block.replace('\n', newline))
}

/// Removes a block from a text; returns none where the text was created for it.
pub(super) fn take(text: &str, block: &Range<usize>) -> Option<String> {
    let (before, after) = (&text[..block.start], &text[block.end..]);
    if after.is_empty() {
        // A text without a final newline got two: one that ends its last line, and the blank line.
        return Some(without_newline(without_newline(before)).to_owned());
    }
    let after = after
        .strip_prefix("\r\n")
        .or_else(|| after.strip_prefix('\n'))
        .unwrap_or(after);
    if before.is_empty() && after.is_empty() {
        return None;
    }
    // The blank line goes, but never the newline that ends the user's own last line.
    let shorter = without_newline(before);
    let before = if shorter.is_empty() || shorter.ends_with('\n') {
        shorter
    } else {
        before
    };
    Some(format!("{before}{after}"))
}
