//! The commits of the ref: who did what, when.

use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::snapshot::millis;
use super::{Oid, Path, Result, Snapshot, unreadable};
use crate::model::Uid;

/// A commit of the ref, as its message tells.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Its id.
    pub oid: Oid,
    /// Its parents.
    pub parents: Vec<Oid>,
    /// When it was made, in milliseconds.
    pub at: u64,
    /// The first line of its message.
    pub subject: String,
    /// Key and value pairs of the last paragraph.
    pub trailers: Vec<(String, String)>,
}

impl Commit {
    /// The value of a trailer.
    pub fn trailer(&self, key: &str) -> Option<&str> {
        self.trailers.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value.as_str())
    }
}

impl Snapshot<'_> {
    /// The commits that led here, newest first, without those that led to `known`.
    ///
    /// # Errors
    /// A commit that can't be read.
    pub fn history(&self, known: Option<Oid>) -> Result<Vec<Commit>> {
        let repo = &self.store().repo;
        let hidden: Vec<gix::ObjectId> =
            known.filter(|oid| repo.has_object(oid.0)).map(|oid| oid.0).into_iter().collect();
        let walk = repo.rev_walk([self.commit().0]).with_hidden(hidden);
        let walk = walk.sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst)).all();
        let mut commits = Vec::new();
        for info in walk.map_err(unreadable("the history"))? {
            let info = info.map_err(unreadable("the history"))?;
            commits.push(self.commit_info(Oid(info.id))?);
        }
        Ok(commits)
    }

    /// Whether a commit is among those that led here; one that is gone is not.
    ///
    /// # Errors
    /// A history that can't be read.
    pub fn descends_from(&self, known: Oid) -> Result<bool> {
        Ok(self.store().repo.has_object(known.0) && self.store().contains(self.commit(), known)?)
    }

    fn commit_info(&self, oid: Oid) -> Result<Commit> {
        let unread = || unreadable(format!("commit {oid}"));
        let commit = self.store().repo.find_commit(oid.0).map_err(unread())?;
        let message = commit.message_raw().map_err(unread())?.to_string();
        let seconds = commit.time().map_err(unread())?.seconds;
        let parents = commit.parent_ids().map(|id| Oid(id.detach())).collect();
        let (subject, trailers) = split(&message);
        Ok(Commit { oid, parents, at: millis(seconds), subject, trailers })
    }

    /// Whether a commit changed anything of an issue, against its first parent.
    ///
    /// # Errors
    /// A tree that can't be read.
    pub fn commit_touched(&self, oid: Oid, uid: Uid) -> Result<bool> {
        let commit = self.commit_info(oid)?;
        let repo = &self.store().repo;
        let entry = |oid: Oid| -> Result<Option<gix::ObjectId>> {
            let unread = || unreadable(format!("commit {oid}"));
            let tree = repo.find_commit(oid.0).map_err(unread())?.tree().map_err(unread())?;
            let directory = Path::issue_dir(uid);
            let found = tree.lookup_entry(directory.split('/')).map_err(unread())?;
            Ok(found.map(|entry| entry.object_id()))
        };
        let before = commit.parents.first().map(|parent| entry(*parent)).transpose()?.flatten();
        Ok(entry(commit.oid)? != before)
    }
}

impl Snapshot<'_> {
    /// The issues that a commit changed, against its first parent, in the order of their paths.
    ///
    /// # Errors
    /// A tree that can't be read.
    pub fn commit_touches(&self, oid: Oid) -> Result<Vec<Uid>> {
        let tree = |oid: Oid| -> Result<Oid> {
            let unread = || unreadable(format!("commit {oid}"));
            let commit = self.store().repo.find_commit(oid.0).map_err(unread())?;
            Ok(Oid(commit.tree_id().map_err(unread())?.detach()))
        };
        let before = self.commit_info(oid)?.parents.first().map(|parent| tree(*parent)).transpose()?;
        let mut touched: Vec<Uid> = Vec::new();
        self.store().diff(before, tree(oid)?, &mut |change| -> Result<()> {
            if let Some(Path::Issue(uid) | Path::Entry(uid, _)) = change.path
                && touched.last() != Some(&uid)
            {
                touched.push(uid);
            }
            Ok(())
        })?;
        Ok(touched)
    }
}

fn split(message: &str) -> (String, Vec<(String, String)>) {
    let subject = message.lines().next().unwrap_or_default().to_owned();
    let last = message.trim_end().rsplit("\n\n").next().unwrap_or_default();
    let mut pairs = Vec::new();
    if last.lines().next() != Some(subject.as_str()) {
        let split = last.lines().filter_map(|line| line.split_once(": "));
        pairs = split.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    }
    (subject, pairs)
}
