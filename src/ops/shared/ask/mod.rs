//! Queries in the query language: read, with what they name looked up, as conditions of the index.

mod fault;
pub(crate) mod names;
pub(crate) mod orders;
mod terms;
mod times;

use std::collections::HashSet;

use crate::index::{Condition, Expression, Fact, Filter};
use crate::model::Status;
use crate::model::ask::{
    AskKey, AskQuery, AskTerm, AskTree, AskValue, AskWord, Compared, FaultKind, MOST_PARTS, Place,
    UnknownKeys, parse, parse_term,
};
use crate::ops::tracker::clock_at;
use crate::ops::{Command, Error, Hint, Result, Tracker, View};
use fault::{fault, pointed, refuse};
pub(crate) use fault::{has_key, query_meant};

/// Section of git's configuration that has the saved queries.
const SAVED: &str = "beads.query";

/// Reads a query and puts the saved ones in place of their names.
/// Errors: A fault, pointed at; a name that no query is saved under.
pub(crate) fn read(tracker: &Tracker, text: &str) -> Result<AskQuery> {
    let query = parse(text, UnknownKeys::Refused).map_err(|wrong| fault(tracker, text, &wrong))?;
    Expansion::new(tracker).expand(text, query)
}

/// Reads what is searched for: what is no query is words.
/// Errors: A saved query with a fault.
pub(crate) fn read_search(tracker: &Tracker, text: &str) -> Result<AskQuery> {
    let words = || AskQuery {
        tree: AskTree::All(text.split_whitespace().map(plain_word).collect()),
        ..AskQuery::default()
    };
    // A negated word alone would find nearly everything: it is a word with a dash.
    let is_dashed = |query: &AskQuery| match &query.tree {
        AskTree::Not(inner) => matches!(**inner, AskTree::Text(_)),
        _ => false,
    };
    let query = match parse(text, UnknownKeys::Words) {
        Err(wrong) if matches!(wrong.kind, FaultKind::Foreign { .. }) => {
            return Err(fault(tracker, text, &wrong));
        }
        parsed => parsed.ok(),
    };
    let query = query.filter(|query| !is_dashed(query));
    let query = query.unwrap_or_else(words);
    let mut expansion = Expansion::new(tracker);
    expansion.unknown = UnknownKeys::Words;
    expansion.expand(text, query)
}

fn plain_word(word: &str) -> AskTree {
    AskTree::Text(AskWord {
        text: word.to_owned(),
        ..AskWord::default()
    })
}

/// Saved queries, put in place of their names.
struct Expansion<'t> {
    tracker: &'t Tracker,
    /// What a name means that no query is saved under.
    unknown: UnknownKeys,
    /// Names that are being expanded.
    open: HashSet<String>,
    /// Queries that were put in place.
    count: usize,
}

impl<'t> Expansion<'t> {
    fn new(tracker: &'t Tracker) -> Self {
        Self {
            tracker,
            unknown: UnknownKeys::Refused,
            open: HashSet::new(),
            count: 0,
        }
    }

    fn expand(&mut self, text: &str, mut query: AskQuery) -> Result<AskQuery> {
        if let Some(sort) = &query.sort {
            orders::order_of(&sort.text).map_err(|error| pointed(text, &sort.place, error))?;
        }
        if let Some(group) = &query.group {
            orders::group_of(&group.text).map_err(|error| pointed(text, &group.place, error))?;
        }
        let tree = std::mem::take(&mut query.tree);
        query.tree = self.tree(text, tree, &mut query)?;
        Ok(query)
    }

    fn tree(&mut self, text: &str, tree: AskTree, whole: &mut AskQuery) -> Result<AskTree> {
        Ok(match tree {
            AskTree::All(parts) => AskTree::All(self.trees(text, parts, whole)?),
            AskTree::Any(parts) => AskTree::Any(self.trees(text, parts, whole)?),
            AskTree::Not(inner) => AskTree::Not(Box::new(self.tree(text, *inner, whole)?)),
            AskTree::Saved(name) => self.saved(text, &name, whole)?,
            AskTree::Term(term) => {
                for value in &term.values {
                    terms::check(
                        &clock_at(self.tracker.env(), self.tracker.now()),
                        &term,
                        value,
                    )
                    .map_err(|error| pointed(text, &value.place(), error))?;
                }
                AskTree::Term(term)
            }
            other => other,
        })
    }

    fn trees(
        &mut self,
        text: &str,
        parts: Vec<AskTree>,
        whole: &mut AskQuery,
    ) -> Result<Vec<AskTree>> {
        let parts = parts.into_iter().map(|part| self.tree(text, part, whole));
        parts.collect()
    }

