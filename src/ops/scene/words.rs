//! The words of a repository, for pickers: the people, labels and types that there are, the most used first.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::shared::query::{SavedQuery, saved_queries};
use crate::ops::verbs::labels::labels;
use crate::ops::verbs::people::people;
use crate::ops::verbs::types::types;
use crate::ops::{Result, Tracker};

/// Names of each kind.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Words {
    pub people: Vec<String>,
    pub labels: Vec<String>,
    /// With the usual ones that no issue has.
    pub types: Vec<String>,
    pub queries: Vec<SavedQuery>,
}

/// Returns the words of a repository.
pub(crate) fn words(tracker: &Tracker) -> Result<Words> {
    let people = people(tracker)?.people.into_iter();
    let labels = labels(tracker, false)?.labels.into_iter();
    let types = types(tracker)?;
    let used = types.types.into_iter().map(|used| used.name);
    Ok(Words {
        people: people.map(|person| person.name).collect(),
        labels: labels.map(|label| label.name).collect(),
        types: used.chain(types.unused).collect(),
        queries: saved_queries(tracker),
    })
}
