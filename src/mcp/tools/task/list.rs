//! `task_list`: issues that are ready, blocked, or match.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{filled, owned};
use crate::mcp::arguments::misspelt;
use crate::mcp::compaction::Compacted;
use crate::mcp::tool::CallContext;
use crate::model::Status;
use crate::model::query::Key;
use crate::ops::answer::{After, Answer, AnswerKind, ClaimView, Next, Summary, shortened};
use crate::ops::shared::blockers::BlockedRow;
use crate::ops::shared::query::Query;
use crate::ops::shared::query::options::TreeParts;
use crate::ops::shared::question::brief;
use crate::ops::shared::snippet::Snippet;
use crate::ops::verbs::blocked::{Blocked, blocked};
use crate::ops::verbs::list;
use crate::ops::verbs::ready::ready;
use crate::ops::verbs::search::{FoundReason, search};
use crate::ops::{Error, Hint, Result, Tracker};

/// What can be listed.
const MODES: [&str; 4] = ["ready", "list", "blocked", "search"];

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskList {
    #[schemars(extend("enum" = ["ready", "list", "blocked", "search"]))]
    mode: Option<String>,
    query: Option<String>,
    status: Option<String>,
    priority: Option<String>,
    r#type: Option<String>,
    assignee: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    parent: Option<String>,
    limit: Option<i64>,
    offset: Option<i64>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Listed {
    #[serde(flatten)]
    rows: IssuePage,
    /// With mode=blocked, the open issues that each waits for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    blocked_by: BTreeMap<String, Vec<String>>,
    /// With mode=search, where the words are that the titles lack.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    snippets: Vec<Snippet>,
    /// With mode=search, the reasons of agents that have the words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<FoundReason>,
    /// With mode=blocked, the reasons of those that were blocked for one.
    #[serde(rename = "reason", skip_serializing_if = "BTreeMap::is_empty")]
    blocked_for: BTreeMap<String, String>,
    /// With mode=ready, those that wait for a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<String>,
    /// Their claims, by id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    claims: BTreeMap<String, ClaimView>,
    #[serde(skip)]
    after: After,
}

/// A page of issues, or a preview of many.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum IssuePage {
    Page {
        issues: Vec<Summary>,
        /// Number of all matches, where they are not all here.
        #[serde(skip_serializing_if = "Option::is_none")]
        total_count: Option<u64>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    Compacted(Compacted<Summary>),
}

impl Answer for Listed {
    fn kind(&self) -> AnswerKind {
        match &self.rows {
            IssuePage::Page { issues, .. } if issues.is_empty() && self.reasons.is_empty() => {
                AnswerKind::Empty
            }
            _ => AnswerKind::Summary,
        }
    }
    fn next(&self) -> Next {
        self.after.next()
    }
}

/// Lists issues: the ready queue unless a mode, a query or a status says otherwise.
pub(crate) fn list(call: &CallContext<'_>, request: &TaskList) -> Result<Listed> {
    let (tracker, compaction) = (call.tracker, call.compaction);
    let count = |n: Option<i64>| n.map(|n| usize::try_from(n).unwrap_or(0));
    let offset = count(request.offset).unwrap_or(0);
    let (limit, compacts) = compaction.page(count(request.limit), offset);
    let mode = mode(request)?;
    check_status(request)?;
    let asked = match filled(request.query.as_deref()) {
        Some(text) if mode != "search" => Query::asking(tracker, text)?,
        _ => Query::default(),
    };
    let mut parts = filters(request)?;
    parts.push(asked.tree);
    let query = Query {
        tree: parts.tree(),
        says_next: true,
        limit,
        offset,
        ..asked
    };
    let mut found = matches(tracker, request, mode, &query)?;
    let issues = found.issues.into_iter().map(Summary::into_core).collect();
    let total = found.total;
    let compacts = compacts && total > compaction.threshold as u64;
    let rows = match compacts {
        true => IssuePage::Compacted(Compacted::new(compaction, issues, total, MANY)),
        false => page(issues, offset, total),
    };
    let shown = rows.issues();
    let is_shown = |id: &String| shown.iter().any(|issue| issue.id == *id);
    found.blocked_by.retain(|id, _| is_shown(id));
    found.snippets.retain(|snippet| is_shown(&snippet.id));
    found.blocked_for.retain(|id, _| is_shown(id));
    found.waiting.retain(is_shown);
    Ok(Listed {
        claims: ClaimView::all(tracker, shown.iter()),
        rows,
        blocked_by: found.blocked_by,
        snippets: found.snippets,
        reasons: found.reasons,
        blocked_for: found.blocked_for,
        waiting: found.waiting,
        after: found.after,
    })
}

impl IssuePage {
    fn issues(&self) -> &[Summary] {
        match self {
            Self::Page { issues, .. } => issues,
            Self::Compacted(compacted) => &compacted.preview,
        }
    }
}

const MANY: &str = "add filters, or page with limit and offset; task_status(id) tells one";

fn page(issues: Vec<Summary>, offset: usize, total: u64) -> IssuePage {
    let (returned, end) = (issues.len(), (offset + issues.len()) as u64);
    let truncated = end < total;
    let hint = (truncated && returned > 0).then(|| format!("offset={end} shows the next"));
    IssuePage::Page {
        issues,
        total_count: (total != returned as u64).then_some(total),
        truncated,
        hint,
    }
}

/// Returns the filters of a request.
fn filters(request: &TaskList) -> Result<TreeParts> {
    let many = |text: &Option<String>| Vec::from_iter(owned(text.as_deref()));
    let labels = request.labels.iter();
    let labels: Vec<String> = labels.filter_map(|label| owned(Some(label))).collect();
    let mut parts = TreeParts::default();
    parts.any("status", Key::Status, &many(&request.status))?;
    parts.any("type", Key::Type, &many(&request.r#type))?;
    parts.any("priority", Key::Priority, &many(&request.priority))?;
    parts.labels(&labels)?;
    if let Some(name) = owned(request.assignee.as_deref()) {
        parts.assignee(&name);
    }
    if let Some(id) = owned(request.parent.as_deref()) {
        parts.parent(&id)?;
    }
    Ok(parts)
}

#[derive(Default)]
struct Matches {
    issues: Vec<Summary>,
    total: u64,
    blocked_by: BTreeMap<String, Vec<String>>,
    snippets: Vec<Snippet>,
    blocked_for: BTreeMap<String, String>,
    reasons: Vec<FoundReason>,
    waiting: Vec<String>,
    after: After,
}

/// Returns the page that the mode asks for, and the number of all matches.
fn matches(tracker: &Tracker, request: &TaskList, mode: &str, query: &Query) -> Result<Matches> {
    let (mut snippets, mut reasons) = (Vec::new(), Vec::new());
    let list = match mode {
        "blocked" => return Ok(held_up(blocked(tracker, query)?)),
        "list" => list::list(tracker, query)?,
        "search" => {
            let words = request.query.as_deref().unwrap_or_default();
            let found = search(tracker, words, query)?;
            (snippets, reasons) = (found.snippets, found.reasons);
            found.list
        }
        _ => ready(tracker, query)?,
    };
    Ok(Matches {
        issues: list.issues,
        total: list.total_count,
        snippets,
        reasons,
        waiting: list.waiting,
        after: list.after,
        ..Matches::default()
    })
}

fn blockers(row: &BlockedRow) -> Vec<String> {
    row.blocked_by.iter().map(|it| it.id.clone()).collect()
}

fn held_up(found: Blocked) -> Matches {
    let mut matches = Matches {
        total: found.total_count,
        ..Matches::default()
    };
    for row in found.issues {
        let id = &row.summary.id;
        if !row.blocked_by.is_empty() {
            matches.blocked_by.insert(id.clone(), blockers(&row));
        }
        if let Some(reason) = &row.reason {
            matches.blocked_for.insert(id.clone(), brief(reason));
        }
        matches.issues.push(row.summary);
    }
    matches
}

fn mode(request: &TaskList) -> Result<&'static str> {
    let asked = filled(request.mode.as_deref()).map(str::to_lowercase);
    let query = filled(request.query.as_deref());
    match (asked.as_deref(), query) {
        // Who asks for a status wants more than what is ready.
        (None, None) if filled(request.status.as_deref()).is_some() => Ok("list"),
        (None, None) | (Some("ready"), _) => Ok("ready"),
        (Some("list"), _) => Ok("list"),
        (Some("blocked"), _) => Ok("blocked"),
        (None, Some(_)) | (Some("search"), _) => Ok("search"),
        (Some(other), _) => Err(no_mode(other, query)),
    }
}

/// Words that are taken for a mode or a status, each with the call that is meant.
const CALLS: [(&[&str], &str, &str); 2] = [
    (
        &["ready", "next", "available"],
        "task_list",
        "task_list(mode=\"ready\")",
    ),
    (&["mine", "my", "me"], "task_status", "task_status()"),
];

/// Returns the hint for a word that names a list of another kind.
fn meant_call(word: &str) -> Option<Hint> {
    let found = CALLS.iter().find(|(words, ..)| words.contains(&word));
    found.map(|(_, tool, call)| Hint::call(tool, *call))
}

/// Refuses a status that is none and names a list of another kind.
fn check_status(request: &TaskList) -> Result<()> {
    let word = filled(request.status.as_deref()).map(str::to_lowercase);
    match word
        .as_deref()
        .and_then(|word| Some((word, meant_call(word)?)))
    {
        Some((word, hint)) => Err(Error::invalid(format!("`{word}` is not a status")).hinted(hint)),
        None => Ok(()),
    }
}

/// The error for a mode that is none; a status names the call that lists the issues with it.
fn no_mode(word: &str, query: Option<&str>) -> Error {
    let error = Error::invalid(format!("`{word}` is not a mode: {}", MODES.join(", ")));
    if let Some(hint) = meant_call(word) {
        return error.hinted(hint);
    }
    let hint = match (Status::parse(word), query) {
        (Some(status), None) => format!(
            "task_list(mode=\"list\", status={})",
            Value::from(status.as_str())
        ),
        (Some(status), Some(query)) => {
            let query = Value::from(shortened(query, 200).unwrap_or_else(|| query.to_owned()));
            let status = Value::from(status.as_str());
            format!("task_list(mode=\"search\", query={query}, status={status})")
        }
        (None, _) => match misspelt(word, &MODES) {
            Some(near) => return error.hinted(Hint::text(format!("did you mean `{near}`?"))),
            None => return error,
        },
    };
    error.hinted(Hint::call("task_list", hint))
}
