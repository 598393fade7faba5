//! A block of lines at the end of a text. As the text ended, so it ends with the block: what was put in can be
//! taken out to the byte.

use std::ops::Range;

/// The line ending at a place.
fn newline_before(text: &str) -> &'static str {
    if text.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// The line ending that a text begins to use.
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

/// Puts a block, which has no final line ending, behind a blank line at the end.
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

/// Takes a block out of a text; none where the text was made for it.
pub(super) fn take(text: &str, block: &Range<usize>) -> Option<String> {
    let (before, after) = (&text[..block.start], &text[block.end..]);
    if after.is_empty() {
        return Some(without_newline(without_newline(before)).to_owned());
    }
    let after = after
        .strip_prefix("\r\n")
        .or_else(|| after.strip_prefix('\n'))
        .unwrap_or(after);
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let shorter = without_newline(before);
    let before = if shorter.is_empty() || shorter.ends_with('\n') {
        shorter
    } else {
        before
    };
    Some(format!("{before}{after}"))
}
