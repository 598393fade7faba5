//! `split`: an epic into children, all in one commit.

pub mod plan;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::Field;
use crate::model::edge::BLOCKS;
use crate::model::{Issue, Status};
use crate::ops::answer::{After, Answer, AnswerKind, Next};
use crate::ops::shared::claim;
use crate::ops::shared::dependency::add_all;
use crate::ops::shared::new_issue::build;
use crate::ops::{Code, Command, Error, Hint, Result, Tracker, Tx};
pub(crate) use plan::Child;

/// The children of one commit at most.
const MOST_CHILDREN: usize = 200;

/// An epic, and the children to split it into.
#[derive(Clone, Debug, Default)]
pub(crate) struct Split {
    /// The epic.
    pub epic: String,
    /// Its children.
    pub children: Vec<Child>,
}

/// What has come into being.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Children {
    /// Their ids, in the order of the plan.
    pub ids: Vec<String>,
    /// The epic.
    pub epic_id: String,
    /// The child that was started because it is the only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_child_id: Option<String>,
}

impl Answer for Children {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Created
    }
    fn next(&self) -> Next {
        match self.started_child_id {
            Some(_) => After::Working.next(),
            None => After::Split.next(),
        }
    }
}

/// Creates the children. Everything is checked before anything is written; a single child is started.
pub(crate) fn split(tracker: &Tracker, request: &Split) -> Result<Children> {
    if request.children.len() > MOST_CHILDREN {
        return Err(Error::invalid(format!(
            "{} children; the limit is {MOST_CHILDREN}",
            request.children.len()
        ))
        .hinted(Hint::text("split it in several steps")));
    }
    tracker.write(|tx| split_all(tx, request), |children, _| Ok(children))
}

/// Creates the children within a change.
pub(crate) fn split_all(tx: &mut Tx<'_>, request: &Split) -> Result<Children> {
    let epic = tx.find(&request.epic)?;
    let state = tx.issue(epic)?.state();
    // A roll-up opens again with an open child; what a person closed stays closed.
    if state.status == Status::Closed && !state.auto {
        let id = tx.issue(epic)?.id().to_owned();
        return Err(Error::new(Code::Closed, format!("{id} is closed"))
            .hinted(Command::of("reopen").id(id)));
    }
    let mut ids: Vec<String> = Vec::new();
    for (i, child) in request.children.iter().enumerate() {
        let made = make(tx, (epic, child), request, &ids).map_err(|error| Error {
            message: format!("child {i}: {}", error.message),
            ..error
        })?;
        ids.push(made.id().to_owned());
        tx.put(made);
    }
    let started_child_id = start_single(tx, &ids)?;
    let epic_id = tx.issue(epic)?.id().to_owned();
    let children = if ids.len() == 1 { "child" } else { "children" };
    tx.subject(format!("split {epic_id}: {} {children}", ids.len()));
    Ok(Children {
        ids,
        epic_id,
        started_child_id,
    })
}

fn make(
    tx: &mut Tx<'_>,
    (epic, child): (crate::model::Uid, &Child),
    request: &Split,
    earlier: &[String],
) -> Result<Issue> {
    let issue = build(tx, &child.fields, Some(epic))?;
    let on = child
        .depends_on
        .iter()
        .map(|word| resolve(word, request, earlier))
        .collect::<Result<Vec<_>>>()?;
    let kind = child.dep_type.as_deref().unwrap_or(BLOCKS);
    Ok(add_all(tx, issue, &on, kind)?.0)
}

/// A number names an earlier child, anything else an issue.
fn resolve(word: &str, request: &Split, earlier: &[String]) -> Result<String> {
    let word = word.trim();
    let Ok(index) = word.parse::<usize>() else {
        return match word.contains(char::is_whitespace) || index_of(word, request).is_some() {
            true => Err(titled(word, request, earlier)),
            false => Ok(word.to_owned()),
        };
    };
    let known = earlier.get(index).cloned();
    known.ok_or_else(|| {
        Error::invalid(format!(
            "depends_on {index} is not the index of an earlier child (0 to {})",
            earlier.len().max(1) - 1
        ))
    })
}

/// Returns the index of the child with a title.
fn index_of(title: &str, request: &Split) -> Option<usize> {
    let title = title.to_lowercase();
    request.children.iter().position(|child| {
        let own = child.fields[Field::Title].as_deref();
        own.is_some_and(|own| own.trim().to_lowercase() == title)
    })
}

/// The error for a title in the place of an index.
fn titled(word: &str, request: &Split, earlier: &[String]) -> Error {
    let hint = match index_of(word, request) {
        Some(index) if index < earlier.len() => format!("its index names it: {index}"),
        Some(_) => "put it before the one that depends on it, and name it by its index".to_owned(),
        None => "the index of an earlier child (from 0), or the id of an issue".to_owned(),
    };
    Error::invalid(format!("depends_on takes no title: {word:?}")).hinted(Hint::text(hint))
}

fn start_single(tx: &mut Tx<'_>, ids: &[String]) -> Result<Option<String>> {
    let [id] = ids else { return Ok(None) };
    let uid = tx.find(id)?;
    let mut issue = tx.issue(uid)?;
    if !["", tx.view.tracker.actor()].contains(&issue.text("assignee")) {
        // Another is to start it.
        return Ok(None);
    }
    let writer = tx.writer(&issue)?;
    claim::claim(tx, &mut issue, &writer, false)?;
    tx.put(issue);
    Ok(Some(id.clone()))
}
