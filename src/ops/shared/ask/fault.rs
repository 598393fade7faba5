//! What is wrong with a query, shown at its place.

use crate::index::Index;
use crate::model::ask::{AskFault, FaultKind, KEYS, Place};
use crate::ops::shared::words::nearest;
use crate::ops::{Error, Hint, Tracker};

/// Characters of the query on each side of what is wrong.
const AROUND: usize = 50;

/// Returns the error for a part of a query: what it is, and the part with a mark below it.
pub(super) fn refuse(text: &str, place: &Place, what: &str) -> Error {
    let start = floor(text, place.0.start);
    let end = floor(text, place.0.end).max(start);
    let before: String = text[..start].chars().rev().take(AROUND).collect();
    let before: String = before.chars().rev().collect();
    let cut = if before.len() < start { "…" } else { "" };
    let part: String = text[start..end].chars().take(AROUND).collect();
    let after: String = text[start + part.len()..].chars().take(AROUND).collect();
    let more = if start + part.len() + after.len() < text.len() {
        "…"
    } else {
        ""
    };
    // As wide as what comes before the part; control characters are one space each.
    let left = " ".repeat(cut.chars().count() + before.chars().count());
    let marks = "^".repeat(part.chars().count().max(1));
    let line = format!("{cut}{before}{part}{after}{more}").replace(char::is_control, " ");
    Error::invalid(format!("{what}\n{line}\n{left}{marks}"))
}

/// Points at the part of a query that an error is about.
pub(super) fn pointed(text: &str, place: &Place, mut error: Error) -> Error {
    error.message = refuse(text, place, &error.message).message;
    error
}

/// Returns the largest boundary of a character that is not behind a place.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// Returns the error for a text that can't be read, with what was probably meant.
pub(super) fn fault(tracker: &Tracker, text: &str, wrong: &AskFault) -> Error {
    let name = match &wrong.kind {
        FaultKind::Syntax(what) => return refuse(text, &wrong.place, what),
        FaultKind::UnknownKey(name) => name,
    };
    let error = refuse(
        text,
        &wrong.place,
        &format!("`{name}:` is no key of a query"),
    );
    let names: Vec<&str> = KEYS.iter().flat_map(|(_, names)| *names).copied().collect();
    let label = || {
        let begins = |index: &Index<'_>| index.has_label_beginning(&format!("{name}:"));
        tracker
            .read(|view| Ok(begins(&view.index)?))
            .unwrap_or(false)
    };
    // The whole part is repeated, so that it can be copied.
    let value = text.get(wrong.place.0.end + 1..).unwrap_or_default();
    let value = value.split(|c: char| c.is_whitespace() || "(),".contains(c));
    let value = value.into_iter().next().unwrap_or_default();
    let meant = match nearest(name, &names) {
        _ if label() => format!("label:{name}:{value}"),
        Some(near) => format!("{near}:{value}"),
        // Quotes make it text.
        None => {
            return error.hinted(Hint::text(format!(
                "\"{name}:{value}\" in quotes is text; keys are {}",
                KEYS.map(|(_, names)| names[0]).join(", ")
            )));
        }
    };
    error.hinted(Hint::text(format!("did you mean `{meant}`?")))
}
