//! `people`: who created issues, is assigned to them, or has acted.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{OpTally, Tally};
use crate::model::{Party, time};
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::{Result, Tracker};

/// The creator of imported issues whose file names none.
const IMPORT: &str = "import";

/// People, those with the most issues first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PeopleList {
    /// The people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<Person>,
    /// The commits before which the history is cut: changes before them are not counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
}

impl Answer for PeopleList {
    fn kind(&self) -> AnswerKind {
        match self.people.is_empty() {
            true => AnswerKind::Empty,
            false => AnswerKind::Summary,
        }
    }
}

/// A person, with the agents that acted for them.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Person {
    /// The name.
    pub name: String,
    /// Number of open issues that they created or are assigned to.
    pub open: u64,
    /// Number of all such issues, closed ones included.
    pub total: u64,
    /// Number of operations, those of their agents included.
    pub changes: u64,
    /// The time of the last operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// Their agents, those that acted last first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<PersonAgent>,
}

/// An agent that acted for a person.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PersonAgent {
    /// Its name, as `person/agent`.
    pub name: String,
    /// Number of its operations.
    pub changes: u64,
    /// The time of its last operation.
    pub last: String,
}

/// Lists people and their agents.
pub(crate) fn people(tracker: &Tracker) -> Result<PeopleList> {
    tracker.read(|view| {
        // Those who only wrote have no issue, those of an import have no operation.
        let issues = view.index.people_tallies()?;
        Ok(PeopleList {
            people: joined(issues, view.index.oplog().tallies()?),
            cut: view.cuts()?,
        })
    })
}

/// Joins what issues and what operations say of people.
fn joined(issues: Vec<Tally>, operations: Vec<OpTally>) -> Vec<Person> {
    let mut people: BTreeMap<String, Person> = BTreeMap::new();
    for tally in issues {
        let person = people.entry(tally.name).or_default();
        (person.open, person.total) = (tally.open, tally.total);
    }
    for tally in operations {
        let person = people.entry(tally.person.clone()).or_default();
        person.add(tally);
    }
    let named = people
        .into_iter()
        .map(|(name, person)| Person { name, ..person });
    let is_person = |it: &Person| it.name != IMPORT || it.changes > 0;
    let mut all: Vec<Person> = named.filter(is_person).collect();
    // The map has them by name, and the sort is stable.
    all.sort_by_key(|person| (Reverse(person.total), Reverse(person.changes)));
    all
}

impl Person {
    /// Adds operations of the person, or of an agent.
    fn add(&mut self, tally: OpTally) {
        let last = time::format(tally.last);
        self.changes += tally.operations;
        // Times in this form sort as texts. Later operations come first, but clocks of several clones differ.
        self.last = self.last.take().max(Some(last.clone()));
        let party = Party {
            person: tally.person,
            agent: tally.agent,
        };
        if party.agent.is_some() {
            self.agents.push(PersonAgent {
                name: party.to_string(),
                changes: tally.operations,
                last,
            });
        }
    }
}
