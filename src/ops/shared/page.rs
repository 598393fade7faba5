//! A page of issues, and how to see the rest.

use schemars::JsonSchema;
use serde::Serialize;

use super::query::{Query, order};
use crate::index::{Filter, Page};
use crate::ops::answer::{Answer, AnswerKind, Summary};
use crate::ops::{Result, View};

/// A page of issues.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct List {
    /// The issues.
    pub issues: Vec<Summary>,
    /// How many there are in all.
    pub total_count: u64,
    /// How many are here.
    pub returned: usize,
    /// Whether there are more.
    pub truncated: bool,
    /// How to see the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Answer for List {
    fn kind(&self) -> AnswerKind {
        if self.issues.is_empty() {
            AnswerKind::Empty
        } else {
            AnswerKind::Summary
        }
    }
}

impl List {
    /// Returns the answer that lists a page; `offset` issues come before it.
    pub(crate) fn new(page: Page, offset: usize) -> Self {
        let returned = page.rows.len();
        let (truncated, hint) = rest(&page, offset);
        let issues = page.rows.into_iter().map(Summary::listed).collect();
        Self {
            issues,
            total_count: page.total,
            returned,
            truncated,
            hint,
        }
    }
}

/// Says whether there is more than a page, and how to see it.
pub(crate) fn rest(page: &Page, offset: usize) -> (bool, Option<String>) {
    let shown = offset + page.rows.len();
    let truncated = page.total > shown as u64;
    let hint = (truncated && !page.rows.is_empty())
        .then(|| format!("--offset {shown} shows the next, -n 0 all {}", page.total));
    (truncated, hint)
}

/// Reads the page of a query under a filter.
pub(crate) fn page(view: &View<'_>, query: &Query, filter: &Filter) -> Result<Page> {
    Ok(view
        .index
        .page(filter, order(query)?, query.limit, query.offset)?)
}

/// Lists the page of a query under a filter.
pub(crate) fn list_page(view: &View<'_>, query: &Query, filter: &Filter) -> Result<List> {
    Ok(List::new(page(view, query, filter)?, query.offset))
}
