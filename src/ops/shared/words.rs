//! Words of users: names, dates, and those of a vocabulary.

use crate::model::id::is_format;
use crate::model::issue::parse_priority;
use crate::model::sources::{other_priority, other_status};
use crate::model::status::KNOWN;
use crate::ops::{Error, Hint, Result, Tracker, View};

/// The error for a word outside a vocabulary, with the one of which it is a misspelling.
pub(crate) fn vocabulary(what: &str, word: &str, known: &[&str]) -> Error {
    let error = Error::invalid(format!("`{word}` is not {what}: {}", known.join(", ")));
    match nearest(word, known) {
        Some(near) => error.hinted(Hint::text(format!("did you mean `{near}`?"))),
        None => error,
    }
}

/// Labels among which one is looked for.
pub(crate) const MOST_LABELS: usize = 10_000;

/// A shorter word is neither a misspelling nor the beginning of another one.
const SHORTEST: usize = 3;

/// Returns the known word that another one is the only beginning of, or a misspelling: by one slip of the finger, or by two
/// from six letters on.
pub(crate) fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word = word.to_lowercase();
    let letters = word.chars().filter(|c| c.is_alphanumeric()).count();
    if letters < SHORTEST {
        return None;
    }
    if let Some(only) = only_beginning(&word, known) {
        return Some(only);
    }
    let slips = |known: &str| strsim::damerau_levenshtein(&word, known);
    let most = if letters < 6 { 1 } else { 2 };
    let near = known.iter().filter(|known| slips(known) <= most);
    // Of several the first letter decides: it is seldom the wrong one.
    let rank = |known: &&&str| (slips(known), known.chars().next() != word.chars().next());
    near.min_by_key(rank).copied()
}

/// Returns the known word that begins with another one, where no other does.
fn only_beginning<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let mut begun = known.iter().filter(|known| known.starts_with(word));
    begun.next().filter(|_| begun.next().is_none()).copied()
}

/// Returns the status that is probably meant by a word that is none.
pub(crate) fn meant_status(word: &str) -> Option<&'static str> {
    let lower = word.trim().to_lowercase().replace(['-', ' '], "_");
    other_status(word).or_else(|| nearest(&lower, &KNOWN))
}

/// Returns the status of another tracker that a word means: one that an issue here has or had.
pub(crate) fn custom_status(view: &View<'_>, word: &str) -> Result<Option<String>> {
    let form = |text: &str| text.trim().to_lowercase().replace(['-', ' '], "_");
    let meant = |known: Vec<String>| {
        let exact = known.iter().find(|known| *known == word);
        let alike = || known.iter().find(|known| form(known) == form(word));
        exact.or_else(alike).cloned()
    };
    let has = view
        .index
        .counts(view.now())?
        .statuses
        .into_keys()
        .collect();
    if let Some(status) = meant(has) {
        return Ok(Some(status));
    }
    let had = view.index.oplog().custom_statuses()?;
    Ok(meant(had.into_iter().collect()))
}

/// The error for a word that is no status, with the one that is probably meant.
/// Those that can't be meant are not named.
pub(crate) fn unknown_status(word: &str, refused: &[&str]) -> Error {
    let known = KNOWN.iter().copied();
    let known: Vec<&str> = known.filter(|it| !refused.contains(it)).collect();
    let error = Error::invalid(format!("`{word}` is not a status: {}", known.join(", ")));
    match meant_status(word) {
        Some(meant) => error.hinted(Hint::text(format!("did you mean `{meant}`?"))),
        None => error,
    }
}

/// Parses a priority.
/// Errors: with the hint of what is probably meant.
pub(crate) fn priority(text: &str) -> Result<i64> {
    let error = match parse_priority(text) {
        Ok(priority) => return Ok(priority),
        Err(error) => Error::invalid(error.to_string()),
    };
    let lower = text.trim().to_lowercase();
    match meant_priority(&lower).or_else(|| range(&lower)) {
        Some(meant) => Err(error.hinted(Hint::text(format!("did you mean `{meant}`?")))),
        None => Err(error),
    }
}

/// Returns the priority that a word of others names.
pub(crate) fn meant_priority(word: &str) -> Option<String> {
    other_priority(word).map(|priority| format!("P{priority}"))
}

