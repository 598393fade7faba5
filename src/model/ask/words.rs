//! Words of a query: where one ends, whether it is a key, and what a value says.

use super::{AskFault, AskKey, AskTerm, AskValue, AskWord, Compared, Place};

/// Reads the value of a key as an option gives it, or several separated by commas.
/// Errors: The value is empty.
pub(crate) fn parse_term(key: AskKey, text: &str) -> Result<AskTerm, AskFault> {
    let trimmed = text.trim();
    let (compared, length) = match key.is_ordered() {
        true => sign(trimmed),
        false => (Compared::Equal, 0),
    };
    let values = trimmed[length..].split(',').map(str::trim);
    // Spaces and brackets are part of it.
    let word = |text: &str| AskWord {
        text: text.to_owned(),
        ..AskWord::default()
    };
    let values = values.filter(|value| !value.is_empty());
    let values: Vec<AskValue> = values.map(|value| value_of(key, word(value))).collect();
    if values.is_empty() {
        return Err(AskFault::new("there is no value", 0..text.len()));
    }
    Ok(AskTerm {
        key,
        compared,
        values,
        place: Place::default(),
    })
}

/// Returns whether a word ends before the character.
pub(super) fn is_end(c: char) -> bool {
    c.is_whitespace() || c == '(' || c == ')'
}

/// Returns the name in front of a colon, if it looks like a key: `https://` and `a::b` are words.
pub(super) fn key_name(text: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let end = text.find(|c: char| !is_name(c))?;
    let (name, after) = text.split_at(end);
    let after = after.strip_prefix(':')?;
    let is_key = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_key && !after.starts_with(['/', ':'])).then_some(name)
}

/// Returns a value as a key takes it: where there is an order, `a..b` is a range.
pub(super) fn value_of(key: AskKey, word: AskWord) -> AskValue {
    if word.is_quoted || !key.is_ordered() {
        return AskValue::One(word);
    }
    let Some((from, to)) = word.text.split_once("..") else {
        return AskValue::One(word);
    };
    let (start, end) = (word.place.0.start, word.place.0.end);
    let bound = |text: &str, place| AskWord {
        text: if text == "*" { "" } else { text }.to_owned(),
        is_quoted: false,
        place: Place(place),
    };
    let middle = (start + from.len()).min(end);
    AskValue::Between(bound(from, start..middle), bound(to, middle..end))
}

/// Returns the comparison that a value begins with, and its length in bytes.
pub(super) fn sign(text: &str) -> (Compared, usize) {
    // The longer ones first: `<` begins `<=`, too.
    let known = [
        ("<=", Compared::AtMost),
        (">=", Compared::AtLeast),
        ("<", Compared::Less),
        (">", Compared::More),
    ];
    let found = known.into_iter().find(|(sign, _)| text.starts_with(sign));
    found.map_or((Compared::Equal, 0), |(sign, compared)| {
        (compared, sign.len())
    })
}
