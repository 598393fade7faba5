//! Addresses in texts.

use super::Inline;
use crate::model::id::is_format;

/// Bytes of the longest address that becomes a link.
const LONGEST: usize = 2000;
/// What the addresses of links begin with.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// Returns true for an address that a reader may follow: of the web or of mail, and without a character that hides or steers.
pub(crate) fn is_address(text: &str) -> bool {
    let is_scheme = |scheme: &&str| {
        let begin = text.get(..scheme.len());
        text.len() > scheme.len() && begin.is_some_and(|it| it.eq_ignore_ascii_case(scheme))
    };
    let is_harmless = |c: char| !c.is_whitespace() && !c.is_control() && !is_format(c);
    text.len() <= LONGEST && SCHEMES.iter().any(is_scheme) && text.chars().all(is_harmless)
}

/// Returns a text with links for the addresses in it.
pub(super) fn linked(text: &str) -> Vec<Inline> {
    let (mut parts, mut rest) = (Vec::new(), text);
    let mut from = 0;
    while let Some(start) = rest[from..].find("http").map(|at| from + at) {
        let address = address_at(&rest[start..]);
        let follows_word = rest[..start].ends_with(char::is_alphanumeric);
        if follows_word || !is_address(address) {
            from = start + 4;
            continue;
        }
        if start > 0 {
            parts.push(Inline::Text(rest[..start].to_owned()));
        }
        let shown = vec![Inline::Text(address.to_owned())];
        parts.push(Inline::Link(address.to_owned(), shown));
        (rest, from) = (&rest[start + address.len()..], 0);
    }
    if !rest.is_empty() {
        parts.push(Inline::Text(rest.to_owned()));
    }
    parts
}

/// Returns the address that a text begins with, without the punctuation of the sentence that it ends.
fn address_at(text: &str) -> &str {
    let is_end = |c: char| c.is_whitespace() || "<>\"`|".contains(c);
    let end = text
        .char_indices()
        .find(|(at, c)| *at > LONGEST || is_end(*c));
    let mut address = &text[..end.map_or(text.len(), |(at, _)| at)];
    // Brackets of the address itself belong to it: those that close one around it do not.
    let count = |c: char| address.matches(c).count();
    let mut open = [(')', count(')'), count('(')), (']', count(']'), count('['))];
    let mut is_closing = |c: char| match open.iter_mut().find(|(sign, ..)| *sign == c) {
        Some((_, closed, opened)) => {
            *closed -= 1;
            *closed + 1 > *opened
        }
        None => ".,;:!?'*_~".contains(c),
    };
    while address.ends_with(&mut is_closing) {
        address = &address[..address.len() - 1];
    }
    address
}
