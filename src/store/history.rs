//! The commits of the ref: who did what, when, and which paths each of them wrote.

use std::collections::{BTreeMap, HashSet};
use std::io::ErrorKind;

use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::snapshot::{committed_at, millis};
use super::{Oid, Result, Snapshot, Store, StoreError, TreePath, io, look_twice, unreadable};
use crate::model::Uid;
use crate::model::limits::{MAX_CONTEXT, MAX_NAME, MAX_SUBJECT, line, name};

/// A commit of the ref, by its message.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Its id.
    pub oid: Oid,
    /// Its parents: ids only, since they need not be here. [`Ancestry::before`] says which states those are.
    parents: Vec<Oid>,
    /// The time at which it was made, in milliseconds.
    pub at: u64,
    /// The first line of its message.
    pub subject: String,
    /// Key and value pairs of the last paragraph.
    pub trailers: Vec<(String, String)>,
}

impl Commit {
    /// Returns true if it joins two histories.
    pub(crate) fn is_merge(&self) -> bool {
        self.parents.len() > 1
    }

    /// Returns true if it says something new: it neither joins two histories nor was made of a snapshot file.
    pub(crate) fn is_operation(&self) -> bool {
        !self.is_merge() && self.snapshot_root().is_none()
    }

    /// Returns true if it was rebuilt of a carry file, by its subject: that is text of others.
    pub(crate) fn is_carried(&self) -> bool {
        self.subject.starts_with("carried: ")
    }

    /// Returns true if the carry file of which it was rebuilt was one of several parts.
    pub(crate) fn is_carried_part(&self) -> bool {
        self.is_carried() && self.subject.ends_with(')') && self.subject.contains(" (part ")
    }

    /// Returns its parent; none of a merge, and where a history begins.
    pub(crate) fn only_parent(&self) -> Option<Oid> {
        match self.parents[..] {
            [parent] => Some(parent),
            _ => None,
        }
    }

    /// Returns its parents: ids only, since they need not be here.
    pub(crate) fn parents(&self) -> impl Iterator<Item = Oid> {
        self.parents.iter().copied()
    }

    /// Returns true if a history begins with it; one that is cut does not begin at the cut.
    pub(crate) fn is_root(&self) -> bool {
        self.parents.is_empty()
    }

    /// Returns the value of a trailer.
    pub(crate) fn trailer(&self, key: &str) -> Option<&str> {
        self.trailers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(key))
            .map(|(_, value)| value.as_str())
    }
}

impl Snapshot<'_> {
    /// Returns the commits that led here, newest first, without those that led to `known`.
    pub fn history(&self, known: Option<Oid>) -> Result<Vec<Commit>> {
        let repo = &self.store().repo;
        let mut hidden = Vec::new();
        // One that is gone can't be hidden: then all commits are read.
        if let Some(known) = known
            && self.store().is_commit(known)?
        {
            hidden.push(known.0);
        }
        // The walk goes by times: by skewed clocks it meets what is hidden too late.
        let beyond = match hidden.first() {
            Some(known) => Some(self.store().ancestry().beyond(self.commit(), Oid(*known))?),
            None => None,
        };
        let walk = repo.rev_walk([self.commit().0]).with_hidden(hidden);
        let walk = walk
            .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
            .all();
        let mut commits = Vec::new();
        for info in walk.map_err(unreadable("the history"))? {
            let info = info.map_err(unreadable("the history"))?;
            if beyond
                .as_ref()
                .is_some_and(|beyond| !beyond.contains(&Oid(info.id)))
            {
                continue;
            }
            commits.push(self.store().ancestry().commit(Oid(info.id))?);
        }
        Ok(commits)
    }

    /// Counts the operations that led here.
    pub(crate) fn operations(&self) -> Result<usize> {
        let commits = self.history(None)?;
        Ok(commits
            .iter()
            .filter(|commit| commit.is_operation())
            .count())
    }

    /// Returns true if a commit is among those that led here; one that is gone is not.
    pub(crate) fn descends_from(&self, known: Oid) -> Result<bool> {
        Ok(self.store().is_commit(known)?
            && self.store().merging().contains(self.commit(), known)?)
    }
}

/// The states that a commit was made from. Missing is not none: a caller says what is true at a cut.
pub(crate) enum Before<'s> {
    /// None: the history begins with it.
    Root,
    /// All of its parents.
    States(Vec<Snapshot<'s>>),
    /// They are not here: the history is cut at this commit, as `git fetch --depth` does it.
    Cut,
}

/// The paths that a commit wrote, against the states that it was made from.
#[derive(Clone, Debug)]
pub(crate) enum Written<T = TouchedBlobs> {
    /// These paths.
    Paths(Vec<T>),
    /// Unknown: what came before it is not here.
    Cut,
}

/// A path that a commit wrote itself: none of its parents has it so.
#[derive(Clone, Debug)]
pub(crate) struct TouchedBlobs {
    /// The path.
    pub path: TreePath,
    /// The blob in each of the parents; none where there was none.
    pub before: Vec<Option<Oid>>,
    /// The blob.
    pub after: Oid,
}

/// The commits of a repository, and how they are related.
#[derive(Clone, Copy)]
pub(crate) struct Ancestry<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the commits of a repository, and how they are related.
    pub(crate) fn ancestry(&self) -> Ancestry<'_> {
        Ancestry { store: self }
    }
}

