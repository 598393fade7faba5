//! Mailboxes: branches that hold the issues of a clone which may push nothing else.
//!
//! Some hosts let a session push only branches that begin like its own, so its issues go to
//! `<folder>/git-beads-<rest>`, beside its branch `<folder>/<rest>`. Every exchange brings the mailboxes of known folders
//! along, one with the right to do so merges them into the store, and removes what it has merged. A branch is a mailbox by
//! its name and by what it holds; any other is left alone.

use gix::refs::FullName;

use super::super::failure::{Failure, Reason, lasting, of_push, reason};
use super::super::incoming_ref::IncomingRef;
use super::super::refs::{BRANCHES, Expected, RefUpdate, short};
use super::address::BRANCH;
use super::{Remotes, check_remote_name};
use crate::store::{Cancel, Oid, Result, Store, StoreError};

/// The folders in which agents of known services push.
const FOLDERS: [&str; 6] = ["claude", "codex", "copilot", "cursor", "devin", "jules"];
/// The beginning of the last part of the name of a mailbox.
const MARK: &str = "git-beads-";
/// The patterns of the user, and what stands for no mailboxes at all.
const KEY: &str = "beads.mailbox";
const NONE: &str = "none";
/// So many mailboxes are removed by one push.
const MOST: usize = 64;

/// A mailbox of a remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mailbox {
    /// The branch, as people name it.
    pub(crate) branch: String,
    pub(crate) tip: Oid,
}

/// The result of removing a mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removal {
    Removed,
    /// Its owner has sent more.
    Changed,
    /// The remote keeps it.
    Refused,
    /// It did not answer, or could not.
    Unknown,
}

/// Returns the mailbox of a session by its branch, in the same folder and never that branch itself; none for a branch that is
/// in no folder, or for what is no branch.
pub(crate) fn of_session(branch: &str) -> Option<String> {
    let (folder, rest) = branch.rsplit_once('/')?;
    let mailbox = format!("{folder}/{MARK}{rest}");
    let is_branch = FullName::try_from(format!("{BRANCHES}{mailbox}")).is_ok();
    (is_branch && !rest.is_empty()).then_some(mailbox)
}

/// Returns true for a branch that can be a mailbox by its name.
pub(crate) fn is_named_so(branch: &str) -> bool {
    branch
        .rsplit_once('/')
        .is_some_and(|(_, last)| last.starts_with(MARK))
}

/// Returns the branch of a ref that can be a mailbox; none of any other ref.
pub(crate) fn name_of(reference: &str) -> Option<&str> {
    let branch = reference.strip_prefix(BRANCHES)?;
    is_named_so(branch).then_some(branch)
}

impl Mailbox {
    /// Returns its ref at the remote.
    pub(crate) fn reference(&self) -> String {
        format!("{BRANCHES}{}", self.branch)
    }
}

/// The mailboxes that a fetch has brought.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) passed: Vec<Mailbox>,
    /// The names of those that do not pass, each with the reason.
    pub(super) left: Vec<(String, String)>,
    /// The names of branches that hold anything else.
    pub(super) others: Vec<String>,
    /// True if parts of one are missing here, as in a clone with a filter.
    pub(super) is_partial: bool,
}

/// Checks what the tip of a branch brings; false where it holds no issues.
fn check_mailbox(store: &Store, tip: Oid, ours: Option<Oid>) -> Result<bool> {
    if !store.is_commit(tip)? || !store.snapshot_at(tip)?.is_of_a_store()? {
        return Ok(false);
    }
    store.incoming().check_commits(tip, ours)?;
    store.incoming().validate(tip, ours)?;
    Ok(true)
}

/// Refuses what names no branches.
fn check(pattern: &str) -> Result<()> {
    let name = pattern.replacen('*', "x", 1);
    let is_sound = name.starts_with(BRANCHES) && FullName::try_from(name).is_ok();
    match is_sound {
        true => Ok(()),
        false => Err(StoreError::Setting {
            key: KEY.to_owned(),
            value: pattern.to_owned(),
            example: "refs/heads/dev/ann/git-beads-*",
        }),
    }
}

/// The mailboxes of a remote.
#[derive(Clone, Copy)]
pub(crate) struct Mailboxes<'s> {
    remotes: Remotes<'s>,
    remote: &'s str,
}

impl<'s> Remotes<'s> {
    /// Returns the mailboxes of a remote.
    pub(crate) fn mailboxes(self, remote: &'s str) -> Mailboxes<'s> {
        Mailboxes {
            remotes: self,
            remote,
        }
    }
}

impl Mailboxes<'_> {
    /// Returns the folder of the refs that say what the remote had when it was last asked.
    fn space(self) -> String {
        format!("refs/beads-remotes/{}/mailbox/", self.remote)
    }

    /// Returns the ref that says what the remote had of a branch when it was last asked.
    fn tracking(self, branch: &str) -> String {
        format!("{}{branch}", self.space())
    }

