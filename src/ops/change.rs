//! What happened to issues between two states, field by field: for `log -p`, `diff`, `blame` and `undo`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::conflicts::shown;
use super::{Result, View};
use crate::model::blob::{Element, Lost, Register};
use crate::model::delta::{Edit, own_edits};
use crate::model::undo::UNDONE;
use crate::model::{Blob, Edge, Issue, Memory, Uid};
use crate::store::{Commit, Oid, Path, Snapshot, Touched, decode};

/// Registers that no person writes or reads.
pub(super) const INNER: [&str; 2] = ["import", "last_child"];
/// The field of what lost.
pub(super) const CONFLICTS: &str = "conflicts";

/// What happened to an issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IssueChange {
    /// The issue.
    pub id: String,
    /// Its title afterwards.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What that amounts to.
    pub what: What,
    /// Field by field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FieldChange>,
}

/// What the changes of an issue amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// It came into being.
    Created,
    /// It was closed.
    Closed,
    /// It was opened again.
    Reopened,
    /// It was deleted.
    Deleted,
    /// It was brought back.
    Restored,
    /// Its text is gone for good, here or later; nothing of it is shown.
    Purged,
    /// One of the states can't be read.
    Unreadable,
    /// It is not in the second state.
    Absent,
    /// Anything else.
    Changed,
}

impl What {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Closed => "closed",
            Self::Reopened => "reopened",
            Self::Deleted => "deleted",
            Self::Restored => "restored",
            Self::Purged => "purged",
            Self::Unreadable => "unreadable",
            Self::Absent => "absent",
            Self::Changed => "changed",
        }
    }
}

/// A field before and after. A label, dependency or entry of memory that came has no `old`, one that went no `new`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FieldChange {
    /// `title`, `status`, `reason`, `labels`, `dependencies`, `findings`, `conflicts`, ...
    pub field: String,
    /// The entry of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// After.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

/// A blob in the states before, of which a merge has several, and in the one after.
pub(super) struct Step {
    pub(super) path: Path,
    pub(super) before: Vec<Blob>,
    pub(super) after: Option<Blob>,
    /// A state of it can't be read.
    pub(super) unreadable: bool,
}

impl Step {
    fn read(snapshot: &Snapshot<'_>, path: Path, before: &[Option<Oid>], after: Option<Oid>) -> Result<Self> {
        let mut step = Self { path, before: Vec::new(), after: None, unreadable: false };
        for oid in before.iter().flatten() {
            match decode(path, &snapshot.read(*oid)?) {
                Ok(blob) => step.before.push(blob),
                Err(_) => step.unreadable = true,
            }
        }
        if let Some(oid) = after {
            match decode(path, &snapshot.read(oid)?) {
                Ok(blob) => step.after = Some(blob),
                Err(_) => step.unreadable = true,
            }
        }
        Ok(step)
    }

    /// The issue it belongs to.
    fn issue(&self) -> Option<Uid> {
        match self.path {
            Path::Issue(uid) | Path::Entry(uid, _) => Some(uid),
            Path::Meta | Path::Note(_) => None,
        }
    }
}

/// The blobs that a commit wrote, of one issue or of all.
///
/// # Errors
/// An object that can't be read.
pub(super) fn steps_of(view: &View<'_>, commit: &Commit, issue: Option<Uid>) -> Result<Vec<Step>> {
    let snapshot = view.snapshot();
    let touched = snapshot.store().written_by(commit, issue)?;
    let read = |Touched { path, before, after }: Touched| Step::read(&snapshot, path, &before, Some(after));
    touched.into_iter().map(read).collect()
}

/// The blobs that differ between two states.
///
/// # Errors
/// An object that can't be read.
pub(super) fn steps_between(from: &Snapshot<'_>, to: &Snapshot<'_>) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    from.store().diff::<super::Error>(Some(from.tree()), to.tree(), &mut |change| {
        if let Some(path) = change.path {
            steps.push(Step::read(to, path, &[change.old], change.oid)?);
        }
        Ok(())
    })?;
    Ok(steps)
}

