//! A query: the choice of issues, which is one tree however it was asked for, and the page that answers it.

mod fault;
pub(crate) mod names;
pub(crate) mod options;
pub(crate) mod orders;
mod read;
mod terms;
mod times;

use schemars::JsonSchema;
use serde::Serialize;

use super::commit_links::Landed;
use super::unknown_words::{warn_of_strangers, warn_of_unknown};
use crate::index::{Condition, Fact, Order, Page, Row, Sort};
use crate::model::query::{Grouping, Key, QueryTree, Term};
use crate::ops::answer::{After, Answer, AnswerKind, ClaimView, Next, Summary};
use crate::ops::{Command, Error, Result, Tracker, View};
pub(crate) use fault::{has_key, query_meant};
use orders::{group_of, order_of};
pub(crate) use read::{SavedQuery, SearchParts, read, read_search, saved_queries};
use terms::of_tree;

/// A list that is asked for: the choice of its issues, their order, and the page.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The choice, of options, of a text, or of both.
    pub(crate) tree: QueryTree,
    /// Closed ones too, where the tree does not say which states it is about.
    pub all: bool,
    /// Deleted ones too, likewise.
    pub deleted: bool,
    /// A word for an order, and behind it `-asc` or `-desc`.
    pub sort: Option<String>,
    /// A word for what issues are put together by, before their order.
    pub(crate) group: Option<String>,
    /// The order the other way round.
    pub(crate) reverse: bool,
    /// As of this revision.
    pub at: Option<String>,
    /// Whether the answer is for a program, which is told what comes next.
    pub(crate) says_next: bool,
    /// At most this many; 0 means all.
    pub limit: usize,
    /// Leaves out this many first.
    pub offset: usize,
}

impl Query {
    /// Returns the query that a text in the query language is.
    /// Errors: a fault of the text.
    pub(crate) fn asking(tracker: &Tracker, text: &str) -> Result<Self> {
        let asked = read(tracker, text)?;
        Ok(Self {
            tree: asked.tree,
            sort: asked.sort.map(|word| word.text),
            group: asked.group.map(|word| word.text),
            at: asked.at.map(|word| word.text),
            ..Self::default()
        })
    }

    /// Returns true if nothing but its size limits the list.
    pub(crate) fn is_plain(&self) -> bool {
        self.tree == QueryTree::default() && self.at.is_none() && self.offset == 0
    }
}

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
    /// What the issues are put together by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<Grouping>,
    /// Which of them a commit on the default branch closes; `ready` says it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub landed: Vec<Landed>,
    /// Of what is ready, the ids of those that wait for a person: no agent is handed them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<String>,
    #[serde(skip)]
    pub(crate) after: After,
}

impl Answer for List {
    fn kind(&self) -> AnswerKind {
        if self.issues.is_empty() {
            AnswerKind::Empty
        } else {
            AnswerKind::Summary
        }
    }
    fn next(&self) -> Next {
        self.after.next()
    }
}

