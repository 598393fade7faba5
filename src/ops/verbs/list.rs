//! `list`, `ready`, `blocked`, `search`: pages of issues.

use schemars::JsonSchema;
use serde::Serialize;

use super::start;
use crate::index::{Filter, Order, Page, Row};
use crate::model::edge::BLOCKS;
use crate::model::graph::{Facts, Readiness};
use crate::model::issue::parse_priority;
use crate::model::{Status, status, time};
use crate::ops::answer::{Answer, AnswerKind, Next, Reference, Summary};
use crate::ops::shared::commit_links::closed_by_commits;
use crate::ops::shared::epic::closing;
use crate::ops::{Command, Error, Hint, Result, Tracker, View};

/// The words for [`Query::sort`].
pub const ORDERS: [&str; 6] = ["priority", "created", "oldest", "updated", "id", "title"];

/// Which issues, as a user says it.
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
    /// Children of this issue.
    pub parent: Option<String>,
    /// Changed since a date.
    pub since: Option<String>,
    /// Not changed for so long.
    pub stale: Option<String>,
    /// Those that wait for a person.
    pub waiting: bool,
    /// `priority`, `created`, `oldest`, `updated`, `id`, `title`.
    pub sort: Option<String>,
    /// Those that a commit on the default branch closes.
    pub landed: bool,
    /// Closed ones too.
    pub all: bool,
    /// Deleted ones too.
    pub deleted: bool,
    /// As of this revision.
    pub at: Option<String>,
    /// At most this many; 0 means all.
    pub limit: usize,
    /// Leaves out this many first.
    pub offset: usize,
}

