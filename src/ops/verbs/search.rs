//! `search`: issues by words in title, texts and memory.

use crate::index::{Filter, Order};
use crate::ops::shared::query::{List, Query, filter, order};
use crate::ops::{Command, Error, Result, Tracker};

/// Finds issues by words in title, texts and memory.
pub fn search(tracker: &Tracker, text: &str, query: &Query) -> Result<List> {
    if text.trim().is_empty() {
        return Err(Error::invalid("there is nothing to search for")
            .hinted(Command::of("search").placeholder("WORDS")));
    }
    tracker.read(|view| {
        let found = view
            .index
            .full_text()
            .search(text, query.deleted || !query.status.is_empty())?;
        let everything = Query {
            all: true,
            ..query.clone()
        };
        let filter = Filter {
            found: Some(found),
            ..filter(view, &everything)?
        };
        let order = if query.sort.is_some() {
            order(query)?
        } else {
            Order::Rank
        };
        let page = view.index.page(&filter, order, query.limit, query.offset)?;
        Ok(List::new(page, query.offset))
    })
}
