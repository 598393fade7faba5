//! The data that the script of the page reads. Names are short where they are repeated, times are milliseconds.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use crate::index::{CommitLink, Condition, Fact, Neighbour, OpRecord, Order, Row};
use crate::model::edge::PARENT_CHILD;
use crate::model::memory::ANSWER;
use crate::model::prose::{self, TextBlock};
use crate::model::sources::places_of;
use crate::model::status::IN_PROGRESS;
use crate::model::{Issue, Memory, MemoryKind, Status, Uid};
use crate::ops::answer::{FieldTexts, conflicts, reason};
use crate::ops::shared::commit_links::all_commits;
use crate::ops::verbs::export::Source;
use crate::ops::verbs::stats::begun;
use crate::ops::{Command, Error, Result, View};

/// So long an issue that was closed stays on the board.
const DONE_FOR: u64 = 7 * 24 * 3600 * 1000;
/// Operations on one issue that are shown; `log` has the rest.
const TOLD: usize = 50;

/// The facts about all issues of the page that the first one needs already.
pub(crate) struct PageContext {
    links: HashMap<i64, Vec<Neighbour>>,
    commits: HashMap<String, Vec<CommitLink>>,
    /// When work on an issue first began.
    begun: HashMap<i64, u64>,
    ready: HashSet<i64>,
    blocked: HashSet<i64>,
    actors: Vec<Actor>,
    operations: Vec<EventData>,
    older: HashMap<usize, usize>,
    places: HashMap<Uid, usize>,
    /// The ids that branches are about.
    branches: HashSet<String>,
}

/// Who acts: a person, and the agent that acts for them.
#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
struct Actor(
    String,
    #[serde(skip_serializing_if = "Option::is_none")] Option<String>,
);

/// An operation: when, who by place, what, on which issues by place, why.
#[derive(Serialize)]
struct EventData(
    u64,
    usize,
    String,
    Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")] Option<String>,
);

/// An issue as the page has it.
#[derive(Default, Serialize)]
struct IssueData {
    id: String,
    title: String,
    status: String,
    priority: i64,
    #[serde(rename = "type")]
    kind: String,
    created: u64,
    updated: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assignee: Option<String>,
    /// The agent that works on it, for the assignee.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_ref: Option<String>,
    /// Its places in other trackers.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    defer: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    texts: BTreeMap<&'static str, Vec<TextBlock>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<LinkData>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory: Vec<EntryData>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<(String, String, String)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commits: Vec<(String, u64, bool, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    older: Option<usize>,
    /// The command that shows those.
    #[serde(skip_serializing_if = "Option::is_none")]
    older_log: Option<String>,
    /// 1 where a branch here is about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<u8>,
    /// 1 where an agent has closed it and no one has accepted that.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<u8>,
}

/// An edge: its type, the id at its end, 1 where it is suspended.
#[derive(Serialize)]
struct LinkData(
    String,
    String,
    #[serde(skip_serializing_if = "Option::is_none")] Option<u8>,
);

/// An entry of the memory: its kind, who wrote it, when, its text, and what else a question says.
#[derive(Serialize)]
struct EntryData(
    &'static str,
    Actor,
    u64,
    Vec<TextBlock>,
    #[serde(skip_serializing_if = "Option::is_none")] Option<QuestionData>,
);

/// Whom a question asks, where it names one, and the answers that it offers.
#[derive(Serialize)]
struct QuestionData(Option<String>, Vec<String>);

#[derive(Serialize)]
struct Head<'a> {
    name: String,
    at: u64,
    commit: String,
    version: &'a str,
}

