//! Changes of issues between two states: for `log -p` and `diff`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::field_diff::{BlobStates, FieldChange, fields_of, rank};
use crate::model::{Blob, Issue, Status, StatusRegister, Uid};
use crate::ops::{Error, Result, View};
use crate::store::{Commit, Snapshot, TreePath, Written};

/// What happened to an issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct IssueChange {
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
pub(crate) enum ChangeKind {
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
    pub(crate) fn as_str(self) -> &'static str {
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

/// The part of the changes that is described.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DiffDetail {
    /// Every field of every issue.
    #[default]
    All,
    /// Only the first issues, so many, with their fields.
    First(usize),
    /// The fields of issues that are in both states; of others which they are.
    Changed,
}

/// Changes of issues, in the order of their ids.
pub(crate) struct Described {
    pub(crate) issues: Vec<IssueChange>,
    /// Number of the issues that are left out.
    pub(crate) more: usize,
}

/// Describes what a commit wrote, in one issue or in all.
pub(crate) fn describe_commit(
    view: &View<'_>,
    commit: &Commit,
    issue: Option<Uid>,
    detail: DiffDetail,
) -> Result<Described> {
    let snapshot = view.snapshot();
    let Written::Paths(touched) = snapshot.store().ancestry().written_by(commit, issue)? else {
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

/// Describes what differs between two states.
pub(crate) fn describe_between(
    view: &View<'_>,
    from: &Snapshot<'_>,
    to: &Snapshot<'_>,
    detail: DiffDetail,
) -> Result<Vec<IssueChange>> {
    let mut changed = Vec::new();
    from.store()
        .diff::<Error>(Some(from.tree()), to.tree(), &mut |change| {
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

/// Describes what the written paths mean for the issues they belong to. Only what is described is read.
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
    issues.sort_unstable_by(|a, b| a.id.cmp(&b.id));
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
    // Purged then or since: an old state must not show what is gone now.
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
