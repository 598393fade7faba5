//! Refs of claims at a remote: one for each issue that is claimed, moved by compare-and-swap alone.
//!
//! A ref leads to a commit without parents whose message is the claim: a commit, since a host that takes branches only
//! wants one. What a push has come to is never read from its words: the answer can be lost on the way. Who pushed looks
//! what the refs are now, and each claim has an object of its own.

use std::collections::BTreeMap;
use std::process::Command;

use gix::refs::FullName;

use super::{Remotes, check_remote_name};
use crate::model::Uid;
use crate::model::command;
use crate::model::lease::FREE;
use crate::store::failure::lasting;
use crate::store::{Cancel, Oid, Result, StoreError};

/// The namespace, unless `beads.claimsRef` names another.
const SPACE: (&str, &str) = ("beads.claimsRef", "refs/beads/claims/");

/// So many refs are fetched by one command.
const MOST_NAMES: usize = 200;
/// A remote where others push at that moment can't make a lock: it is asked so often whether it removes a ref.
const TRIES: usize = 2;

/// A move of the ref of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClaimMove {
    pub(crate) uid: Uid,
    /// What it has to be; none where there is to be no ref.
    pub(crate) from: Option<Oid>,
    /// What it becomes; none removes it.
    pub(crate) to: Option<Oid>,
}

/// The content of a push: the tip, and moves of claims with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MainPush<'a> {
    pub(crate) remote: &'a str,
    pub(crate) tip: Oid,
    /// The tip that the remote must still have, where that is asked for.
    pub(crate) after: Option<Oid>,
    pub(crate) claims: &'a [ClaimMove],
}

/// The refs of a remote, as it lists them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClaimLook {
    /// The tip of its issues.
    pub(crate) main: Option<Oid>,
    pub(crate) claims: BTreeMap<Uid, Oid>,
}

/// The refs of claims at a remote.
#[derive(Clone)]
pub(crate) struct ClaimRefs<'s> {
    remotes: Remotes<'s>,
    remote: String,
    space: String,
}

impl<'s> Remotes<'s> {
    /// Returns the refs of claims at a remote; an error where `beads.claimsRef` is no name of a folder of refs.
    pub(crate) fn claims(self, remote: &str) -> Result<ClaimRefs<'s>> {
        check_remote_name(remote)?;
        let configured = self.store.config(SPACE.0);
        let space = configured.unwrap_or_else(|| SPACE.1.to_owned());
        let space = format!("{}/", space.trim_end_matches('/'));
        if FullName::try_from(format!("{space}x")).is_err() || !space.starts_with("refs/") {
            let set = command::Command::line("git config")
                .word(SPACE.0)
                .word(SPACE.1);
            let message = format!("{} is `{space}`: {set}", SPACE.0);
            return Err(StoreError::Refused(message));
        }
        Ok(ClaimRefs {
            remotes: self,
            remote: remote.to_owned(),
            space,
        })
    }
}

