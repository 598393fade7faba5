//! Changes of the fields of an issue between two states: for `log -p`, `diff`, `blame` and `undo`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::model::blob::{ALIASES, Element, Lost, Register, UNDONE};
use crate::model::delta::{Edit, own_edits};
use crate::model::issue::REVIEW;
use crate::model::{Blob, Edge, Field, Memory, Uid};
use crate::ops::answer::shown;
use crate::ops::{Result, View};
use crate::store::{Commit, Oid, Snapshot, TouchedBlobs, TreePath, Written, decode};

/// Registers that no person writes or reads.
pub(crate) const INNER: [&str; 2] = ["import", "last_child"];
/// Sets likewise: a former id is part of the change of the id.
pub(crate) const INNER_SETS: [&str; 2] = [UNDONE, ALIASES];
/// The field of what lost.
pub(crate) const CONFLICTS: &str = "conflicts";

/// A field before and after. A label, dependency or entry of memory that came has no `old`, one that went no `new`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct FieldChange {
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
    /// Reads what a commit wrote at a path.
    pub(crate) fn of(snapshot: &Snapshot<'_>, touched: &TouchedBlobs) -> Result<Self> {
        Self::read(snapshot, touched.path, &touched.before, Some(touched.after))
    }

    /// Reads a path in the states before and in the one after.
    pub(crate) fn read(
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
pub(crate) fn steps_of(
    view: &View<'_>,
    commit: &Commit,
    issue: Option<Uid>,
) -> Result<Written<BlobStates>> {
    let snapshot = view.snapshot();
    let Written::Paths(touched) = snapshot.store().ancestry().written_by(commit, issue)? else {
        return Ok(Written::Cut);
    };
    let steps = touched
        .iter()
        .map(|touched| BlobStates::of(&snapshot, touched));
    Ok(Written::Paths(steps.collect::<Result<_>>()?))
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
            // Two who accepted agree.
            Edit::Lost { key, .. } if key.split('@').next() == Some(REVIEW) => {}
            Edit::Lost { key, old, new } => changes.push(FieldChange {
                field: CONFLICTS.to_owned(),
                entry: None,
                old: old.and_then(|lost| lost_value(key, lost)),
                new: new.and_then(|lost| lost_value(key, lost)),
            }),
            // Its creation is reported by the change of the issue, and of a purge nothing is shown.
            Edit::Origin { .. } | Edit::Purged => {}
        }
    }
    // A register that was written again with its old value has a new stamp and nothing to show.
    changes.retain(|change| change.old != change.new);
    Ok(changes)
}

/// Returns the place that `show` gives to a name.
pub(crate) fn rank(name: &str) -> u8 {
    match name {
        "id" => 0,
        "reason" => 3,
        "evidence" | "accepted" => 4,
        "deleted" => 5,
        "dependencies" => 10,
        "key" => 14,
        _ => Field::from_key(name).map_or(u8::MAX, |field| field.spec().rank),
    }
}

/// A register by the names of `show`: a status, its reason and its evidence are three fields, a review is `accepted` with the
/// commit.
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
            change("evidence", &old["evidence"], &new["evidence"]),
        ],
        "deleted" => {
            let why = |value: &Value| match value {
                Value::Null => Value::Null,
                other if other["reason"].is_string() => other["reason"].clone(),
                _ => json!(true),
            };
            vec![change("deleted", &why(&old), &why(&new))]
        }
        REVIEW => {
            let commit = |value: &Value| match value {
                Value::Null => Value::Null,
                other if other["commit"].is_string() => other["commit"].clone(),
                _ => json!(true),
            };
            let (old, new) = match (old["of"].as_str(), new["of"].as_str()) {
                // The later close was accepted: the other acceptance held no more. An undo goes back to that.
                (Some(earlier), Some(later)) if earlier < later => (Value::Null, new),
                (Some(later), Some(earlier)) if earlier < later => (old, Value::Null),
                _ => (old, new),
            };
            vec![change("accepted", &commit(&old), &commit(&new))]
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
        // Only its answer and whether it is hidden ever change in an entry.
        let shown = match entry.answer() {
            Some((answer, _)) => format!("{} (answer: {answer})", entry.text()),
            None => entry.text().to_owned(),
        };
        // What is hidden reads as absent: to hide an entry takes it away, to show it again brings it.
        (!entry.is_redacted()).then(|| json!(shown))
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