    fn saved(&mut self, text: &str, name: &AskWord, whole: &mut AskQuery) -> Result<AskTree> {
        let key = format!("{SAVED}.{}", name.text);
        // Git takes letters, digits and dashes in a name; anything else is none.
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let saved = match name.text.chars().all(is_name) {
            true => self.tracker.config(&key),
            false => None,
        };
        let Some(saved) = saved else {
            return match self.unknown {
                UnknownKeys::Words => Ok(plain_word(&name.text)),
                UnknownKeys::Refused => {
                    let what = format!("no query is saved as `{}`", name.text);
                    let error = refuse(text, &name.place, &what);
                    let people = |view: &View<'_>| names::people_like(view, &name.text);
                    let is_person = |tracker: &Tracker| tracker.read(|view| people(view));
                    // As lists print people.
                    let is_meant = name.text == "me"
                        || is_person(self.tracker).is_ok_and(|names| !names.is_empty());
                    Err(match is_meant {
                        true => error.hinted(Hint::text(format!(
                            "did you mean `assignee:{}`?",
                            name.text
                        ))),
                        false => error.hinted(Command::line(
                            "git config beads.query.NAME 'is:open label:x'",
                        )),
                    })
                }
            };
        };
        self.count += 1;
        let lower = name.text.to_lowercase();
        if self.count > MOST_PARTS || !self.open.insert(lower.clone()) {
            let what = format!("the saved query `{}` names itself", name.text);
            return Err(refuse(text, &name.place, &what)
                .hinted(Command::line("git config --get").word(key)));
        }
        let query = parse(&saved, UnknownKeys::Refused).map_err(|wrong| {
            let mut error = fault(self.tracker, &saved, &wrong);
            error.message = format!("{key}: {}", error.message);
            error
        })?;
        // Its own names are read in its own text, where their faults are shown.
        let query = self.expand(&saved, query)?;
        self.open.remove(&lower);
        // What is said where the query is used counts more.
        whole.sort = whole.sort.take().or(query.sort);
        whole.group = whole.group.take().or(query.group);
        whole.at = whole.at.take().or(query.at);
        Ok(query.tree)
    }
}

