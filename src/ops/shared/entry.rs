//! An entry of memory, by the end of its id.

use crate::model::{Issue, Memory};
use crate::ops::{Command, Error, Result, Tx};

/// Returns the entry of an issue whose id ends so.
pub(crate) fn find_entry(tx: &Tx<'_>, issue: &Issue, ending: &str) -> Result<Memory> {
    // By its ending: the beginning of a ULID is a time, and the same for entries of one moment.
    let upper = ending.trim().to_uppercase();
    let memory = tx.view.snapshot().memory(issue.uid())?.0;
    let mut found: Vec<Memory> = memory
        .into_iter()
        .filter(|entry| !upper.is_empty() && entry.uid().to_string().ends_with(&upper))
        .collect();
    let id = issue.id();
    let error = match found.len() {
        0 => Error::not_found(format!("{id} has no entry {ending}")),
        1 => return Ok(found.remove(0)),
        n => Error::invalid(format!("{n} entries of {id} end with {ending}")),
    };
    Err(error.hinted(Command::of("show").id(id)))
}
