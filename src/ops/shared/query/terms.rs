//! Trees as conditions of the index, with what their terms name looked up.

use super::names::{author, holder, landed, stored_status, waiting_or_asking};
use super::times;
use crate::index::{Condition, Expression, Fact, Pattern, Property, TextColumn, TimeColumn};
use crate::model::issue::KINDS;
use crate::model::query::{Compared, Key, QueryTree, QueryValue, QueryWord, STATES, Term};
use crate::model::{Clock, Field, Status};
use crate::ops::shared::words::{is_list, labels_meant, meant_status, priority, vocabulary};
use crate::ops::{Error, Hint, Result, View};

/// The values of GitHub's `in:`.
const IN_TEXTS: [&str; 5] = ["title", "body", "comments", "comment", "description"];

/// The words of `has:` and `no:`, and what they are about.
const PROPERTIES: [(&str, Option<Property>); 11] = [
    ("assignee", Some(Property::Assignee)),
    ("label", Some(Property::Label)),
    ("parent", Some(Property::Parent)),
    ("due", Some(Property::Due)),
    ("links", Some(Property::Links)),
    ("memory", Some(Property::Memory)),
    ("criteria", Some(Property::Text(Field::Acceptance))),
    ("design", Some(Property::Text(Field::Design))),
    ("description", Some(Property::Text(Field::Description))),
    ("notes", Some(Property::Text(Field::Notes))),
    // Of this repository, which the index does not know.
    ("branch", None),
];

/// Returns the condition of a tree; none where nothing of it can be looked for.
pub(super) fn of_tree(view: &View<'_>, tree: &QueryTree) -> Result<Option<Condition>> {
    if let Some(text) = text_of(tree) {
        return Ok(text.map(|text| Condition::Fact(Fact::Matches(text))));
    }
    let all = |parts: &[QueryTree]| -> Result<Vec<Condition>> {
        let parts = parts.iter();
        parts
            .filter_map(|part| of_tree(view, part).transpose())
            .collect()
    };
    Ok(match tree {
        QueryTree::All(parts) => Some(Condition::All(all(parts)?)),
        QueryTree::Any(parts) => {
            Some(Condition::Any(all(parts)?)).filter(|any| *any != Condition::Any(Vec::new()))
        }
        QueryTree::Not(inner) => of_tree(view, inner)?.map(|inner| Condition::Not(Box::new(inner))),
        QueryTree::Term(term) => Some(condition(view, term)?),
        QueryTree::TitlePart(text) => Some(Fact::TitlePart(text.clone()).into()),
        // `text_of` has them, and saved queries are in place.
        QueryTree::Text(_) | QueryTree::Saved(_) => None,
    })
}

/// Returns the expression of a tree that is about texts alone, of which none is negated.
pub(super) fn text_of(tree: &QueryTree) -> Option<Option<Expression>> {
    let all = |parts: &[QueryTree]| -> Option<Vec<Expression>> {
        let parts = parts.iter().map(text_of);
        Some(
            parts
                .collect::<Option<Vec<_>>>()?
                .into_iter()
                .flatten()
                .collect(),
        )
    };
    match tree {
        QueryTree::Text(word) => Some(expression(word)),
        QueryTree::All(parts) if !parts.is_empty() => Some(Expression::all(all(parts)?)),
        QueryTree::Any(parts) => Some(Expression::any(all(parts)?)),
        _ => None,
    }
}

/// Returns the expression of a word, or of a phrase.
fn expression(word: &QueryWord) -> Option<Expression> {
    match word.is_quoted {
        true => Expression::phrase(&word.text),
        false => Expression::word(word.text.trim_end_matches('*')),
    }
}

/// Checks a value as far as that needs no issues.
/// Errors: A word, a date or a priority that is none.
pub(super) fn check(clock: &Clock, term: &Term, value: &QueryValue) -> Result<()> {
    let time = |column| times::fact(clock, column, term, value).map(|_| ());
    match (term.key, value) {
        (Key::Created, _) => time(TimeColumn::Created),
        (Key::Updated, _) => time(TimeColumn::Updated),
        (Key::Closed, _) => time(TimeColumn::Closed),
        (Key::Due, _) => time(TimeColumn::Due),
        (Key::Priority, _) => priorities(term, value).map(|_| ()),
        (Key::Has | Key::No, QueryValue::One(word)) => property(&word.text).map(|_| ()),
        (Key::Is, QueryValue::One(word)) => {
            let is_known = STATES.contains(&word.text.to_lowercase().as_str());
            is_known.then_some(()).ok_or_else(|| no_state(&word.text))
        }
        _ => Ok(()),
    }
}

