//! What is wrong with a query, shown at its place.

use super::orders::order_of;
use crate::index::Index;
use crate::model::query::{
    Fault, FaultKind, KEYS, ParsedQuery, Place, QueryTree, STATES, UnknownKeys, parse,
};
use crate::ops::shared::words::nearest;
use crate::ops::{Error, Hint, Tracker};

/// Keys of other languages, and the ones that ask the same here.
const OTHER_KEYS: [(&str, &str); 12] = [
    ("tag tags component sprint project proj", "label"),
    ("milestone fixversion fix-version fix_version", MILESTONE),
    ("owner assigned assigned-to", "assignee"),
    ("creator reporter opened-by", "author"),
    ("kind issuetype issue-type issue_type", "type"),
    ("prio pri urgency severity", "priority"),
    ("order orderby order-by order_by", "sort"),
    ("modified changed updated-at updated_at", "updated"),
    ("opened created-at created_at", "created"),
    ("resolved closed-at closed_at", "closed"),
    ("depends depends-on depends_on waits-for", "blocked-by"),
    ("body desc description summary", "text"),
];
/// The beginning of the label of a milestone, as a key.
const MILESTONE: &str = "label:milestone";
/// Faults of one query that are mended in what is offered instead.
const MOST_MENDED: usize = 32;
/// Longest query in bytes that is offered as a whole.
const LONGEST_OFFER: usize = 200;

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
pub(super) fn fault(tracker: &Tracker, text: &str, wrong: &Fault) -> Error {
    let error = match &wrong.kind {
        FaultKind::Syntax(what) => return refuse(text, &wrong.place, what),
        FaultKind::Foreign { what, .. } => refuse(text, &wrong.place, what),
        FaultKind::UnknownKey(name) => refuse(
            text,
            &wrong.place,
            &format!("`{name}:` is no key of a query"),
        ),
    };
    // Quotes make it text.
    let Some(meant) = mended(tracker, text, wrong) else {
        let part = part_at(text, wrong);
        return error.hinted(Hint::text(format!(
            "\"{part}\" in quotes is text; keys are {}",
            KEYS.map(|(_, names)| names[0]).join(", ")
        )));
    };
    error.hinted(Hint::text(format!("did you mean `{meant}`?")))
}

/// Returns the query that is probably meant by one with a fault; none where nothing is near.
fn mended(tracker: &Tracker, text: &str, wrong: &Fault) -> Option<String> {
    let (mut query, mut wrong) = (text.to_owned(), wrong.clone());
    for _ in 0..MOST_MENDED {
        let meant = match &wrong.kind {
            FaultKind::Syntax(_) => break,
            // An order that there is not is left out.
            FaultKind::Foreign { meant, .. } => match meant.strip_prefix("sort:") {
                Some(order) if order_of(order).is_err() => String::new(),
                _ => meant.clone(),
            },
            FaultKind::UnknownKey(name) => match meant_key(tracker, name, &part_at(&query, &wrong))
            {
                Some(meant) => meant,
                None if query == text => return None,
                None => break,
            },
        };
        if text.len() > LONGEST_OFFER {
            return Some(meant);
        }
        match meant.strip_prefix("label:") {
            Some(space) if matches!(wrong.kind, FaultKind::UnknownKey(_)) => {
                let (start, rest) = (wrong.place.0.start, &query[wrong.place.0.end..]);
                let label = with_label(space, rest);
                query = format!("{}{label}", &query[..start]);
            }
            _ => query.replace_range(wrong.place.0.clone(), &meant),
        }
        query.truncate(query.trim_end().len());
        match parse(&query, UnknownKeys::Refused) {
            Ok(_) => break,
            Err(next) => wrong = next,
        }
    }
    Some(query)
}

/// Returns the key for labels that begin with a word and a colon, in front of what follows the word in a query.
fn with_label(begin: &str, rest: &str) -> String {
    let rest = rest.trim_start();
    let (dash, rest) = match rest.strip_prefix("!=") {
        Some(rest) => ("-", rest),
        None => ("", rest.trim_start_matches([':', '='])),
    };
    let rest = rest.trim_start();
    match rest.strip_prefix('"') {
        Some(text) => format!("{dash}label:\"{begin}:{text}"),
        None => {
            let (values, rest) = rest.split_at(rest.find([' ', ')']).unwrap_or(rest.len()));
            let values = values.replace(',', &format!(",{begin}:"));
            format!("{dash}label:{begin}:{values}{rest}")
        }
    }
}

/// Returns the query that a text is, or that is probably meant by it; none where it can't be read.
pub(crate) fn query_meant(tracker: &Tracker, text: &str) -> Option<String> {
    let query = match parse(text, UnknownKeys::Refused) {
        Ok(_) => text.to_owned(),
        Err(wrong) => mended(tracker, text, &wrong)?,
    };
    parse(&query, UnknownKeys::Refused).is_ok().then_some(query)
}

/// Returns whether a query is more than words.
pub(crate) fn has_key(query: &str) -> bool {
    let is_word = |tree: &QueryTree| matches!(tree, QueryTree::Text(_));
    match parse(query, UnknownKeys::Refused) {
        Ok(ParsedQuery {
            tree, sort: None, ..
        }) => match &tree {
            QueryTree::All(parts) => !parts.iter().all(is_word),
            tree => !is_word(tree),
        },
        read => read.is_ok(),
    }
}

/// Returns the part of a query that begins where a fault is, up to its end or to a space, a bracket or a comma.
fn part_at(text: &str, wrong: &Fault) -> String {
    let part = text.get(wrong.place.0.start..).unwrap_or_default();
    let mut parts = part.split(|c: char| c.is_whitespace() || "(),".contains(c));
    parts.next().unwrap_or_default().to_owned()
}

/// Returns what stands in place of a name in front of a colon that is no key; `part` is the name with its value.
fn meant_key(tracker: &Tracker, name: &str, part: &str) -> Option<String> {
    let has_label = |index: &Index<'_>| index.has_label_beginning(&format!("{name}:"));
    let is_label = tracker.read(|view| Ok(has_label(&view.index)?));
    if is_label.unwrap_or(false) {
        return Some(format!("label:{name}"));
    }
    let lower = name.to_lowercase();
    let value = part
        .get(name.len() + 1..)
        .unwrap_or_default()
        .to_lowercase();
    if lower == "state" {
        let is_state = STATES.contains(&value.as_str());
        return Some(if is_state { "is" } else { "status" }.to_owned());
    }
    let is_meant = |others: &str| others.split(' ').any(|other| other == lower);
    let other = OTHER_KEYS.iter().find(|(others, _)| is_meant(others));
    let names: Vec<&str> = KEYS.iter().flat_map(|(_, names)| *names).copied().collect();
    let near = other.map(|(_, key)| *key).or_else(|| nearest(name, &names));
    near.map(str::to_owned)
}
