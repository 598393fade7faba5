//! The user's own branches: what has landed on the default one, and which issue the current one is about.

use gix::refs::{FullName, Target};
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::git::{checked, output};
use super::snapshot::millis;
use super::{Oid, Result, Store, StoreError, unreadable};

/// The newest commits of a branch that are looked at.
const MOST_COMMITS: usize = 100_000;

/// A commit of the user's.
#[derive(Clone, Debug)]
pub struct UserCommit {
    /// Its id.
    pub oid: Oid,
    /// When it was committed, in milliseconds.
    pub at: u64,
    /// All it says.
    pub message: String,
}

impl Store {
    /// The name of the branch that work lands on: what a remote says, else `init.defaultBranch`, `main` or
    /// `master`, else the current one.
    pub fn default_branch(&self) -> Option<String> {
        let remote = self.remote(None).ok().flatten();
        let said = remote.and_then(|remote| {
            let head = self.repo.try_find_reference(&format!("refs/remotes/{remote}/HEAD")).ok()??;
            let Target::Symbolic(target) = head.inner.target else { return None };
            Some(target.to_string().strip_prefix(&format!("refs/remotes/{remote}/"))?.to_owned())
        });
        let usual = [self.config("init.defaultBranch"), Some("main".to_owned()), Some("master".to_owned())];
        said.or_else(|| usual.into_iter().flatten().find(|name| !self.tips_of(name).is_empty()))
            .or_else(|| self.current_branch())
    }

    /// The branch that is checked out here.
    pub fn current_branch(&self) -> Option<String> {
        self.repo.head_name().ok().flatten().map(|name| name.shorten().to_string())
    }

    /// Where the default branch is, here and as the remotes were last seen.
    pub fn landing_tips(&self) -> Vec<Oid> {
        self.default_branch().map(|name| self.tips_of(&name)).unwrap_or_default()
    }

    fn tips_of(&self, branch: &str) -> Vec<Oid> {
        let theirs = self.remotes().into_iter().map(|remote| format!("refs/remotes/{remote}/{branch}"));
        let names = std::iter::once(format!("refs/heads/{branch}")).chain(theirs);
        let mut tips: Vec<Oid> = names.filter_map(|name| self.resolve(&name).ok().flatten()).collect();
        tips.sort();
        tips.dedup();
        tips
    }

    /// The commits that lead to some tips and not to others, newest first.
    ///
    /// # Errors
    /// A commit that can't be read.
    pub fn commits_between(&self, tips: &[Oid], known: &[Oid]) -> Result<Vec<UserCommit>> {
        let hidden: Vec<_> = known.iter().filter(|oid| self.repo.has_object(oid.0)).map(|oid| oid.0).collect();
        let walk = self.repo.rev_walk(tips.iter().map(|tip| tip.0)).with_hidden(hidden);
        let walk = walk.sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst)).all();
        let unread = || unreadable("the default branch");
        let commits = walk.map_err(unread())?.take(MOST_COMMITS).map(|info| {
            let commit = info.map_err(unread())?.object().map_err(unread())?;
            let message = commit.message_raw().map_err(unread())?.to_string();
            let seconds = commit.time().map_err(unread())?.seconds;
            Ok(UserCommit { oid: Oid(commit.id), at: millis(seconds), message })
        });
        commits.collect()
    }

    /// Whether all of some commits lead to others.
    ///
    /// # Errors
    /// A history that can't be read.
    pub fn are_contained(&self, old: &[Oid], tips: &[Oid]) -> Result<bool> {
        for old in old {
            let inside = |tip: &Oid| Ok::<_, StoreError>(self.repo.has_object(old.0) && self.contains(*tip, *old)?);
            if !tips.iter().map(inside).collect::<Result<Vec<_>>>()?.contains(&true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The issue that a branch is about, as its configuration says.
    pub fn branch_issue(&self, branch: &str) -> Option<String> {
        self.config(&format!("branch.{branch}.bead"))
    }

    /// Switches to a branch, which is made where it is not there, and notes the issue it is about.
    ///
    /// # Errors
    /// No work tree, a name that no branch can have, or what `git switch` said.
    pub fn switch_for(&self, branch: &str, issue: &str) -> Result<()> {
        let Some(top) = self.work_tree() else {
            return Err(StoreError::Refused("a bare repository has no work tree to switch".into()));
        };
        let full = format!("refs/heads/{branch}");
        if FullName::try_from(full.as_str()).is_err() || branch.starts_with('-') {
            return Err(StoreError::Refused(format!("`{branch}` is no name for a branch")));
        }
        if self.current_branch().as_deref() != Some(branch) {
            let exists = self.resolve(&full)?.is_some();
            let mut command = self.users_git(&top);
            command.args(["switch", "--quiet"]).args((!exists).then_some("--create")).arg(branch);
            let output = output(&mut command)?;
            checked("switch", output.status.success(), &output.stderr)?;
        }
        let noted = output(self.git().args(["config", "--", &format!("branch.{branch}.bead"), issue]))?;
        checked("config", noted.status.success(), &noted.stderr)
    }
}
