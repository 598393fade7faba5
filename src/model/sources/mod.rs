//! Issues that live in another tracker, and are followed here.
//!
//! A file of a tracker becomes records of bd, with which an import here begins. What a tracker said last is kept with the
//! issue, in a member of `set:source`: a later file is merged field by field against that. A set and no register, since it
//! never loses: of two clones that have read two files, the later one counts.

pub(crate) mod columns;
pub(crate) mod github;
mod mirror;
mod words;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

pub(crate) use mirror::{LastSaid, MILESTONE, Mirror, NamedIssue, last_said, said_of};

pub(crate) use words::{other_priority, other_status};

use super::bd::digest;
use super::blob::SOURCE;
use super::edge::BLOCKS;
use super::issue::Issue;
use super::limits::line;
use super::stamp::{Stamp, Uid};

/// Longest name of a part that is not taken.
const LONGEST_NAME: usize = 80;

/// An issue of another tracker.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SourceKey {
    /// `github.com`, `jira`, `linear`, `csv`.
    pub(crate) host: String,
    /// The repository or project.
    pub(crate) project: String,
    pub(crate) number: String,
}

impl SourceKey {
    /// Makes a key; the spelling of host and project does not count.
    pub(crate) fn new(host: &str, project: &str, number: &str) -> Self {
        Self {
            host: host.to_lowercase(),
            project: project.to_lowercase(),
            number: number.to_owned(),
        }
    }

    /// Returns the identity of the issue: a function of the key alone, so that all clones make the same one.
    pub(crate) fn uid(&self) -> Uid {
        Stamp::new(0, digest(&[&self.host, &self.project, &self.number]))
    }

    /// Returns the place: `github.com/owner/repo`, without the number.
    pub(crate) fn place(&self) -> String {
        match self.project.is_empty() {
            true => self.host.clone(),
            false => format!("{}/{}", self.host, self.project),
        }
    }

    /// Reads a key as it is displayed.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (place, number) = text.rsplit_once('#')?;
        let (host, project) = place.split_once('/').unwrap_or((place, ""));
        Some(Self::new(host, project, number))
    }
}

impl std::fmt::Display for SourceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}#{}", self.place(), self.number)
    }
}

/// Returns the places of an issue in other trackers, with a space between: those where it is followed, else the one that its
/// reference names; none where it has none.
pub(crate) fn places_of(issue: &Issue) -> Option<String> {
    let names: Vec<&str> = issue.blob().live(SOURCE).map(|(name, _)| name).collect();
    match names.is_empty() {
        true => github::key_of(issue.text("external_ref")).map(|key| key.to_string()),
        false => Some(names.join(" ")),
    }
}

/// An issue as a file of another tracker has it.
#[derive(Clone, Debug)]
pub(crate) struct SourceIssue {
    pub(crate) key: SourceKey,
    /// The record of bd that says the same, with the keys that the file says something of. Other issues are named by
    /// their keys.
    pub(crate) record: Map<String, Value>,
    /// Its number among the elements or lines of the file, from 1.
    pub(crate) at: usize,
    /// The id that it gets where it is new.
    pub(crate) id: NewId,
}

/// The id of a new issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NewId {
    /// A prefix for each project, and the number: `gh-12`.
    Numbered,
    /// As it is called there: `ENG-12`.
    Same(String),
}

/// The contents of a file of another tracker.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceFile {
    /// `GitHub`, `Jira`, `Linear`, `CSV`.
    pub(crate) kind: &'static str,
    /// True if its parts are rows of a table.
    pub(crate) is_table: bool,
    /// True if it is our own export: its issues are those of this store, and are not followed.
    pub(crate) is_own: bool,
    pub(crate) issues: Vec<SourceIssue>,
    /// Parts that can't be read: their numbers, and why.
    pub(crate) faults: Vec<(usize, String)>,
    /// Parts that have no place here, each with the number of issues that have it.
    pub(crate) left_out: BTreeMap<String, usize>,
}

/// Returns the dependency of a record on the issue of a key.
fn blocked_by(key: &str) -> Value {
    json!({"type": BLOCKS, "depends_on_id": key})
}

impl SourceFile {
    fn leave_out(&mut self, what: &str, count: usize) {
        if count > 0 {
            // Names of others: on one line, and not long.
            *self.left_out.entry(line(what, LONGEST_NAME)).or_default() += count;
        }
    }
}
