//! An issue with all that a panel shows of it, its texts as trees: who draws it parses nothing.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::graph::Brief;
use super::rows::{Head, heads_of, with_reason};
use crate::index::{Lookup, OpFilter};
use crate::model::prose::{TextBlock, parse};
use crate::model::{Party, Uid};
use crate::ops::act::{ACTS, ActKind, Remark};
use crate::ops::answer::{Detail, Entry};
use crate::ops::shared::commit_links;
use crate::ops::shared::operation::Operation;
use crate::ops::verbs::show::{Shown, one};
use crate::ops::{Result, Tracker, View};

/// Operations, the newest.
const MOST_OPERATIONS: usize = 50;

/// Words of its texts that are looked up.
const MOST_NAMES: usize = 500;

/// An issue, its memory and its history.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct IssueScene {
    pub issue: Detail,
    /// The minutes of the lease of its claim, and the way in which its agent has left it.
    pub lease: Option<String>,
    /// Its long texts.
    pub texts: Vec<SceneText>,
    /// Its memory: findings, decisions, comments, questions; each kind oldest first.
    pub memory: Vec<Remembered>,
    /// Its newest operations, newest first.
    pub operations: Vec<Operation>,
    /// The issues that it is linked to, by their ids, where they are asked for.
    pub around: BTreeMap<String, Brief>,
    /// The titles of the issues that its texts name, by their ids, where they are asked for.
    pub names: BTreeMap<String, String>,
    /// What a row shows of it.
    pub head: Option<Head>,
    /// The acts that are not possible, with the reasons, where they are asked for.
    pub cannot: BTreeMap<ActKind, Remark>,
    /// The commit of this state: an act names it.
    pub seen: String,
}

/// A long text by its name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct SceneText {
    pub name: &'static str,
    #[schemars(with = "serde_json::Value")]
    pub blocks: Vec<TextBlock>,
}

/// An entry of memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Remembered {
    pub id: String,
    /// `finding`, `decision`, `comment` or `question`.
    pub kind: &'static str,
    /// Who said it: the person, or the agent as `person/agent`.
    pub by: String,
    pub at: String,
    #[schemars(with = "serde_json::Value")]
    pub blocks: Vec<TextBlock>,
    /// The answers that a question offers.
    pub options: Vec<String>,
    pub answer: Option<Answered>,
}

/// The answer to a question.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Answered {
    pub by: String,
    pub at: String,
    #[schemars(with = "serde_json::Value")]
    pub blocks: Vec<TextBlock>,
}

/// Returns an issue, for a face that shows of others what it says of them.
/// Errors: it is not there, or can't be read.
pub(crate) fn issue(tracker: &Tracker, uid: Uid) -> Result<IssueScene> {
    read(tracker, uid, false)
}

/// Returns an issue with what there is to show of those that it is linked to, and that its texts name.
/// Errors: those of `issue`.
pub(crate) fn issue_with_names(tracker: &Tracker, uid: Uid) -> Result<IssueScene> {
    read(tracker, uid, true)
}

fn read(tracker: &Tracker, uid: Uid, has_names: bool) -> Result<IssueScene> {
    tracker.read(|view| {
        // What can fill the index comes first.
        commit_links::follow(view)?;
        let operations = operations(view, uid)?;
        view.last(|| shown(view, uid, has_names, operations))
    })
}

fn shown(
    view: &View<'_>,
    uid: Uid,
    has_names: bool,
    operations: Vec<Operation>,
) -> Result<IssueScene> {
    let shown = one(view, uid, None)?;
    let mut head = heads_of(view, &[uid])?.into_iter().next();
    let (mut linked, mut named) = (BTreeMap::new(), BTreeMap::new());
    if has_names {
        linked = around(view, &shown.issue)?;
        named = names(view, &shown)?;
    }
    let mut cannot = BTreeMap::new();
    if let Some(head) = &mut head {
        with_reason(view, head)?;
        if has_names {
            cannot = refused(head, &view.tracker.party());
        }
    }
    Ok(IssueScene {
        around: linked,
        names: named,
        head,
        cannot,
        seen: view.snapshot().commit().to_string(),
        ..scene(shown, operations)
    })
}

fn operations(view: &View<'_>, uid: Uid) -> Result<Vec<Operation>> {
    let wanted = OpFilter {
        limit: MOST_OPERATIONS,
        ..OpFilter::of(uid)
    };
    let found = view.index.oplog().operations(&wanted)?;
    let mut operations = Vec::new();
    for record in found {
        operations.push(Operation::with_words(view, record, Some(uid))?);
    }
    Ok(operations)
}

