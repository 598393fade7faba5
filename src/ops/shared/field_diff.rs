//! What happened to issues between two states, field by field: for `log -p`, `diff`, `blame` and `undo`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::model::blob::ALIASES;
use crate::model::blob::UNDONE;
use crate::model::blob::{Element, Lost, Register};
use crate::model::delta::{Edit, own_edits};
use crate::model::{Blob, Edge, Field, Issue, Memory, Status, StatusRegister, Uid};
use crate::ops::answer::shown;
use crate::ops::{Result, View};
use crate::store::{Commit, Oid, Snapshot, TouchedBlobs, TreePath, Written, decode};

/// Registers that no person writes or reads.
pub(crate) const INNER: [&str; 2] = ["import", "last_child"];
/// Sets likewise: a former id is told with the change of the id.
pub(crate) const INNER_SETS: [&str; 2] = [UNDONE, ALIASES];
/// The field of what lost.
pub(crate) const CONFLICTS: &str = "conflicts";

/// What happened to an issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IssueChange {
    /// The issue.
    pub id: String,
    /// Its title afterwards.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What that amounts to.
    pub what: ChangeKind,
    /// Field by field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FieldChange>,
}

/// What the changes of an issue amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "What")]
pub enum ChangeKind {
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

impl ChangeKind {
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
pub(crate) struct BlobStates {
    pub(crate) path: TreePath,
    pub(crate) before: Vec<Blob>,
    pub(crate) after: Option<Blob>,
    /// A state of it can't be read.
    pub(crate) unreadable: bool,
}

impl BlobStates {
    fn of(snapshot: &Snapshot<'_>, touched: &TouchedBlobs) -> Result<Self> {
        Self::read(snapshot, touched.path, &touched.before, Some(touched.after))
    }

