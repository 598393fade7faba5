//! Seed 000's shapes: the minimal issue, the full one, and the fields that a caller selects.

use serde::Serialize;
use serde_json::{Value, json};

use crate::mcp::compaction::Compacted;
use crate::model::memory::ANSWER_MARKER;
use crate::model::{Evidence, MemoryKind};
use crate::ops::answer::{Detail, Entry, Link, MemoryView, Summary, shortened};
use crate::ops::shared::commit_links;
use crate::ops::shared::words::vocabulary;
use crate::ops::{Result, View};

/// An issue in a list: nine keys, always all of them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Minimal {
    id: String,
    title: String,
    status: String,
    priority: i64,
    issue_type: String,
    assignee: Option<String>,
    labels: Vec<String>,
    dependency_count: u64,
    dependent_count: u64,
}

impl From<Summary> for Minimal {
    fn from(summary: Summary) -> Self {
        Self {
            id: summary.id,
            title: summary.title,
            status: summary.status,
            priority: summary.priority,
            issue_type: summary.kind,
            assignee: summary.assignee,
            labels: summary.labels,
            dependency_count: summary.dependency_count.unwrap_or(0),
            dependent_count: summary.dependent_count.unwrap_or(0),
        }
    }
}

/// A list, or a preview of a long one.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Rows {
    /// All of it, or the page that was asked for.
    All(Vec<Value>),
    /// The preview of a longer list.
    Compacted(Compacted<Value>),
}

/// The keys of a full issue.
const FIELDS: [&str; 24] = [
    "id",
    "title",
    "description",
    "design",
    "acceptance_criteria",
    "notes",
    "external_ref",
    "status",
    "priority",
    "issue_type",
    "created_at",
    "updated_at",
    "closed_at",
    "assignee",
    "labels",
    "dependency_count",
    "dependent_count",
    "dependencies",
    "dependents",
    "parent",
    "children",
    "comments",
    "close_reason",
    "evidence",
];
const BRIEF: [&str; 4] = ["id", "title", "status", "priority"];

/// Fields of an issue that a caller wants to see.
#[derive(Clone, Debug, Default)]
pub(crate) struct BdFields<'a> {
    pub(crate) brief: bool,
    pub(crate) fields: &'a [String],
    pub(crate) description: Option<i64>,
}

impl BdFields<'_> {
    pub(crate) fn check(&self) -> Result<()> {
        match self
            .fields
            .iter()
            .find(|field| !FIELDS.contains(&field.as_str()))
        {
            Some(unknown) => Err(vocabulary("a field", unknown, &FIELDS)),
            None => Ok(()),
        }
    }

    /// Returns an issue of a list.
    pub(crate) fn row(&self, view: &View<'_>, summary: Summary) -> Result<Value> {
        if self.fields.is_empty() {
            let minimal = json!(Minimal::from(summary));
            return Ok(if self.brief {
                pick(minimal, &BRIEF)
            } else {
                minimal
            });
        }
        commit_links::follow(view)?;
        let issue = view.issue(view.find(&summary.id)?)?;
        self.full(&Detail::new(view, &issue)?, None)
    }

    /// Returns a full issue, or its wanted fields.
    pub(crate) fn full(&self, detail: &Detail, memory: Option<&MemoryView>) -> Result<Value> {
        let mut issue = full(detail, memory);
        if let Some(limit) = self
            .description
            .and_then(|limit| usize::try_from(limit).ok())
            && let Some(text) = issue["description"].as_str()
            && let Some(short) = shortened(text, limit)
        {
            issue["description"] = Value::from(short);
        }
        let fields: Vec<&str> = self.fields.iter().map(String::as_str).collect();
        Ok(match (fields.is_empty(), self.brief) {
            (false, _) => pick(issue, &fields),
            (true, true) => pick(issue, &BRIEF),
            (true, false) => issue,
        })
    }
}

fn pick(mut issue: Value, keys: &[&str]) -> Value {
    if let Value::Object(issue) = &mut issue {
        issue.retain(|key, _| keys.contains(&key.as_str()));
    }
    issue
}

fn full(detail: &Detail, memory: Option<&MemoryView>) -> Value {
    let Detail {
        summary, fields, ..
    } = detail;
    let texts = &fields.texts;
    let child =
        |child: &Summary| json!({"id": child.id, "title": child.title, "status": child.status});
    let children: Vec<Value> = summary.children.iter().map(child).collect();
    let link = |link: &Link| json!({"id": link.id, "title": link.title, "status": link.status, "dependency_type": link.kind});
    let links = |links: &[Link]| links.iter().map(link).collect::<Vec<Value>>();
    let mut issue = json!({
        "id": summary.id, "title": summary.title, "description": texts.description.as_deref().unwrap_or_default(),
        "design": texts.design, "acceptance_criteria": texts.acceptance, "notes": texts.notes,
        "external_ref": fields.external_ref, "status": summary.status, "priority": summary.priority,
        "issue_type": summary.kind, "created_at": summary.created_at, "updated_at": summary.updated_at,
        "closed_at": detail.closed_at, "assignee": summary.assignee, "labels": summary.labels,
        "dependency_count": summary.dependency_count, "dependent_count": summary.dependent_count,
        "close_reason": detail.reason, "comments": memory.map(comments).unwrap_or_default(),
        "children": children, "parent": summary.parent, "dependencies": links(&detail.dependencies),
        "dependents": links(&detail.dependents),
    });
    // No key of the shape that others know: it is there only where there is some.
    if detail.evidence != Evidence::default() {
        issue["evidence"] = json!(detail.evidence);
    }
    issue
}

/// Converts memory to comments, oldest first; all but comments have their marks.
pub(super) fn comments(memory: &MemoryView) -> Vec<Value> {
    let marked = [
        (MemoryKind::Finding, &memory.findings),
        (MemoryKind::Decision, &memory.decisions),
        (MemoryKind::Comment, &memory.comments),
    ];
    let questions = memory.questions.iter().map(|question| &question.entry);
    let mut all: Vec<(&Entry, MemoryKind)> = marked
        .into_iter()
        .flat_map(|(kind, entries)| entries.iter().map(move |entry| (entry, kind)))
        .chain(questions.map(|entry| (entry, MemoryKind::Question)))
        .collect();
    all.sort_unstable_by(|(a, _), (b, _)| (&a.at, &a.id).cmp(&(&b.at, &b.id)));
    let comment = |(entry, kind): &(&Entry, MemoryKind)| json!({"author": entry.by, "text": format!("{}{}", kind.marker(), entry.text), "created_at": entry.at});
    // An answer follows its question.
    let answer = |(entry, _): &(&Entry, MemoryKind)| {
        let mut questions = memory.questions.iter();
        let question = questions.find(|question| question.entry.id == entry.id)?;
        let text = format!("{ANSWER_MARKER}{}", question.answer.as_ref()?);
        Some(
            json!({"author": question.answered_by, "text": text, "created_at": question.answered_at}),
        )
    };
    all.iter()
        .flat_map(|entry| [Some(comment(entry)), answer(entry)])
        .flatten()
        .collect()
}

/// The effect of one operation on an issue.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BdAnswer {
    id: String,
    action: &'static str,
    message: String,
}

impl BdAnswer {
    pub(crate) fn value(id: &str, action: &'static str, message: impl Into<String>) -> Value {
        json!(Self {
            id: id.to_owned(),
            action,
            message: message.into()
        })
    }
}