/// Adds what a query says to a filter.
/// Errors: A word, a date or an issue that is none.
pub(crate) fn add(view: &View<'_>, tree: &AskTree, filter: &mut Filter) -> Result<()> {
    let parts = match tree {
        AskTree::All(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let (mut lifts, mut deleted) = (false, false);
    for part in parts {
        // Wherever it is said, and negated too: `-is:closed` is about all states. `is:open` alone is about what is listed.
        lifts |=
            any_term(part, &is_about_state) && !matches!(part, AskTree::Term(it) if is(it, "open"));
        deleted |= any_term(part, &is_about_deleted);
        match part {
            AskTree::Term(term) if fold(view, term, filter)? => {}
            part => filter.conditions.extend(condition(view, part)?),
        }
    }
    // Where the state is asked for, ended issues are not left out beforehand.
    filter.done |= lifts;
    filter.deleted |= deleted;
    if filter.conditions.iter().any(Condition::reads_texts) {
        view.index.full_text().fill()?;
    }
    if filter.conditions.iter().any(Condition::reads_operations) {
        view.index.oplog().fill_oplog()?;
    }
    Ok(())
}

/// Puts a term into the filter where that has a place for it, which is free.
fn fold(view: &View<'_>, term: &AskTerm, filter: &mut Filter) -> Result<bool> {
    match term.key {
        AskKey::Status if filter.statuses.is_empty() => {
            filter.statuses = terms::statuses(view, term)?;
            Ok(true)
        }
        AskKey::Is if filter.statuses.is_empty() && is(term, "closed") => {
            filter.statuses = vec![Status::Closed.as_str().to_owned()];
            Ok(true)
        }
        AskKey::Type if filter.kinds.is_empty() => {
            filter.kinds = terms::texts(term);
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Returns the condition of a tree; none where nothing of it can be looked for.
pub(crate) fn condition(view: &View<'_>, tree: &AskTree) -> Result<Option<Condition>> {
    if let Some(text) = text_of(tree) {
        return Ok(text.map(|text| Condition::Fact(Fact::Matches(text))));
    }
    let all = |parts: &[AskTree]| -> Result<Vec<Condition>> {
        let parts = parts.iter().map(|part| condition(view, part));
        Ok(parts
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect())
    };
    Ok(match tree {
        AskTree::All(parts) => Some(Condition::All(all(parts)?)),
        AskTree::Any(parts) => {
            Some(Condition::Any(all(parts)?)).filter(|any| *any != Condition::Any(Vec::new()))
        }
        AskTree::Not(inner) => condition(view, inner)?.map(|inner| Condition::Not(Box::new(inner))),
        AskTree::Term(term) => Some(terms::condition(view, term)?),
        // `text_of` has them, and saved queries are in place.
        AskTree::Text(_) | AskTree::Saved(_) => None,
    })
}

/// Returns the expression of a tree that is about texts alone, of which none is negated.
fn text_of(tree: &AskTree) -> Option<Option<Expression>> {
    let all = |parts: &[AskTree]| -> Option<Vec<Expression>> {
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
        AskTree::Text(word) => Some(terms::expression(word)),
        AskTree::All(parts) if !parts.is_empty() => Some(Expression::all(all(parts)?)),
        AskTree::Any(parts) => Some(Expression::any(all(parts)?)),
        _ => None,
    }
}

/// What is searched for: by the text index, and by the rest of the query.
pub(crate) struct SearchParts {
    /// None where no text is asked for.
    pub(crate) expression: Option<Expression>,
    /// The rest.
    pub(crate) rest: AskTree,
    /// The words that are looked for, as they are written.
    pub(crate) words: Vec<AskWord>,
}

impl SearchParts {
    /// Returns the parts of a query.
    pub(crate) fn of(tree: AskTree) -> Self {
        let parts = match tree {
            AskTree::All(parts) => parts,
            one => vec![one],
        };
        let mut words = Vec::new();
        let (mut texts, mut rest) = (Vec::new(), Vec::new());
        for part in parts {
            positive(&part, &mut words);
            match text_of(&part) {
                Some(text) => texts.extend(text),
                None => rest.push(part),
            }
        }
        Self {
            expression: Expression::all(texts),
            rest: AskTree::All(rest),
            words,
        }
    }

    /// Returns the words where the query is nothing else, all of which are looked for.
    pub(crate) fn only_words(&self) -> Option<String> {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        (self.rest == AskTree::default()).then(|| words.join(" "))
    }
}

/// Collects the words of a tree that are not negated.
fn positive(tree: &AskTree, words: &mut Vec<AskWord>) {
    match tree {
        AskTree::All(parts) | AskTree::Any(parts) => {
            parts.iter().for_each(|part| positive(part, words));
        }
        AskTree::Text(word) => words.push(word.clone()),
        AskTree::Term(term) if matches!(term.key, AskKey::Text | AskKey::Memory) => {
            words.extend(terms::words(term).cloned());
        }
        _ => {}
    }
}

/// Returns the values of a key that a tree asks for: those that are not negated, without beginnings such as `front*`.
pub(crate) fn values_of(tree: &AskTree, key: AskKey) -> Vec<String> {
    match tree {
        AskTree::All(parts) | AskTree::Any(parts) => {
            parts.iter().flat_map(|part| values_of(part, key)).collect()
        }
        AskTree::Term(term) if term.key == key => {
            let whole =
                terms::words(term).filter(|word| word.is_quoted || !word.text.ends_with('*'));
            whole.map(|word| word.text.clone()).collect()
        }
        _ => Vec::new(),
    }
}

fn any_term(tree: &AskTree, holds: &impl Fn(&AskTerm) -> bool) -> bool {
    match tree {
        AskTree::All(parts) | AskTree::Any(parts) => parts.iter().any(|part| any_term(part, holds)),
        AskTree::Not(inner) => any_term(inner, holds),
        AskTree::Term(term) => holds(term),
        AskTree::Text(_) | AskTree::Saved(_) => false,
    }
}

/// Returns whether a term is `is:` with one state alone.
fn is(term: &AskTerm, state: &str) -> bool {
    let mut words = terms::words(term).map(|word| word.text.to_lowercase());
    term.key == AskKey::Is && term.values.len() == 1 && words.next().as_deref() == Some(state)
}

/// Returns whether a term says itself which states it is about.
fn is_about_state(term: &AskTerm) -> bool {
    let states = ["open", "closed", "any", "deleted"];
    match term.key {
        AskKey::Status | AskKey::Closed => true,
        AskKey::Is => terms::words(term).any(|word| states.contains(&&*word.text.to_lowercase())),
        _ => false,
    }
}

fn is_about_deleted(term: &AskTerm) -> bool {
    let has = |state: &str| terms::words(term).any(|word| word.text.eq_ignore_ascii_case(state));
    match term.key {
        AskKey::Status => has("tombstone"),
        AskKey::Is => has("deleted"),
        _ => false,
    }
}

/// Returns the tree of an option: a key and its value. A date alone is the last one.
/// Errors: The value is empty.
pub(crate) fn option(name: &str, key: AskKey, value: &str) -> Result<AskTree> {
    let mut term = parse_term(key, value).map_err(|_| {
        let error = Error::invalid(format!("--{name} is empty"));
        error.hinted(Hint::text(format!("leave --{name} out to see all")))
    })?;
    let is_one = matches!(term.values[..], [AskValue::One(_)]);
    if key == AskKey::Due && is_one && term.compared == Compared::Equal {
        term.compared = Compared::AtMost;
    }
    Ok(AskTree::Term(term))
}

/// Returns the tree of an option that has no value.
pub(crate) fn fixed(key: AskKey, value: &str) -> AskTree {
    let word = AskWord {
        text: value.to_owned(),
        ..AskWord::default()
    };
    AskTree::Term(AskTerm {
        key,
        compared: Compared::Equal,
        values: vec![AskValue::One(word)],
        place: Place::default(),
    })
}

/// Returns the error of a verb that shows the present alone.
pub(crate) fn no_past() -> Error {
    let error = Error::invalid("at: is for list, ready, board and export");
    error.hinted(Command::of("list").flag("--at").placeholder("REV"))
}

/// Refuses groups for a verb whose answer has an order of its own.
pub(crate) fn check_no_groups(group: Option<&str>) -> Result<()> {
    if group.is_none() {
        return Ok(());
    }
    let error = Error::invalid("group: is for list, ready and export");
    Err(error.hinted(Command::of("list").flag("--group").placeholder("KEY")))
}
