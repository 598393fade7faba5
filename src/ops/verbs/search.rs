//! `search`: issues by words in title, texts and memory.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Fact, Order};
use crate::model::query::QueryTree;
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::query::{
    self, List, Query, SearchParts, condition, explain_empty, order_or,
};
use crate::ops::shared::reasons;
use crate::ops::shared::snippet::{Snippet, snippets};
use crate::ops::{Command, Error, Result, Tracker, View};

pub(crate) use crate::ops::shared::reasons::FoundReason;

/// The issues and the reasons that have the words.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SearchAnswer {
    /// The issues.
    #[serde(flatten)]
    pub(crate) list: List,
    /// Where the words are, in issues whose title has not all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) snippets: Vec<Snippet>,
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
    let asked = query::read_search(tracker, text)?;
    if asked.at.is_some() {
        return Err(query::no_past());
    }
    let group = asked.group.as_ref().map(|word| word.text.as_str());
    query::check_no_groups(group.or(query.group.as_deref()))?;
    // Words are ranked by the text index; the rest narrows what they find.
    let wanted = SearchParts::of(asked.tree);
    let narrowed = Query {
        all: true,
        sort: query.sort.clone().or(asked.sort.map(|word| word.text)),
        tree: QueryTree::all([wanted.rest.clone(), query.tree.clone()]),
        ..query.clone()
    };
    let answer = tracker.read(|view| found(view, &wanted, &narrowed))?;
    if answer.list.issues.is_empty()
        && answer.reasons.is_empty()
        && query.offset == 0
        && let Some(meant) =
            query::query_meant(tracker, text).filter(|it| it != text && query::has_key(it))
    {
        let list = Command::of("list").flag("-w").text(meant);
        tracker.warn(format!("a query was searched for as words ({list})"));
    }
    Ok(answer)
}

/// Reads the page of a search: the issues, and on the first page the reasons.
fn found(view: &View<'_>, wanted: &SearchParts, query: &Query) -> Result<SearchAnswer> {
    let condition = condition(view, query)?;
    let hits = match &wanted.expression {
        Some(text) => Some(view.index.full_text().search(text, &condition)?),
        // Nothing in it is a word.
        None if wanted.rest == QueryTree::default() => Some(Vec::new()),
        None => None,
    };
    let sort = order_or(query, Order::Rank)?;
    let (index, limit, offset) = (&view.index, query.limit, query.offset);
    let page = match hits {
        Some(hits) if sort.order == Order::Rank => index.found(&hits, limit, offset)?,
        Some(mut hits) if sort.order == Order::RankReversed => {
            hits.reverse();
            index.found(&hits, limit, offset)?
        }
        // They have met all of the condition.
        Some(hits) => index.page(&Fact::Row(hits).into(), sort, limit, offset)?,
        None => index.page(&condition, sort, limit, offset)?,
    };
    explain_empty(view, query, &page)?;
    // They are on the first page only.
    let reasons = match (wanted.only_words(), query.offset) {
        (Some(words), 0) => reasons::find(view, &words)?,
        _ => Vec::new(),
    };
    // Of the rows that are shown alone: each takes an object of the repository.
    let snippets = snippets(view, &page.rows, &wanted.words)?;
    let list = List::new(view.tracker, page, query.offset);
    Ok(SearchAnswer {
        list,
        snippets,
        reasons,
    })
}
