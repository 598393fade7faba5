//! `undo`: one commit that takes operations back. It touches only what they changed; what somebody has overwritten
//! since is left alone and named.

mod chosen;

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use self::chosen::choose;
use super::change::{CONFLICTS, IssueChange, Step, describe, field_of, lost_value, member, register_changes, steps_of};
use super::dep::check_edge;
use super::log::Operation;
use super::view::{Answer, Kind};
use super::{Error, Result, Tracker, Tx};
use crate::index;
use crate::model::blob::{Element, lost_key};
use crate::model::delta::Edit;
use crate::model::undo::{Fate, UNDONE, is_changed_since, take_back};
use crate::model::{Blob, Edge, Issue, Memory, Status, Target, Uid, time};
use crate::store::{Oid, Path};

/// Why an issue is deleted whose creation was taken back.
const REASON: &str = "undone";

/// What to take back.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    /// How many of the actor's own operations, or which one; the last of the actor's own by default.
    pub what: Option<String>,
    /// What has been overwritten since, too.
    pub force: bool,
    /// Says what would happen.
    pub dry_run: bool,
}

/// What was taken back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Undone {
    /// The operations, newest first.
    pub operations: Vec<Operation>,
    /// What that changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<IssueChange>,
    /// What was left alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Left>,
    /// The commit that takes them back; none after a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl Answer for Undone {
    fn kind(&self) -> Kind {
        Kind::Report
    }
}

/// Something that was not taken back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Left {
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
///
/// # Errors
/// No such operation, a purge, or nothing that can be taken back.
pub fn undo(tracker: &Tracker, request: &Undo) -> Result<Undone> {
    let undone = tracker.write(
        |tx| run(tx, request),
        |undone, view| {
            let commit = (!request.dry_run).then(|| view.snapshot().commit().to_string());
            Ok(Undone { commit, ..undone })
        },
    )?;
    let moved = undone.issues.iter().filter(|_| !request.dry_run).flat_map(|issue| &issue.changes);
    for change in moved.filter(|change| change.field == "id") {
        if let (Some(Value::String(old)), Some(Value::String(new))) = (&change.old, &change.new) {
            super::rename::rename_branches(tracker, old, new);
        }
    }
    Ok(undone)
}

fn run(tx: &mut Tx<'_>, request: &Undo) -> Result<Undone> {
    let operations = choose(&tx.view, request)?;
    let mut left = Vec::new();
    for operation in &operations {
        Taking { tx, operation, force: request.force, left: &mut left }.run()?;
    }
    let steps = staged(tx)?;
    if steps.is_empty() {
        return Err(nothing(&operations, &left));
    }
    let issues = describe(&tx.view, &steps)?;
    let subject = match operations.as_slice() {
        [one] => format!("undo {}: {}", short(one.commit), one.subject),
        several => format!("undo {} operations", several.len()),
    };
    tx.subject(subject);
    let commits: Vec<String> = operations.iter().map(|operation| operation.commit.to_string()).collect();
    tx.trailer("Undoes", commits.join(" "));
    if request.dry_run {
        tx.clear();
    }
    let operations = operations.into_iter().map(Operation::of).collect();
    Ok(Undone { operations, issues, left, commit: None, dry_run: request.dry_run })
}

/// The first digits of a commit.
fn short(commit: Oid) -> String {
    commit.to_string().chars().take(10).collect()
}

fn nothing(operations: &[index::Operation], left: &[Left]) -> Error {
    let Some(one) = operations.first() else { return Error::not_found("there is nothing to undo") };
    let name = short(one.commit);
    match left.first() {
        None => Error::invalid(format!("{name} ({}) changed nothing that can be undone", one.subject))
            .hinted(format!("git beads log -p -n 1 --until {}", time::format(one.at))),
        Some(first) => {
            let more = if left.len() > 1 { format!(" (and {} more)", left.len() - 1) } else { String::new() };
            let by = if first.by.is_empty() { String::new() } else { format!(" by {}", first.by) };
            let what = format!("{} {}", first.id, first.field);
            let message = format!("nothing was undone; {}: {}{by}{more}", what.trim_end(), first.why);
            Error::conflict("overwritten", message).hinted(format!("git beads log {} -p", first.id))
        }
    }
}

/// What is staged, against the state it builds on; what comes to the same is no step.
fn staged(tx: &Tx<'_>) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    for path in tx.paths() {
        let before = match tx.view.snapshot().find(path)? {
            Some((_, bytes)) => Blob::parse(&bytes).ok(),
            None => None,
        };
        let after = tx.staged(path).cloned();
        if before != after {
            steps.push(Step { path, before: before.into_iter().collect(), after, unreadable: false });
        }
    }
    Ok(steps)
}

/// One operation on its way back.
struct Taking<'a, 't> {
    tx: &'a mut Tx<'t>,
    operation: &'a index::Operation,
    force: bool,
    left: &'a mut Vec<Left>,
}

