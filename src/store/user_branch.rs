//! The user's own branches: what has landed on the default one, and which issue the current one is about.

use gix::refs::FullName;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::git::{checked, output};
use super::refs::value::RefValue;
use super::snapshot::{committed_at, millis};
use super::{Oid, Result, Store, StoreError, remote, unreadable};

/// The newest commits of a branch that are looked at.
const MOST_COMMITS: usize = 100_000;

/// A commit of the user's.
#[derive(Clone, Debug)]
pub(crate) struct UserCommit {
    /// Its id.
    pub oid: Oid,
    /// The time at which it was committed, in milliseconds.
    pub at: u64,
    /// All it says.
    pub message: String,
}

/// The user's own branches.
#[derive(Clone, Copy)]
pub(crate) struct UserBranches<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the user's own branches.
    pub(crate) fn user_branches(&self) -> UserBranches<'_> {
        UserBranches { store: self }
    }
}

impl UserBranches<'_> {
    /// Returns the commit that a revision of git names, as `git rev-parse` reads it; none where it names none.
    pub(crate) fn commit_named(self, revision: &str) -> Option<Oid> {
        // By git itself: the library's reader of revisions would add a twentieth to the program.
        let mut command = self.store.git().command();
        if revision.starts_with('-') {
            return None;
        }
        command.args(["rev-parse", "--verify", "--quiet"]);
        let found = output(command.arg(format!("{revision}^{{commit}}"))).ok()?;
        let name = String::from_utf8(found.stdout).ok()?;
        Oid::parse(name.trim()).filter(|_| found.status.success())
    }

    /// Returns the tips of the branch that work lands on, here and as its remote was last seen: the one that the remote
    /// says, else `init.defaultBranch`, `main` or `master`. It never depends on what is checked out.
    pub(crate) fn landing_tips(self) -> Vec<Oid> {
        let known = self.store.remotes().names();
        let named = self
            .store
            .config("beads.remote")
            .filter(|name| known.contains(name));
        let chosen = named.or_else(|| remote::usual(&known));
        let guesses = [
            self.store.config("init.defaultBranch"),
            Some("main".to_owned()),
            Some("master".to_owned()),
        ];
        let remote = chosen.as_deref();
        let names = guesses.iter().flatten();
        let ahead = names.flat_map(|name| refs_of(name, remote));
        let heads = remote.map(|remote| format!("refs/remotes/{remote}/HEAD"));
        self.store.refs().read_ahead(ahead.chain(heads));
        let said = remote.and_then(|remote| self.default_branch_of(remote));
        let usual = std::iter::once(said).chain(guesses);
        let tips = usual
            .flatten()
            .map(|name| self.tips_of(&name, chosen.as_deref()));
        tips.into_iter()
            .find(|tips| !tips.is_empty())
            .unwrap_or_default()
    }

    /// Returns the default branch of a remote, as it was when the remote was cloned or `git remote set-head` asked it.
    fn default_branch_of(self, remote: &str) -> Option<String> {
        let head = format!("refs/remotes/{remote}/HEAD");
        let Ok(Some(RefValue::Symbolic(target))) = self.store.refs().read(&head) else {
            return None;
        };
        Some(
            target
                .strip_prefix(&format!("refs/remotes/{remote}/"))?
                .to_owned(),
        )
    }

    /// Returns a text that is another for each view of the history: the commits that were cut off.
    pub(crate) fn shallow_cut(self) -> String {
        // It is only compared: one that can't be read costs a second look.
        std::fs::read_to_string(self.store.common_dir().join("shallow")).unwrap_or_default()
    }

    /// Returns the branch that is checked out here.
    pub(crate) fn current_branch(self) -> Option<String> {
        self.store.refs().head_branch()
    }

    fn tips_of(self, branch: &str, remote: Option<&str>) -> Vec<Oid> {
        let mut tips: Vec<Oid> = refs_of(branch, remote)
            .filter_map(|name| self.store.remotes().resolve(&name).ok().flatten())
            .collect();
        tips.sort_unstable();
        tips.dedup();
        tips
    }

    /// Returns the commits that lead to some tips and not to others, newest first.
    pub(crate) fn commits_between(self, tips: &[Oid], known: &[Oid]) -> Result<Vec<UserCommit>> {
        let hidden: Vec<_> = known
            .iter()
            .filter(|oid| self.store.repo.has_object(oid.0))
            .map(|oid| oid.0)
            .collect();
        let walk = self
            .store
            .repo
            .rev_walk(tips.iter().map(|tip| tip.0))
            .with_hidden(hidden);
        let walk = walk
            .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
            .all();
        let unread = || unreadable("the default branch");
        let commits = walk.map_err(unread())?.take(MOST_COMMITS).map(|info| {
            let commit = info.map_err(unread())?.object().map_err(unread())?;
            let message = commit.message_raw().map_err(unread())?.to_string();
            let seconds = committed_at(&commit).map_err(unread())?;
            Ok(UserCommit {
                oid: Oid(commit.id),
                at: millis(seconds),
                message,
            })
        });
        commits.collect()
    }

    /// Returns true if all of some commits lead to others.
    pub(crate) fn are_contained(self, old: &[Oid], tips: &[Oid]) -> Result<bool> {
        for old in old {
            let inside = |tip: &Oid| {
                Ok::<_, StoreError>(
                    self.store.repo.has_object(old.0)
                        && self.store.merging().contains(*tip, *old)?,
                )
            };
            if !tips
                .iter()
                .map(inside)
                .collect::<Result<Vec<_>>>()?
                .contains(&true)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if a branch can have a name.
    pub(crate) fn is_branch_name(name: &str) -> bool {
        FullName::try_from(format!("refs/heads/{name}")).is_ok()
            && !name.starts_with('-')
            && name != "HEAD"
    }

    /// Lets the branches that were about an issue by its old id be about it by its new one.
    pub(crate) fn rename_branch_issue(self, old: &str, new: &str) -> Result<()> {
        let found = output(self.store.git().command().args([
            "config",
            "--local",
            "--get-regexp",
            r"^branch\..*\.bead$",
        ]))?;
        let text = String::from_utf8_lossy(&found.stdout).into_owned();
        for key in text
            .lines()
            .filter_map(|line| line.strip_suffix(old)?.strip_suffix(' '))
        {
            let noted = output(
                self.store
                    .git()
                    .command()
                    .args(["config", "--local", key, new]),
            )?;
            checked("config", noted.status.success(), &noted.stderr)?;
        }
        Ok(())
    }

    /// Returns the issue that a branch is about, as its configuration says.
    pub(crate) fn branch_issue(self, branch: &str) -> Option<String> {
        self.store.config(&format!("branch.{branch}.bead"))
    }

    /// Returns the branches that are about issues, with the ids that their configuration says.
    pub(crate) fn issue_branches(self) -> Vec<(String, String)> {
        let snapshot = self.store.repo.config_snapshot();
        let sections = snapshot
            .plumbing()
            .sections_by_name("branch")
            .into_iter()
            .flatten();
        let about = sections.filter_map(|section| {
            let id = section.value("bead")?.to_string();
            Some((section.header().subsection_name()?.to_string(), id))
        });
        about.collect()
    }

    /// Switches to a branch, which is made where it is not there, and notes the issue it is about.
    pub(crate) fn switch_for(self, branch: &str, issue: &str) -> Result<()> {
        let Some(top) = self.store.work_tree() else {
            return Err(StoreError::Refused(
                "a bare repository has no work tree to switch".into(),
            ));
        };
        let full = format!("refs/heads/{branch}");
        if !Self::is_branch_name(branch) {
            return Err(StoreError::Refused(format!(
                "`{branch}` is no name for a branch"
            )));
        }
        if self.current_branch().as_deref() != Some(branch) {
            let exists = self.store.remotes().resolve(&full)?.is_some();
            let mut command = self.store.git().users_git(&top);
            command
                .args(["switch", "--quiet"])
                .args((!exists).then_some("--create"))
                .arg(branch);
            let output = output(&mut command)?;
            // A hook that fails comes after the switch.
            let there = self.current_branch().as_deref() == Some(branch);
            checked("switch", output.status.success() || there, &output.stderr)?;
        }
        let noted = output(self.store.git().command().args([
            "config",
            "--",
            &format!("branch.{branch}.bead"),
            issue,
        ]))?;
        checked("config", noted.status.success(), &noted.stderr)
    }
}

/// Returns the refs of a branch, here and as a remote was last seen.
fn refs_of(branch: &str, remote: Option<&str>) -> impl Iterator<Item = String> {
    let theirs = remote.map(|remote| format!("refs/remotes/{remote}/{branch}"));
    std::iter::once(format!("refs/heads/{branch}")).chain(theirs)
}