    fn read(
        snapshot: &Snapshot<'_>,
        path: TreePath,
        before: &[Option<Oid>],
        after: Option<Oid>,
    ) -> Result<Self> {
        let mut step = Self {
            path,
            before: Vec::new(),
            after: None,
            unreadable: false,
        };
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
}

/// The blobs that a commit wrote, of one issue or of all.
///
/// # Errors
/// An object that can't be read.
pub(crate) fn steps_of(
    view: &View<'_>,
    commit: &Commit,
    issue: Option<Uid>,
) -> Result<Written<BlobStates>> {
    let snapshot = view.snapshot();
    let Written::Paths(touched) = snapshot.store().history().written_by(commit, issue)? else {
        return Ok(Written::Cut);
    };
    let steps = touched
        .iter()
        .map(|touched| BlobStates::of(&snapshot, touched));
    Ok(Written::Paths(steps.collect::<Result<_>>()?))
}

/// How much is told of what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiffDetail {
    /// Every field of every issue.
    #[default]
    All,
    /// Only the first issues, so many, with their fields.
    First(usize),
    /// The fields of issues that are in both states; of others which they are.
    Changed,
}

/// What happened to issues, in the order of their ids.
pub(crate) struct Described {
    pub(crate) issues: Vec<IssueChange>,
    /// How many are not told.
    pub(crate) more: usize,
}

/// What a commit wrote, in one issue or in all.
///
/// # Errors
/// An object that can't be read.
pub(crate) fn describe_commit(
    view: &View<'_>,
    commit: &Commit,
    issue: Option<Uid>,
    detail: DiffDetail,
) -> Result<Described> {
    let snapshot = view.snapshot();
    let Written::Paths(touched) = snapshot.store().history().written_by(commit, issue)? else {
        // The log that this is a part of says where it is cut.
        return Ok(Described {
            issues: Vec::new(),
            more: 0,
        });
    };
    let written = touched.into_iter().map(|touched| (touched.path, touched));
    describe(view, written, detail, |touched| {
        BlobStates::of(&snapshot, &touched)
    })
}

/// What differs between two states.
///
/// # Errors
/// An object that can't be read.
pub(crate) fn describe_between(
    view: &View<'_>,
    from: &Snapshot<'_>,
    to: &Snapshot<'_>,
    detail: DiffDetail,
) -> Result<Vec<IssueChange>> {
    let mut changed = Vec::new();
    from.store()
        .diff::<crate::ops::Error>(Some(from.tree()), to.tree(), &mut |change| {
            changed.extend(
                change
                    .path
                    .map(|path| (path, (path, change.old, change.oid))),
            );
            Ok(())
        })?;
    Ok(describe(view, changed, detail, |(path, old, new)| {
        BlobStates::read(to, path, &[old], new)
    })?
    .issues)
}

/// What the paths that were written mean for the issues they belong to. Only what is told is read.
///
/// # Errors
/// An object that can't be read.
pub(crate) fn describe<T>(
    view: &View<'_>,
    written: impl IntoIterator<Item = (TreePath, T)>,
    detail: DiffDetail,
    read: impl Fn(T) -> Result<BlobStates>,
) -> Result<Described> {
    let mut by_issue: BTreeMap<Uid, Vec<T>> = BTreeMap::new();
    for (path, blobs) in written {
        if let TreePath::Issue(uid) | TreePath::Entry(uid, _) = path {
            by_issue.entry(uid).or_default().push(blobs);
        }
    }
    let more = if let DiffDetail::First(most) = detail {
        leave_out(view, &mut by_issue, most)?
    } else {
        0
    };
    let mut issues = Vec::new();
    for (uid, blobs) in by_issue {
        let steps = blobs.into_iter().map(&read).collect::<Result<Vec<_>>>()?;
        issues.push(describe_one(view, uid, &steps, detail)?);
    }
    issues.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(Described { issues, more })
}

/// Leaves only the first issues in the order of their ids; returns how many were more.
fn leave_out<T>(view: &View<'_>, by_issue: &mut BTreeMap<Uid, T>, most: usize) -> Result<usize> {
    let id = |uid: &Uid| {
        Ok((
            view.index
                .ids()
                .id_of(*uid)?
                .unwrap_or_else(|| uid.to_string()),
            *uid,
        ))
    };
    let mut order = by_issue.keys().map(id).collect::<Result<Vec<_>>>()?;
    order.sort_unstable();
    let more = order.split_off(most.min(order.len()));
    more.iter().for_each(|(_, uid)| _ = by_issue.remove(uid));
    Ok(more.len())
}

fn describe_one(
    view: &View<'_>,
    uid: Uid,
    steps: &[BlobStates],
    detail: DiffDetail,
) -> Result<IssueChange> {
    let own = steps
        .iter()
        .find(|step| matches!(step.path, TreePath::Issue(_)));
    let blob = own.and_then(|step| step.after.as_ref().or(step.before.first()));
    let here = view.index.ids().name_of(uid)?;
    let is_purged = blob.is_some_and(|blob| blob.purged.is_some())
        || here.as_ref().is_some_and(|here| here.is_purged);
    let (id, title) = here.map(|here| (here.id, here.title)).unwrap_or_default();
    let title = blob.map_or(title, |blob| {
        blob.text("title").unwrap_or_default().to_owned()
    });
    let id = if id.is_empty() {
        bare_id(uid, blob)
    } else {
        id
    };
    if is_purged {
        return Ok(IssueChange {
            id,
            title: String::new(),
            what: ChangeKind::Purged,
            changes: Vec::new(),
        });
    }
    let what = own.map_or(ChangeKind::Changed, amounts_to);
    let mut changes = Vec::new();
    if detail != DiffDetail::Changed || !matches!(what, ChangeKind::Created | ChangeKind::Absent) {
        for step in steps {
            changes.extend(fields_of(view, step)?);
        }
        changes.sort_by_key(|change| rank(&change.field));
    }
    Ok(IssueChange {
        id,
        title,
        what,
        changes,
    })
}

/// The id that a blob says, of an issue that is not here.
fn bare_id(uid: Uid, blob: Option<&Blob>) -> String {
    let issue = blob.map(|blob| Issue::from_blob(uid, blob.clone()));
    issue
        .map(|issue| issue.id().to_owned())
        .filter(|id| !id.is_empty())
        .unwrap_or_else(|| uid.to_string())
}

fn amounts_to(step: &BlobStates) -> ChangeKind {
    let Some(after) = &step.after else {
        return if step.unreadable {
            ChangeKind::Unreadable
        } else {
            ChangeKind::Absent
        };
    };
    if step.unreadable {
        return ChangeKind::Unreadable;
    }
    let Some(before) = step.before.first() else {
        return ChangeKind::Created;
    };
    match (StatusRegister::shown(before), StatusRegister::shown(after)) {
        (Status::Tombstone, Status::Tombstone) => ChangeKind::Changed,
        (_, Status::Tombstone) => ChangeKind::Deleted,
        (Status::Tombstone, _) => ChangeKind::Restored,
        (before, after) if before.is_done() == after.is_done() => ChangeKind::Changed,
        (_, after) if after.is_done() => ChangeKind::Closed,
        _ => ChangeKind::Reopened,
    }
}

/// The fields that a step changed, as people know them.
pub(crate) fn fields_of(view: &View<'_>, step: &BlobStates) -> Result<Vec<FieldChange>> {
    let nothing = Blob::default();
    let after = step.after.as_ref().unwrap_or(&nothing);
    if let TreePath::Entry(_, uid) = step.path {
        return Ok(entry_change(uid, &step.before, step.after.as_ref())
            .into_iter()
            .collect());
    }
    let mut changes = Vec::new();
    for edit in own_edits(&step.before, after, &nothing)
        .iter()
        .filter(|edit| edit.is_seen())
    {
        match edit {
            Edit::Register { key, .. } if INNER.contains(key) => {}
            Edit::Register { key, old, new } => {
                changes.extend(register_changes(view, key, *old, *new)?);
            }
            Edit::Element { set, .. } if INNER_SETS.contains(set) => {}
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

/// Returns the place that `show` gives to a name.
pub(crate) fn rank(name: &str) -> u8 {
    match name {
        "id" => 0,
        "reason" => 3,
        "deleted" => 4,
        "dependencies" => 10,
        "key" => 14,
        _ => Field::from_key(name).map_or(u8::MAX, |field| field.spec().rank),
    }
}

/// A register by the names of `show`: a status and its reason are two fields.
pub(crate) fn register_changes(
    view: &View<'_>,
    key: &str,
    old: Option<&Register>,
    new: Option<&Register>,
) -> Result<Vec<FieldChange>> {
    let value = |register: Option<&Register>| {
        register
            .map(|register| register.value.clone())
            .unwrap_or_default()
    };
    let (old, new) = (value(old), value(new));
    let change = |field: &str, old: &Value, new: &Value| {
        let filled = |value: &Value| (!value.is_null()).then(|| value.clone());
        FieldChange {
            field: field.to_owned(),
            entry: None,
            old: filled(old),
            new: filled(new),
        }
    };
    Ok(match key {
        "status" => vec![
            change("status", &old["s"], &new["s"]),
            change("reason", &old["reason"], &new["reason"]),
        ],
        "deleted" => {
            let why = |value: &Value| match value {
                Value::Null => Value::Null,
                other if other["reason"].is_string() => other["reason"].clone(),
                _ => json!(true),
            };
            vec![change("deleted", &why(&old), &why(&new))]
        }
        _ => vec![change(
            key,
            &shown(view, key, &old)?,
            &shown(view, key, &new)?,
        )],
    })
}

/// The name that `show` has for a set.
pub(crate) fn field_of(set: &str) -> &str {
    if set == "deps" { "dependencies" } else { set }
}

/// A member that is present, as people know it.
pub(crate) fn member(
    view: &View<'_>,
    set: &str,
    key: &str,
    element: Option<&Element>,
) -> Result<Option<Value>> {
    if !element.is_some_and(|element| element.live) {
        return Ok(None);
    }
    let Some(edge) = element
        .filter(|_| set == "deps")
        .and_then(|element| Edge::parse(key, element))
    else {
        return Ok(Some(json!(key)));
    };
    let target = shown(view, "parent", &json!(edge.target.to_key()))?;
    Ok(Some(json!({"type": edge.kind, "id": target})))
}

/// A value that lost, as people know it; nothing where it is settled.
pub(crate) fn lost_value(key: &str, lost: &Lost) -> Option<Value> {
    let (field, _, record) = lost.loser(key)?;
    let mut value = Map::from_iter([("field".to_owned(), json!(field))]);
    value.extend(record.get("by").map(|by| ("by".to_owned(), by.clone())));
    value.extend(record.get("v").map(|v| ("value".to_owned(), v.clone())));
    Some(Value::Object(value))
}

/// The plural that `show` has for what an entry is.
pub(crate) fn memory_field(entry: &Memory) -> String {
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
    let change = FieldChange {
        field: memory_field(&entry),
        entry: Some(uid.to_string()),
        old,
        new,
    };
    (change.old != change.new).then_some(change)
}
