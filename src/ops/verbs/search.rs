//! `search`: issues by words in title, texts and memory.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Filter, Order};
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::query::{List, Query, filter, order};
use crate::ops::shared::reasons;
use crate::ops::{Command, Error, Result, Tracker};

pub(crate) use crate::ops::shared::reasons::FoundReason;

/// The issues and the reasons that have the words.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SearchAnswer {
    /// The issues.
    #[serde(flatten)]
    pub(crate) list: List,
    /// The reasons of agents who changed issues, or only looked at them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reasons: Vec<FoundReason>,
}

impl Answer for SearchAnswer {
    fn kind(&self) -> AnswerKind {
        match self.reasons.is_empty() {
            true => self.list.kind(),
            false => AnswerKind::Summary,
        }
    }
}

/// Finds issues by words in title, texts and memory, and the reasons of work that have them.
pub fn search(tracker: &Tracker, text: &str, query: &Query) -> Result<SearchAnswer> {
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
        // They are on the first page only.
        let reasons = match query.offset {
            0 => reasons::find(view, text)?,
            _ => Vec::new(),
        };
        let list = List::new(tracker, page, query.offset);
        Ok(SearchAnswer { list, reasons })
    })
}
