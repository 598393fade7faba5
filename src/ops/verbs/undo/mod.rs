//! `undo`: one commit that takes operations back. It touches only what they changed; what was overwritten
//! since is left alone and named.

mod errors;
mod refusal;
mod revert;
mod select;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::index;
use crate::model::{Blob, Issue, time};
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::claim;
use crate::ops::shared::field_diff::BlobStates;
use crate::ops::shared::ids::rename_branches;
use crate::ops::shared::issue_diff::{DiffDetail, IssueChange, describe};
use crate::ops::shared::operation::Operation;
use crate::ops::shared::remote_claim::send_ends;
use crate::ops::shared::revision::cut_at;
use crate::ops::{Code, Command, Result, Tracker, Tx, View};
use crate::store::TreePath;
use errors::{again, nothing, purged, too_far, too_few};
use revert::{Reverted, revert};
use select::{Own, UndoArgument};

/// The reason of a deletion that takes a creation back.
const REASON: &str = "undone";

/// Operations to take back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Undo {
    /// A number of the caller's own operations, or one commit; the last of the caller's own by default. Those of an agent
    /// are its own, and not those of its person.
    pub what: Option<String>,
    /// Only operations that wrote this issue.
    pub id: Option<String>,
    /// Refuses, where nothing is left of the last, instead of going on to an older one.
    pub only_last: bool,
    /// Takes back what has been overwritten since, too.
    pub force: bool,
    /// Says what would happen.
    pub dry_run: bool,
}

/// What was taken back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Undone {
    /// The operations, newest first.
    pub operations: Vec<Operation>,
    /// What that changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<IssueChange>,
    /// Newer ones of which nothing is left to take back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// What was left alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Left>,
    /// The last that another did on the issue that was named, where that is newer: it stays.
    #[serde(skip)]
    pub newer: Option<Operation>,
    /// The commit that takes them back; none after a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl Answer for Undone {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// An operation of which nothing is left to take back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Skipped {
    /// Its commit.
    pub commit: String,
    /// When it was done.
    pub at: String,
    /// What it says of itself.
    pub subject: String,
    /// Why: what stands there now. Nothing where it was taken back in another way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Left>,
}

impl Skipped {
    fn of(operation: &index::OpRecord, left: Vec<Left>) -> Self {
        let (commit, at) = (operation.commit.to_string(), time::format(operation.at));
        Self {
            commit,
            at,
            subject: operation.subject.clone(),
            left,
        }
    }
}

/// Something that was not taken back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Left {
    /// The issue.
    pub id: String,
    /// The field.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// What it says now.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub value: Value,
    /// Who has written that.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// When.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub at: String,
    /// Why it was left.
    pub why: String,
}

/// Takes operations back, all in one commit.
pub(crate) fn undo(tracker: &Tracker, request: &Undo) -> Result<Undone> {
    let undone = tracker.write(
        |tx| run(tx, request),
        |undone, view| {
            let commit = (!request.dry_run).then(|| view.snapshot().commit().to_string());
            Ok(Undone { commit, ..undone })
        },
    )?;
    let moved = undone
        .issues
        .iter()
        .filter(|_| !request.dry_run)
        .flat_map(|issue| &issue.changes);
    for change in moved.filter(|change| change.field == "id") {
        if let (Some(Value::String(old)), Some(Value::String(new))) = (&change.old, &change.new) {
            rename_branches(tracker, old, new);
        }
    }
    if !request.dry_run {
        send_ends(tracker)?;
    }
    Ok(undone)
}

fn run(tx: &mut Tx<'_>, request: &Undo) -> Result<Undone> {
    let Taken {
        operations,
        skipped,
        left,
        newer,
    } = match select::parse(request.what.as_deref())? {
        UndoArgument::Last(n) => last(tx, n, request)?,
        UndoArgument::Named(text) => one(tx, text, request.force)?,
    };
    // Described before it is committed, so that a dry run shows the same.
    let staged = staged(tx)?;
    if !request.dry_run {
        staged.iter().for_each(|step| tell(tx, step));
    }
    let steps = staged.into_iter().map(|step| (step.path, step));
    let issues = describe(&tx.view, steps, DiffDetail::All, Ok)?.issues;
    let subject = match operations.as_slice() {
        [one] => format!("undo {}: {}", short(one.commit), one.subject),
        several => format!("undo {} operations", several.len()),
    };
    tx.subject(subject);
    let commits: Vec<String> = operations
        .iter()
        .map(|operation| operation.commit.to_string())
        .collect();
    tx.trailer("Undoes", commits.join(" "));
    if request.dry_run {
        tx.clear();
    }
    let operations = operations.into_iter().map(Operation::of).collect();
    Ok(Undone {
        operations,
        issues,
        skipped,
        left,
        newer: newer.map(Operation::of),
        commit: None,
        dry_run: request.dry_run,
    })
}

/// The outcome: what was taken back, and what was not.
#[derive(Default)]
struct Taken {
    operations: Vec<index::OpRecord>,
    skipped: Vec<Skipped>,
    left: Vec<Left>,
    newer: Option<index::OpRecord>,
}

