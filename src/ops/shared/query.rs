//! A query as a user words it, the filter of the index that it becomes, and the page that answers it.

use schemars::JsonSchema;
use serde::Serialize;

use super::ask;
use super::ask::names::{holder, landed, stored_status, waiting_or_asking};
use super::ask::orders::{group_of, order_of};
use super::commit_links::Landed;
use super::unknown_words::{labels_meant, warn_of_strangers, warn_of_unknown};
use super::words::{assignee, bad_date, priority, words};
use crate::index::{Filter, Order, Page, Row};
use crate::model::Status;
use crate::model::ask::{AskTree, Grouping};
use crate::model::status::IN_PROGRESS;
use crate::ops::answer::{After, Answer, AnswerKind, ClaimView, Next, Summary};
use crate::ops::{Command, Error, Hint, Result, Tracker, View};

/// A choice of issues, as a user words it.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Statuses; each may be a list separated by commas.
    pub status: Vec<String>,
    /// Types, likewise.
    pub kind: Vec<String>,
    /// Priorities, likewise.
    pub priority: Vec<String>,
    /// Labels; all of them.
    pub label: Vec<String>,
    /// Labels; any of them.
    pub label_any: Vec<String>,
    /// Part of the title.
    pub title: Option<String>,
    /// Assignee; `me` and `none` have their meaning.
    pub assignee: Option<String>,
    /// In progress by the caller: by this agent, or by this person without one.
    pub mine: bool,
    /// Children of this issue.
    pub parent: Option<String>,
    /// Changed since a date.
    pub since: Option<String>,
    /// Not changed for so long.
    pub stale: Option<String>,
    /// Those that wait for a person.
    pub waiting: bool,
    /// What a query in the query language says, which is more than these members can.
    pub(crate) tree: AskTree,
    /// A word for an order, and behind it `-asc` or `-desc`.
    pub sort: Option<String>,
    /// A word for what issues are put together by, before their order.
    pub(crate) group: Option<String>,
    /// The order the other way round.
    pub(crate) reverse: bool,
    /// Those that a commit on the default branch closes.
    pub landed: bool,
    /// Closed ones too.
    pub all: bool,
    /// Deleted ones too.
    pub deleted: bool,
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
        let asked = ask::read(tracker, text)?;
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
        let lists = [
            &self.status,
            &self.kind,
            &self.priority,
            &self.label,
            &self.label_any,
        ];
        let words = [
            &self.title,
            &self.assignee,
            &self.parent,
            &self.since,
            &self.stale,
            &self.at,
        ];
        lists.iter().all(|list| list.is_empty())
            && words.iter().all(|word| word.is_none())
            && self.offset == 0
            && self.tree == AskTree::default()
            && !self.landed
            && !self.waiting
            && !self.mine
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

/// Reads the page of a query under a filter.
pub(crate) fn page(view: &View<'_>, query: &Query, filter: &Filter) -> Result<Page> {
    page_in(view, query, filter, order(query)?)
}

/// Reads the page of a query under a filter in an order, and explains one that is empty.
pub(crate) fn page_in(
    view: &View<'_>,
    query: &Query,
    filter: &Filter,
    order: Order,
) -> Result<Page> {
    let page = view.index.page(filter, order, query.limit, query.offset)?;
    if page.total == 0 && page.rows.is_empty() {
        let labels = labels_meant(view, &[query.label.as_slice(), &query.label_any].concat())?;
        warn_of_unknown(view, &labels, &query.kind, &query.tree)?;
        warn_of_strangers(view, query.assignee.as_deref(), &query.tree)?;
    }
    Ok(page)
}

/// Lists the page of a query under a filter.
pub(crate) fn list_page(view: &View<'_>, query: &Query, filter: &Filter) -> Result<List> {
    let list = List::new(view.tracker, page(view, query, filter)?, query.offset);
    let group = filter.group;
    Ok(List { group, ..list })
}

