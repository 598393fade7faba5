//! Names that issues have, and how many issues have each.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::Tally;

/// A label or type, and the number of issues that have it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Usage {
    /// The label or type.
    pub name: String,
    /// Number of open issues that have it.
    pub open: u64,
    /// Number of all issues that have it, closed ones included.
    pub total: u64,
}

/// Returns the names with their counts, most used first, then by name.
pub(crate) fn most_used(tallies: Vec<Tally>) -> Vec<Usage> {
    let usage = |tally: Tally| Usage {
        name: tally.name,
        open: tally.open,
        total: tally.total,
    };
    let mut all: Vec<Usage> = tallies.into_iter().map(usage).collect();
    all.sort_by(|a, b| (Reverse(a.total), &a.name).cmp(&(Reverse(b.total), &b.name)));
    all
}