impl PageContext {
    /// Gathers it.
    pub(crate) fn new(view: &View<'_>, rows: &[Row]) -> Result<Self> {
        let nums = |condition: Condition| -> Result<HashSet<i64>> {
            let page = view.index.page(&condition, Order::Id, 0, 0)?;
            Ok(page.rows.iter().map(|row| row.num).collect())
        };
        let branches = view.tracker.store().user_branches().issue_branches();
        let mut around = Self {
            // All at once: asking for each issue would take as many questions as there are issues.
            links: view.index.edges().all_dependencies()?,
            commits: all_commits(view)?,
            begun: begun(&view.index.oplog().status_changes()?),
            ready: nums(Condition::from(Fact::Ready(view.now())))?,
            blocked: nums(Condition::from(Fact::Blocked))?,
            actors: Vec::new(),
            operations: Vec::new(),
            older: HashMap::new(),
            places: rows.iter().map(|row| row.uid).zip(0..).collect(),
            branches: branches.into_iter().map(|(_, id)| id).collect(),
        };
        let mut histories = view.index.oplog().histories()?;
        // In the past, what came later has not happened.
        histories.retain(|(operation, _)| operation.at <= view.horizon());
        around.event(histories, rows);
        Ok(around)
    }

    fn event(&mut self, histories: Vec<(OpRecord, Vec<Uid>)>, rows: &[Row]) {
        let mut actors: HashMap<Actor, usize> = HashMap::new();
        let mut told: HashMap<usize, usize> = HashMap::new();
        for (operation, uids) in histories {
            let mut on: Vec<usize> = uids
                .iter()
                .filter_map(|uid| self.places.get(uid).copied())
                .collect();
            on.retain(|place| {
                let n = told.entry(*place).or_default();
                *n += 1;
                // Beyond so many of an issue the page says how many it leaves out.
                *n <= TOLD || {
                    *self.older.entry(*place).or_default() += 1;
                    false
                }
            });
            if on.is_empty() {
                continue;
            }
            let next = actors.len();
            let actor = Actor(operation.actor, operation.agent);
            let actor = *actors.entry(actor.clone()).or_insert_with(|| {
                self.actors.push(actor);
                next
            });
            let subject = match on[..] {
                [place] => without_title(&operation.subject, &rows[place]),
                _ => operation.subject,
            };
            let why = operation
                .context
                .map(|context| context.goal)
                .filter(|goal| !goal.is_empty());
            self.operations
                .push(EventData(operation.at, actor, subject, on, why));
        }
    }

    /// The beginning of the data, up to the first issue.
    pub(crate) fn head(&self, view: &View<'_>) -> Result<String> {
        let place = view.tracker.store().place();
        let name = place
            .file_name()
            .unwrap_or(place.as_os_str())
            .to_string_lossy()
            .into_owned();
        let commit = view.snapshot().commit().to_string();
        let head = json(&Head {
            name,
            at: view.now(),
            commit,
            version: env!("CARGO_PKG_VERSION"),
        })?;
        // The object is left open: the issues follow one by one, and `tail` closes it.
        Ok(format!("{},\"issues\":[", head.trim_end_matches('}')))
    }

    /// The rest of the data, after the last issue.
    pub(crate) fn tail(&self) -> Result<String> {
        Ok(format!(
            "],\"actors\":{},\"operations\":{}}}",
            json(&self.actors)?,
            json(&self.operations)?
        ))
    }

    fn column(&self, row: &Row, now: u64) -> Option<&'static str> {
        let fresh = |at: u64| at.saturating_add(DONE_FOR) >= now;
        match row.status {
            Status::Closed if row.closed.is_some_and(fresh) => Some("done"),
            Status::InProgress => Some(IN_PROGRESS),
            _ if self.blocked.contains(&row.num) => Some("blocked"),
            _ if self.ready.contains(&row.num) => Some("ready"),
            _ => None,
        }
    }
}

