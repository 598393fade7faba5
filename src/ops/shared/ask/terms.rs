//! Keys with their values, as conditions.

use super::names::{author, holder, landed, stored_status, waiting_or_asking};
use super::times;
use crate::index::{Condition, Expression, Fact, Pattern, Property, TextColumn, TimeColumn};
use crate::model::ask::{AskKey, AskTerm, AskValue, AskWord, Compared, STATES};
use crate::model::issue::KINDS;
use crate::model::{Clock, Field};
use crate::ops::shared::words::{meant_status, priority, vocabulary};
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

/// Returns the words of a term; a range has none.
pub(super) fn words(term: &AskTerm) -> impl Iterator<Item = &AskWord> {
    term.values.iter().filter_map(|value| match value {
        AskValue::One(word) => Some(word),
        AskValue::Between(..) => None,
    })
}

/// Returns the texts of a term.
pub(super) fn texts(term: &AskTerm) -> Vec<String> {
    words(term).map(|word| word.text.clone()).collect()
}

/// Returns the statuses of a term.
pub(super) fn statuses(view: &View<'_>, term: &AskTerm) -> Result<Vec<String>> {
    let statuses = words(term).map(|word| stored_status(view, &word.text));
    statuses.collect()
}

/// Returns the expression of a word, or of a phrase.
pub(super) fn expression(word: &AskWord) -> Option<Expression> {
    match word.is_quoted {
        true => Expression::phrase(&word.text),
        false => Expression::word(word.text.trim_end_matches('*')),
    }
}

/// Checks a value as far as that needs no issues.
/// Errors: A word, a date or a priority that is none.
pub(super) fn check(clock: &Clock, term: &AskTerm, value: &AskValue) -> Result<()> {
    let time = |column| times::fact(clock, column, term, value).map(|_| ());
    match (term.key, value) {
        (AskKey::Created, _) => time(TimeColumn::Created),
        (AskKey::Updated, _) => time(TimeColumn::Updated),
        (AskKey::Closed, _) => time(TimeColumn::Closed),
        (AskKey::Due, _) => time(TimeColumn::Due),
        (AskKey::Priority, _) => priorities(term, value).map(|_| ()),
        (AskKey::Has | AskKey::No, AskValue::One(word)) => property(&word.text).map(|_| ()),
        (AskKey::Is, AskValue::One(word)) => {
            let is_known = STATES.contains(&word.text.to_lowercase().as_str());
            is_known.then_some(()).ok_or_else(|| no_state(&word.text))
        }
        _ => Ok(()),
    }
}

/// Returns the condition of a term: that any of its values holds.
pub(super) fn condition(view: &View<'_>, term: &AskTerm) -> Result<Condition> {
    let values = term.values.iter().map(|value| of_value(view, term, value));
    let mut any: Vec<Condition> = values.collect::<Result<_>>()?;
    Ok(match any.len() {
        1 => any.swap_remove(0),
        _ => Condition::Any(any),
    })
}

fn of_value(view: &View<'_>, term: &AskTerm, value: &AskValue) -> Result<Condition> {
    let time = |column| times::fact(&view.clock(), column, term, value).map(Condition::Fact);
    match (term.key, value) {
        (AskKey::Created, _) => time(TimeColumn::Created),
        (AskKey::Updated, _) => time(TimeColumn::Updated),
        (AskKey::Closed, _) => time(TimeColumn::Closed),
        (AskKey::Due, _) => time(TimeColumn::Due),
        (AskKey::Priority, _) => priorities(term, value).map(Condition::Fact),
        (_, AskValue::One(word)) => of_word(view, term.key, word),
        (_, AskValue::Between(..)) => Err(Error::invalid("only times and priorities have a range")),
    }
}

fn of_word(view: &View<'_>, key: AskKey, word: &AskWord) -> Result<Condition> {
    let text = &word.text;
    Ok(Condition::Fact(match key {
        AskKey::Is => return state(view, text),
        AskKey::Has => return has(view, text),
        AskKey::No => return Ok(Condition::Not(Box::new(has(view, text)?))),
        AskKey::Status => Fact::Status(stored_status(view, text)?),
        AskKey::Type => Fact::Kind(text.clone()),
        AskKey::Source => Fact::Source(text.to_lowercase()),
        AskKey::Label => Fact::Label(pattern(word)),
        AskKey::Assignee => return assignee(view, word),
        AskKey::Author if word.is_quoted => Fact::Author(pattern(word)),
        AskKey::Author => return author(view, &person(view, word)),
        AskKey::Actor => return actor(view, word),
        AskKey::Title => return Ok(within(TextColumn::Title, word)),
        AskKey::Text => return Ok(within(TextColumn::Body, word)),
        AskKey::Memory => return Ok(within(TextColumn::Memory, word)),
        _ => related(view, key, word)?,
    }))
}

