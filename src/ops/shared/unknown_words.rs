//! Labels and types that a query asks for and no issue has, where it finds nothing: with the ones that are probably meant.

use std::collections::BTreeSet;

use super::words::{MOST_LABELS, is_list, labels_meant, nearest, plain};
use crate::index::names_like;
use crate::model::issue::{KINDS, known_word};
use crate::model::query::{Key, QueryTree};
use crate::ops::{Command, Result, View};

/// Names that are listed where none is near.
const LISTED: usize = 8;
/// Words of a query that are explained.
const MOST_WORDS: usize = 3;
/// Characters of a word that are repeated.
const LONGEST: usize = 80;

/// Warns of labels and types that a query asks for and no issue has. Only for a query that found nothing, since the names are
/// looked up.
pub(crate) fn warn_of_unknown(view: &View<'_>, tree: &QueryTree) -> Result<()> {
    let mut labels = Vec::new();
    for word in tree.values_of(Key::Label) {
        match word.is_quoted || !is_list(&word.text) {
            true => labels.push(word.text),
            false => labels.extend(labels_meant(view, &[word.text])?),
        }
    }
    if !labels.is_empty() {
        let names = view.index.completion();
        let names = names.labels_beginning_with("", MOST_LABELS)?;
        warn(view, &labels, "label", &names);
    }
    let kinds = texts_of(tree, Key::Type);
    let is_known = |kind: &String| KINDS.contains(&known_word(kind).as_str());
    // One that is known and that no issue has is spelled right.
    if !kinds.iter().all(is_known) {
        let used = view.index.type_tallies()?.into_iter();
        let used = used.map(|tally| tally.name);
        let names: BTreeSet<String> = KINDS.map(str::to_owned).into_iter().chain(used).collect();
        warn(view, &kinds, "type", &Vec::from_iter(names));
    }
    Ok(())
}

fn texts_of(tree: &QueryTree, key: Key) -> Vec<String> {
    let words = tree.values_of(key).into_iter();
    words.map(|word| word.text).collect()
}

/// Warns of people whom a query asks for, and who have made no issue and are assigned to none.
pub(crate) fn warn_of_strangers(view: &View<'_>, tree: &QueryTree) -> Result<()> {
    let actors = texts_of(tree, Key::Actor);
    let is_of_actors = !actors.is_empty();
    let mut asked = texts_of(tree, Key::Assignee);
    asked.extend(texts_of(tree, Key::Author));
    asked.extend(actors);
    asked.retain(|name| !["me", "none"].contains(&name.trim_start_matches('@')));
    if asked.is_empty() {
        return Ok(());
    }
    let mut people = view.index.people()?;
    if is_of_actors {
        people.extend(view.index.oplog().actors_like("")?);
    }
    people.sort();
    people.dedup();
    // An agent stands behind its person, and is known while it works.
    asked.retain(|name| !name.contains('/') && names_like(people.clone(), name).is_empty());
    let names: Vec<&str> = people.iter().map(String::as_str).collect();
    for name in asked.iter().take(MOST_WORDS) {
        warn_of_one(view, name, "name", &names, &Command::of("people"));
    }
    Ok(())
}

/// Returns the type that a word is or probably means: a known one, or one that an issue has.
pub(crate) fn type_like(view: &View<'_>, word: &str) -> Result<Option<String>> {
    let word = known_word(word);
    if KINDS.contains(&word.as_str()) {
        return Ok(Some(word));
    }
    let used = view.index.type_tallies()?.into_iter();
    let used: Vec<String> = used.map(|tally| tally.name).collect();
    if used.contains(&word) {
        return Ok(Some(word));
    }
    let used = used.iter().map(String::as_str);
    let names: Vec<&str> = KINDS.into_iter().chain(used).collect();
    Ok(meant(&word, &names).map(str::to_owned))
}

/// Warns of a type that no issue has, and that is probably another one misspelled.
pub(crate) fn warn_of_new_type(view: &View<'_>, kind: &str) -> Result<()> {
    if let Some(near) = type_like(view, kind)?.filter(|near| near != kind) {
        let shown: String = plain(kind).chars().take(LONGEST).collect();
        let text = format!("the type `{shown}` is new; did you mean `{near}`? (git beads types)");
        view.tracker.warn(text);
    }
    Ok(())
}

/// Warns of a label that no issue has, where one has it in another case.
pub(crate) fn warn_of_new_label(view: &View<'_>, label: &str) -> Result<()> {
    let names = view.index.completion();
    // The first of those that begin so: it is the label itself, if any issue has that.
    if names
        .labels_beginning_with(label, 1)?
        .iter()
        .any(|name| name == label)
    {
        return Ok(());
    }
    let lower = label.to_lowercase();
    let all = names.labels_beginning_with("", MOST_LABELS)?;
    if let Some(near) = all.iter().find(|name| name.to_lowercase() == lower) {
        let shown: String = plain(label).chars().take(LONGEST).collect();
        let text = format!("the label `{shown}` is new; there is `{near}` (git beads labels)");
        view.tracker.warn(text);
    }
    Ok(())
}

/// Warns of each word that is not among the names.
fn warn(view: &View<'_>, asked: &[String], what: &str, names: &[String]) {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // Types are compared in any case.
    let is_name = |word: &str| match what {
        "type" => names.iter().any(|name| name.eq_ignore_ascii_case(word)),
        _ => names.contains(&word),
    };
    let unknown = asked.iter().filter(|word| !is_name(word));
    let list = Command::line("git beads").word(format!("{what}s"));
    for word in unknown.take(MOST_WORDS) {
        warn_of_one(view, word, what, &names, &list);
    }
}

fn warn_of_one(view: &View<'_>, word: &str, what: &str, names: &[&str], list: &Command) {
    let shown: String = plain(word).chars().take(LONGEST).collect();
    let others = match (meant(word, names), names) {
        (Some(near), _) => format!("; did you mean `{near}`?"),
        (None, []) => format!(": no issue has a {what}"),
        (None, names) if names.len() > LISTED => String::new(),
        (None, names) => format!(": {}", names.join(", ")),
    };
    view.tracker
        .warn(format!("no {what} `{shown}`{others} ({list})"));
}

/// Returns the name that a word is in another case, or a misspelling of.
fn meant<'n>(word: &str, names: &[&'n str]) -> Option<&'n str> {
    let lower = word.to_lowercase();
    let all: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    // A word of two letters is no misspelling, but can be in another case.
    let same = all.contains(&lower.as_str()).then_some(lower.as_str());
    let near = same.or_else(|| nearest(&lower, &all))?;
    let at = all.iter().position(|name| *name == near)?;
    Some(names[at])
}
