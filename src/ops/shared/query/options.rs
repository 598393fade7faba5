//! Options of the command line and arguments of tools, as parts of a tree.

use crate::model::query::{
    Compared, Key, Place, QueryTree, QueryValue, QueryWord, Term, parse_term,
};
use crate::ops::shared::words::{is_list, labels_meant, words};
use crate::ops::{Command, Error, Hint, Result, Tracker};

/// The parts that options ask for. An option that is there and empty is an error.
#[derive(Debug, Default)]
pub(crate) struct TreeParts(Vec<QueryTree>);

impl TreeParts {
    /// Adds any of some values; each may be a list separated by commas.
    pub(crate) fn any(&mut self, name: &str, key: Key, values: &[String]) -> Result<()> {
        refuse_empty(name, values)?;
        let words = words(values).map(exact);
        self.term(key, Compared::Equal, words.collect());
        Ok(())
    }

    /// Adds all of some labels; each may be a list separated by commas, or a label that has some itself.
    pub(crate) fn labels(&mut self, values: &[String]) -> Result<()> {
        refuse_empty("label", values)?;
        for value in values.iter().filter(|value| !value.is_empty()) {
            let word = QueryWord {
                text: value.clone(),
                // A list is read where the labels are known.
                is_quoted: !is_list(value),
                ..QueryWord::default()
            };
            self.term(Key::Label, Compared::Equal, vec![word]);
        }
        Ok(())
    }

    /// Adds any of some labels.
    pub(crate) fn any_label(&mut self, tracker: &Tracker, values: &[String]) -> Result<()> {
        refuse_empty("label-any", values)?;
        let labels = match values.iter().any(|value| is_list(value)) {
            true => tracker.read(|view| labels_meant(view, values))?,
            false => values.to_vec(),
        };
        let words = labels.iter().filter(|label| !label.is_empty());
        let words = words.map(|label| exact(label));
        self.term(Key::Label, Compared::Equal, words.collect());
        Ok(())
    }

    /// Adds an assignee: an empty one is no one.
    pub(crate) fn assignee(&mut self, name: &str) {
        let word = match name.trim() {
            "" => plain("none"),
            // A star is part of the name.
            name if name.ends_with('*') => exact(name.trim_start_matches('@')),
            name => plain(name),
        };
        self.term(Key::Assignee, Compared::Equal, vec![word]);
    }

    /// Adds the children of an issue.
    /// Errors: `none`, which is a query.
    pub(crate) fn parent(&mut self, id: &str) -> Result<()> {
        if id == "none" {
            let query = Command::of("list").flag("-w").text("no:parent");
            return Err(Error::invalid("--parent takes an issue").hinted(query));
        }
        self.term(Key::Parent, Compared::Equal, vec![plain(id)]);
        Ok(())
    }

    /// Adds those that were changed at or after a date, or before it.
    pub(crate) fn updated(&mut self, compared: Compared, date: &str) {
        self.term(Key::Updated, compared, vec![plain(date)]);
    }

    /// Adds a value of a key as the language reads it; a date when something is due is the last one.
    pub(crate) fn value(&mut self, name: &str, key: Key, value: &str) -> Result<()> {
        self.0.push(QueryTree::Term(parsed(name, key, value)?));
        Ok(())
    }

    /// Adds all but a value of a key.
    pub(crate) fn not(&mut self, name: &str, key: Key, value: &str) -> Result<()> {
        let term = QueryTree::Term(parsed(name, key, value)?);
        self.0.push(QueryTree::Not(Box::new(term)));
        Ok(())
    }

    /// Adds a word of a key that says what something is, has or lacks.
    pub(crate) fn fixed(&mut self, key: Key, word: &str) {
        self.term(key, Compared::Equal, vec![plain(word)]);
    }

    pub(crate) fn push(&mut self, tree: QueryTree) {
        self.0.push(tree);
    }

    pub(crate) fn tree(self) -> QueryTree {
        QueryTree::all(self.0)
    }

    fn term(&mut self, key: Key, compared: Compared, words: Vec<QueryWord>) {
        // Of an option that is not there is no part.
        if !words.is_empty() {
            self.0.push(QueryTree::Term(Term {
                key,
                compared,
                values: words.into_iter().map(QueryValue::One).collect(),
                place: Place::default(),
            }));
        }
    }
}

fn plain(text: &str) -> QueryWord {
    QueryWord {
        text: text.to_owned(),
        ..QueryWord::default()
    }
}

/// Returns a word in which no sign has a meaning.
fn exact(text: &str) -> QueryWord {
    QueryWord {
        is_quoted: true,
        ..plain(text)
    }
}

fn parsed(name: &str, key: Key, value: &str) -> Result<Term> {
    let mut term = parse_term(key, value).map_err(|_| empty(name))?;
    let is_one = matches!(term.values[..], [QueryValue::One(_)]);
    if key == Key::Due && is_one && term.compared == Compared::Equal {
        term.compared = Compared::AtMost;
    }
    Ok(term)
}

/// Refuses values without a word: they would let everything through.
fn refuse_empty(name: &str, values: &[String]) -> Result<()> {
    match !values.is_empty() && words(values).next().is_none() {
        true => Err(empty(name)),
        false => Ok(()),
    }
}

fn empty(name: &str) -> Error {
    let error = Error::invalid(format!("--{name} is empty"));
    error.hinted(Hint::text(format!("leave --{name} out to see all")))
}