/// The issues that a query lets through.
pub(crate) fn rows(view: &View<'_>, query: &Query) -> Result<Vec<Row>> {
    Ok(page(view, query, &filter(view, query)?)?.rows)
}

/// Returns the order of a query.
/// Errors: A word that is no order.
pub(crate) fn order(query: &Query) -> Result<Order> {
    order_or(query, Order::Priority)
}

/// Returns the order of a query, or the usual one where it asks for none.
/// Errors: A word that is no order.
pub(crate) fn order_or(query: &Query, usual: Order) -> Result<Order> {
    let order = query.sort.as_deref().map_or(Ok(usual), order_of)?;
    Ok(if query.reverse {
        order.reversed()
    } else {
        order
    })
}

/// Returns the error for `--parent none`.
fn no_parent() -> Error {
    let query = Command::of("list").flag("-w").text("no:parent");
    Error::invalid("--parent takes an issue").hinted(query)
}

/// Returns the filter of the index for a query.
pub(crate) fn filter(view: &View<'_>, query: &Query) -> Result<Filter> {
    refuse_empty(query)?;
    let statuses = words(&query.status)
        .map(|word| stored_status(view, word))
        .collect::<Result<_>>()?;
    let priorities = words(&query.priority)
        .map(priority)
        .collect::<Result<_>>()?;
    let date = |text: &Option<String>| match text {
        None => Ok(None),
        Some(text) => view
            .clock()
            .past(text)
            .map(|period| Some(period.start))
            .ok_or_else(|| bad_date(text)),
    };
    let who = match query.assignee.as_deref() {
        Some(name) => holder(view, assignee(view.tracker, name))?,
        None => Filter::default(),
    };
    let mut filter = Filter {
        statuses,
        kinds: words(&query.kind).map(str::to_owned).collect(),
        priorities,
        labels: labels_meant(view, &query.label)?,
        any_label: labels_meant(view, &query.label_any)?,
        title: query.title.clone(),
        assignee: who.assignee,
        holder: who
            .holder
            .or_else(|| query.mine.then(|| view.tracker.party())),
        agent: who.agent,
        conditions: who.conditions,
        parent: match query.parent.as_deref() {
            Some("none") => return Err(no_parent()),
            Some(parent) => Some(view.find(parent)?),
            None => None,
        },
        found: query.landed.then(|| landed(view)).transpose()?,
        since: date(&query.since)?,
        stale: date(&query.stale)?,
        done: query.all,
        deleted: query.deleted,
        group: query.group.as_deref().map(group_of).transpose()?,
        ..Filter::default()
    };
    if query.waiting {
        filter.conditions.push(waiting_or_asking(view));
    }
    ask::add(view, &query.tree, &mut filter)?;
    Ok(filter)
}

/// Refuses a list without a word: it would let everything through.
fn refuse_empty(query: &Query) -> Result<()> {
    let lists = [
        ("status", &query.status),
        ("type", &query.kind),
        ("priority", &query.priority),
        ("label", &query.label),
        ("label-any", &query.label_any),
    ];
    if let Some((name, _)) = lists
        .iter()
        .find(|(_, values)| !values.is_empty() && words(values).next().is_none())
    {
        let all = Error::invalid(format!("--{name} is empty"));
        return Err(all.hinted(Hint::text(format!("leave --{name} out to see all"))));
    }
    Ok(())
}

/// Returns all issues in progress, most urgent first.
pub(crate) fn in_progress(view: &View<'_>) -> Result<Vec<Row>> {
    let filter = Filter {
        statuses: vec![IN_PROGRESS.to_owned()],
        ..Filter::default()
    };
    Ok(view.index.page(&filter, Order::Priority, 0, 0)?.rows)
}

/// The filter for one status; none where the query asks for others.
pub(crate) fn in_status(status: &Status, filter: Filter) -> Option<Filter> {
    let word = status.as_str().to_owned();
    let asked = filter.statuses.is_empty() || filter.statuses.contains(&word);
    asked.then(|| Filter {
        statuses: vec![word],
        ..filter
    })
}