/// Tells the agent whose claim of an issue ends.
fn tell(tx: &Tx<'_>, step: &BlobStates) {
    let TreePath::Issue(uid) = step.path else {
        return;
    };
    let issue = |blob: &Blob| Issue::from_blob(uid, blob.clone());
    let Some(before) = step.before.first().map(issue) else {
        return;
    };
    // No one works on what is deleted, though its registers stay.
    let after = step.after.as_ref().map(issue);
    let holder = after
        .filter(|after| !after.is_deleted())
        .and_then(|after| after.holder());
    if before.holder() != holder {
        claim::tell(tx, &before, "undo");
    }
}

/// Takes one operation back, by any author.
fn one(tx: &mut Tx<'_>, text: &str, force: bool) -> Result<Taken> {
    let operation = select::named(&tx.view, text, force)?;
    match revert(tx, &operation, force)? {
        Reverted::Back(left) => Ok(Taken {
            operations: vec![operation],
            left,
            ..Taken::default()
        }),
        Reverted::Nothing(left) => Err(nothing(&Skipped::of(&operation, left))),
        Reverted::Purge => Err(purged(&operation, Command::of("log"))),
    }
}

/// Takes the last `n` operations of the caller back. One of which nothing is left does not count, and does not lead on
/// to one that made an issue, or that changed so many that its commit does not list them: no one meant that.
fn last(tx: &mut Tx<'_>, n: usize, request: &Undo) -> Result<Taken> {
    let force = request.force;
    let issue = request.id.as_deref().map(|id| tx.find(id)).transpose()?;
    let by = tx.view.tracker.party();
    let (mut own, mut taken) = (Own::on(issue, by.agent.clone()), Taken::default());
    while taken.operations.len() < n {
        let Some(operation) = own.next(&tx.view)? else {
            // What is missing may lie before a cut.
            return Err(match tx.view.cuts()?.first() {
                Some(cut) => cut_at(Code::UndoAtCut, cut),
                None => too_few(&by, &taken, force),
            });
        };
        if !taken.skipped.is_empty() && !force && is_bulk(&tx.view, &operation)? {
            return Err(too_far(
                &taken.skipped[0],
                "changed many issues",
                &operation,
            ));
        }
        match revert(tx, &operation, force)? {
            Reverted::Back(left) => {
                let is_last = taken.skipped.is_empty() || !taken.operations.is_empty();
                if !is_last && !force && deletes(tx)? {
                    return Err(too_far(&taken.skipped[0], "made an issue", &operation));
                }
                taken.newer = select::newer(&tx.view, issue, &operation)?;
                taken.operations.push(operation);
                taken.left.extend(left);
            }
            Reverted::Nothing(left) if request.only_last => {
                return Err(nothing(&Skipped::of(&operation, left)));
            }
            Reverted::Nothing(left) => taken.skipped.push(Skipped::of(&operation, left)),
            Reverted::Purge => {
                let hint = match taken.operations.len() {
                    // What is staged while looking on is dropped: this attempt ends in an error.
                    0 => before(tx, &mut own)?,
                    newer => again(newer, force),
                };
                return Err(purged(&operation, hint));
            }
        }
    }
    Ok(taken)
}

fn is_bulk(view: &View<'_>, operation: &index::OpRecord) -> Result<bool> {
    Ok(view
        .snapshot()
        .store()
        .ancestry()
        .commit(operation.commit)?
        .trailer("Issues")
        == Some("*"))
}

/// Returns true if an issue that is there is staged as deleted.
fn deletes(tx: &Tx<'_>) -> Result<bool> {
    let is_deleted = |blob: &Blob| !blob.value("deleted").is_null();
    let steps = staged(tx)?;
    Ok(steps.iter().any(|step| {
        step.after.as_ref().is_some_and(is_deleted) && !step.before.iter().any(is_deleted)
    }))
}

/// The command that takes back the next of the caller's own operations that can be.
fn before(tx: &mut Tx<'_>, own: &mut Own) -> Result<Command> {
    while let Some(operation) = own.next(&tx.view)? {
        if let Reverted::Back(_) = revert(tx, &operation, false)? {
            return Ok(Command::of("undo").word(short(operation.commit)));
        }
    }
    Ok(Command::of("log"))
}

/// The first digits of a commit.
fn short(commit: impl std::fmt::Display) -> String {
    commit.to_string().chars().take(10).collect()
}

/// Describes what is staged, against the state it builds on.
fn staged(tx: &Tx<'_>) -> Result<Vec<BlobStates>> {
    let mut steps = Vec::new();
    for path in tx.paths() {
        let found = tx.view.snapshot().find(path)?;
        let before = found
            .and_then(|(_, bytes)| Blob::parse(&bytes).ok())
            .into_iter()
            .collect();
        steps.push(BlobStates {
            path,
            before,
            after: tx.staged(path).cloned(),
            unreadable: false,
        });
    }
    Ok(steps)
}