fn scene(shown: Shown, operations: Vec<Operation>) -> IssueScene {
    let mut texts = Vec::new();
    for (name, text) in shown.issue.fields.texts.named() {
        if let Some(text) = text {
            let blocks = parse(text);
            texts.push(SceneText { name, blocks });
        }
    }
    IssueScene {
        texts,
        memory: memory(&shown),
        lease: shown.lease.map(|lease| match lease.activity {
            None => format!("{}m", lease.minutes),
            Some(left) => format!("{}m, {left}", lease.minutes),
        }),
        operations,
        around: BTreeMap::new(),
        names: BTreeMap::new(),
        issue: shown.issue,
        head: None,
        cannot: BTreeMap::new(),
        seen: String::new(),
    }
}

/// Returns the acts that the state of an issue or the caller rules out.
fn refused(head: &Head, caller: &Party) -> BTreeMap<ActKind, Remark> {
    let mut refused = BTreeMap::new();
    for act in &ACTS {
        if let Err(why) = act.kind.can(head, caller) {
            refused.insert(act.kind, why);
        }
    }
    refused
}

/// Returns the issues at the other ends of its edges.
fn around(view: &View<'_>, issue: &Detail) -> Result<BTreeMap<String, Brief>> {
    let links = issue.dependencies.iter().chain(&issue.dependents);
    let ids = links.map(|link| &link.id).chain(&issue.summary.parent);
    let ids = ids.chain(issue.summary.children.iter().map(|child| &child.id));
    let mut around = BTreeMap::new();
    for id in ids {
        if let Some(Lookup::One(uid)) = view.index.ids().exact(id)?
            && let Some(row) = view.index.row(uid)?
        {
            around.insert(id.clone(), Brief::new(&row, view.now()));
        }
    }
    Ok(around)
}

/// Returns the issues that its texts name.
fn names(view: &View<'_>, shown: &Shown) -> Result<BTreeMap<String, String>> {
    let texts = shown.issue.fields.texts.named();
    let texts = texts.into_iter().filter_map(|(_, text)| text);
    let memory = &shown.memory;
    let entries = [&memory.findings, &memory.decisions, &memory.comments];
    let entries = entries
        .into_iter()
        .flatten()
        .map(|entry| entry.text.as_str());
    let questions = memory.questions.iter().flat_map(|it| {
        let answer = it.answer.as_deref();
        [Some(it.entry.text.as_str()), answer].into_iter().flatten()
    });
    let is_outside = |c: char| !(c.is_alphanumeric() || "_.-".contains(c));
    let mut words: BTreeSet<&str> = BTreeSet::new();
    for text in texts
        .chain(entries)
        .chain(questions)
        .chain(shown.issue.reason.as_deref())
    {
        let found = text
            .split(is_outside)
            .map(|word| word.trim_matches(['.', '-']));
        words.extend(found.filter(|word| word.contains('-')));
    }
    let mut names = BTreeMap::new();
    for word in words.into_iter().take(MOST_NAMES) {
        if let Some(Lookup::One(uid)) = view.index.ids().exact(word)?
            && let Some(row) = view.index.row(uid)?
        {
            names.insert(word.to_owned(), row.title);
        }
    }
    Ok(names)
}

fn memory(shown: &Shown) -> Vec<Remembered> {
    let memory = &shown.memory;
    let mut all = Vec::new();
    for (kind, entries) in [
        ("finding", &memory.findings),
        ("decision", &memory.decisions),
        ("comment", &memory.comments),
    ] {
        all.extend(entries.iter().map(|entry| remembered(kind, entry)));
    }
    for question in &memory.questions {
        let answer = question.answer.as_deref().map(|text| Answered {
            by: question.answered_by.clone().unwrap_or_default(),
            at: question.answered_at.clone().unwrap_or_default(),
            blocks: parse(text),
        });
        all.push(Remembered {
            options: question.options.clone(),
            answer,
            ..remembered("question", &question.entry)
        });
    }
    all
}

fn remembered(kind: &'static str, entry: &Entry) -> Remembered {
    Remembered {
        id: entry.id.clone(),
        kind,
        by: entry.party().to_string(),
        at: entry.at.clone(),
        blocks: parse(&entry.text),
        options: Vec::new(),
        answer: None,
    }
}
