//! Words as bash has them while they are typed: with quotes, backslashes, and the ends of words in between.

use crate::model::id::is_plain;

/// The quotes that a place in a word is inside of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Nothing,
    Single,
    Double,
}

/// A word and what it means.
#[derive(Debug)]
pub(super) struct RawWord {
    raw: String,
    text: String,
}

impl RawWord {
    /// Returns a word that has no quotes to remove.
    pub(super) fn plain(word: &str) -> Self {
        Self {
            raw: word.to_owned(),
            text: word.to_owned(),
        }
    }

    /// Reads a word as it was typed, its last quote perhaps not closed yet.
    pub(super) fn parse(word: &str) -> Self {
        Self {
            raw: word.to_owned(),
            text: meaning(word).0,
        }
    }

    /// Returns the word without its quotes.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text to replace `part` with, the end of the word that bash replaces, so that the word means `value`.
    pub(super) fn rest(&self, part: &str, value: &str) -> String {
        // Bash keeps the quote that opens the part.
        let part = part.strip_prefix(['\'', '"']).unwrap_or(part);
        // The quotes before the part decide how it must be quoted.
        let head = self.raw.strip_suffix(part).unwrap_or_default();
        let (before, inside) = meaning(head);
        let rest = value.strip_prefix(&before).unwrap_or(value);
        match inside {
            Inside::Nothing => rest
                .char_indices()
                .map(|(at, c)| bare(c, at == 0 && head.is_empty()))
                .collect(),
            Inside::Single => rest.replace('\'', r"'\''"),
            Inside::Double => rest.chars().map(doubly).collect(),
        }
    }
}

fn bare(c: char, first: bool) -> String {
    let plain = is_plain(c) || (c == '~' && !first);
    if plain {
        c.to_string()
    } else {
        format!("\\{c}")
    }
}

fn doubly(c: char) -> String {
    match c {
        '"' | '\\' | '$' | '`' => format!("\\{c}"),
        // A backslash would stay, and without one the history may be meant.
        '!' => "\"'!'\"".to_owned(),
        _ => c.to_string(),
    }
}

fn meaning(raw: &str) -> (String, Inside) {
    let mut text = String::new();
    let mut inside = Inside::Nothing;
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, inside) {
            ('\'', Inside::Nothing) => inside = Inside::Single,
            ('"', Inside::Nothing) => inside = Inside::Double,
            ('\'', Inside::Single) | ('"', Inside::Double) => inside = Inside::Nothing,
            ('\\', Inside::Nothing) => text.extend(chars.next()),
            ('\\', Inside::Double) => match chars.next_if(|next| "\"\\$`".contains(*next)) {
                Some(next) => text.push(next),
                None => text.push(c),
            },
            _ => text.push(c),
        }
    }
    (text, inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_what_bash_makes_of_them() {
        for (raw, text) in [
            ("bd-a", "bd-a"),
            ("'it'\\''s", "it's"),
            (r#""a\"b\x"#, r#"a"b\x"#),
            (r"a\ b", "a b"),
            ("'a b", "a b"),
        ] {
            assert_eq!(RawWord::parse(raw).text(), text, "{raw}");
        }
    }

    #[test]
    fn only_the_part_that_bash_replaces_is_answered() {
        for (raw, part, value, rest) in [
            ("bd-", "bd-", "bd-$(x)", r"bd-\$\(x\)"),
            ("'bd-", "'bd-", "bd-it's", r"bd-it'\''s"),
            ("\"bd-", "\"bd-", "bd-$x!", "bd-\\$x\"'!'\""),
            ("bd:x", "x", "bd:x:y", "x:y"),
            ("--status=", "", "--status=open", "open"),
            ("--label='a ", "'a ", "--label=a b", "a b"),
            ("", "", "~me", r"\~me"),
        ] {
            assert_eq!(RawWord::parse(raw).rest(part, value), rest, "{raw}");
        }
    }
}
