//! Fetch: what a remote has is validated before any ref of ours leads to it.

use super::super::failure::{Failure, lacks, met_another};
use super::super::incoming_ref::{IncomingRef, SPACE};
use super::super::refs::{Expected, RefUpdate};
use super::super::{Cancel, Oid, Result, Snapshot, StoreError};
use super::{Remotes, check_remote_name};

/// The option that brings a history that was cut. The largest depth but one: the largest would deepen the user's own
/// branches too.
const DEEPEST: &str = "--depth=2147483646";

impl Remotes<'_> {
    /// Asks a remote what it has; none where it has nothing, or nothing any more.
    ///
    /// `refetch` asks for all of it again: a clone with a filter may lack what it believes to have.
    ///
    /// # Errors
    /// [`StoreError::Remote`] with what git said.
    pub(crate) fn fetch(self, remote: &str, refetch: bool, cancel: &Cancel) -> Result<Option<Oid>> {
        check_remote_name(remote)?;
        let incoming = IncomingRef::new(self.store);
        // Read before the exchange: the compare-and-swap afterwards shows whether another fetch was faster.
        let known = self.tracked(remote).unwrap_or_default();
        if let Err(error) = self.bring_whole(remote, &incoming, refetch, cancel) {
            // What said why it failed is the answer; a ref that stays is removed by a later fetch.
            let _ = incoming.remove(self.store);
            return Err(error);
        }
        self.accept(remote, &incoming, known)
    }

    /// Runs a fetch into an incoming ref, and once more for what lies behind a cut.
    fn bring_whole(
        self,
        remote: &str,
        incoming: &IncomingRef,
        refetch: bool,
        cancel: &Cancel,
    ) -> Result<()> {
        let deepen = self.is_history_cut(remote)?;
        self.bring(remote, incoming, refetch, deepen, cancel)?;
        // Git asks for nothing behind a tip that it has: a `git fetch --depth` by hand may have brought that alone.
        if !deepen && self.brings_cut(incoming)? {
            self.bring(remote, incoming, refetch, true, cancel)?;
        }
        Ok(())
    }

    /// Runs a fetch into an incoming ref. `deepen` asks for the history that a `git fetch --depth` has cut off.
    fn bring(
        self,
        remote: &str,
        incoming: &IncomingRef,
        refetch: bool,
        deepen: bool,
        cancel: &Cancel,
    ) -> Result<()> {
        let (mut command, asked) = (self.exchanging(remote)?, self.remote_ref(remote));
        command.args([
            "-c",
            "fetch.unpackLimit=1",
            "-c",
            "core.fsync=committed,reference",
        ]);
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
        if deepen {
            command.arg(DEEPEST);
        }
        let refspec = format!("+{asked}:{}", incoming.reference());
        command.args(["--end-of-options", remote, &refspec]);
        let mut output = self.exchange(remote, &mut command, cancel)?;
        if met_another(&output, SPACE) {
            output = self.exchange(remote, &mut command, cancel)?;
        }
        if lacks(&output, &asked) {
            return Ok(());
        }
        self.transport("fetch", remote, &output)?;
        // Git refuses a history that is cut at the remote, and calls that a success. It is none without a ref.
        if self.store.refs().id(&incoming.reference())?.is_none() {
            let said = format!("its history of {asked} is cut, as by `git fetch --depth`");
            return Err(self.failed(remote, said, Failure::CutThere));
        }
        Ok(())
    }

    /// Returns true if a `git fetch --depth` of the user has cut what we know of our history, or of the remote's.
    fn is_history_cut(self, remote: &str) -> Result<bool> {
        let cut = self.store.ancestry().cuts()?;
        if cut.is_empty() {
            return Ok(false);
        }
        for tip in [self.store.tip()?, self.remote_tip(remote)?]
            .into_iter()
            .flatten()
        {
            let history = Snapshot::at(self.store, tip)?.history(None)?;
            if history.iter().any(|commit| cut.contains(&commit.oid)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if a `git fetch --depth` of the user has cut the history that a fetch has brought.
    fn brings_cut(self, incoming: &IncomingRef) -> Result<bool> {
        let cut = self.store.ancestry().cuts()?;
        match self.store.refs().id(&incoming.reference())? {
            Some(tip) if !cut.is_empty() => {
                let ours = self.store.tip()?;
                Ok(self.store.incoming().meets(tip, ours, &cut))
            }
            _ => Ok(false),
        }
    }

    /// Checks what a tip brings; a clone with a filter first gets what an earlier fetch left out.
    pub(crate) fn inspect_from(
        self,
        remote: &str,
        tip: Oid,
        known: Option<Oid>,
        cancel: &Cancel,
    ) -> Result<()> {
        match self.store.incoming().validate(tip, known) {
            Err(error) if error.is_unreadable() && self.is_partial() => {
                self.fetch(remote, true, cancel)?;
                self.store.incoming().validate(tip, known)
            }
            checked => checked,
        }
    }

    /// Validates what a fetch has brought, and publishes it as what the remote has; none where it brought nothing.
    ///
    /// # Errors
    /// [`StoreError::Rejected`]; then what was known of the remote stays known.
    pub(super) fn accept(
        self,
        remote: &str,
        incoming: &IncomingRef,
        known: Option<Oid>,
    ) -> Result<Option<Oid>> {
        // The incoming ref goes in either case: nothing looks at a tip that was rejected.
        let accepted = self.validated(remote, incoming);
        let published = match &accepted {
            Ok(tip) => self.publish_tracking(remote, known, *tip),
            Err(_) => Ok(()),
        };
        incoming.remove(self.store)?;
        published.and(accepted)
    }

    /// Returns the tip that a fetch has brought, once all of it is checked. A clone with a filter may lack parts, which
    /// are fetched when they are needed: there the commits alone can be.
    fn validated(self, remote: &str, incoming: &IncomingRef) -> Result<Option<Oid>> {
        let Some(tip) = self.store.refs().id(&incoming.reference())? else {
            return Ok(None);
        };
        if !self.store.is_commit(tip)? {
            return Err(StoreError::Rejected(format!(
                "{} there is no commit",
                self.remote_ref(remote)
            )));
        }
        let ours = self.store.tip()?;
        // Commits first: what follows reads the whole history that they make.
        self.store.incoming().check_commits(tip, ours)?;
        self.store
            .maintenance()
            .adopt_pack(incoming.packs_before(), tip)?;
        if !self.is_partial() {
            self.store.incoming().validate(tip, ours)?;
        }
        Ok(Some(tip))
    }

    /// Checks what a tip brings that a fetch has just brought: there is something to do in a clone with a filter alone.
    pub(crate) fn inspect_fetched(
        self,
        remote: &str,
        tip: Oid,
        known: Option<Oid>,
        cancel: &Cancel,
    ) -> Result<()> {
        match self.is_partial() {
            true => self.inspect_from(remote, tip, known, cancel),
            false => Ok(()),
        }
    }

    /// Makes the tracking ref say what the remote has. Another fetch that was faster knows as much: its value
    /// stays.
    fn publish_tracking(self, remote: &str, known: Option<Oid>, tip: Option<Oid>) -> Result<()> {
        if tip == known {
            return Ok(());
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
}
