//! Fetch: what a remote has is validated before any ref of ours leads to it.

use std::process::Command;

use super::super::door::Lack;
use super::super::failure::{Failure, has_answered, is_cut_there, lacks, lasting, met_another};
use super::super::incoming_ref::{IncomingRef, SPACE};
use super::super::refs::{BRANCHES, Expected, RefUpdate};
use super::super::{Cancel, Oid, Result, StoreError};
use super::mailbox::Mailbox;
use super::{HistoryPart, Remotes, check_remote_name};

/// The request of a fetch.
#[derive(Clone, Copy, Debug, Default)]
struct FetchRequest<'a> {
    /// Patterns of the mailboxes that come along.
    mailboxes: &'a [String],
    /// All of it again: a clone with a filter may lack what it believes to have.
    refetch: bool,
}

/// The state of a remote.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fetched {
    /// The tip of its issues; none where it has nothing, or nothing any more.
    pub(crate) tip: Option<Oid>,
    /// Its mailboxes that passed, by name; none where they were not asked for.
    pub(crate) mailboxes: Vec<Mailbox>,
    /// Those that did not pass, and why.
    pub(crate) left: Vec<(String, String)>,
    /// The branches among those that were asked for that hold anything else.
    pub(crate) others: Vec<String>,
    /// True if parts of a mailbox are missing here.
    lacks_parts: bool,
    /// The reason why its mailboxes could not be had, though all else could.
    pub(crate) missed: Option<String>,
}