    /// Notes what a mailbox has now, by its ref at the remote.
    pub(super) fn note_sent(self, reference: &str, tip: Oid) -> Result<()> {
        let name = self.tracking(short(reference));
        self.remotes.point(&name, tip)
    }

    /// Returns the patterns of refs among which mailboxes are: those of known services, and those of the user.
    /// Errors: one that is no pattern of branches.
    pub(crate) fn patterns(self) -> Result<Vec<String>> {
        let own = self.remotes.store.config_all(KEY);
        if own.iter().any(|pattern| pattern == NONE) {
            return Ok(Vec::new());
        }
        let known = FOLDERS.map(|folder| format!("{BRANCHES}{folder}/{MARK}*"));
        let mut patterns: Vec<String> = known.into();
        for pattern in own {
            check(&pattern)?;
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        Ok(patterns)
    }

    /// Returns those that the remote had when it was last asked.
    pub(crate) fn known(self) -> Result<Vec<Mailbox>> {
        let (space, remotes) = (self.space(), self.remotes.names());
        // What another remote has, whose name begins like this folder, is none.
        let is_tracked = |name: &String| remotes.iter().any(|it| Remotes::tracking(it) == *name);
        let found = self.remotes.store.refs().below(&space)?.into_iter();
        let found = found.filter(|(name, _)| !is_tracked(name));
        let named =
            found.filter_map(|(name, tip)| Some((name.strip_prefix(&space)?.to_owned(), tip?)));
        Ok(named.map(|(branch, tip)| Mailbox { branch, tip }).collect())
    }

    /// Asks the remote for the refs of all branches that can hold issues: mailboxes in any folder, and the one that clones use
    /// which can't send to the ref of the store.
    pub(crate) fn list(self, cancel: &Cancel) -> Result<Vec<String>> {
        check_remote_name(self.remote)?;
        let mut command = self.remotes.exchanging(self.remote)?;
        command.args(["ls-remote", "--heads", "--refs", "--end-of-options"]);
        command.args([self.remote, &format!("{MARK}*"), BRANCH]);
        let output = self.remotes.exchange(self.remote, &mut command, cancel)?;
        self.remotes.transport("ls-remote", self.remote, &output)?;
        let listed = String::from_utf8_lossy(&output.stdout);
        let names = listed.lines().filter_map(|line| line.split('\t').nth(1));
        let holds = |name: &&str| is_ref_of_one(name) || *name == BRANCH;
        Ok(names.filter(holds).map(str::to_owned).collect())
    }

    /// Makes the refs say what the remote has; those that it lists no more go.
    pub(super) fn publish(self, found: &[Mailbox]) -> Result<()> {
        let known = self.known()?;
        if known == found {
            return Ok(());
        }
        let is_listed = |known: &&Mailbox| found.iter().any(|it| it.branch == known.branch);
        // Those that go come first: a name can be a folder of another one.
        self.forget(known.iter().filter(|known| !is_listed(known)))?;
        let lock = self.remotes.store.lock()?;
        for mailbox in found.iter().filter(|it| !known.contains(it)) {
            let name = self.tracking(&mailbox.branch);
            let update = RefUpdate::new(&name, Expected::Any, mailbox.tip);
            self.remotes.store.refs().update(&lock, &update)?;
        }
        Ok(())
    }

    /// Returns the mailboxes that a fetch has brought, each checked by itself, and the names of those that do not pass, with
    /// the reason. A branch that holds anything else is none.
    pub(super) fn checked(self, incoming: &IncomingRef, ours: Option<Oid>) -> Result<Checked> {
        let (known, mut checked) = (self.known()?, Checked::default());
        for (branch, tip) in incoming.mailboxes(self.remotes.store)? {
            let mailbox = Mailbox { branch, tip };
            // It has passed before.
            if known.contains(&mailbox) {
                checked.passed.push(mailbox);
                continue;
            }
            match check_mailbox(self.remotes.store, tip, ours) {
                Ok(true) => checked.passed.push(mailbox),
                Ok(false) => checked.others.push(mailbox.branch),
                Err(StoreError::Rejected(why)) => checked.left.push((mailbox.branch, why)),
                Err(error) => {
                    checked.is_partial |= error.is_unreadable();
                    checked.left.push((mailbox.branch, error.to_string()));
                }
            }
        }
        Ok(checked)
    }

    /// Removes mailboxes at the remote, each only if it still has the tip that was merged, by a push of its own. One that is
    /// no mailbox by its name is never removed. Errors: the remote does not answer.
    pub(crate) fn remove(
        self,
        merged: &[Mailbox],
        cancel: &Cancel,
    ) -> Result<Vec<(Mailbox, Removal)>> {
        let named = merged.iter().filter(|it| is_named_so(&it.branch));
        let named: Vec<&Mailbox> = named.take(MOST).collect();
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let mut command = self.remotes.pushing(self.remote)?;
        let lease = |it: &&Mailbox| format!("--force-with-lease={}:{}", it.reference(), it.tip);
        command.args(named.iter().map(lease));
        command.args(["--end-of-options", self.remote]);
        command.args(named.iter().map(|it| format!(":{}", it.reference())));
        let output = self.remotes.exchange(self.remote, &mut command, cancel)?;
        let (lines, rest) = (
            String::from_utf8_lossy(&output.stdout),
            lasting(&output.stderr),
        );
        let removals = named
            .into_iter()
            .map(|it| (it.clone(), removal(&lines, &rest, it)));
        let removals: Vec<(Mailbox, Removal)> = removals.collect();
        let removed = removals.iter().filter(|(_, it)| *it == Removal::Removed);
        self.forget(removed.map(|(mailbox, _)| mailbox))?;
        Ok(removals)
    }

    fn forget<'m>(self, gone: impl Iterator<Item = &'m Mailbox>) -> Result<()> {
        let (lock, refs) = (self.remotes.store.lock()?, self.remotes.store.refs());
        for mailbox in gone {
            let name = self.tracking(&mailbox.branch);
            // Git deletes packed refs, under a lock that may be someone's: then a later fetch forgets it.
            let _ = refs.delete(&lock, &name);
            refs.remove_folders_of(&name);
        }
        Ok(())
    }
}

