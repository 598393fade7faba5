//! The tools of the `task` profile: a request, a short answer, one commit
//! each.
//!
//! They are the same operations as the verbs, arranged for an agent: missing fields are named all
//! at once, an empty text is refused, and an answer holds what the next step needs and no more.

mod change;
mod create;
mod decompose;
mod finish;
mod link;
mod list;
mod question;
mod start;
mod status;
mod undo;
mod view;

pub(crate) use change::{progress, update_meta};
pub(crate) use create::create;
pub(crate) use decompose::decompose;
pub(crate) use finish::{done, reopen};
pub(crate) use link::link;
pub(crate) use list::list;
pub(crate) use question::TaskQuestion;
pub(crate) use start::start;
pub(crate) use status::status;
pub(crate) use undo::undo_last;
pub(crate) use view::{MemoryText, NOT_YOU, TaskView, TaskViewOptions};

use crate::model::id::{is_format, tail};
use crate::ops::{Error, Result, Tracker};

/// Returns a text trimmed; none if it has no visible character.
fn filled(text: Option<&str>) -> Option<&str> {
    let shown = |c: char| !c.is_whitespace() && !is_format(c);
    text.map(str::trim).filter(|text| text.contains(shown))
}

fn owned(text: Option<&str>) -> Option<String> {
    filled(text).map(str::to_owned)
}

fn required<'a>(text: Option<&'a str>, message: &str) -> Result<&'a str> {
    filled(text).ok_or_else(|| Error::invalid(message))
}

/// Refuses a number that is meant as an index but would be read as the beginning of an id.
fn check_ids(tracker: &Tracker, on: &[String]) -> Result<()> {
    let is_number =
        |entry: &&String| !entry.is_empty() && entry.bytes().all(|byte| byte.is_ascii_digit());
    for entry in on.iter().filter(is_number) {
        let id = tracker.read(|view| view.id(view.find(entry)?))?;
        if tail(&id) != entry {
            return Err(Error::invalid(format!(
                "depends_on: {entry} is no issue id; only task_decompose takes indices"
            )));
        }
    }
    Ok(())
}

fn missing(fields: &[(&str, Option<&str>)]) -> Option<String> {
    let names: Vec<&str> = fields
        .iter()
        .filter(|(_, text)| filled(*text).is_none())
        .map(|(name, _)| *name)
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}
