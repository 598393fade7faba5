//! Takes one operation back: issue by issue, what was written since is left alone and named.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::refusal::{claimed, refusal};
use super::{Left, REASON};
use crate::index::OpRecord;
use crate::model::blob::{Element, Register, lost_key};
use crate::model::delta::Edit;
use crate::model::undo::{Fate, is_changed_since, sign, take_back};
use crate::model::{Blob, Issue, Memory, Status, Uid, Writer, time};
use crate::ops::shared::field_diff::{
    BlobStates, CONFLICTS, field_of, lost_value, member, register_changes, steps_of,
};
use crate::ops::shared::ids::remember_number;
use crate::ops::shared::revision::cut_at;
use crate::ops::{Code, Result, Tx};
use crate::store::{TreePath, Written, decode};

/// The name of what belongs to no issue, among what was left.
pub(super) const STORE: &str = "store";

/// The outcome of an attempt to take an operation back.
pub(crate) enum Reverted {
    /// It is back, but for what was left.
    Back(Vec<Left>),
    /// Nothing of it could be taken back.
    Nothing(Vec<Left>),
    /// It is a purge.
    Purge,
}

/// Takes an operation back as far as it is still in effect, or with `force` all of it.
///
/// # Errors
/// A commit, an issue or an index that can't be read.
pub(crate) fn revert(tx: &mut Tx<'_>, operation: &OpRecord, force: bool) -> Result<Reverted> {
    let commit = tx
        .view
        .snapshot()
        .store()
        .ancestry()
        .commit(operation.commit)?;
    // Against nothing, all that it holds would be its own.
    let Written::Paths(steps) = steps_of(&tx.view, &commit, None)? else {
        return Err(cut_at(Code::UndoAtCut, &operation.commit.to_string()));
    };
    if steps.iter().any(|step| {
        step.after
            .as_ref()
            .is_some_and(|blob| blob.purged.is_some())
    }) {
        return Ok(Reverted::Purge);
    }
    // Issues and entries that the operation made: what belongs to them goes with them.
    let came = steps
        .iter()
        .filter(|step| step.before.is_empty() && !step.unreadable)
        .filter_map(uid_of)
        .collect();
    let mut taking = Revert {
        tx,
        operation,
        force,
        came,
        any: false,
        left: Vec::new(),
    };
    steps.iter().try_for_each(|step| taking.step(step))?;
    let Revert { any, left, .. } = taking;
    Ok(if any {
        Reverted::Back(left)
    } else {
        Reverted::Nothing(left)
    })
}

/// One operation on its way back.
struct Revert<'a, 't> {
    tx: &'a mut Tx<'t>,
    operation: &'a OpRecord,
    force: bool,
    /// Issues and entries that came with it.
    came: HashSet<Uid>,
    /// True once anything is staged.
    any: bool,
    left: Vec<Left>,
}

impl Revert<'_, '_> {
    fn step(&mut self, step: &BlobStates) -> Result<()> {
        match step.path {
            TreePath::Issue(uid) => self.issue(uid, step),
            // The memory of an issue goes and comes with it.
            TreePath::Entry(uid, entry) if !self.came.contains(&uid) => {
                self.entry(uid, entry, step)
            }
            TreePath::Note(uid) => self.note(uid, step),
            TreePath::Meta => self.store(step),
            TreePath::Entry(..) => Ok(()),
        }
    }