/// Returns the condition of a term: that any of its values holds.
fn condition(view: &View<'_>, term: &Term) -> Result<Condition> {
    if let Some(labels) = whole_labels(term) {
        return Ok(Fact::AnyLabel(labels).into());
    }
    let values = term.values.iter().map(|value| of_value(view, term, value));
    let mut any: Vec<Condition> = values.collect::<Result<_>>()?;
    Ok(match any.len() {
        1 => any.swap_remove(0),
        _ => Condition::Any(any),
    })
}

/// Returns several labels of which any will do: they are looked up together. None where one is a beginning or a list.
fn whole_labels(term: &Term) -> Option<Vec<String>> {
    if term.key != Key::Label || term.values.len() < 2 {
        return None;
    }
    let whole = term.words();
    whole
        .map(|word| (!word.is_beginning()).then(|| word.text.clone()))
        .collect()
}

fn of_value(view: &View<'_>, term: &Term, value: &QueryValue) -> Result<Condition> {
    let time = |column| times::fact(&view.clock(), column, term, value).map(Condition::Fact);
    match (term.key, value) {
        (Key::Created, _) => time(TimeColumn::Created),
        (Key::Updated, _) => time(TimeColumn::Updated),
        (Key::Closed, _) => time(TimeColumn::Closed),
        (Key::Due, _) => time(TimeColumn::Due),
        (Key::Priority, _) => priorities(term, value).map(Condition::Fact),
        (_, QueryValue::One(word)) => of_word(view, term.key, word),
        (_, QueryValue::Between(..)) => {
            Err(Error::invalid("only times and priorities have a range"))
        }
    }
}

fn of_word(view: &View<'_>, key: Key, word: &QueryWord) -> Result<Condition> {
    let text = &word.text;
    Ok(Condition::Fact(match key {
        Key::Is => return state(view, text),
        Key::Has => return has(view, text),
        Key::No => return Ok(Condition::Not(Box::new(has(view, text)?))),
        Key::Status => Fact::Status(stored_status(view, text)?),
        Key::Type => Fact::Kind(text.clone()),
        Key::Source => Fact::Source(text.to_lowercase()),
        Key::Label if !word.is_quoted && is_list(text) => {
            let labels = labels_meant(view, std::slice::from_ref(text))?.into_iter();
            let facts = labels.map(|label| Condition::Fact(Fact::Label((&label).into())));
            return Ok(Condition::All(facts.collect()));
        }
        Key::Label => Fact::Label(pattern(word)),
        Key::Assignee => return assignee(view, word),
        Key::Author if word.is_quoted => Fact::Author(pattern(word)),
        Key::Author => return author(view, &person(view, word)),
        Key::Actor => return actor(view, word),
        Key::Title => return Ok(within(TextColumn::Title, word)),
        Key::Text => return Ok(within(TextColumn::Body, word)),
        Key::Memory => return Ok(within(TextColumn::Memory, word)),
        _ => related(view, key, word)?,
    }))
}

/// Returns the fact about an issue that a value names.
fn related(view: &View<'_>, key: Key, word: &QueryWord) -> Result<Fact> {
    if key == Key::Id && word.is_beginning() {
        return Ok(Fact::IdBegins(pattern(word).text));
    }
    // GitHub's `in:title`.
    if key == Key::In && IN_TEXTS.contains(&&*word.text.to_lowercase()) {
        let message = format!("`in:` takes an issue, not `{}`", word.text);
        let hint = "a word alone is looked for in all texts, title:WORD in titles only";
        return Err(Error::invalid(message).hinted(Hint::text(hint)));
    }
    let uid = view.find(&word.text)?;
    Ok(match key {
        Key::Parent => Fact::Child(uid),
        Key::In => Fact::Below(uid),
        Key::BlockedBy => Fact::WaitsFor(uid),
        Key::Blocks => Fact::Blocks(uid),
        // All other keys are read elsewhere.
        _ => Fact::Is(uid),
    })
}

/// Returns the condition that a text has a word; none where nothing of it is a word.
fn within(column: TextColumn, word: &QueryWord) -> Condition {
    match expression(word) {
        Some(expression) => Condition::Fact(Fact::Matches(expression.within(column))),
        None => Condition::All(Vec::new()),
    }
}

/// Returns what a value stands for: a text, or where a star ends it what begins so.
fn pattern(word: &QueryWord) -> Pattern {
    let beginning = word.text.strip_suffix('*').filter(|_| !word.is_quoted);
    Pattern {
        text: beginning.unwrap_or(&word.text).to_owned(),
        is_beginning: beginning.is_some(),
    }
}

/// Returns the name of a person; `me` is the actor.
fn person(view: &View<'_>, word: &QueryWord) -> Pattern {
    let mut name = pattern(word);
    if word.is_quoted {
        return name;
    }
    name.text = match name.text.trim_start_matches('@') {
        "me" => view.tracker.actor().to_owned(),
        text => text.to_owned(),
    };
    name
}

