//! Texts in columns of a terminal: wide characters count as two, combining ones as none.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Holds signs together, such as those of one picture.
const JOINER: char = '\u{200d}';

/// Shortens a text to so many columns.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    format!("{}…", &text[..prefix(text, columns.saturating_sub(1))])
}

/// Pads a text to so many columns.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// Bytes of the longest beginning that is no more than so many columns wide.
pub(crate) fn prefix(text: &str, columns: usize) -> usize {
    let mut used = 0;
    let too_wide = text.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > columns
    });
    let mut end = too_wide.map_or(text.len(), |(at, _)| at);
    // A character can make the one before it wider.
    while text[..end].width() > columns {
        end = text[..end]
            .char_indices()
            .next_back()
            .map_or(0, |(at, _)| at);
    }
    // What a joiner holds together is not taken apart.
    while text[..end].ends_with(JOINER) || text[end..].starts_with(JOINER) {
        end = text[..end]
            .char_indices()
            .next_back()
            .map_or(0, |(at, _)| at);
        if end == 0 {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_twice_and_combining_ones_stay() {
        assert_eq!(fit("日本語テキスト", 7), "日本語…");
        assert_eq!(fit("short", 7), "short");
        assert_eq!(fit("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
        assert_eq!(fit("❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}", 4), "❤\u{fe0f}❤…");
        assert_eq!(fit("日本", 1), "…");
        assert_eq!(fit("a👩\u{200d}💻b", 3), "a…");
        assert_eq!(fit("a👩\u{200d}💻b", 4), "a👩\u{200d}💻b");
        assert_eq!(fit("👨\u{200d}👩\u{200d}👧 family", 2), "…");
        assert_eq!(pad("日本", 6), "日本  ");
    }
}