impl List {
    /// Returns the answer that lists a page; `offset` issues come before it.
    pub(crate) fn new(tracker: &Tracker, page: Page, offset: usize) -> Self {
        let returned = page.rows.len();
        let (truncated, hint) = rest(&page, offset);
        let issues = page.rows.into_iter().map(Summary::listed);
        let mut issues: Vec<Summary> = issues.collect();
        // After the page is cut: of what is not shown nothing is looked up.
        ClaimView::add(tracker, issues.iter_mut());
        Self {
            issues,
            total_count: page.total,
            returned,
            truncated,
            hint,
            group: None,
            landed: Vec::new(),
            waiting: Vec::new(),
            after: After::Looked,
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

/// Returns the condition of the issues that are asked for.
pub(crate) fn condition(view: &View<'_>, query: &Query) -> Result<Condition> {
    Ok(states(query).and(asked(view, &query.tree)?))
}

/// Returns the condition of a tree alone, which leaves out no issue for its state.
pub(crate) fn asked(view: &View<'_>, tree: &QueryTree) -> Result<Condition> {
    let mut asked = Condition::everything();
    for part in tree.parts() {
        if let Some(part) = of_tree(view, part)? {
            asked = asked.and(part);
        }
    }
    if asked.reads_texts() {
        view.index.full_text().fill()?;
    }
    if asked.reads_operations() {
        view.index.oplog().fill_oplog()?;
    }
    Ok(asked)
}

/// Returns the condition for the states of issues that a query is about where its tree does not say it: what is neither
/// closed nor deleted, unless the query says more.
pub(crate) fn states(query: &Query) -> Condition {
    if asks_for_status(&query.tree) {
        return Condition::everything();
    }
    let (mut closed, mut deleted) = (query.all, query.deleted);
    for part in query.tree.parts() {
        // Wherever it is said, and negated too: `-is:closed` is about all states. `is:open` alone is about what is listed.
        let is_open = matches!(part, QueryTree::Term(term) if is(term, "open"));
        closed |= !is_open && part.any_term(&is_about_state);
        deleted |= part.any_term(&is_about_deleted);
    }
    match (closed, deleted) {
        (false, false) => Fact::Open.into(),
        (true, false) => Fact::Kept.into(),
        (false, true) => Condition::Any(vec![Fact::Open.into(), Fact::Deleted.into()]),
        (true, true) => Condition::everything(),
    }
}

/// Returns whether a tree is about certain statuses alone.
pub(crate) fn asks_for_status(tree: &QueryTree) -> bool {
    let mut parts = tree.parts().iter();
    parts.any(
        |part| matches!(part, QueryTree::Term(it) if it.key == Key::Status || is(it, "closed")),
    )
}

/// Reads the page of a query under a condition, and explains one that is empty.
pub(crate) fn page(view: &View<'_>, query: &Query, condition: &Condition) -> Result<Page> {
    let sort = order(query)?;
    let (limit, offset) = (query.limit, query.offset);
    let page = view.index.page(condition, sort, limit, offset)?;
    explain_empty(view, query, &page)?;
    Ok(page)
}

/// Warns of words that a query asks for and no issue has, where nothing is found.
pub(crate) fn explain_empty(view: &View<'_>, query: &Query, page: &Page) -> Result<()> {
    if page.total == 0 && page.rows.is_empty() {
        warn_of_unknown(view, &query.tree)?;
        warn_of_strangers(view, &query.tree)?;
    }
    Ok(())
}

/// Lists the page of a query under a condition.
pub(crate) fn list_page(view: &View<'_>, query: &Query, condition: &Condition) -> Result<List> {
    let list = List::new(view.tracker, page(view, query, condition)?, query.offset);
    let group = group(query)?;
    Ok(List { group, ..list })
}

/// The issues that a query lets through.
pub(crate) fn rows(view: &View<'_>, query: &Query) -> Result<Vec<Row>> {
    Ok(page(view, query, &condition(view, query)?)?.rows)
}

/// Returns the order of a query.
pub(crate) fn order(query: &Query) -> Result<Sort> {
    order_or(query, Order::Priority)
}

/// Returns the order of a query, or the usual one where it asks for none.
pub(crate) fn order_or(query: &Query, usual: Order) -> Result<Sort> {
    let order = query.sort.as_deref().map_or(Ok(usual), order_of)?;
    Ok(Sort {
        group: group(query)?,
        order: match query.reverse {
            true => order.reversed(),
            false => order,
        },
    })
}

/// Returns what the issues of a query are put together by.
pub(crate) fn group(query: &Query) -> Result<Option<Grouping>> {
    query.group.as_deref().map(group_of).transpose()
}

/// Returns all issues in progress, most urgent first.
pub(crate) fn in_progress(view: &View<'_>) -> Result<Vec<Row>> {
    let active = Condition::in_progress();
    Ok(view.index.page(&active, Order::Priority, 0, 0)?.rows)
}

/// Returns whether a term is `is:` with one state alone.
fn is(term: &Term, state: &str) -> bool {
    let mut words = term.words().map(|word| word.text.to_lowercase());
    term.key == Key::Is && term.values.len() == 1 && words.next().as_deref() == Some(state)
}

/// Returns whether a term says itself which states it is about.
fn is_about_state(term: &Term) -> bool {
    let states = ["open", "closed", "any", "deleted", "review"];
    match term.key {
        Key::Status | Key::Closed => true,
        Key::Is => term
            .words()
            .any(|word| states.contains(&&*word.text.to_lowercase())),
        _ => false,
    }
}

fn is_about_deleted(term: &Term) -> bool {
    let has = |state: &str| {
        term.words()
            .any(|word| word.text.eq_ignore_ascii_case(state))
    };
    match term.key {
        Key::Status => has("tombstone"),
        Key::Is => has("deleted"),
        _ => false,
    }
}

/// Returns the error of a verb that shows the present alone.
pub(crate) fn no_past() -> Error {
    let error = Error::invalid("at: is for list, ready, board and export");
    error.hinted(Command::of("list").flag("--at").placeholder("REV"))
}

/// Refuses groups for a verb whose answer has an order of its own.
pub(crate) fn check_no_groups(group: Option<&str>) -> Result<()> {
    if group.is_none() {
        return Ok(());
    }
    let error = Error::invalid("group: is for list, ready, board and export");
    Err(error.hinted(Command::of("list").flag("--group").placeholder("KEY")))
}