impl Taking<'_, '_> {
    fn run(&mut self) -> Result<()> {
        let commit = self.tx.view.snapshot().store().commit(self.operation.commit)?;
        let steps = steps_of(&self.tx.view, &commit, None)?;
        if steps.iter().any(|step| step.after.as_ref().is_some_and(|blob| blob.purged.is_some())) {
            return Err(chosen::purged(&self.tx.view, self.operation));
        }
        let is_new = |step: &&Step| step.before.is_empty() && !step.unreadable;
        let created: HashSet<Uid> = steps.iter().filter(is_new).filter_map(issue_of).collect();
        let added: HashSet<Uid> = steps.iter().filter_map(entry_of).collect();
        for step in &steps {
            match step.path {
                Path::Issue(uid) => self.issue(uid, step, &added)?,
                // The memory of an issue goes and comes with it.
                Path::Entry(uid, entry) if !created.contains(&uid) => self.entry(uid, entry, step)?,
                Path::Note(uid) => self.note(uid, step)?,
                Path::Entry(..) | Path::Meta => {}
            }
        }
        Ok(())
    }

    fn leave(&mut self, uid: Uid, why: &str) -> Result<()> {
        let id = self.tx.view.id(uid)?;
        let (field, by, at) = Default::default();
        self.left.push(Left { id, field, value: Value::Null, by, at, why: why.to_owned() });
        Ok(())
    }

    /// The issue as it is now; none where nothing can be written in it any more.
    fn writable(&mut self, uid: Uid, step: &Step) -> Result<Option<Issue>> {
        if step.unreadable {
            return self.leave(uid, "it can't be read").map(|()| None);
        }
        match self.tx.issue(uid) {
            Ok(issue) => Ok(Some(issue)),
            Err(error) if error.code == "purged" => self.leave(uid, "it was purged since").map(|()| None),
            Err(error) if error.code == "unreadable" => self.leave(uid, "it can't be read").map(|()| None),
            Err(error) => Err(error),
        }
    }

    fn issue(&mut self, uid: Uid, step: &Step, added: &HashSet<Uid>) -> Result<()> {
        let Some(mut issue) = self.writable(uid, step)? else { return Ok(()) };
        let Some(after) = &step.after else { return Ok(()) };
        let Some(before) = step.before.first() else { return self.creation(issue, after, added) };
        let writer = self.tx.writer(&issue)?;
        let (tx, now) = (&*self.tx, issue.clone());
        let force = self.force;
        let refuse = |edit: &Edit<'_>| {
            let claimed = if force { None } else { claimed(&now, after, edit) };
            claimed.or_else(|| refusal(tx, &now, edit))
        };
        let fates = take_back(issue.blob_mut(), (before, after), &writer, self.force, refuse);
        for (edit, fate) in &fates {
            let why = match fate {
                Fate::Back => continue,
                Fate::Overwritten => "changed since",
                Fate::Refused(reason) => reason,
            };
            self.report(now.blob(), uid, edit, why)?;
        }
        if fates.iter().any(|(_, fate)| *fate == Fate::Back) {
            issue.blob_mut().mark(&writer, UNDONE, &self.operation.commit.to_string(), true);
            self.tx.put(issue);
        }
        Ok(())
    }

    /// An issue that came into being is deleted, unless somebody has worked on it since.
    fn creation(&mut self, mut issue: Issue, after: &Blob, added: &HashSet<Uid>) -> Result<()> {
        if issue.is_deleted() {
            return Ok(());
        }
        let uid = issue.uid();
        let is_hidden = |entry: &Memory| {
            let staged = self.tx.staged(Path::Entry(uid, entry.uid())).cloned();
            staged.map_or_else(|| entry.is_redacted(), |blob| Memory::from_blob(entry.uid(), blob).is_redacted())
        };
        let memory = self.tx.view.snapshot().memory(uid)?.0;
        let noted = memory.iter().any(|entry| !added.contains(&entry.uid()) && !is_hidden(entry));
        if !self.force && (noted || is_changed_since(issue.blob(), after)) {
            return self.leave(uid, "changed since it was created");
        }
        let writer = self.tx.writer(&issue)?;
        issue.blob_mut().put(&writer, "deleted", json!({"reason": REASON}));
        issue.blob_mut().mark(&writer, UNDONE, &self.operation.commit.to_string(), true);
        self.tx.put(issue);
        Ok(())
    }

    fn entry(&mut self, uid: Uid, entry: Uid, step: &Step) -> Result<()> {
        let Some(issue) = self.writable(uid, step)? else { return Ok(()) };
        let Some(now) = self.now(step.path)? else { return Ok(()) };
        let writer = self.tx.writer(&issue)?;
        if let Some(entry) = self.memory(Memory::from_blob(entry, now), step, &writer) {
            self.tx.put_memory(uid, entry);
        }
        Ok(())
    }

    fn note(&mut self, uid: Uid, step: &Step) -> Result<()> {
        let Some(now) = self.now(step.path)? else { return Ok(()) };
        let note = Memory::from_blob(uid, now);
        let writer = self.tx.note_writer(&note);
        if let Some(note) = self.memory(note, step, &writer) {
            self.tx.put_note(note);
        }
        Ok(())
    }

    fn now(&self, path: Path) -> Result<Option<Blob>> {
        if let Some(blob) = self.tx.staged(path) {
            return Ok(Some(blob.clone()));
        }
        let found = self.tx.view.snapshot().find(path)?;
        Ok(found.and_then(|(_, bytes)| crate::store::decode(path, &bytes).ok()))
    }

    /// An entry that came is hidden; one that was hidden or shown is as it was.
    fn memory(&self, mut now: Memory, step: &Step, writer: &crate::model::Writer) -> Option<Memory> {
        let after = step.after.as_ref()?;
        let then = now.clone();
        match step.before.first() {
            None if now.is_redacted() => {}
            None => now.blob_mut().put(writer, "redacted", Value::Bool(true)),
            Some(before) => _ = take_back(now.blob_mut(), (before, after), writer, self.force, |_| None),
        }
        (now != then).then_some(now)
    }

    /// Names what was not taken back, with what it says now.
    fn report(&mut self, now: &Blob, uid: Uid, edit: &Edit<'_>, why: &str) -> Result<()> {
        let view = &self.tx.view;
        let mut left = Left {
            id: view.id(uid)?,
            field: String::new(),
            value: Value::Null,
            by: String::new(),
            at: String::new(),
            why: why.to_owned(),
        };
        match edit {
            Edit::Register { key, .. } => {
                let change = register_changes(view, key, None, now.registers.get(*key))?.swap_remove(0);
                (left.field, left.value) = (change.field, change.new.unwrap_or_default());
                if let Some(register) = now.registers.get(*key) {
                    (left.by, left.at) = (register.by.clone(), time::format(register.written()));
                }
            }
            Edit::Element { set, key, old, new } => {
                let named = old.or(*new).map(|element| Element { live: true, ..element.clone() });
                left.field = field_of(set).to_owned();
                left.value = member(view, set, key, named.as_ref())?.unwrap_or_default();
                if let Some(element) = now.sets.get(*set).and_then(|set| set.get(*key)) {
                    left.at = time::format(element.at.millis());
                }
            }
            Edit::Lost { key, old, .. } => {
                left.field = CONFLICTS.to_owned();
                left.value = old.and_then(|lost| lost_value(key, lost)).unwrap_or_default();
                let field = lost_key(key).and_then(|(field, _)| now.registers.get(field));
                if let Some(register) = field {
                    (left.by, left.at) = (register.by.clone(), time::format(register.written()));
                }
            }
            Edit::Origin { .. } | Edit::Purged => {}
        }
        self.left.push(left);
        Ok(())
    }
}

