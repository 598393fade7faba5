//! Completion of a shell from the store: ids with titles, labels, names.
//!
//! Only the index answers, without a tracker: a key press merges nothing that a fetch has brought and repairs
//! nothing. Where there is no index yet, the next verb makes one.

use crate::files;
use crate::index::Index;
use crate::ops::Result;
use crate::store::{Intent, Location, Store};

pub(crate) use crate::index::IdGroup;

/// More candidates than this are of no help.
const MOST: usize = 200;

/// The kind of word that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Live<'a> {
    /// Ids of these issues, in this order.
    Ids(&'a [IdGroup]),
    /// Labels.
    Labels,
    /// Assignees.
    Assignees,
    /// The remotes of the repository.
    Remotes,
}

/// A word that can follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proposal {
    /// The word.
    pub value: String,
    /// Its explanation; may be empty.
    pub about: String,
}

impl Proposal {
    /// A word that speaks for itself, or one with what it is.
    pub(crate) fn new(value: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            about: about.into(),
        }
    }
}

/// The words with a beginning, at most 200.
pub(crate) fn complete(
    location: &Location,
    live: Live<'_>,
    beginning: &str,
) -> Result<Vec<Proposal>> {
    let store = Store::discover(location)?;
    store.intent.set(Intent::Read);
    // To build an index can take seconds, which a key press must not.
    if !matches!(live, Live::Remotes) && !is_indexed(&store) {
        return Ok(Vec::new());
    }
    let plain = |words: Vec<String>| {
        words
            .into_iter()
            .map(|word| Proposal::new(word, ""))
            .collect()
    };
    let mut found: Vec<Proposal> = match live {
        Live::Remotes => plain(store.remotes().names()),
        Live::Labels => plain(
            Index::open(&store)?
                .completion()
                .labels_beginning_with(beginning, MOST)?,
        ),
        Live::Assignees => plain(Index::open(&store)?.completion().assignees()?),
        Live::Ids(groups) => ids(&Index::open(&store)?, groups, beginning)?,
    };
    found.retain(|candidate| candidate.value.starts_with(beginning));
    found.truncate(MOST);
    Ok(found)
}

/// Returns true if some command has made an index.
fn is_indexed(store: &Store) -> bool {
    let mut entries = files::entries(store.folder());
    !store.permissions().leave_nothing()
        && entries.any(|entry| {
            let name = entry.file_name();
            name.to_string_lossy().starts_with("index-") && name.to_string_lossy().ends_with(".db")
        })
}

fn ids(index: &Index<'_>, groups: &[IdGroup], beginning: &str) -> Result<Vec<Proposal>> {
    let mut found = Vec::new();
    for group in groups {
        let more = index
            .completion()
            .beginning_with(beginning, *group, MOST - found.len())?;
        found.extend(more.into_iter().map(|(id, title)| Proposal::new(id, title)));
    }
    Ok(found)
}
