//! Words of users: names, dates, and those of a vocabulary.

use crate::model::id::is_format;
use crate::ops::{Error, Hint, Tracker};

/// The error for a word outside a vocabulary, with the nearest inside it.
pub(crate) fn vocabulary(what: &str, word: &str, known: &[&str]) -> Error {
    let near = known
        .iter()
        .max_by(|a, b| strsim::jaro_winkler(a, word).total_cmp(&strsim::jaro_winkler(b, word)));
    let error = Error::invalid(format!("`{word}` is not {what}: {}", known.join(", ")));
    match near {
        Some(near) if strsim::jaro_winkler(near, word) > 0.7 => {
            error.hinted(Hint::text(format!("did you mean `{near}`?")))
        }
        _ => error,
    }
}

/// Returns the words of values that may each be a list separated by commas.
pub(crate) fn words(values: &[String]) -> impl Iterator<Item = &str> {
    values
        .iter()
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|word| !word.is_empty())
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
        "use 2026-11-20, 3d, 2w, tomorrow or an RFC 3339 time",
    ))
}

/// A text on one line, without characters that hide or steer.
pub(crate) fn plain(text: &str) -> String {
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