fn issue_of(step: &Step) -> Option<Uid> {
    if let Path::Issue(uid) = step.path { Some(uid) } else { None }
}

fn entry_of(step: &Step) -> Option<Uid> {
    if let Path::Entry(_, entry) = step.path { Some(entry) } else { None }
}

/// Who has taken an issue over since an operation began the work on it: their claim stands on its status.
fn claimed(now: &Issue, after: &Blob, edit: &Edit<'_>) -> Option<String> {
    let Edit::Register { key: "status", new: Some(new), .. } = edit else { return None };
    let begun = new.value.get("s").and_then(Value::as_str) == Some(Status::InProgress.as_str());
    let theirs = now.blob().registers.get("assignee").filter(|register| register.at > new.at)?;
    let taken_over = after.registers.get("assignee").is_some_and(|ours| ours.value != theirs.value);
    let name = theirs.value.as_str().filter(|_| begun && taken_over)?;
    Some(format!("{name} works on it since"))
}

/// Why an edit must not be taken back: the present state would break a rule that every write keeps.
fn refusal(tx: &Tx<'_>, issue: &Issue, edit: &Edit<'_>) -> Option<String> {
    let outcome = match edit {
        Edit::Register { key: "id", old: Some(old), .. } => {
            let id = old.value.as_str().unwrap_or_default();
            match tx.is_free(id) {
                Ok(free) if free || id == issue.id() => Ok(()),
                Ok(_) => return Some(format!("another issue is called {id} now")),
                Err(error) => Err(error),
            }
        }
        Edit::Register { key: "parent", old: Some(old), .. } => {
            let mut then = issue.clone();
            then.blob_mut().registers.insert("parent".to_owned(), (*old).clone());
            check(tx, issue, "parent-child", then.parent().map(|(target, _)| target).as_ref())
        }
        Edit::Element { set: "deps", key, old: Some(old), .. } if old.live => match Edge::parse(key, old) {
            Some(edge) => check(tx, issue, &edge.kind, Some(&edge.target)),
            None => Ok(()),
        },
        _ => Ok(()),
    };
    outcome.err().map(|error| error.message)
}

fn check(tx: &Tx<'_>, issue: &Issue, kind: &str, target: Option<&Target>) -> Result<()> {
    match target {
        Some(Target::Uid(uid)) if tx.view.snapshot().issue(*uid)?.is_some() => check_edge(tx, issue, *uid, kind),
        _ => Ok(()),
    }
}
