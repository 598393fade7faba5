//! `list`: a page of issues.

use crate::ops::shared::query::{List, Query, condition, list_page};
use crate::ops::{Result, Tracker};

/// Lists issues.
pub fn list(tracker: &Tracker, query: &Query) -> Result<List> {
    tracker.read_at(query.at.as_deref(), |view| {
        list_page(view, query, &condition(view, query)?)
    })
}
