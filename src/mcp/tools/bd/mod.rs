//! Tools of `beads-mcp` for agents that know them: its names, with its parameters and shapes.
//!
//! Lists hold nine keys an issue and are compacted when they are long; `show` has everything.

mod groups;
mod notes;
mod read;
mod shape;
mod write;

pub(crate) use groups::{BdContext, admin, context};
pub(crate) use notes::{comment, comments, note};
pub(crate) use read::{blocked, list, log, ready, search, show, stats};
pub(crate) use write::{claim, close, create, dep, reopen, update};

use crate::ops::{Error, Result};

fn required(text: Option<&str>, name: &str) -> Result<String> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned)
        .ok_or_else(|| Error::invalid(format!("Missing required fields: {name}")))
}

fn many(text: Option<&str>) -> Vec<String> {
    text.map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .into_iter()
        .collect()
}
