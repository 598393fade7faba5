//! A change in the making: what an operation stages on one state, before it becomes one commit.

mod memory;

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::tracker::View;
use super::{Code, Command, Error, Result};
use crate::model::edge::{BLOCKS, PARENT_CHILD};
use crate::model::{Blob, Issue, Memory, Stamp, Status, StatusChanges, Target, Uid, Writer, id};
use crate::store::{Changes, Message, Rewriting, TreePath};

const YEAR: u64 = 365 * 86_400_000;

/// A change in the making: reads see what it has staged.
pub(crate) struct Tx<'t> {
    /// The state it builds on.
    pub view: View<'t>,
    millis: u64,
    read: RefCell<BTreeMap<Uid, Issue>>,
    children_cache: RefCell<BTreeMap<Uid, Vec<(Uid, Status)>>>,
    staged: BTreeMap<Uid, Issue>,
    entries: BTreeMap<(Uid, Uid), Memory>,
    notes: BTreeMap<Uid, Memory>,
    meta: Option<Blob>,
    trailers: Vec<(String, String)>,
    /// Issues that this change is about, whether it writes anything in them or not.
    subjects: Vec<Uid>,
    writers: BTreeMap<Uid, Writer>,
    ids: BTreeMap<String, Uid>,
    subject: String,
    /// The commits that are rewritten before it, under the same lock.
    pub rewriting: Option<Rewriting>,
    /// What the caller should know of this change.
    pub remarks: RefCell<Vec<String>>,
    /// What agents should know whose work this change takes or ends, by the name of each.
    pub notices: RefCell<Vec<(String, String)>>,
}

impl<'t> Tx<'t> {
    pub(super) fn new(view: View<'t>) -> Result<Self> {
        let now = view.now();
        let tip = view.snapshot().time()?;
        // A clock that is far ahead would make stamps that win over what others write meanwhile.
        // The tip's time can't be wrong by more than another clock was.
        let millis = if now > tip.saturating_add(YEAR) {
            view.tracker
                .warn("the clock is over a year past the last change here; this one is dated after that change");
            tip
        } else {
            now
        };
        Ok(Self {
            view,
            millis,
            read: RefCell::default(),
            children_cache: RefCell::default(),
            staged: BTreeMap::new(),
            entries: BTreeMap::new(),
            notes: BTreeMap::new(),
            meta: None,
            trailers: Vec::new(),
            subjects: Vec::new(),
            writers: BTreeMap::new(),
            ids: BTreeMap::new(),
            subject: String::new(),
            rewriting: None,
            remarks: RefCell::default(),
            notices: RefCell::default(),
        })
    }

    /// Says in a line what is being done.
    pub(crate) fn subject(&mut self, text: impl Into<String>) {
        self.subject = text.into();
    }

    /// Returns true if the subject is set.
    pub(crate) fn has_subject(&self) -> bool {
        !self.subject.is_empty()
    }

    /// Adds to what the commit says of itself.
    pub(crate) fn trailer(&mut self, key: &str, value: impl Into<String>) {
        self.trailers.push((key.to_owned(), value.into()));
    }

    /// Says that this change is about an issue: the log and an undo of that find it.
    pub(crate) fn is_about(&mut self, uid: Uid) {
        self.subjects.push(uid);
    }

    /// The issue that an argument names: a staged one, else one of the store.
    pub(crate) fn find(&self, argument: &str) -> Result<Uid> {
        match self.ids.get(argument) {
            // An id that only this change has given: `split` names children that are not written yet.
            Some(uid) => Ok(*uid),
            None => self.view.find_one(argument),
        }
    }

    /// An issue as this change would leave it.
    ///
    /// # Errors
    /// One that can't be read, or that was purged: nothing can be written there any more.
    pub(crate) fn issue(&self, uid: Uid) -> Result<Issue> {
        let issue = self
            .staged
            .get(&uid)
            .map_or_else(|| self.before(uid), |issue| Ok(issue.clone()))?;
        if issue.is_purged() {
            let id = issue.id();
            return Err(Error::new(
                Code::Purged,
                format!("{id} was purged; its text is gone for good"),
            )
            .hinted(Command::of("log").id(id)));
        }
        Ok(issue)
    }

