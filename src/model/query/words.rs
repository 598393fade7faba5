//! Words of a query: where one ends, whether it is a key, and what a value says.

use super::{Compared, Fault, Key, Place, QueryValue, QueryWord, Term};

/// Reads the value of a key as an option gives it, or several separated by commas.
/// Errors: The value is empty.
pub(crate) fn parse_term(key: Key, text: &str) -> Result<Term, Fault> {
    let trimmed = text.trim();
    let (compared, length) = match key.is_ordered() {
        true => sign(trimmed),
        false => (Compared::Equal, 0),
    };
    let values = trimmed[length..].split(',').map(str::trim);
    // Spaces and brackets are part of it.
    let word = |text: &str| QueryWord {
        text: text.to_owned(),
        ..QueryWord::default()
    };
    let values = values.filter(|value| !value.is_empty());
    let values: Vec<QueryValue> = values.map(|value| value_of(key, word(value))).collect();
    if values.is_empty() {
        return Err(Fault::new("there is no value", 0..text.len()));
    }
    Ok(Term {
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

/// Signs of comparison of other languages, which are no words of a search where spaces are around them.
const SIGNS: [&str; 10] = ["=", "==", "!=", "<>", "<", ">", "<=", ">=", "~", "!~"];

/// What stands in front of the values of a key.
pub(super) struct KeyHead<'t> {
    pub(super) name: &'t str,
    /// Length in bytes, up to the values or to the comparison before them.
    pub(super) length: usize,
    /// `!=`.
    pub(super) is_negated: bool,
}

/// Returns a name and the colon behind it, if it looks like a key: `https://` and `a::b` are words. Behind the whole name of a
/// known key signs of comparison are the same: `status=open`, `priority <= 1`. Behind any other name a sign alone makes it a key, too,
/// which is none here.
pub(super) fn key_head(text: &str) -> Option<KeyHead<'_>> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let end = text.find(|c: char| !is_name(c))?;
    let (name, after) = text.split_at(end);
    let is_key = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let head = |length, is_negated| KeyHead {
        name,
        length,
        is_negated,
    };
    if let Some(after) = after.strip_prefix(':') {
        let is_word = !is_key || after.starts_with(['/', ':']);
        return (!is_word).then(|| head(end + 1, false));
    }
    if name.len() < 2 {
        return None;
    }
    let signs = after.trim_start();
    let before = text.len() - signs.len();
    if Key::named(name).is_none() {
        let sign = signs.split(char::is_whitespace).next().unwrap_or_default();
        let is_alone = before > end && sign.len() < signs.len();
        return (is_alone && SIGNS.contains(&sign)).then(|| head(before, false));
    }
    let equal = ["!=", "==", "="].iter().find(|it| signs.starts_with(**it));
    match equal {
        Some(sign) => {
            let values = signs[sign.len()..].trim_start();
            Some(head(text.len() - values.len(), *sign == "!="))
        }
        None => signs.starts_with(['<', '>']).then(|| head(before, false)),
    }
}

/// Returns whether a text is an operator, were it in capitals, or as programs write it: with the operator.
pub(super) fn meant_operator(word: &str) -> Option<&'static str> {
    match word {
        "&&" | "&" => return Some("AND"),
        "||" | "|" => return Some("OR"),
        _ => {}
    }
    let operators = ["AND", "OR", "NOT"];
    let found = operators.iter().find(|it| it.eq_ignore_ascii_case(word));
    found.copied().filter(|found| *found != word)
}

/// Returns a value as a key takes it: where there is an order, `a..b` is a range.
pub(super) fn value_of(key: Key, word: QueryWord) -> QueryValue {
    if word.is_quoted || !key.is_ordered() {
        return QueryValue::One(word);
    }
    let Some((from, to)) = word.text.split_once("..") else {
        return QueryValue::One(word);
    };
    let (start, end) = (word.place.0.start, word.place.0.end);
    let bound = |text: &str, place| QueryWord {
        text: if text == "*" { "" } else { text }.to_owned(),
        is_quoted: false,
        place: Place(place),
    };
    let middle = (start + from.len()).min(end);
    QueryValue::Between(bound(from, start..middle), bound(to, middle..end))
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