impl<'s> Ancestry<'s> {
    /// Reads the message and the parents of a commit.
    pub(crate) fn commit(self, oid: Oid) -> Result<Commit> {
        let unread = || unreadable(format!("commit {oid}"));
        let commit = look_twice(|| self.store.repo.find_commit(oid.0)).map_err(unread())?;
        let message = commit.message_raw().map_err(unread())?.to_string();
        let seconds = committed_at(&commit).map_err(unread())?;
        let parents = commit.parent_ids().map(|id| Oid(id.detach())).collect();
        let (subject, trailers) = split(&message);
        Ok(Commit {
            oid,
            parents,
            at: millis(seconds),
            subject,
            trailers,
        })
    }

    /// Returns the states that a commit was made from.
    pub(crate) fn before(self, commit: &Commit) -> Result<Before<'s>> {
        // Of a snapshot: what was written before it is elsewhere.
        if commit.snapshot_root().is_some() {
            return Ok(Before::Cut);
        }
        if commit.parents.is_empty() {
            return Ok(Before::Root);
        }
        if self.cuts()?.contains(&commit.oid) {
            return Ok(Before::Cut);
        }
        let parents = commit.parents.iter();
        let states = parents.map(|parent| Snapshot::at(self.store, *parent));
        Ok(Before::States(states.collect::<Result<_>>()?))
    }

    /// Returns true if a commit follows another one by operations alone, without a merge: in time proportional to those.
    pub(crate) fn is_built_on(self, tip: Oid, base: Oid) -> Result<bool> {
        let (mut at, cuts) = (tip, self.cuts()?);
        while at != base {
            match self.commit(at)?.parents.as_slice() {
                [parent] if !cuts.contains(&at) => at = *parent,
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Returns the commits of any history whose parents are not here.
    pub(crate) fn cuts(self) -> Result<HashSet<Oid>> {
        let cuts = match std::fs::read_to_string(self.store.common_dir().join("shallow")) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            read => read.map_err(io("can't read where the history is cut"))?,
        };
        Ok(cuts.lines().filter_map(Oid::parse).collect())
    }

    /// Returns true if the history of a commit is cut.
    pub(crate) fn is_cut(self, tip: Oid) -> Result<bool> {
        let cuts = self.cuts()?;
        if cuts.is_empty() {
            return Ok(false);
        }
        let history = Snapshot::at(self.store, tip)?.history(None)?;
        Ok(history.iter().any(|commit| cuts.contains(&commit.oid)))
    }

    /// Returns the paths that a commit wrote, of one issue or of all. Of a merge these are the ones it had to join:
    /// what only one side had changed is the work of others.
    pub(crate) fn written_by(self, commit: &Commit, issue: Option<Uid>) -> Result<Written> {
        let below = issue.map(TreePath::issue_dir);
        let root = |snapshot: Snapshot<'_>| snapshot.folder(below.as_deref());
        let before = match self.before(commit)? {
            Before::Cut => return Ok(Written::Cut),
            Before::Root => Vec::new(),
            Before::States(states) => states,
        };
        let Some(new) = root(Snapshot::at(self.store, commit.oid)?)? else {
            return Ok(Written::Paths(Vec::new()));
        };
        let mut parents = before.into_iter().map(root);
        let first = parents.next().transpose()?.flatten();
        let mut written = BTreeMap::new();
        self.changed(first, new, below.as_deref(), &mut |path, before, after| {
            written.insert(
                path.to_string(),
                TouchedBlobs {
                    path,
                    before: vec![before],
                    after,
                },
            );
        })?;
        for parent in parents {
            let mut also = BTreeMap::new();
            self.changed(parent?, new, below.as_deref(), &mut |path, before, _| {
                also.insert(path.to_string(), before);
            })?;
            // What equals one parent was carried over from that side.
            written.retain(|path, one| {
                also.get(path).is_some_and(|before| {
                    one.before.push(*before);
                    true
                })
            });
        }
        Ok(Written::Paths(written.into_values().collect()))
    }

    /// Calls `each` for every path of the format that is new or differs between two folders of one name.
    fn changed(
        self,
        old: Option<Oid>,
        new: Oid,
        below: Option<&str>,
        each: &mut dyn FnMut(TreePath, Option<Oid>, Oid),
    ) -> Result<()> {
        self.store.diff::<StoreError>(old, new, &mut |change| {
            let path = match below {
                None => change.path,
                Some(below) => TreePath::parse(&format!("{below}/{}", change.text)),
            };
            if let (Some(path), Some(after)) = (path, change.oid) {
                each(path, change.old, after);
            }
            Ok(())
        })
    }
}

/// Returns the value of a trailer as a writer would write it: a commit of others has any, of any length.
fn within_limits(key: &str, value: &str) -> String {
    let is = |name: &&str| key.eq_ignore_ascii_case(name);
    if ["Actor", "Agent"].iter().any(is) {
        return name(value);
    }
    if ["Session", "Goal", "Memory", "Constraints"].iter().any(is) {
        return line(value, MAX_CONTEXT);
    }
    // An identity, an agent and a person.
    if is(&"Yield") {
        return line(value, 2 * MAX_NAME);
    }
    // Identities, commits and words of the format: what is none of these is not read.
    value.to_owned()
}

fn split(message: &str) -> (String, Vec<(String, String)>) {
    let first = message.lines().next().unwrap_or_default();
    let last = message.trim_end().rsplit("\n\n").next().unwrap_or_default();
    let mut pairs = Vec::new();
    // A message of one paragraph has no trailers, even if its subject has a colon.
    if last.lines().next() != Some(first) {
        let split = last.lines().filter_map(|line| line.split_once(": "));
        pairs = split
            .map(|(key, value)| (key.to_owned(), within_limits(key, value)))
            .collect();
    }
    (line(first, MAX_SUBJECT), pairs)
}
