//! How far each person has looked at the history of the issues, in this repository.
//!
//! Work trees share the file; it is never sent. Two commands that write it at the same time can lose the mark of the other
//! one, whose person then sees some of the news once more.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::notes_file::NotesFile;
use super::rewritten::Rewritten;
use super::{Oid, Result, Store};

/// Its file.
pub(super) const FILE: NotesFile = NotesFile {
    name: "seen",
    unfinished: "seen-new-",
    largest: 1 << 20,
};
/// The most people whose marks are kept.
const MOST: usize = 1000;

/// The last commit that a person has seen, and when that was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenMark {
    pub(crate) commit: Oid,
    /// The time of that look, in milliseconds.
    pub(crate) at: u64,
}

/// The marks of all people, by name.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SeenMarks {
    v: u32,
    #[serde(default)]
    marks: BTreeMap<String, SeenMark>,
}

impl SeenMarks {
    /// Returns the person whose mark was set longest ago.
    fn oldest(&self) -> Option<String> {
        let oldest = self.marks.iter().min_by_key(|(_, mark)| mark.at);
        oldest.map(|(person, _)| person.clone())
    }
}

/// Returns the mark of a person; none where they have not looked yet, or the file can't be read.
pub(crate) fn mark_of(store: &Store, person: &str) -> Option<SeenMark> {
    let known: SeenMarks = FILE.read(store);
    let mark = *known.marks.get(person)?;
    let rewritten = Rewritten::of(store);
    if rewritten.is_empty() {
        return Some(mark);
    }
    let now = rewritten.now(store, mark.commit).ok().flatten();
    let commit = now.unwrap_or(mark.commit);
    Some(SeenMark { commit, ..mark })
}

/// Sets the mark of a person.
/// Errors: The file can't be written.
pub(crate) fn set_mark(store: &Store, person: &str, mark: SeenMark) -> Result<()> {
    let mut known: SeenMarks = FILE.read(store);
    known.v = 1;
    known.marks.insert(person.to_owned(), mark);
    while known.marks.len() > MOST
        && let Some(person) = known.oldest()
    {
        known.marks.remove(&person);
    }
    FILE.try_write(store, &known)
}