/// Returns the fact about an issue that a value names.
fn related(view: &View<'_>, key: AskKey, word: &AskWord) -> Result<Fact> {
    if key == AskKey::Id && word.text.ends_with('*') && !word.is_quoted {
        return Ok(Fact::IdBegins(pattern(word).text));
    }
    // GitHub's `in:title`.
    if key == AskKey::In && IN_TEXTS.contains(&&*word.text.to_lowercase()) {
        let message = format!("`in:` takes an issue, not `{}`", word.text);
        let hint = "a word alone is looked for in all texts, title:WORD in titles only";
        return Err(Error::invalid(message).hinted(Hint::text(hint)));
    }
    let uid = view.find(&word.text)?;
    Ok(match key {
        AskKey::Parent => Fact::Child(uid),
        AskKey::In => Fact::Below(uid),
        AskKey::BlockedBy => Fact::WaitsFor(uid),
        AskKey::Blocks => Fact::Blocks(uid),
        // All other keys are read elsewhere.
        _ => Fact::Is(uid),
    })
}

/// Returns the condition that a text has a word; none where nothing of it is a word.
fn within(column: TextColumn, word: &AskWord) -> Condition {
    match expression(word) {
        Some(expression) => Condition::Fact(Fact::Matches(expression.within(column))),
        None => Condition::All(Vec::new()),
    }
}

/// Returns what a value stands for: a text, or where a star ends it what begins so.
fn pattern(word: &AskWord) -> Pattern {
    let beginning = word.text.strip_suffix('*').filter(|_| !word.is_quoted);
    Pattern {
        text: beginning.unwrap_or(&word.text).to_owned(),
        is_beginning: beginning.is_some(),
    }
}

/// Returns the name of a person; `me` is the actor.
fn person(view: &View<'_>, word: &AskWord) -> Pattern {
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

fn actor(view: &View<'_>, word: &AskWord) -> Result<Condition> {
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

fn assignee(view: &View<'_>, word: &AskWord) -> Result<Condition> {
    if word.text == "none" && !word.is_quoted {
        let has = Condition::Fact(Fact::Has(Property::Assignee));
        return Ok(Condition::Not(Box::new(has)));
    }
    let name = person(view, word);
    if name.is_beginning || word.is_quoted {
        return Ok(Condition::Fact(Fact::Assignee(name)));
    }
    // A name of an agent means what it has in progress, as lists show it.
    let mut who = holder(view, Some(name.text.clone()))?;
    if let Some(people) = who.conditions.pop() {
        return Ok(people);
    }
    Ok(Condition::Fact(match (who.holder, who.agent) {
        (Some(party), _) => Fact::Holder(party),
        (None, Some(agent)) => Fact::Agent(agent),
        (None, None) => Fact::Assignee(name),
    }))
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
        "closed" => Fact::Closed,
        "any" => return Ok(Condition::All(Vec::new())),
        "ready" => Fact::Ready(now),
        "blocked" => Fact::Blocked,
        "waiting" => return Ok(waiting_or_asking(view)),
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
fn priorities(term: &AskTerm, value: &AskValue) -> Result<Fact> {
    let bound = |word: &AskWord, usual: i64| match word.text.as_str() {
        "" => Ok(usual),
        text => priority(text),
    };
    let (from, to) = match (value, term.compared) {
        (AskValue::One(word), compared) => {
            let number = priority(&word.text)?;
            match compared {
                Compared::Equal => (number, number),
                Compared::Less => (i64::MIN, number - 1),
                Compared::AtMost => (i64::MIN, number),
                Compared::More => (number + 1, i64::MAX),
                Compared::AtLeast => (number, i64::MAX),
            }
        }
        (AskValue::Between(from, to), Compared::Equal) => {
            (bound(from, i64::MIN)?, bound(to, i64::MAX)?)
        }
        _ => return Err(Error::invalid("a range is not compared by < or >")),
    };
    Ok(Fact::Priority(from, to))
}
