//! What a shell completes from the store: ids with titles, labels, names.
//!
//! Only the index answers, without a tracker: a key press merges nothing that a fetch has brought and mends
//! nothing.

use super::Result;
use crate::index::Index;
use crate::store::{Location, Store};

pub use crate::index::Group;

/// More candidates than this help nobody.
const MOST: usize = 200;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub enum Live<'a> {
    /// Ids of these issues, in this order.
    Ids(&'a [Group]),
    /// Labels.
    Labels,
    /// Who works on something.
    Assignees,
    /// The remotes of the repository.
    Remotes,
}

/// A word that can follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The word.
    pub value: String,
    /// What it is; may be empty.
    pub about: String,
}

impl Candidate {
    /// A word that speaks for itself, or one with what it is.
    pub fn new(value: impl Into<String>, about: impl Into<String>) -> Self {
        Self { value: value.into(), about: about.into() }
    }
}

/// The words with a beginning, at most 200.
///
/// # Errors
/// No repository, no store, or one that can't be read.
pub fn complete(location: &Location, live: Live<'_>, beginning: &str) -> Result<Vec<Candidate>> {
    let store = Store::discover(location)?;
    let plain = |words: Vec<String>| words.into_iter().map(|word| Candidate::new(word, "")).collect();
    let mut found: Vec<Candidate> = match live {
        Live::Remotes => plain(store.remotes()),
        Live::Labels => plain(Index::fresh(&store)?.labels_beginning_with(beginning, MOST)?),
        Live::Assignees => plain(Index::fresh(&store)?.assignees()?),
        Live::Ids(groups) => ids(&Index::fresh(&store)?, groups, beginning)?,
    };
    found.retain(|candidate| candidate.value.starts_with(beginning));
    found.truncate(MOST);
    Ok(found)
}

fn ids(index: &Index<'_>, groups: &[Group], beginning: &str) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for group in groups {
        let more = index.beginning_with(beginning, *group, MOST - found.len())?;
        found.extend(more.into_iter().map(|(id, title)| Candidate::new(id, title)));
    }
    Ok(found)
}