    /// An issue as it was: an operation comes back to the same few, and each is read once.
    fn before(&self, uid: Uid) -> Result<Issue> {
        if let Some(issue) = self.read.borrow().get(&uid) {
            return Ok(issue.clone());
        }
        let issue = self.view.issue_to_write(uid)?;
        self.read.borrow_mut().insert(uid, issue.clone());
        Ok(issue)
    }

    /// An issue that is to be changed: one that was deleted is not.
    pub(crate) fn live(&self, uid: Uid) -> Result<Issue> {
        let issue = self.issue(uid)?;
        if issue.is_deleted() {
            return Err(Error::deleted(issue.id()));
        }
        Ok(issue)
    }

    /// Stages an issue.
    pub(crate) fn put(&mut self, issue: Issue) {
        // From here on the id can be found, is taken for others, and counts as a used number of a child.
        self.ids.insert(issue.id().to_owned(), issue.uid());
        self.staged.insert(issue.uid(), issue);
    }

    /// Returns the writer for an issue: one stamp for all that this change writes there, after all it has seen.
    pub(crate) fn writer(&mut self, issue: &Issue) -> Result<Writer> {
        if let Some(writer) = self.writers.get(&issue.uid()) {
            return Ok(writer.clone());
        }
        let seen = self.seen(issue)?;
        let writer = self.sign(self.view.tracker.stamp(self.millis, seen));
        self.writers.insert(issue.uid(), writer.clone());
        Ok(writer)
    }

    /// Returns the writer for a line of memory that belongs to no issue.
    pub(crate) fn note_writer(&self, note: &Memory) -> Writer {
        self.sign(self.view.tracker.stamp(self.millis, note.blob().newest()))
    }

    /// The registers of the store as this change would leave them.
    pub(crate) fn meta(&self) -> Result<Blob> {
        match &self.meta {
            Some(meta) => Ok(meta.clone()),
            None => Ok(self.view.snapshot().meta()?),
        }
    }

    /// Stages the registers of the store.
    pub(crate) fn put_meta(&mut self, meta: Blob) {
        self.meta = Some(meta);
    }

    /// Returns the writer for the registers of the store.
    pub(crate) fn meta_writer(&self, meta: &Blob) -> Writer {
        self.sign(self.view.tracker.stamp(self.millis, meta.newest()))
    }

    fn seen(&self, issue: &Issue) -> Result<Stamp> {
        // Entries are blobs of their own: the blob of the issue does not say how new they are.
        let memory = self
            .view
            .index
            .memory()
            .newest(issue.uid())?
            .unwrap_or_default();
        Ok(issue.blob().newest().max(memory))
    }

    fn sign(&self, at: Stamp) -> Writer {
        Writer {
            at,
            by: self.view.tracker.actor().to_owned(),
            millis: self.view.now(),
        }
    }

    /// Makes an issue; its identity is its creation stamp.
    pub(crate) fn new_issue(&mut self) -> (Issue, Writer) {
        let writer = self.sign(self.view.tracker.stamp(self.millis, Stamp::default()));
        let issue = Issue::new(writer.at, &writer);
        self.writers.insert(issue.uid(), writer.clone());
        (issue, writer)
    }

    /// A blob as this change would leave it, where it is staged.
    pub(crate) fn staged(&self, path: TreePath) -> Option<&Blob> {
        match path {
            TreePath::Meta => self.meta.as_ref(),
            TreePath::Issue(uid) => self.staged.get(&uid).map(Issue::blob),
            TreePath::Entry(issue, uid) => self.entries.get(&(issue, uid)).map(Memory::blob),
            TreePath::Note(uid) => self.notes.get(&uid).map(Memory::blob),
        }
    }

