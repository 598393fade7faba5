//! Lines that this program has painted, read back.

use anstyle::{AnsiColor, Effects, Style};

/// The numbers that turn attributes on.
const EFFECTS: [(u8, Effects); 6] = [
    (1, Effects::BOLD),
    (2, Effects::DIMMED),
    (3, Effects::ITALIC),
    (4, Effects::UNDERLINE),
    (7, Effects::INVERT),
    (9, Effects::STRIKETHROUGH),
];
/// The colours that are used here, by their numbers from 30 on.
const COLOURS: [AnsiColor; 8] = [
    AnsiColor::Black,
    AnsiColor::Red,
    AnsiColor::Green,
    AnsiColor::Yellow,
    AnsiColor::Blue,
    AnsiColor::Magenta,
    AnsiColor::Cyan,
    AnsiColor::White,
];

/// Returns the texts of a line and their styles. What is no style stays in the text, as it may be another person's.
pub(super) fn painted(line: &str) -> Vec<(Style, &str)> {
    let mut parts = Vec::new();
    let mut style = Style::new();
    let (mut begin, mut from) = (0, 0);
    while let Some(at) = line[from..].find("\x1b[").map(|at| from + at) {
        from = at + 2;
        let numbers = line[from..].find(|c: char| !c.is_ascii_digit() && c != ';');
        let Some(end) = numbers.map(|length| from + length) else {
            break;
        };
        if !line[end..].starts_with('m') {
            continue;
        }
        parts.push((style, &line[begin..at]));
        for number in line[from..end].split(';') {
            style = styled(style, number.parse().unwrap_or(0));
        }
        from = end + 1;
        begin = from;
    }
    parts.push((style, &line[begin..]));
    parts.retain(|(_, text)| !text.is_empty());
    parts
}

fn styled(style: Style, number: u8) -> Style {
    if let Some((_, effect)) = EFFECTS.iter().find(|(of, _)| *of == number) {
        return style | *effect;
    }
    match number {
        0 => Style::new(),
        30..=37 => style.fg_color(Some(COLOURS[usize::from(number - 30)].into())),
        _ => style,
    }
}

/// Returns the text of a line.
pub(super) fn plain(line: &str) -> String {
    painted(line).into_iter().map(|(_, text)| text).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::style::{BOLD, RED};

    #[test]
    fn styles_are_read_and_all_else_stays() {
        let line = format!("a{BOLD}b{BOLD:#} {RED}c\x1b[0m\x1b[2Jd\x1b]0;x\x07\x1b[1");
        let parts = painted(&line);
        assert_eq!(
            parts,
            [
                (Style::new(), "a"),
                (BOLD, "b"),
                (Style::new(), " "),
                (RED, "c"),
                (Style::new(), "\x1b[2Jd\x1b]0;x\x07\x1b[1"),
            ]
        );
        let both = painted("\x1b[0;1;31mx");
        assert_eq!(both, [(RED.bold(), "x")]);
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in "(\x1b|\\[|m|;|[0-9]|é|[a-c]){0,30}") {
            prop_assert!(plain(&line).len() <= line.len());
        }
    }
}