/// Returns the priorities from one to another, as GitHub and others write a range.
fn range(text: &str) -> Option<String> {
    let (from, to) = text.split_once(['-', '.'])?;
    let from = parse_priority(from).ok()?;
    let to = parse_priority(to.trim_start_matches('.')).ok()?;
    let all: Vec<String> = (from..=to).map(|number| number.to_string()).collect();
    (from < to).then(|| all.join(","))
}

/// Returns the words of values that may each be a list separated by commas.
pub(crate) fn words(values: &[String]) -> impl Iterator<Item = &str> {
    values
        .iter()
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|word| !word.is_empty())
}

/// Returns whether an option can name several labels: no label that the language reads is such a text, but in quotes.
pub(crate) fn is_list(text: &str) -> bool {
    text.contains(',') || text.trim() != text
}

/// Returns the labels that options mean, each a list separated by commas.
pub(crate) fn labels_meant(view: &View<'_>, options: &[String]) -> Result<Vec<String>> {
    let mut odd = Vec::new();
    if options.iter().any(|text| is_list(text)) {
        odd = view
            .index
            .completion()
            .labels_beginning_with("", MOST_LABELS)?;
        odd.retain(|text| is_list(text));
    }
    let labels = options.iter().flat_map(|text| labels_in(text, &odd));
    Ok(labels.filter(|label| !label.is_empty()).collect())
}

/// Returns the labels of a text that separates them by commas; one of the known labels may have a comma or an outer space
/// itself. A label may be empty.
pub(crate) fn labels_in(text: &str, known: &[String]) -> Vec<String> {
    let is_known = |label: &&str| known.iter().any(|it| it == label);
    let commas = known.iter().map(|label| label.matches(',').count());
    let most = 1 + commas.max().unwrap_or(0);
    let pieces: Vec<&str> = text.split(',').collect();
    let (mut labels, mut at) = (Vec::new(), 0);
    while at < pieces.len() {
        let mut label = pieces[at].trim().to_owned();
        let mut next = at + 1;
        // The longest that is known; behind a comma a space is usually no part of it.
        for end in (at + 1..=pieces.len().min(at + most)).rev() {
            let whole = pieces[at..end].join(",");
            let forms = match at {
                0 => [whole.as_str(), whole.trim()],
                _ => [whole.trim(), whole.as_str()],
            };
            if let Some(found) = forms.into_iter().find(is_known) {
                (label, next) = (found.to_owned(), end);
                break;
            }
        }
        labels.push(label);
        at = next;
    }
    labels
}

/// `me` is the actor, `none` and an empty text no one.
pub(crate) fn assignee(tracker: &Tracker, name: &str) -> Option<String> {
    match name.trim() {
        "" | "none" => None,
        "me" | "@me" => Some(tracker.actor().to_owned()),
        name => Some(name.trim_start_matches('@').to_owned()),
    }
}

/// The error for a date that can't be read.
pub(crate) fn bad_date(text: &str) -> Error {
    Error::invalid(format!("`{text}` is not a date")).hinted(Hint::text(
        "use 2026-11-20, friday, tomorrow 9:00, next week, 3d, 2w or an RFC 3339 time",
    ))
}

/// A text on one line, without characters that hide or steer.
pub(crate) fn plain(text: &str) -> String {
    // Nearly every text is such a line already.
    let is_such = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    if text.bytes().all(is_such) && text.trim_ascii() == text && !text.contains("  ") {
        return text.to_owned();
    }
    let shown: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !hides(*c))
        .collect();
    shown
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn hides(c: char) -> bool {
    c.is_control() || is_format(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_is_one_line_and_hides_nothing() {
        for same in ["", "a", "a b", "fix: it's \"so\""] {
            assert_eq!(plain(same), same);
        }
        for text in [
            " a b",
            "a b ",
            "a  b",
            "a\tb",
            "\na\n\n b",
            "a\u{202e} b\u{7}",
            "a\u{2003}b",
        ] {
            assert_eq!(plain(text), "a b", "{text:?}");
        }
        assert_eq!(plain("\u{e9} \u{a0}x"), "\u{e9} x");
    }
}