    /// The registers of the store; which stores were joined is nothing that goes back.
    fn store(&mut self, step: &BlobStates) -> Result<()> {
        let (Some(before), Some(after)) = (step.before.first(), &step.after) else {
            return Ok(());
        };
        let mut meta = self.tx.meta()?;
        let now = meta.clone();
        let writer = self.tx.meta_writer(&meta);
        let stores = |edit: &Edit<'_>| {
            // The only set of the store's registers names the stores that were joined.
            matches!(edit, Edit::Element { .. }).then(|| "a store that was joined stays".to_owned())
        };
        let fates = take_back(&mut meta, (before, after), &writer, self.force, stores);
        for (edit, fate) in &fates {
            if *fate == Fate::Overwritten {
                self.report_in(STORE, &now, edit, "changed since")?;
            }
        }
        if meta != now {
            self.tx.put_meta(meta);
            self.any = true;
        }
        Ok(())
    }

    fn leave(&mut self, uid: Uid, why: &str) -> Result<()> {
        let id = self.tx.view.id(uid)?;
        let (field, by, at) = Default::default();
        self.left.push(Left {
            id,
            field,
            value: Value::Null,
            by,
            at,
            why: why.to_owned(),
        });
        Ok(())
    }

    /// The issue as it is now; none where nothing can be written in it any more.
    fn writable(&mut self, uid: Uid, step: &BlobStates) -> Result<Option<Issue>> {
        if step.unreadable {
            return self.leave(uid, "it can't be read").map(|()| None);
        }
        match self.tx.issue(uid) {
            Ok(issue) => Ok(Some(issue)),
            Err(error) if error.is(Code::Purged) => {
                self.leave(uid, "it was purged since").map(|()| None)
            }
            // The other issues of the operation are taken back all the same.
            Err(error) if error.is(Code::Unreadable) => {
                self.leave(uid, "it can't be read").map(|()| None)
            }
            Err(error) => Err(error),
        }
    }

    fn issue(&mut self, uid: Uid, step: &BlobStates) -> Result<()> {
        let Some(mut issue) = self.writable(uid, step)? else {
            return Ok(());
        };
        let Some(after) = &step.after else {
            return Ok(());
        };
        let Some(before) = step.before.first() else {
            return self.creation(issue, after);
        };
        let writer = self.tx.writer(&issue)?;
        let (tx, now) = (&*self.tx, issue.clone());
        let force = self.force;
        let refuse = |edit: &Edit<'_>| {
            let claimed = if force {
                None
            } else {
                claimed(&now, after, edit)
            };
            claimed.or_else(|| refusal(tx, &now, before, edit))
        };
        let fates = take_back(
            issue.blob_mut(),
            (before, after),
            &writer,
            self.force,
            refuse,
        );
        for (edit, fate) in &fates {
            let why = match fate {
                Fate::Back => continue,
                Fate::Overwritten => "changed since",
                Fate::Refused(reason) => reason,
            };
            self.report(now.blob(), uid, edit, why)?;
        }
        issue.restore_claim(&writer, before);
        let back = || fates.iter().filter(|(_, fate)| *fate == Fate::Back);
        if back().any(|(edit, _)| matches!(edit, Edit::Register { key: "id", .. })) {
            // The former id is free again, but its number must not be given to another child.
            remember_number(self.tx, now.id())?;
        }
        if back().next().is_some() {
            self.put(issue, &writer);
        }
        Ok(())
    }

    /// Stages an issue with the mark of what was taken back in it.
    fn put(&mut self, mut issue: Issue, writer: &Writer) {
        sign(issue.blob_mut(), writer, &self.operation.commit.to_string());
        self.tx.put(issue);
        self.any = true;
    }

    /// An issue that came into being is deleted, unless it has changed since.
    fn creation(&mut self, mut issue: Issue, after: &Blob) -> Result<()> {
        let uid = issue.uid();
        // Deleted since: what the undo would do is done.
        if issue.is_deleted() {
            return Ok(());
        }
        // Memory and children that came later would be hidden with it.
        if !self.force && (is_changed_since(issue.blob(), after) || self.is_noted(uid)?) {
            return self.leave(uid, "changed since it was created");
        }
        if !self.force && self.has_children(uid)? {
            return self.leave(uid, "it has children now");
        }
        let writer = self.tx.writer(&issue)?;
        issue
            .blob_mut()
            .put(&writer, "deleted", json!({"reason": REASON}));
        self.put(issue, &writer);
        Ok(())
    }

    /// Returns true if an issue has memory that came later.
    fn is_noted(&self, uid: Uid) -> Result<bool> {
        let memory = self.tx.view.snapshot().memory(uid)?.0;
        let later = memory
            .into_iter()
            .filter(|entry| !self.came.contains(&entry.uid()));
        let now = |entry: Memory| match self.tx.staged(TreePath::Entry(uid, entry.uid())) {
            Some(blob) => Memory::from_blob(entry.uid(), blob.clone()),
            None => entry,
        };
        Ok(later.map(now).any(|entry| !entry.is_redacted()))
    }

    /// Returns true if an issue has children that came later.
    fn has_children(&self, uid: Uid) -> Result<bool> {
        let later = |(child, status): &(Uid, Status)| {
            !self.came.contains(child) && *status != Status::Tombstone
        };
        Ok(self.tx.children(uid)?.iter().any(later))
    }

    fn entry(&mut self, uid: Uid, entry: Uid, step: &BlobStates) -> Result<()> {
        let Some(issue) = self.writable(uid, step)? else {
            return Ok(());
        };
        let Some(now) = self.now(step.path)? else {
            return Ok(());
        };
        let writer = self.tx.writer(&issue)?;
        if let Some(entry) = self.memory(Memory::from_blob(entry, now), step, &writer) {
            self.tx.put_memory(uid, entry);
            self.any = true;
        }
        Ok(())
    }

    fn note(&mut self, uid: Uid, step: &BlobStates) -> Result<()> {
        let Some(now) = self.now(step.path)? else {
            return Ok(());
        };
        let note = Memory::from_blob(uid, now);
        let writer = self.tx.note_writer(&note);
        if let Some(note) = self.memory(note, step, &writer) {
            self.tx.put_note(note);
            self.any = true;
        }
        Ok(())
    }

    fn now(&self, path: TreePath) -> Result<Option<Blob>> {
        if let Some(blob) = self.tx.staged(path) {
            return Ok(Some(blob.clone()));
        }
        let found = self.tx.view.snapshot().find(path)?;
        Ok(found.and_then(|(_, bytes)| decode(path, &bytes).ok()))
    }

    /// An entry that came is hidden; one that was hidden or shown is as it was.
    fn memory(&self, mut now: Memory, step: &BlobStates, writer: &Writer) -> Option<Memory> {
        let after = step.after.as_ref()?;
        let then = now.clone();
        match step.before.first() {
            None if now.is_redacted() => {}
            // An entry that came is hidden, never removed: a merge would bring it back.
            None => now.blob_mut().put(writer, "redacted", Value::Bool(true)),
            Some(before) => {
                _ = take_back(now.blob_mut(), (before, after), writer, self.force, |_| {
                    None
                });
            }
        }
        (now != then).then_some(now)
    }

    /// Names what was not taken back in an issue, with what it says now.
    fn report(&mut self, now: &Blob, uid: Uid, edit: &Edit<'_>, why: &str) -> Result<()> {
        let id = self.tx.view.id(uid)?;
        self.report_in(&id, now, edit, why)
    }

    fn report_in(&mut self, id: &str, now: &Blob, edit: &Edit<'_>, why: &str) -> Result<()> {
        let view = &self.tx.view;
        let (field, value, (by, at)) = match edit {
            Edit::Register { key, .. } => {
                let register = now.registers.get(*key);
                let change = register_changes(view, key, None, register)?.swap_remove(0);
                (change.field, change.new, written(register))
            }
            Edit::Element { set, key, old, new } => {
                let named = old.or(*new).map(|element| Element {
                    live: true,
                    ..element.clone()
                });
                let at = now
                    .sets
                    .get(*set)
                    .and_then(|set| set.get(*key))
                    .map(|it| time::format(it.at.millis()));
                let author = (String::new(), at.unwrap_or_default());
                (
                    field_of(set).to_owned(),
                    member(view, set, key, named.as_ref())?,
                    author,
                )
            }
            Edit::Lost { key, old, .. } => {
                let register = lost_key(key).and_then(|(field, _)| now.registers.get(field));
                (
                    CONFLICTS.to_owned(),
                    old.and_then(|lost| lost_value(key, lost)),
                    written(register),
                )
            }
            Edit::Origin { .. } | Edit::Purged => Default::default(),
        };
        let value = value.unwrap_or_default();
        self.left.push(Left {
            id: id.to_owned(),
            field,
            value,
            by,
            at,
            why: why.to_owned(),
        });
        Ok(())
    }
}

/// Returns who has written a register, and when.
fn written(register: Option<&Register>) -> (String, String) {
    register
        .map(|register| (register.by.clone(), time::format(register.written())))
        .unwrap_or_default()
}

/// The issue or the entry that a step is about.
fn uid_of(step: &BlobStates) -> Option<Uid> {
    match step.path {
        TreePath::Issue(uid) | TreePath::Entry(_, uid) => Some(uid),
        TreePath::Note(_) | TreePath::Meta => None,
    }
}