impl Remotes<'_> {
    /// Asks a remote what it has; none where it has nothing, or nothing any more.
    ///
    /// `refetch` asks for all of it again: a clone with a filter may lack what it believes to have.
    ///
    /// # Errors
    /// [`StoreError::Remote`] with what git said.
    pub(crate) fn fetch(self, remote: &str, refetch: bool, cancel: &Cancel) -> Result<Option<Oid>> {
        let asked = FetchRequest {
            mailboxes: &[],
            refetch,
        };
        Ok(self.fetch_asked(remote, asked, cancel)?.tip)
    }

    /// Asks a remote what it has, and for its mailboxes, of the branches that these patterns name.
    /// Errors: as [`Remotes::fetch`].
    pub(crate) fn fetch_with(
        self,
        remote: &str,
        mailboxes: &[String],
        cancel: &Cancel,
    ) -> Result<Fetched> {
        let asked = |refetch| FetchRequest { mailboxes, refetch };
        let fetched = self.fetch_asked(remote, asked(false), cancel)?;
        match fetched.lacks_parts && self.is_partial() {
            true => self.fetch_asked(remote, asked(true), cancel),
            false => Ok(fetched),
        }
    }

    /// Fetches what a filter has left out of the issues; returns the remote that has sent it, none where no remote filters.
    /// Errors: as [`Remotes::fetch`].
    pub(crate) fn complete(self, cancel: &Cancel) -> Result<Option<String>> {
        let filtering = self.filtering();
        for remote in &filtering {
            self.fetch(remote, true, cancel)?;
        }
        Ok(filtering.into_iter().next())
    }

    /// Fetches objects that a filter has left out, by their ids.
    /// Errors: as [`Remotes::fetch`].
    pub(crate) fn fetch_objects(self, remote: &str, oids: &[Oid], cancel: &Cancel) -> Result<()> {
        check_remote_name(remote)?;
        let mut command = self.fetching(remote, false, None)?;
        // Else the remote leaves out what the commits lead to that are here.
        self.store.git().configure(
            &mut command,
            &[("fetch.negotiationAlgorithm".to_owned(), "noop")],
        );
        command.args(["--end-of-options", remote]);
        command.args(oids.iter().map(ToString::to_string));
        let output = self.exchange(remote, &mut command, cancel)?;
        self.transport("fetch", remote, &output)
    }

    /// Fetches a folder of a commit, without files, where a filter has left it out: git does so as it lists it.
    /// Errors: as [`Remotes::fetch`].
    pub(crate) fn fetch_folder(
        self,
        remote: &str,
        commit: Oid,
        folder: &str,
        cancel: &Cancel,
    ) -> Result<()> {
        let mut command = self.exchanging(remote)?;
        command.args([
            "ls-tree",
            "-r",
            "--full-tree",
            &commit.to_string(),
            "--",
            folder,
        ]);
        let output = self.exchange(remote, &mut command, cancel)?;
        self.transport("ls-tree", remote, &output)
    }

    fn fetch_asked(
        self,
        remote: &str,
        asked: FetchRequest<'_>,
        cancel: &Cancel,
    ) -> Result<Fetched> {
        check_remote_name(remote)?;
        let incoming = IncomingRef::new(self.store);
        // Read before the exchange: the compare-and-swap afterwards shows whether another fetch was faster.
        let known = self.tracked(remote).unwrap_or_default();
        let brought = self.bring_whole(remote, &incoming, asked, cancel);
        let missed = brought.inspect_err(|_| {
            // What said why it failed is the answer; a ref that stays is removed by a later fetch.
            let _ = incoming.remove(self.store);
        })?;
        let has_mailboxes = !asked.mailboxes.is_empty() && missed.is_none();
        let fetched = self.accept(remote, &incoming, known, has_mailboxes)?;
        Ok(Fetched { missed, ..fetched })
    }

    /// Runs a fetch into incoming refs, and once more for what lies behind a cut. Returns why the mailboxes could not be
    /// had, where all else could.
    fn bring_whole(
        self,
        remote: &str,
        incoming: &IncomingRef,
        asked: FetchRequest<'_>,
        cancel: &Cancel,
    ) -> Result<Option<String>> {
        let depth = self.depth().option(remote)?;
        let missed = self.bring(remote, incoming, (asked, depth.as_deref()), cancel)?;
        // Git asks for nothing behind a tip that it has: a `git fetch --depth` by hand may have brought that alone.
        match self.depth().rest_of(incoming)?.filter(|_| depth.is_none()) {
            Some(rest) => self.bring(remote, incoming, (asked, Some(rest)), cancel),
            None => Ok(missed),
        }
    }

    /// Runs a fetch into incoming refs, with an option that says how deep it is.
    fn bring(
        self,
        remote: &str,
        incoming: &IncomingRef,
        (asked, depth): (FetchRequest<'_>, Option<&str>),
        cancel: &Cancel,
    ) -> Result<Option<String>> {
        let main = self.remote_ref(remote);
        // In our namespace a wildcard, where more is asked for: a remote that lacks an exact name gives nothing at all.
        let star = match asked.mailboxes.is_empty() || main.starts_with(BRANCHES) {
            true => "",
            false => "*",
        };
        let mut refspecs = vec![format!("+{main}{star}:{}{star}", incoming.reference())];
        let others = asked.mailboxes.iter();
        refspecs
            .extend(others.map(|pattern| format!("+{pattern}:{}", incoming.for_branches(pattern))));
        let fetch = |refspecs: &[String]| {
            let mut command = self.fetching(remote, asked.refetch, depth)?;
            command.args(["--end-of-options", remote]).args(refspecs);
            let output = self.exchange(remote, &mut command, cancel)?;
            match met_another(&output, SPACE) {
                true => self.exchange(remote, &mut command, cancel),
                false => Ok(output),
            }
        };
        let mut output = fetch(&refspecs)?;
        let may_do_without = !output.status.success() && has_answered(&output);
        let mut missed = None;
        if !asked.mailboxes.is_empty() && may_do_without && !met_another(&output, SPACE) {
            if lacks(&output, &main) {
                let mailboxes = fetch(&refspecs[1..])?;
                self.transport("fetch", remote, &mailboxes)?;
                return Ok(None);
            }
            missed = Some(lasting(&output.stderr));
            output = fetch(&refspecs[..1])?;
        }
        if lacks(&output, &main) {
            return Ok(missed);
        }
        self.transport("fetch", remote, &output)?;
        // Git refuses a history that is cut at the remote, and calls that a success. It is none without a ref.
        let is_cut = || star.is_empty() || is_cut_there(&output, &incoming.reference());
        if self.store.refs().id(&incoming.reference())?.is_none() && is_cut() {
            let said = format!("its history of {main} is cut, as by `git fetch --depth`");
            return Err(self.failed(remote, said, Failure::CutThere));
        }
        Ok(missed)
    }

    /// Returns the command of a fetch, to be completed with what it asks for.
    fn fetching(self, remote: &str, refetch: bool, depth: Option<&str>) -> Result<Command> {
        let mut command = self.exchanging(remote)?;
        command.args(["-c", "fetch.unpackLimit=1", "-c", "core.fsync=committed"]);
        command.args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"]);
        // An empty map: else git also does what the configuration says, which in a mirror writes our ref.
        command.args([
            "fetch",
            "--refmap=",
            "--no-prune",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-write-commit-graph",
            "--no-recurse-submodules",
            "--progress",
        ]);
        if self.is_partial() {
            command.arg("--no-filter");
        }
        if refetch {
            command.arg("--refetch");
        }
        command.args(depth);
        Ok(command)
    }

    /// Fetches what is missing of a candidate: what a filter has left out, or what two histories have in common behind a cut.
    /// Returns false where nothing can be brought.
    /// Errors: as [`Remotes::fetch`] and [`Remotes::bring_rest`].
    pub(crate) fn bring_missing(
        self,
        remote: &str,
        tip: Oid,
        lack: Lack,
        cancel: &Cancel,
    ) -> Result<bool> {
        let ancestry = self.store.ancestry();
        match lack {
            Lack::Parts if !self.is_partial() => Ok(false),
            Lack::Parts => self.fetch(remote, true, cancel).map(|_| true),
            Lack::History { ours } => {
                let is_enough = || {
                    let is_related = ancestry.distance(ours, tip)?.related;
                    Ok(is_related || !(ancestry.is_cut(ours)? || ancestry.is_cut(tip)?))
                };
                self.bring_rest(remote, &is_enough, cancel)
            }
        }
    }

    /// Fetches the rest of a history that is cut, from one remote after the other: what is missing here need not be at the one
    /// that is asked first. Returns whether enough of it is here.
    /// Errors: as [`Remotes::fetch`], of the first one; another one may be away.
    pub(crate) fn bring_rest(
        self,
        first: &str,
        is_enough: &dyn Fn() -> Result<bool>,
        cancel: &Cancel,
    ) -> Result<bool> {
        let others = self.store.remotes().names().into_iter();
        let others = others.filter(|name| name != first);
        for remote in std::iter::once(first.to_owned()).chain(others) {
            if is_enough()? {
                return Ok(true);
            }
            let is_first = remote == first;
            let remotes = match is_first {
                true => self,
                false => self.store.remotes(),
            };
            let whole = remotes.part(HistoryPart::Whole);
            let brought = whole.fetch(&remote, false, cancel);
            if is_first {
                brought?;
            }
        }
        is_enough()
    }

    /// Validates what a fetch has brought, and publishes it as what the remote has.
    ///
    /// # Errors
    /// [`StoreError::Rejected`] for its issues; then what was known of the remote stays known. A mailbox that does not
    /// pass is left alone.
    fn accept(
        self,
        remote: &str,
        incoming: &IncomingRef,
        known: Option<Oid>,
        has_mailboxes: bool,
    ) -> Result<Fetched> {
        // The incoming refs go in either case: nothing looks at a tip that was rejected.
        let accepted = self.validated(remote, incoming);
        let published = match &accepted {
            Ok(fetched) => {
                let main = self.publish_tracking(remote, known, fetched.tip);
                main.and_then(|()| match has_mailboxes {
                    true => self.mailboxes(remote).publish(&fetched.mailboxes),
                    false => Ok(()),
                })
            }
            Err(_) => Ok(()),
        };
        incoming.remove(self.store)?;
        published.and(accepted)
    }

    /// Returns what a fetch has brought, once all of it is checked. A clone with a filter may lack parts, which
    /// are fetched when they are needed: there the commits alone can be.
    fn validated(self, remote: &str, incoming: &IncomingRef) -> Result<Fetched> {
        let (tip, ours) = (
            self.store.refs().id(&incoming.reference())?,
            self.store.tip()?,
        );
        if let Some(tip) = tip {
            if !self.store.is_commit(tip)? {
                let name = self.remote_ref(remote);
                return Err(StoreError::Rejected(format!("{name} there is no commit")));
            }
            // Commits first: what follows reads the whole history that they make.
            self.store.incoming().check_commits(tip, ours)?;
        }
        let checked = self.mailboxes(remote).checked(incoming, ours)?;
        let others = checked.passed.iter().map(|mailbox| mailbox.tip);
        let tips: Vec<Oid> = tip.into_iter().chain(others).collect();
        self.store
            .maintenance()
            .adopt_pack(incoming.packs_before(), &tips)?;
        if let Some(tip) = tip.filter(|_| !self.is_partial()) {
            self.store.incoming().validate(tip, ours)?;
        }
        Ok(Fetched {
            tip,
            mailboxes: checked.passed,
            left: checked.left,
            others: checked.others,
            lacks_parts: checked.is_partial,
            missed: None,
        })
    }

    /// Makes the tracking ref say what the remote has. Another fetch that was faster knows as much: its value
    /// stays.
    pub(in crate::store) fn publish_tracking(
        self,
        remote: &str,
        known: Option<Oid>,
        tip: Option<Oid>,
    ) -> Result<()> {
        if tip == known {
            return Ok(());
        }
        if let Some(known) = known {
            self.keep_unmerged(remote, known, tip)?;
        }
        let (lock, name) = (self.store.lock()?, Self::tracking(remote));
        match tip {
            Some(tip) => {
                let update = RefUpdate::new(&name, Expected::Value(known), tip);
                self.store.refs().update(&lock, &update).map(|_| ())
            }
            None => {
                // Git deletes packed refs, under a lock that may be someone's: then a later fetch forgets it.
                let _ = self.store.refs().delete(&lock, &name);
                Ok(())
            }
        }
    }

    /// Remembers a tip that was fetched, and that no one has merged, where the remote has it no more: the next exchange merges
    /// it. What can't be read can't be merged, and what shares no history with the issues here is of another store.
    fn keep_unmerged(self, remote: &str, known: Oid, now: Option<Oid>) -> Result<()> {
        let Some(ours) = self.store.tip()? else {
            return Ok(());
        };
        let ancestry = self.store.ancestry();
        let Ok(distance) = ancestry.distance(ours, known) else {
            return Ok(());
        };
        let merging = self.store.merging();
        let is_there = |tip| merging.contains(tip, known).unwrap_or(true);
        if !distance.related || distance.theirs_is_ancestor || now.is_some_and(is_there) {
            return Ok(());
        }
        let kept = self.unmerged_tip(remote)?;
        let is_newer = kept.is_none_or(|kept| merging.contains(known, kept).unwrap_or(false));
        match is_newer {
            true => self.point(&Self::unmerged_ref(remote), known),
            false => Ok(()),
        }
    }
}