/// What steps mean for the issues they belong to, in the order of their ids.
///
/// # Errors
/// An object that can't be read.
pub(super) fn describe(view: &View<'_>, steps: &[Step]) -> Result<Vec<IssueChange>> {
    let mut by_issue: BTreeMap<Uid, Vec<&Step>> = BTreeMap::new();
    for step in steps {
        if let Some(uid) = step.issue() {
            by_issue.entry(uid).or_default().push(step);
        }
    }
    let mut all = Vec::new();
    for (uid, steps) in by_issue {
        all.push(describe_one(view, uid, &steps)?);
    }
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

fn describe_one(view: &View<'_>, uid: Uid, steps: &[&Step]) -> Result<IssueChange> {
    let own = steps.iter().find(|step| matches!(step.path, Path::Issue(_)));
    let here = view.snapshot().issue(uid)?;
    let blob = own.and_then(|step| step.after.as_ref().or(step.before.first()));
    let issue = blob.map(|blob| Issue::from_blob(uid, blob.clone())).or_else(|| here.as_ref()?.as_ref().ok().cloned());
    let id = match (view.index.id_of(uid)?, &issue) {
        (Some(id), _) => id,
        (None, Some(issue)) if !issue.id().is_empty() => issue.id().to_owned(),
        _ => uid.to_string(),
    };
    let title = issue.as_ref().map(|issue| issue.title().to_owned()).unwrap_or_default();
    let purged = issue.as_ref().is_some_and(Issue::is_purged)
        || here.is_some_and(|issue| issue.is_ok_and(|issue| issue.is_purged()));
    if purged {
        return Ok(IssueChange { id, title: String::new(), what: What::Purged, changes: Vec::new() });
    }
    let what = own.map_or(What::Changed, |step| amounts_to(uid, step));
    let mut changes = Vec::new();
    for step in steps {
        changes.extend(fields_of(view, step)?);
    }
    changes.sort_by_key(|change| rank(&change.field));
    Ok(IssueChange { id, title, what, changes })
}

fn amounts_to(uid: Uid, step: &Step) -> What {
    let Some(after) = &step.after else { return if step.unreadable { What::Unreadable } else { What::Absent } };
    if step.unreadable {
        return What::Unreadable;
    }
    let Some(before) = step.before.first() else { return What::Created };
    let (before, after) = (Issue::from_blob(uid, before.clone()), Issue::from_blob(uid, after.clone()));
    match (before.is_deleted(), after.is_deleted()) {
        (false, true) => return What::Deleted,
        (true, false) => return What::Restored,
        _ => {}
    }
    match (before.state().status.is_done(), after.state().status.is_done()) {
        (false, true) => What::Closed,
        (true, false) => What::Reopened,
        _ => What::Changed,
    }
}

/// The fields that a step changed, as people know them.
pub(super) fn fields_of(view: &View<'_>, step: &Step) -> Result<Vec<FieldChange>> {
    let nothing = Blob::default();
    let after = step.after.as_ref().unwrap_or(&nothing);
    if let Path::Entry(_, uid) = step.path {
        return Ok(entry_change(uid, &step.before, step.after.as_ref()).into_iter().collect());
    }
    let mut changes = Vec::new();
    for edit in own_edits(&step.before, after, &nothing).iter().filter(|edit| edit.is_seen()) {
        match edit {
            Edit::Register { key, .. } if INNER.contains(key) => {}
            Edit::Register { key, old, new } => changes.extend(register_changes(view, key, *old, *new)?),
            Edit::Element { set, .. } if *set == UNDONE => {}
            Edit::Element { set, key, old, new } => changes.push(FieldChange {
                field: field_of(set).to_owned(),
                entry: None,
                old: member(view, set, key, *old)?,
                new: member(view, set, key, *new)?,
            }),
            Edit::Lost { key, old, new } => changes.push(FieldChange {
                field: CONFLICTS.to_owned(),
                entry: None,
                old: old.and_then(|lost| lost_value(key, lost)),
                new: new.and_then(|lost| lost_value(key, lost)),
            }),
            Edit::Origin { .. } | Edit::Purged => {}
        }
    }
    changes.retain(|change| change.old != change.new);
    Ok(changes)
}

/// The order that `show` has.
pub(super) fn rank(field: &str) -> usize {
    const ORDER: [&str; 19] = [
        "id",
        "title",
        "status",
        "reason",
        "deleted",
        "priority",
        "type",
        "assignee",
        "labels",
        "parent",
        "dependencies",
        "due",
        "defer",
        "external_ref",
        "key",
        "description",
        "design",
        "acceptance",
        "notes",
    ];
    ORDER.iter().position(|known| *known == field).unwrap_or(ORDER.len())
}

/// A register by the names of `show`: a status and its reason are two fields.
pub(super) fn register_changes(
    view: &View<'_>,
    key: &str,
    old: Option<&Register>,
    new: Option<&Register>,
) -> Result<Vec<FieldChange>> {
    let value = |register: Option<&Register>| register.map(|register| register.value.clone()).unwrap_or_default();
    let (old, new) = (value(old), value(new));
    let change = |field: &str, old: &Value, new: &Value| {
        let filled = |value: &Value| (!value.is_null()).then(|| value.clone());
        FieldChange { field: field.to_owned(), entry: None, old: filled(old), new: filled(new) }
    };
    Ok(match key {
        "status" => vec![change("status", &old["s"], &new["s"]), change("reason", &old["reason"], &new["reason"])],
        "deleted" => {
            let why = |value: &Value| match value {
                Value::Null => Value::Null,
                other if other["reason"].is_string() => other["reason"].clone(),
                _ => json!(true),
            };
            vec![change("deleted", &why(&old), &why(&new))]
        }
        _ => vec![change(key, &shown(view, key, &old)?, &shown(view, key, &new)?)],
    })
}

/// The name that `show` has for a set.
pub(super) fn field_of(set: &str) -> &str {
    if set == "deps" { "dependencies" } else { set }
}

/// A member that is present, as people know it.
pub(super) fn member(view: &View<'_>, set: &str, key: &str, element: Option<&Element>) -> Result<Option<Value>> {
    if !element.is_some_and(|element| element.live) {
        return Ok(None);
    }
    let Some(edge) = element.filter(|_| set == "deps").and_then(|element| Edge::parse(key, element)) else {
        return Ok(Some(json!(key)));
    };
    let target = shown(view, "parent", &json!(edge.target.to_key()))?;
    Ok(Some(json!({"type": edge.kind, "id": target})))
}

/// A value that lost, as people know it; nothing where it is settled.
pub(super) fn lost_value(key: &str, lost: &Lost) -> Option<Value> {
    let (field, _, record) = lost.loser(key)?;
    let mut value = Map::from_iter([("field".to_owned(), json!(field))]);
    value.extend(record.get("by").map(|by| ("by".to_owned(), by.clone())));
    value.extend(record.get("v").map(|v| ("value".to_owned(), v.clone())));
    Some(Value::Object(value))
}

/// The plural that `show` has for what an entry is.
pub(super) fn memory_field(entry: &Memory) -> String {
    format!("{}s", entry.kind().as_str())
}

/// An entry that came, was hidden or is shown again.
fn entry_change(uid: Uid, before: &[Blob], after: Option<&Blob>) -> Option<FieldChange> {
    let text = |blob: &Blob| {
        let entry = Memory::from_blob(uid, blob.clone());
        (!entry.is_redacted()).then(|| json!(entry.text()))
    };
    let entry = Memory::from_blob(uid, after.or(before.first())?.clone());
    let (old, new) = (before.first().and_then(text), after.and_then(text));
    let change = FieldChange { field: memory_field(&entry), entry: Some(uid.to_string()), old, new };
    (change.old != change.new).then_some(change)
}
