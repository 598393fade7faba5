//! The view of an issue that most tools answer with.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filled;
use super::question::{TaskQuestion, source};
use crate::model::edge::BLOCKS;
use crate::model::{Evidence, Status, Uid};
use crate::ops::answer::{
    After, Answer, AnswerKind, ClaimView, Entry, MemoryView, Next, Summary, Texts, shortened,
};
use crate::ops::shared::blockers::{LinkedIds, all_links, both_ways, open_blockers};
use crate::ops::shared::claim::{ClaimOutcome, Started};
use crate::ops::{Code, Error, Held, Hint, Result, Tracker, View};

const META_CHARS: i64 = 400;
/// Issues that an issue waits for, or that wait for it, in an answer.
const MOST_RELATED: usize = 10;

/// Parts of an issue that an answer has.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskViewOptions {
    #[schemars(extend("enum" = ["summary", "meta"]))]
    view: Option<String>,
    meta_max_chars: Option<i64>,
    memory_limit: Option<i64>,
}

impl TaskViewOptions {
    pub(crate) fn memory(limit: Option<i64>) -> Self {
        Self {
            memory_limit: limit,
            ..Self::default()
        }
    }

    pub(crate) fn whole(memory: i64) -> Self {
        Self {
            view: Some("meta".to_owned()),
            ..Self::memory(Some(memory))
        }
    }

    fn is_meta(&self) -> Result<bool> {
        match filled(self.view.as_deref())
            .map(str::to_lowercase)
            .as_deref()
        {
            None | Some("summary") => Ok(false),
            Some("meta") => Ok(true),
            Some(_) => Err(Error::invalid(format!(
                "Invalid view: {}",
                self.view.as_deref().unwrap_or_default()
            ))
            .hinted(Hint::text("view is `summary` or `meta`"))),
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        self.is_meta().map(|_| ())
    }

    /// Returns a text of the length asked for, and whether it was cut.
    fn fit(&self, text: &str) -> (String, bool) {
        let limit = usize::try_from(self.meta_max_chars.unwrap_or(META_CHARS)).unwrap_or(0);
        match shortened(text, limit).filter(|_| limit > 0) {
            Some(short) => (short, true),
            None => (text.to_owned(), false),
        }
    }
}

/// The findings and decisions of an issue as texts, oldest first.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct MemoryText {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    /// Who said each of them, and on which day.
    pub sources: MemorySources,
    /// True if a limit left some out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Number of the entries left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<crate::ops::answer::More>,
}

/// Authors and days, in the order of the texts.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct MemorySources {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decisions: Vec<String>,
}

fn parted(entries: Vec<Entry>) -> (Vec<String>, Vec<String>) {
    let parts = entries
        .into_iter()
        .map(|entry| (source(&entry.party().to_string(), &entry.at), entry.text));
    let (sources, texts) = parts.unzip();
    (texts, sources)
}

impl MemoryText {
    fn new(view: &View<'_>, uid: Uid, limit: Option<i64>) -> Result<Option<Self>> {
        // No limit means no memory here: it is sent only to who asks for it.
        let limit = usize::try_from(limit.unwrap_or(0)).unwrap_or(0);
        if limit == 0 {
            return Ok(None);
        }
        let (mut memory, unreadable) = view.memory(uid)?;
        if unreadable > 0 {
            view.tracker
                .warn(format!("{unreadable} entries of the memory can't be read"));
        }
        // Comments are for people; the task tools know findings and decisions.
        memory.retain(|entry| entry.kind() != crate::model::MemoryKind::Comment);
        let MemoryView {
            findings,
            decisions,
            truncated,
            more,
            ..
        } = MemoryView::new(&memory, limit);
        let (findings, found_by) = parted(findings);
        let (decisions, decided_by) = parted(decisions);
        let sources = MemorySources {
            findings: found_by,
            decisions: decided_by,
        };
        Ok(Some(Self {
            findings,
            decisions,
            sources,
            truncated,
            more,
        }))
    }

    fn is_empty(memory: &Option<Self>) -> bool {
        memory
            .as_ref()
            .is_none_or(|memory| memory.findings.is_empty() && memory.decisions.is_empty())
    }
}

/// The outcome of a wait for news.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct WaitedView {
    /// True if there are any.
    pub(super) changed: bool,
}

/// An issue as an agent sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct IssueView {
    #[serde(flatten)]
    summary: Summary,
    #[serde(flatten)]
    texts: Texts,
}

/// One issue, with its memory if that was asked for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct TaskView {
    pub issue: IssueView,
    #[serde(skip_serializing_if = "MemoryText::is_empty")]
    pub memory: Option<MemoryText>,
    /// Texts that were cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub meta_truncated: Vec<&'static str>,
    /// What shows that it is done, with its texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    /// Open issues it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_blockers: Vec<String>,
    /// Open issues it waits for, in an answer of `task_status`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked_by: Vec<Summary>,
    /// Open issues that wait for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<Summary>,
    /// The other issues that it is linked to, by the type of the link, in an answer of `task_status`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    links: LinkedIds,
    /// The issues that are linked to it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    linked_by: LinkedIds,
    /// Its labels, in an answer of `task_status`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    /// The claims of its children, by id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    claims: BTreeMap<String, ClaimView>,
    /// The open issues that each of its children waits for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    children_blocked_by: LinkedIds,
    /// Questions to people and their answers, in an answer of `task_status`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    questions: Vec<TaskQuestion>,
    /// The outcome of a wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) waited: Option<WaitedView>,
    /// Its claim in an answer of `task_status`, elsewhere that of another than the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<ClaimView>,
    /// The caller that has started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    you: Option<String>,
    /// The claim of the caller, where there was one already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub already_in_progress: Option<Held>,
    /// What to do if another of the same session had started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
    /// Whose claim it was before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    #[serde(skip)]
    pub(super) after: After,
}