    /// The paths that are staged.
    pub(crate) fn paths(&self) -> Vec<TreePath> {
        let issues = self.staged.keys().map(|uid| TreePath::Issue(*uid));
        let entries = self
            .entries
            .keys()
            .map(|(issue, uid)| TreePath::Entry(*issue, *uid));
        issues
            .chain(entries)
            .chain(self.notes.keys().map(|uid| TreePath::Note(*uid)))
            .chain(self.meta.iter().map(|_| TreePath::Meta))
            .collect()
    }

    /// Forgets all that is staged: then nothing is written.
    pub(crate) fn clear(&mut self) {
        self.staged.clear();
        self.entries.clear();
        self.notes.clear();
        self.meta = None;
    }

    /// The status of an issue as this change would leave it.
    pub(crate) fn status(&self, uid: Uid) -> Result<Status> {
        match self.staged.get(&uid) {
            Some(issue) => Ok(issue.status()),
            // What is not in the state blocks nothing and is no open child.
            None => Ok(self.view.index.status_of(uid)?.unwrap_or(Status::Tombstone)),
        }
    }

    /// The children of an issue as this change would leave them, with their status.
    pub(crate) fn children(&self, uid: Uid) -> Result<Vec<(Uid, Status)>> {
        // Closing many children asks for the same epic again and again. What the index says does not change
        // while this change is made; what is staged is added below.
        if !self.children_cache.borrow().contains_key(&uid) {
            let found = self.view.index.edges().children_with_status(uid)?;
            self.children_cache.borrow_mut().insert(uid, found);
        }
        let known = self.children_cache.borrow();
        // A staged child counts by its staged parent, which may be another one by now.
        let others = known[&uid]
            .iter()
            .filter(|(child, _)| !self.staged.contains_key(child))
            .cloned();
        let staged = self
            .staged
            .values()
            .filter(|issue| self.parents_of(issue).contains(&uid));
        Ok(others
            .chain(staged.map(|issue| (issue.uid(), issue.status())))
            .collect())
    }

    /// The issues that an issue points to by edges of a kind, as this change would leave them.
    pub(crate) fn targets(&self, uid: Uid, kind: &str) -> Result<Vec<Uid>> {
        // The index has the parent that is a register and those that are edges as one kind of edge.
        let Some(issue) = self.staged.get(&uid) else {
            return Ok(self.view.index.edges().targets(uid, kind)?);
        };
        if kind == PARENT_CHILD {
            return Ok(self.parents_of(issue));
        }
        let edges = issue.edges().into_iter().filter(|edge| edge.kind == kind);
        Ok(edges.filter_map(|edge| self.target(&edge.target)).collect())
    }

    /// Returns the ids of the open issues that an issue waits for, as this change would leave them.
    pub(crate) fn open_blockers(&self, uid: Uid) -> Result<Vec<String>> {
        let mut open = Vec::new();
        for target in self.targets(uid, BLOCKS)? {
            if target != uid && !self.status(target)?.is_done() {
                open.push(self.view.id(target)?);
            }
        }
        Ok(open)
    }

    fn parents_of(&self, issue: &Issue) -> Vec<Uid> {
        let further = issue
            .edges()
            .into_iter()
            .filter(|edge| edge.kind == PARENT_CHILD)
            .map(|edge| edge.target);
        let all = issue
            .parent()
            .map(|(target, _)| target)
            .into_iter()
            .chain(further);
        all.filter_map(|target| self.target(&target)).collect()
    }

    fn target(&self, target: &Target) -> Option<Uid> {
        match target {
            Target::Uid(uid) => Some(*uid),
            Target::Literal(id) => self
                .view
                .index
                .ids()
                .issues_with_id(id)
                .ok()?
                .first()
                .copied(),
        }
    }

    /// Returns true if an id is free, among what is staged too, for a new issue or for `own`: no other has it or was
    /// known by it.
    pub(crate) fn is_free(&self, id: &str, own: Option<Uid>) -> Result<bool> {
        // Ids that a remote has given out come with the next merge, and must not be given twice.
        let here = self.ids.contains_key(id) || self.view.index.ids().is_taken(id, own)?;
        Ok(!here && !self.view.reserved_ids()?.iter().any(|known| known == id))
    }