impl Query {
    /// Whether nothing but its size limits the list.
    pub fn is_plain(&self) -> bool {
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
            && !self.landed
            && !self.waiting
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
    fn new(page: Page, offset: usize) -> Self {
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
fn rest(page: &Page, offset: usize) -> (bool, Option<String>) {
    let shown = offset + page.rows.len();
    let truncated = page.total > shown as u64;
    let hint = (truncated && !page.rows.is_empty())
        .then(|| format!("--offset {shown} shows the next, -n 0 all {}", page.total));
    (truncated, hint)
}

/// Lists issues.
///
/// # Errors
/// A word that is not in the field's vocabulary.
pub fn list(tracker: &Tracker, query: &Query) -> Result<List> {
    tracker.read_at(query.at.as_deref(), |view| {
        list_page(view, query, &filter(view, query)?)
    })
}

/// The ready queue: what can be started, most urgent first.
///
/// # Errors
/// As [`list`].
pub fn ready(tracker: &Tracker, query: &Query) -> Result<List> {
    tracker.read_at(query.at.as_deref(), |view| {
        let filter = Filter {
            ready: Some(view.now()),
            ..filter(view, query)?
        };
        list_page(view, query, &filter)
    })
}

/// What waits for something.
///
/// # Errors
/// As [`list`].
pub fn blocked(tracker: &Tracker, query: &Query) -> Result<Blocked> {
    tracker.read(|view| {
        let filter = Filter {
            blocked: true,
            ..filter(view, query)?
        };
        let found = view
            .index
            .page(&filter, order(query)?, query.limit, query.offset)?;
        let waiting = found
            .rows
            .iter()
            .map(|row| waiting(view, row))
            .collect::<Result<_>>()?;
        let List {
            total_count,
            returned,
            truncated,
            hint,
            ..
        } = List::new(found, query.offset);
        Ok(Blocked {
            issues: waiting,
            total_count,
            returned,
            truncated,
            hint,
        })
    })
}

/// Finds issues by words in title, texts and memory.
///
/// # Errors
/// As [`list`], and for a search of nothing.
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

/// The issues that a query lets through.
///
/// # Errors
/// As [`list`].
pub(crate) fn rows(view: &View<'_>, query: &Query) -> Result<Vec<Row>> {
    Ok(view
        .index
        .page(
            &filter(view, query)?,
            order(query)?,
            query.limit,
            query.offset,
        )?
        .rows)
}

fn page(view: &View<'_>, query: &Query, filter: &Filter) -> Result<Page> {
    Ok(view
        .index
        .page(filter, order(query)?, query.limit, query.offset)?)
}

fn list_page(view: &View<'_>, query: &Query, filter: &Filter) -> Result<List> {
    Ok(List::new(page(view, query, filter)?, query.offset))
}

pub(crate) fn order(query: &Query) -> Result<Order> {
    match query.sort.as_deref() {
        None | Some("priority") => Ok(Order::Priority),
        Some("created") => Ok(Order::Created),
        Some("oldest") => Ok(Order::Oldest),
        Some("updated") => Ok(Order::Updated),
        Some("id") => Ok(Order::Id),
        Some("title") => Ok(Order::Title),
        Some(other) => Err(vocabulary("an order", other, &ORDERS)),
    }
}

/// The error for a word outside a vocabulary, with the nearest inside it.
pub(crate) fn vocabulary(what: &str, word: &str, known: &[&str]) -> Error {
    let near = known
        .iter()
        .max_by(|a, b| strsim::jaro_winkler(a, word).total_cmp(&strsim::jaro_winkler(b, word)));
    let error = Error::invalid(format!("`{word}` is not {what}: {}", known.join(", ")));
    match near {
        Some(near) if strsim::jaro_winkler(near, word) > 0.7 => {
            error.hinted(Hint::text(format!("did you mean `{near}`?")))
        }
        _ => error,
    }
}

fn words(values: &[String]) -> impl Iterator<Item = &str> {
    values
        .iter()
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|word| !word.is_empty())
}

/// What a query asks the index for.
pub(crate) fn filter(view: &View<'_>, query: &Query) -> Result<Filter> {
    let lists = [
        ("status", &query.status),
        ("type", &query.kind),
        ("priority", &query.priority),
        ("label", &query.label),
    ];
    if let Some((name, _)) = lists
        .iter()
        .find(|(_, values)| !values.is_empty() && words(values).next().is_none())
    {
        let all = Error::invalid(format!("--{name} is empty"));
        return Err(all.hinted(Hint::text(format!("leave --{name} out to see all"))));
    }
    let statuses = words(&query.status)
        .map(|word| stored_status(view, word))
        .collect::<Result<_>>()?;
    let priorities = words(&query.priority)
        .map(|word| Ok(parse_priority(word)?))
        .collect::<Result<_>>()?;
    let date = |text: &Option<String>| match text {
        None => Ok(None),
        Some(text) => time::parse_past(text, view.now())
            .map(Some)
            .ok_or_else(|| bad_date(text)),
    };
    Ok(Filter {
        statuses,
        kinds: words(&query.kind).map(str::to_owned).collect(),
        priorities,
        labels: words(&query.label).map(str::to_owned).collect(),
        any_label: words(&query.label_any).map(str::to_owned).collect(),
        title: query.title.clone(),
        assignee: query
            .assignee
            .as_deref()
            .map(|name| assignee(view.tracker, name)),
        parent: query
            .parent
            .as_deref()
            .map(|parent| view.find(parent))
            .transpose()?,
        found: if query.landed {
            Some(
                closed_by_commits(view)?
                    .iter()
                    .map(|(row, _)| row.num)
                    .collect(),
            )
        } else {
            None
        },
        since: date(&query.since)?,
        stale: date(&query.stale)?,
        waiting: query.waiting,
        done: query.all,
        deleted: query.deleted,
        ..Filter::default()
    })
}

/// `me` is the actor, `none` and an empty text nobody.
pub(crate) fn assignee(tracker: &Tracker, name: &str) -> Option<String> {
    match name.trim() {
        "" | "none" => None,
        "me" | "@me" => Some(tracker.actor().to_owned()),
        name => Some(name.trim_start_matches('@').to_owned()),
    }
}

/// A status of the contract, or one that an import brought.
fn stored_status(view: &View<'_>, word: &str) -> Result<String> {
    if let Some(known) = Status::parse(word) {
        return Ok(known.as_str().to_owned());
    }
    if view.index.counts(view.now())?.statuses.contains_key(word) {
        return Ok(word.to_owned());
    }
    Err(vocabulary("a status", word, &status::KNOWN))
}

/// The error for a date that can't be read.
pub(crate) fn bad_date(text: &str) -> Error {
    Error::invalid(format!("`{text}` is not a date")).hinted(Hint::text(
        "use 2026-11-20, 3d, 2w, tomorrow or an RFC 3339 time",
    ))
}

/// A page of issues that wait.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Blocked {
    /// The issues, each with what it waits for.
    pub issues: Vec<BlockedRow>,
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

/// An issue and what it waits for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Waiting")]
pub struct BlockedRow {
    /// The issue.
    #[serde(flatten)]
    pub summary: Summary,
    /// What else it waits for, as `block` was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The open issues it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<Reference>,
}

impl Answer for Blocked {
    fn kind(&self) -> AnswerKind {
        if self.issues.is_empty() {
            AnswerKind::Empty
        } else {
            AnswerKind::Summary
        }
    }
}

/// An issue with what it waits for.
pub(crate) fn waiting(view: &View<'_>, row: &Row) -> Result<BlockedRow> {
    let reason = if row.status == Status::Blocked {
        view.issue(row.uid)?.state().reason
    } else {
        None
    };
    Ok(BlockedRow {
        summary: Summary::listed(row.clone()),
        reason,
        blocked_by: open_blockers(view, row)?,
    })
}

fn open_blockers(view: &View<'_>, row: &Row) -> Result<Vec<Reference>> {
    let mut blockers = Vec::new();
    for neighbour in view.index.edges().dependencies(row.num)? {
        if let (BLOCKS, Some((uid, title, status))) = (neighbour.kind.as_str(), neighbour.issue)
            && !status.is_done()
            && !neighbour.suspended
            && uid != row.uid
        {
            blockers.push(Reference {
                id: neighbour.id,
                title,
            });
        }
    }
    Ok(blockers)
}

/// Why every open issue is or is not in the ready queue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Explanation {
    /// The issues that can be started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ready: Vec<Summary>,
    /// The others, each with its reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_ready: Vec<NotReady>,
    /// How many of both there are in all.
    pub total_count: u64,
    /// Whether there are more than these.
    pub truncated: bool,
    /// How to see the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// An issue that can't be started, and why.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NotReady {
    /// Its id.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Why.
    pub reason: String,
    /// The command that follows from it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Answer for Explanation {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Explains the ready queue: every issue that has not ended, with the rule that decides it.
///
/// # Errors
/// As [`list`].
pub fn explain(tracker: &Tracker, query: &Query) -> Result<Explanation> {
    tracker.read_at(query.at.as_deref(), |view| {
        let page = page(view, query, &filter(view, query)?)?;
        let mut explanation = Explanation {
            ready: Vec::new(),
            not_ready: Vec::new(),
            total_count: page.total,
            truncated: false,
            hint: None,
        };
        (explanation.truncated, explanation.hint) = rest(&page, query.offset);
        for row in page.rows {
            match readiness(&row).readiness(view.now()) {
                Readiness::Ready if row.unreadable.is_none() => {
                    explanation.ready.push(Summary::listed(row));
                }
                why => explanation.not_ready.push(not_ready(view, row, &why)?),
            }
        }
        Ok(explanation)
    })
}

fn not_ready(view: &View<'_>, row: Row, why: &Readiness) -> Result<NotReady> {
    Ok(NotReady {
        reason: reason(view, &row, why)?,
        hint: row.is_finished_epic().then(|| closing(&row.id)),
        id: row.id,
        title: row.title,
    })
}

fn readiness(row: &Row) -> Facts {
    Facts {
        status: row.status.clone(),
        deleted: row.status == Status::Tombstone,
        open_blockers: usize::try_from(row.blockers).unwrap_or(usize::MAX),
        defer: row.defer,
        parent_epic: row.kind == "epic" && row.children > 0,
    }
}

fn reason(view: &View<'_>, row: &Row, why: &Readiness) -> Result<String> {
    Ok(match why {
        Readiness::Ready => "it can't be read".to_owned(),
        Readiness::Blocked(_) => {
            let ids: Vec<String> = open_blockers(view, row)?
                .into_iter()
                .map(|blocker| blocker.id)
                .collect();
            format!("waits for {}", ids.join(", "))
        }
        Readiness::Deferred(Some(until)) => format!("deferred until {}", time::day(*until)),
        Readiness::Deferred(None) => "deferred".to_owned(),
        _ if row.is_finished_epic() => "all children closed".to_owned(),
        Readiness::RollUp => {
            format!(
                "an epic with {} children, {} open: work on those",
                row.children, row.open_children
            )
        }
        Readiness::Status(status) => match &row.assignee {
            Some(assignee) => format!("{status} ({assignee})"),
            None => status.to_string(),
        },
    })
}

/// Takes the first ready issue, atomically.
///
/// # Errors
/// Nothing is ready: code `not_found`.
pub fn claim(tracker: &Tracker, query: &Query) -> Result<start::Started> {
    let chosen = |view: &View<'_>| -> Result<Row> {
        let free_for = Some(view.tracker.actor().to_owned());
        let filter = Filter {
            ready: Some(view.now()),
            free_for,
            ..filter(view, query)?
        };
        let page = view.index.page(&filter, order(query)?, 1, 0)?;
        let nothing = || Error::not_found("nothing is ready").hinted(Command::of("blocked"));
        page.rows.into_iter().next().ok_or_else(nothing)
    };
    start::start_chosen(tracker, &|tx| Ok(chosen(&tx.view)?.uid), false)
}

/// The most urgent issue that can be started: a child of `parent` first, else any.
pub(crate) fn next_ready(
    view: &View<'_>,
    parent: Option<crate::model::Uid>,
) -> Result<Option<Summary>> {
    let first = |parent| -> Result<Option<Row>> {
        let filter = Filter {
            ready: Some(view.now()),
            parent,
            ..Filter::default()
        };
        Ok(view.index.first(&filter, Order::Priority, 1, 0)?.pop())
    };
    let sibling = if parent.is_some() {
        first(parent)?
    } else {
        None
    };
    let row = match sibling {
        Some(row) => Some(row),
        None => first(None)?,
    };
    Ok(row.map(Summary::core))
}

/// What follows from an issue that is ready next, or from none.
pub(crate) fn next_of(next_ready: Option<&Summary>) -> Next {
    if next_ready.is_some() {
        Next::StartNextReady
    } else {
        Next::AwaitUser
    }
}
