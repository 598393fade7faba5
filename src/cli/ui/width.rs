//! Texts in columns of a terminal: wide characters count as two, combining ones as none.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Stands before each of our own escape sequences until they are printed; no text can be told from them
/// otherwise.
pub(in crate::cli) const OURS: char = '\u{f0b0d}';
/// Columns of a step of a tab, where one is shown.
const TAB: &str = "    ";

/// Shortens a text to so many columns.
pub(in crate::cli) fn fit(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    format!("{}…", &text[..prefix(text, columns.saturating_sub(1))])
}

/// Pads a text to so many columns.
pub(in crate::cli) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// Shortens a line with colours of ours to so many columns; the colours end as they would have.
pub(in crate::cli) fn cut(line: &str, columns: usize) -> String {
    let line = line.replace('\t', TAB);
    let pieces: Vec<(&str, &str)> = line.split(OURS).map(sequence).collect();
    if pieces.iter().map(|(_, text)| text.width()).sum::<usize>() <= columns {
        return line;
    }
    let mut left = Some(columns.saturating_sub(1));
    let mut out = String::new();
    for (n, (code, text)) in pieces.into_iter().enumerate() {
        if n > 0 {
            out.push(OURS);
            out.push_str(code);
        }
        match left {
            Some(columns) if text.width() <= columns => {
                out.push_str(text);
                left = Some(columns - text.width());
            }
            Some(columns) => {
                out.push_str(&text[..prefix(text, columns)]);
                out.push('…');
                left = None;
            }
            None => {}
        }
    }
    out
}

/// What stands before a text that was painted, and the text.
fn sequence(piece: &str) -> (&str, &str) {
    let end = piece
        .strip_prefix('\u{1b}')
        .and_then(|rest| rest.find('m'))
        .map_or(0, |at| at + 2);
    piece.split_at(end)
}

/// Bytes of the longest beginning that is no more than so many columns wide.
pub(in crate::cli) fn prefix(text: &str, columns: usize) -> usize {
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
        assert_eq!(pad("日本", 6), "日本  ");
    }

    #[test]
    fn colours_take_no_column_and_end() {
        let red = |text: &str| format!("{OURS}\u{1b}[31m{text}{OURS}\u{1b}[0m");
        assert_eq!(
            cut(&format!("{} {}", red("日本"), red("text")), 7),
            format!("{} {}", red("日本"), red("t…"))
        );
        assert_eq!(
            cut(&format!("{} {}", red("日本"), red("text")), 9),
            format!("{} {}", red("日本"), red("text"))
        );
        assert_eq!(
            cut(&format!("{} {}", red("日本"), red("text")), 3),
            format!("{}{}", red("日…"), red(""))
        );
        assert_eq!(cut("a\tb", 80), "a    b");
    }
}