/// An issue as JSON.
pub(crate) fn issue(source: &Source<'_, '_>, row: &Row, around: &PageContext) -> Result<String> {
    let (view, issue) = (source.view, source.issue(row)?);
    let (reason, reopened) = reason(row, &issue);
    let begun = around.begun.get(&row.num).copied();
    let links = around.links.get(&row.num).into_iter().flatten();
    let place = around.places.get(&row.uid);
    let older = place.and_then(|place| around.older.get(place).copied());
    let fields = FieldTexts::of(&issue);
    let texts = fields.texts.named().into_iter();
    let texts = texts.filter_map(|(name, text)| Some((name, prose::parse(text?))));
    json(&IssueData {
        id: row.id.clone(),
        title: row.title.clone(),
        status: row.status.as_str().to_owned(),
        priority: row.priority,
        kind: row.kind.clone(),
        created: row.created,
        updated: row.updated,
        column: around.column(row, view.now()),
        assignee: row.assignee.clone(),
        agent: row.agent.clone(),
        parent: row.parent.clone(),
        // Of a closed one its cycle time is counted from there.
        started: begun
            .filter(|_| row.closed.is_some())
            .into_iter()
            .chain(row.started)
            .min(),
        closed: row.closed.filter(|_| !reopened),
        created_by: Some(issue.created_by().to_owned()).filter(|by| !by.is_empty()),
        reason,
        external_ref: fields.external_ref,
        source: places_of(&issue),
        due: fields.due,
        defer: fields.defer,
        texts: texts.collect(),
        labels: row.labels.clone(),
        links: links
            .filter(|link| !is_parent(link, row))
            .map(LinkData::from)
            .collect(),
        memory: memory(source, &issue)?,
        conflicts: lost(view, &issue)?,
        commits: around
            .commits
            .get(issue.id())
            .into_iter()
            .flatten()
            .map(landed)
            .collect(),
        branch: around.branches.contains(&row.id).then_some(1),
        review: issue.is_to_be_accepted().then_some(1),
        older,
        older_log: older.map(|_| {
            Command::of("log")
                .id(&row.id)
                .flag("-n")
                .word("0")
                .to_string()
        }),
    })
}

fn is_parent(link: &Neighbour, row: &Row) -> bool {
    link.kind == PARENT_CHILD && !link.suspended && Some(&link.id) == row.parent.as_ref()
}

impl From<&Neighbour> for LinkData {
    fn from(neighbour: &Neighbour) -> Self {
        Self(
            neighbour.kind.clone(),
            neighbour.id.clone(),
            neighbour.suspended.then_some(1),
        )
    }
}

fn memory(source: &Source<'_, '_>, issue: &Issue) -> Result<Vec<EntryData>> {
    let shown = source
        .memory(issue)?
        .into_iter()
        .filter(|entry| !entry.is_redacted());
    let parts = |entry: Memory| {
        let options = entry.options().into_iter().map(str::to_owned).collect();
        let question = QuestionData(entry.to().map(str::to_owned), options);
        let said = EntryData(
            entry.kind().as_str(),
            Actor(entry.by().to_owned(), entry.agent().map(str::to_owned)),
            entry.at(),
            prose::parse(entry.text()),
            Some(question).filter(|_| entry.kind() == MemoryKind::Question),
        );
        let answer = entry.answer().map(|(text, register)| {
            let by = Actor(register.by.clone(), None);
            EntryData(ANSWER, by, register.written(), prose::parse(text), None)
        });
        [Some(said), answer]
    };
    Ok(shown.flat_map(parts).flatten().collect())
}

fn landed(commit: &CommitLink) -> (String, u64, bool, String) {
    let short = commit.commit.chars().take(10).collect();
    (short, commit.at, commit.closes, commit.subject.clone())
}

fn lost(view: &View<'_>, issue: &Issue) -> Result<Vec<(String, String, String)>> {
    let told = conflicts(view, issue)?.into_iter().map(|conflict| {
        let value = conflict.value.map_or_else(
            || {
                let resolve = Command::of("resolve").id(issue.id());
                format!("too long for here: {}", resolve.word(&conflict.field))
            },
            |value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            },
        );
        (conflict.field, conflict.by.unwrap_or_default(), value)
    });
    Ok(told.collect())
}

/// Returns what was done, without the id and the title that head its page.
fn without_title(subject: &str, row: &Row) -> String {
    let Some((verb, rest)) = subject.split_once(' ') else {
        return subject.to_owned();
    };
    match rest.strip_prefix(row.id.as_str()) {
        // The page shows the subject next to the issue, whose id and title need not be said again.
        Some(rest) if rest.strip_prefix(": ") == Some(row.title.as_str()) => verb.to_owned(),
        Some(rest) if rest.is_empty() || rest.starts_with([':', ' ']) => format!("{verb}{rest}"),
        _ => subject.to_owned(),
    }
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::io("can't write the page", &error.into()))
}