/// Returns true for the ref of a branch that can be a mailbox.
fn is_ref_of_one(name: &&str) -> bool {
    name_of(name).is_some() && FullName::try_from(*name).is_ok()
}

/// Reads what became of a mailbox from what a push has said: the lines of the refs, and the rest.
fn removal(lines: &str, rest: &str, mailbox: &Mailbox) -> Removal {
    let spec = format!(":{}", mailbox.reference());
    let line = lines
        .lines()
        .find(|line| line.split('\t').nth(1) == Some(&*spec));
    let refusal = match line {
        Some(line) if line.starts_with("-\t") => return Removal::Removed,
        Some(line) if line.starts_with("!\t") => match reason(line, "") {
            Reason::Race => return Removal::Changed,
            reason => reason == Reason::Refused,
        },
        // A host that looks into what is pushed may answer with a status alone.
        _ => matches!(of_push(rest), Failure::Refused | Failure::ReadOnly),
    };
    match refusal {
        true => Removal::Refused,
        false => Removal::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mailbox_is_in_the_folder_of_the_branch_of_its_session() {
        for (branch, expected) in [
            (
                "claude/fix-login-97yoyb",
                Some("claude/git-beads-fix-login-97yoyb"),
            ),
            ("dev/alice/x", Some("dev/alice/git-beads-x")),
            ("main", None),
            // A branch of the user's, whose task is git-beads.
            ("claude/git-beads-x", Some("claude/git-beads-git-beads-x")),
            ("copilot/", None),
            ("copilot/x*", None),
            ("copilot/x:refs/heads/main", None),
            ("a b/c", None),
        ] {
            assert_eq!(of_session(branch).as_deref(), expected, "{branch}");
        }
        assert!(is_named_so("dev/alice/git-beads-x"));
        for branch in ["git-beads-x", "claude/x", "claude/git-beads-x/y"] {
            assert!(!is_named_so(branch), "{branch}");
        }
    }

    #[test]
    fn a_pattern_names_branches_and_has_one_star() {
        for pattern in ["refs/heads/dev/*/git-beads-x", "refs/heads/dev/git-beads-*"] {
            assert!(check(pattern).is_ok(), "{pattern}");
        }
        for pattern in [
            "dev/git-beads-*",
            "refs/tags/x*",
            "refs/heads/*/git-beads-*",
            "refs/heads/a b*",
            "refs/heads/..*",
            "+refs/heads/x",
            "refs/heads/x:refs/heads/y",
            "",
        ] {
            assert!(check(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn the_line_of_a_mailbox_says_what_became_of_it() {
        let mailbox = Mailbox {
            branch: "claude/git-beads-x".to_owned(),
            tip: Oid::parse(&"a1".repeat(20)).unwrap(),
        };
        for (line, expected) in [
            (
                "-\t:refs/heads/claude/git-beads-x\t[deleted]",
                Removal::Removed,
            ),
            (
                "!\t:refs/heads/claude/git-beads-x\t[rejected] (stale info)",
                Removal::Changed,
            ),
            (
                "!\t:refs/heads/claude/git-beads-x\t[remote rejected] (deletion prohibited)",
                Removal::Refused,
            ),
            (
                "-\t:refs/heads/claude/git-beads-xy\t[deleted]",
                Removal::Refused,
            ),
            ("Done", Removal::Refused),
        ] {
            assert_eq!(
                removal(
                    &format!("To hub\n{line}\nDone\n"),
                    "error: RPC failed; HTTP 403 curl 22",
                    &mailbox
                ),
                expected,
                "{line}"
            );
        }
    }
}