/// Hint for agents that share a session: only its names distinguish them.
pub(crate) const NOT_YOU: &str = "If that was not you: task_start(id=\"next\", as=\"NAME\")";

impl Answer for TaskView {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Issue
    }
    fn next(&self) -> Next {
        self.after.next()
    }
}

impl TaskView {
    pub(crate) fn new(view: &View<'_>, uid: Uid, shape: &TaskViewOptions) -> Result<Self> {
        let row = view.index.row(uid)?.ok_or_else(|| Error::no_issue(uid))?;
        let summary = Summary::with_ready_children(view, row)?;
        let mut issue = IssueView {
            summary,
            texts: Texts::default(),
        };
        let (mut meta_truncated, mut evidence) = (Vec::new(), None);
        if shape.is_meta()? {
            let stored = view.issue(uid)?;
            // An epic that is open again with another child shows what it was closed with no more.
            let is_closed = issue.summary.status == Status::Closed.as_str();
            let shown = stored.state().evidence;
            evidence = (is_closed && shown != Evidence::default()).then_some(shown);
            issue.texts = Texts::read(|name| {
                // The task tools have no notes.
                let stored = if name == "notes" {
                    ""
                } else {
                    stored.text(name)
                };
                let (text, cut) = shape.fit(stored);
                meta_truncated.extend(cut.then_some(name));
                text
            });
        }
        let memory = MemoryText::new(view, uid, shape.memory_limit)?;
        let claim = ClaimView::of(&issue.summary, view.tracker, &view.tracker.party());
        Ok(Self {
            claim: claim.filter(|claim| !claim.mine),
            you: None,
            issue,
            memory,
            meta_truncated,
            evidence,
            open_blockers: Vec::new(),
            blocked_by: Vec::new(),
            blocks: Vec::new(),
            links: LinkedIds::new(),
            linked_by: LinkedIds::new(),
            labels: Vec::new(),
            claims: BTreeMap::new(),
            children_blocked_by: LinkedIds::new(),
            questions: Vec::new(),
            waited: None,
            already_in_progress: None,
            hint: None,
            remarks: Vec::new(),
            after: After::Looked,
        })
    }

    /// Says which state the caller is in after the call.
    pub(crate) fn after(self, after: After) -> Self {
        Self { after, ..self }
    }

    /// Adds what the issue is related to: its children with who has them and what they wait for, what it waits for and
    /// holds up, its other links, its labels and its questions.
    pub(super) fn with_relations(mut self, view: &View<'_>, uid: Uid) -> Result<Self> {
        let children = view.index.children(uid)?;
        for child in children.iter().filter(|child| child.blockers > 0) {
            let waits_for = open_blockers(view, child)?.into_iter().map(|it| it.id);
            let waits_for: Vec<String> = waits_for.take(MOST_RELATED).collect();
            if !waits_for.is_empty() {
                self.children_blocked_by.insert(child.id.clone(), waits_for);
            }
        }
        let summary = &mut self.issue.summary;
        summary.children = children.into_iter().map(Summary::core).collect();
        for ready in &mut summary.ready_children {
            // It is among the children.
            ready.title.clear();
        }
        self.claims = ClaimView::all(view.tracker, summary.children.iter());
        let mut row = view.index.row(uid)?.ok_or_else(|| Error::no_issue(uid))?;
        let waiting = both_ways(view, &row, MOST_RELATED)?;
        let mut links = all_links(view, &row)?;
        if let Some(blocking) = links.to.get_mut(BLOCKS) {
            blocking.retain(|id| waiting.blocked_by.iter().all(|issue| issue.id != *id));
        }
        links.to.retain(|_, ids| !ids.is_empty());
        // Those that wait for it are in `blocks`, as long as they do.
        links.from.remove(BLOCKS);
        Ok(Self {
            claim: ClaimView::of(&self.issue.summary, view.tracker, &view.tracker.party()),
            blocked_by: waiting.blocked_by,
            blocks: waiting.blocks,
            links: links.to,
            linked_by: links.from,
            labels: std::mem::take(&mut row.labels),
            questions: TaskQuestion::all(view, uid)?,
            ..self
        })
    }

    /// Marks the issue as started: whether it is new, and its open blockers.
    pub(crate) fn started(mut self, tracker: &Tracker, is_new: bool, taken: ClaimOutcome) -> Self {
        self.issue.summary.is_new = Some(is_new);
        // Another server by the same name has begun it, and is at work on it.
        self.after = match tracker.is_beside() {
            true => After::Refused(Code::Claimed),
            false => After::Working,
        };
        // A part of a session has a name of its own.
        let is_part = |held: &Held| held.session.as_deref().is_some_and(|it| it.contains('.'));
        let is_named = |held: &Held| is_part(held) && !tracker.is_recalled();
        let is_shared = taken.already.as_ref().is_some_and(|held| !is_named(held));
        Self {
            hint: is_shared.then_some(NOT_YOU),
            you: self.issue.summary.holder(),
            open_blockers: taken.open_blockers,
            already_in_progress: taken.already,
            remarks: taken.remarks,
            ..self
        }
    }
}

impl TaskView {
    /// Adds the remote that keeps the claim.
    pub(crate) fn kept_at(self, started: &Started) -> Self {
        if started.lease.is_none() && !started.tentative {
            return self;
        }
        let claim = started.claim();
        Self { claim, ..self }
    }
}

impl IssueView {
    pub(crate) fn summary(self) -> Summary {
        self.summary
    }
}