    /// The largest number of a child of `id`, staged ones included.
    pub(crate) fn last_child(&self, id: &str) -> Result<u64> {
        let elsewhere = self.view.reserved_ids()?.iter();
        let staged = self
            .ids
            .keys()
            .chain(elsewhere)
            .filter_map(|child| id::child_number(id, child))
            .max();
        Ok(staged
            .unwrap_or(0)
            .max(self.view.index.ids().last_child(id)?))
    }

    /// Opens the issues again that were set to `blocked` for no more than what they waited for, and wait for nothing any
    /// more: by this change, or by one that came from another clone. Returns their ids. A change of nothing opens none.
    pub(super) fn open_freed(&mut self) -> Result<Vec<String>> {
        let is_new = |(uid, issue): (&Uid, &Issue)| self.read.borrow().get(uid) != Some(issue);
        let is_change = self.staged.iter().any(is_new)
            || !self.entries.is_empty()
            || !self.notes.is_empty()
            || self.meta.is_some();
        if !is_change {
            return Ok(Vec::new());
        }
        let edges = self.view.index.edges();
        let mut waiting = edges.freed()?;
        for (uid, issue) in &self.staged {
            waiting.push(*uid);
            if issue.status().is_done() {
                waiting.extend(edges.blocked_until_free(*uid, issue.id())?);
            }
        }
        let mut freed = Vec::new();
        for uid in waiting {
            // A new issue is in no index, and waits for what this change says.
            if self.status(uid)? != Status::Blocked {
                continue;
            }
            // What can't be read stays as it is.
            let Ok(mut issue) = self.issue(uid) else {
                continue;
            };
            if issue.state().until_free && self.open_blockers(uid)?.is_empty() {
                let writer = self.writer(&issue)?;
                issue.set_status(&writer, Status::Open);
                freed.push(issue.id().to_owned());
                self.put(issue);
            }
        }
        Ok(freed)
    }

    /// Returns the state, all that changes anything in it, and what the commit says.
    pub(super) fn into_changes(mut self) -> Result<(View<'t>, Changes<'t>, Message)> {
        let mut changes = Changes::new(self.view.tracker.store());
        let mut touched: Vec<Uid> = Vec::new();
        let mut turns = StatusChanges::default();
        for (uid, issue) in &self.staged {
            // Most issues were read by the operation. A new one is not there, and is `None` either way.
            let before = match self.read.get_mut().remove(uid) {
                Some(before) => Some(before),
                None => self
                    .view
                    .snapshot()
                    .issue(*uid)?
                    .and_then(std::result::Result::ok),
            };
            // A field may have been set to the value that it had: then there is nothing to write.
            if before.as_ref() != Some(issue) {
                changes.put(TreePath::Issue(*uid), issue.blob())?;
                touched.push(*uid);
                let at = issue.work_stamp();
                if before.as_ref().map(Issue::work_stamp) != Some(at) {
                    self.view.tracker.note_work(*uid, at);
                }
                turns.add(*uid, before.map(|before| before.status()), issue.status());
            }
        }
        for ((issue, uid), entry) in &self.entries {
            changes.put(TreePath::Entry(*issue, *uid), entry.blob())?;
            // The blob of the issue may be unchanged, but its log lists what was added to its memory.
            touched.push(*issue);
        }
        for (uid, note) in &self.notes {
            changes.put(TreePath::Note(*uid), note.blob())?;
        }
        if let Some(meta) = &self.meta {
            changes.put(TreePath::Meta, meta)?;
        }
        if let Some(rewriting) = self.rewriting.take() {
            changes.rewrite(rewriting);
        }
        if !touched.is_empty() {
            touched.append(&mut self.subjects);
        }
        touched.sort_unstable();
        touched.dedup();
        let mut message = self.view.tracker.message(&self.subject, &touched, &turns);
        message.trailers.append(&mut self.trailers);
        Ok((self.view, changes, message))
    }
}
