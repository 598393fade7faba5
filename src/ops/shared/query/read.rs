//! Texts in the query language, read as trees, with the saved queries in place of their names; the parts of a search.

use schemars::JsonSchema;
use serde::Serialize;

use std::collections::HashSet;

use super::fault::{fault, pointed, refuse};
use super::{names, orders, terms};
use crate::index::Expression;
use crate::model::query::{
    FaultKind, Key, MOST_PARTS, ParsedQuery, QueryTree, QueryWord, UnknownKeys, parse,
};
use crate::ops::tracker::clock_at;
use crate::ops::{Command, Hint, Result, Tracker, View};

/// Section of git's configuration that has the saved queries.
const SAVED: &str = "beads.query";

/// Returns the names under which queries are saved, and the queries.
pub(crate) fn saved_queries(tracker: &Tracker) -> Vec<SavedQuery> {
    let (section, part) = SAVED.split_once('.').unwrap_or_default();
    let names = tracker.store().config_names(section, part).into_iter();
    names
        .filter_map(|name| {
            let query = tracker.config(&format!("{SAVED}.{name}"))?;
            Some(SavedQuery { name, query })
        })
        .collect()
}

/// A saved query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct SavedQuery {
    pub(crate) name: String,
    pub(crate) query: String,
}

/// Reads a query and puts the saved ones in place of their names.
/// Errors: A fault, pointed at; a name that no query is saved under.
pub(crate) fn read(tracker: &Tracker, text: &str) -> Result<ParsedQuery> {
    let query = parse(text, UnknownKeys::Refused).map_err(|wrong| fault(tracker, text, &wrong))?;
    Expansion::new(tracker).expand(text, query)
}

/// Reads what is searched for: what is no query is words.
/// Errors: A saved query with a fault.
pub(crate) fn read_search(tracker: &Tracker, text: &str) -> Result<ParsedQuery> {
    let words = || ParsedQuery {
        tree: QueryTree::All(text.split_whitespace().map(plain_word).collect()),
        ..ParsedQuery::default()
    };
    // A negated word alone would find nearly everything: it is a word with a dash.
    let is_dashed = |query: &ParsedQuery| match &query.tree {
        QueryTree::Not(inner) => matches!(**inner, QueryTree::Text(_)),
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

fn plain_word(word: &str) -> QueryTree {
    QueryTree::Text(QueryWord {
        text: word.to_owned(),
        ..QueryWord::default()
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

    fn expand(&mut self, text: &str, mut query: ParsedQuery) -> Result<ParsedQuery> {
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

    fn tree(&mut self, text: &str, tree: QueryTree, whole: &mut ParsedQuery) -> Result<QueryTree> {
        Ok(match tree {
            QueryTree::All(parts) => QueryTree::All(self.trees(text, parts, whole)?),
            QueryTree::Any(parts) => QueryTree::Any(self.trees(text, parts, whole)?),
            QueryTree::Not(inner) => QueryTree::Not(Box::new(self.tree(text, *inner, whole)?)),
            QueryTree::Saved(name) => self.saved(text, &name, whole)?,
            QueryTree::Term(term) => {
                for value in &term.values {
                    terms::check(
                        &clock_at(self.tracker.env(), self.tracker.now()),
                        &term,
                        value,
                    )
                    .map_err(|error| pointed(text, &value.place(), error))?;
                }
                QueryTree::Term(term)
            }
            other => other,
        })
    }

    fn trees(
        &mut self,
        text: &str,
        parts: Vec<QueryTree>,
        whole: &mut ParsedQuery,
    ) -> Result<Vec<QueryTree>> {
        let parts = parts.into_iter().map(|part| self.tree(text, part, whole));
        parts.collect()
    }

    fn saved(
        &mut self,
        text: &str,
        name: &QueryWord,
        whole: &mut ParsedQuery,
    ) -> Result<QueryTree> {
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

/// What is searched for: by the text index, and by the rest of the query.
pub(crate) struct SearchParts {
    /// None where no text is asked for.
    pub(crate) expression: Option<Expression>,
    pub(crate) rest: QueryTree,
    /// The words that are looked for, as they are written.
    pub(crate) words: Vec<QueryWord>,
}

impl SearchParts {
    pub(crate) fn of(tree: QueryTree) -> Self {
        let parts = match tree {
            QueryTree::All(parts) => parts,
            one => vec![one],
        };
        let mut words = Vec::new();
        let (mut texts, mut rest) = (Vec::new(), Vec::new());
        for part in parts {
            positive(&part, &mut words);
            match terms::text_of(&part) {
                Some(text) => texts.extend(text),
                None => rest.push(part),
            }
        }
        Self {
            expression: Expression::all(texts),
            rest: QueryTree::All(rest),
            words,
        }
    }

    /// Returns the words where the query is nothing else, all of which are looked for.
    pub(crate) fn only_words(&self) -> Option<String> {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        (self.rest == QueryTree::default()).then(|| words.join(" "))
    }
}

/// Collects the words of a tree that are not negated.
fn positive(tree: &QueryTree, words: &mut Vec<QueryWord>) {
    match tree {
        QueryTree::All(parts) | QueryTree::Any(parts) => {
            parts.iter().for_each(|part| positive(part, words));
        }
        QueryTree::Text(word) => words.push(word.clone()),
        QueryTree::Term(term) if matches!(term.key, Key::Text | Key::Memory) => {
            words.extend(term.words().cloned());
        }
        _ => {}
    }
}