impl ClaimRefs<'_> {
    fn name(&self, uid: Uid) -> String {
        format!("{}{uid}", self.space)
    }

    /// Makes the object of a claim.
    pub(crate) fn make(&self, text: &str) -> Result<Oid> {
        let store = self.remotes.store;
        let mut objects = store.objects();
        let tree = objects.add(&gix::objs::Tree::empty())?;
        // Always the same but for its text: it says nothing of who made it, and when.
        let signature = gix::actor::Signature {
            name: "git-beads".into(),
            email: "git-beads@localhost".into(),
            time: gix::date::Time::default(),
        };
        let commit = objects.add(&gix::objs::Commit {
            tree: tree.0,
            parents: Default::default(),
            author: signature.clone(),
            committer: signature,
            encoding: None,
            message: text.into(),
            extra_headers: Vec::new(),
        })?;
        store.loose().write_all(objects.as_slice())?;
        Ok(commit)
    }

    /// Asks the remote for its tip and its claims; for that of one issue, where that is enough.
    pub(crate) fn look(&self, one: Option<Uid>, cancel: &Cancel) -> Result<ClaimLook> {
        let main = self.remotes.remote_ref(&self.remote);
        let claims = one.map_or_else(|| format!("{}*", self.space), |uid| self.name(uid));
        let mut command = self.remotes.exchanging(&self.remote)?;
        command.args(["ls-remote", "--refs", "--end-of-options", &self.remote]);
        let command = command.args([&main, &claims]);
        let output = self.remotes.exchange(&self.remote, command, cancel)?;
        self.remotes.transport("ls-remote", &self.remote, &output)?;
        let mut look = ClaimLook::default();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Some((hex, name)) = line.split_once('\t') else {
                continue;
            };
            // An id that is none would delete a ref where it is passed on.
            let Some(oid) = Oid::parse(hex) else { continue };
            if name == main {
                look.main = Some(oid);
            } else if let Some(Ok(uid)) = name.strip_prefix(&self.space).map(str::parse) {
                look.claims.insert(uid, oid);
            }
        }
        Ok(look)
    }

    /// Returns the texts of claims, by their issues; those that are not here are fetched, and none that can't be had.
    pub(crate) fn read(
        &self,
        claims: &BTreeMap<Uid, Oid>,
        cancel: &Cancel,
    ) -> Result<BTreeMap<Uid, String>> {
        let missing = |(_, oid): &(&Uid, &Oid)| self.text(**oid).is_none();
        let names: Vec<String> = claims
            .iter()
            .filter(missing)
            .map(|(uid, _)| self.name(*uid))
            .collect();
        // Git compares each name with each ref: all at once would take the square of their number.
        for names in names.chunks(MOST_NAMES) {
            let mut command = self.remotes.exchanging(&self.remote)?;
            command.args(["-c", "gc.auto=0", "-c", "maintenance.auto=false", "fetch"]);
            // Into no ref: what is read once need not stay.
            command.args([
                "--refmap=",
                "--no-prune",
                "--no-tags",
                "--no-write-fetch-head",
            ]);
            command.args(["--no-recurse-submodules", "--end-of-options", &self.remote]);
            let output = self
                .remotes
                .exchange(&self.remote, command.args(names), cancel)?;
            if !output.status.success() {
                // One that went since the look makes git refuse all: then they count as unknown until the next look.
                tracing::debug!("claims could not be fetched");
            }
        }
        let text = |(uid, oid): (&Uid, &Oid)| Some((*uid, self.text(*oid)?));
        Ok(claims.iter().filter_map(text).collect())
    }

    fn text(&self, oid: Oid) -> Option<String> {
        let object = self.remotes.store.repo.find_object(oid.0).ok()?;
        let commit = object.try_into_commit().ok()?;
        let message = commit.message_raw().ok()?.to_owned();
        String::from_utf8(message.into()).ok()
    }

    /// Moves refs of claims, all or none where `atomic` asks for that. False where the remote did not take it: a look
    /// says why.
    /// Errors: a remote that can't be asked.
    pub(crate) fn push(&self, moves: &[ClaimMove], atomic: bool, cancel: &Cancel) -> Result<bool> {
        let mut command = self.remotes.pushing(&self.remote)?;
        if atomic {
            command.arg("--atomic");
        }
        self.lease(&mut command, moves);
        command.args(["--end-of-options", &self.remote]);
        command.args(moves.iter().map(|change| self.spec(change)));
        let output = self.remotes.exchange(&self.remote, &mut command, cancel)?;
        if !output.status.success() {
            let said = lasting(&output.stderr);
            tracing::debug!(bytes = said.len(), "the remote did not move its claims");
        }
        Ok(output.status.success())
    }

    /// Gives claims back: their refs are removed, or lead to an object that says that they are free where the remote lets
    /// nothing be removed. False where neither was done.
    /// Errors: a remote that can't be asked.
    pub(crate) fn give_back(&self, moves: &[ClaimMove], cancel: &Cancel) -> Result<bool> {
        for _ in 0..TRIES {
            if self.push(moves, false, cancel)? {
                return Ok(true);
            }
        }
        self.push(&self.freed(moves)?, false, cancel)
    }

    /// Returns the moves with the object of a free claim in the place of none.
    pub(super) fn freed(&self, moves: &[ClaimMove]) -> Result<Vec<ClaimMove>> {
        let to = Some(self.make(FREE)?);
        let freed = |change: &ClaimMove| ClaimMove { to, ..*change };
        Ok(moves.iter().map(freed).collect())
    }

    /// Adds to a command what the refs have to be.
    pub(super) fn lease(&self, command: &mut Command, moves: &[ClaimMove]) {
        for change in moves {
            let from = change.from.map_or_else(String::new, |oid| oid.to_string());
            command.arg(format!(
                "--force-with-lease={}:{from}",
                self.name(change.uid)
            ));
        }
    }

    /// Returns the refspec of a move.
    pub(super) fn spec(&self, change: &ClaimMove) -> String {
        let to = change.to.map_or_else(String::new, |oid| oid.to_string());
        format!("{to}:{}", self.name(change.uid))
    }
}
