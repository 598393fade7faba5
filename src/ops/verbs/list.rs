//! `list`: a page of issues.

use crate::ops::shared::page::{List, list_page};
use crate::ops::shared::query::{Query, filter};
use crate::ops::{Result, Tracker};

/// Lists issues.
pub fn list(tracker: &Tracker, query: &Query) -> Result<List> {
    tracker.read_at(query.at.as_deref(), |view| {
        list_page(view, query, &filter(view, query)?)
    })
}