fn actor(view: &View<'_>, word: &QueryWord) -> Result<Condition> {
    let name = person(view, word).text;
    let names = match word.is_quoted {
        true => vec![name],
        false => view.index.oplog().actors_like(&name)?,
    };
    let names = names.into_iter();
    let any = names.map(|name| Condition::Fact(Fact::Actor(name)));
    Ok(match Vec::from_iter(any) {
        // Of no one there is nothing.
        none if none.is_empty() => Condition::Fact(Fact::Row(Vec::new())),
        any => Condition::Any(any),
    })
}

fn assignee(view: &View<'_>, word: &QueryWord) -> Result<Condition> {
    if word.text == "none" && !word.is_quoted {
        return Ok(Fact::Unassigned.into());
    }
    let name = person(view, word);
    if name.is_beginning || word.is_quoted {
        return Ok(Condition::Fact(Fact::Assignee(name)));
    }
    // A name of an agent means what it has in progress, as lists show it.
    holder(view, &name.text)
}

/// Returns the condition that an issue has something.
fn has(view: &View<'_>, text: &str) -> Result<Condition> {
    let Some(property) = property(text)? else {
        let branches = view.tracker.store().user_branches().issue_branches();
        let ids = branches.into_iter().map(|(_, id)| id);
        // An id that is none any more is about nothing.
        let uids = ids.filter_map(|id| view.find(&id).ok());
        let any: Vec<_> = uids.map(|uid| Condition::Fact(Fact::Is(uid))).collect();
        return Ok(match any.is_empty() {
            true => Condition::Fact(Fact::Row(Vec::new())),
            false => Condition::Any(any),
        });
    };
    Ok(Condition::Fact(Fact::Has(property)))
}

/// Returns what a word is about; none for branches.
fn property(text: &str) -> Result<Option<Property>> {
    // `no:labels` is as clear as `no:label`.
    let lower = text.to_lowercase();
    let is_meant = |name: &str| {
        lower == name
            || lower.strip_suffix('s') == Some(name)
            || name.strip_suffix('s') == Some(&lower)
    };
    let found = PROPERTIES.iter().find(|(name, _)| is_meant(name));
    found
        .map(|(_, property)| *property)
        .ok_or_else(|| vocabulary("a property", text, &PROPERTIES.map(|(name, _)| name)))
}

fn state(view: &View<'_>, text: &str) -> Result<Condition> {
    let now = view.now();
    Ok(Condition::Fact(match text.to_lowercase().as_str() {
        "open" => Fact::Open,
        "closed" => Fact::Status(Status::Closed.as_str().to_owned()),
        "any" => return Ok(Condition::All(Vec::new())),
        "ready" => Fact::Ready(now),
        "blocked" => Fact::Blocked,
        "waiting" => return Ok(waiting_or_asking(view)),
        "question" => Fact::Asks(view.tracker.party()),
        "review" => Fact::ToReview(view.tracker.stale().1),
        "stale" => Fact::Stale(view.tracker.stale().1),
        "landed" => Fact::Row(landed(view)?),
        "conflicted" => Fact::Conflicted,
        "deleted" => Fact::Deleted,
        "deferred" => Fact::Deferred(now),
        "overdue" => Fact::Overdue(now),
        "mine" => Fact::Holder(view.tracker.party()),
        "epic" => Fact::Kind("epic".to_owned()),
        _ => return Err(no_state(text)),
    }))
}

/// Returns the error for a word that is no state, where another key has it with that.
fn no_state(word: &str) -> Error {
    let error = vocabulary("a state", word, &STATES);
    if !error.hints.is_empty() {
        return error;
    }
    let lower = word.to_lowercase();
    let meant = match (KINDS.contains(&lower.as_str()), meant_status(word)) {
        (true, _) => format!("type:{lower}"),
        (false, Some(status)) => format!("status:{status}"),
        (false, None) => return error,
    };
    error.hinted(Hint::text(format!("did you mean `{meant}`?")))
}

/// Returns the range of priorities that a value stands for.
fn priorities(term: &Term, value: &QueryValue) -> Result<Fact> {
    let bound = |word: &QueryWord, usual: i64| match word.text.as_str() {
        "" => Ok(usual),
        text => priority(text),
    };
    let (from, to) = match (value, term.compared) {
        (QueryValue::One(word), compared) => {
            let number = priority(&word.text)?;
            match compared {
                Compared::Equal => (number, number),
                Compared::Less => (i64::MIN, number - 1),
                Compared::AtMost => (i64::MIN, number),
                Compared::More => (number + 1, i64::MAX),
                Compared::AtLeast => (number, i64::MAX),
            }
        }
        (QueryValue::Between(from, to), Compared::Equal) => {
            (bound(from, i64::MIN)?, bound(to, i64::MAX)?)
        }
        _ => return Err(Error::invalid("a range is not compared by < or >")),
    };
    Ok(Fact::Priority(from, to))
}
