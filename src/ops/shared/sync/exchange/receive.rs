//! The part of an exchange that receives: what the remote has and once had, what others have left for it, and the files that
//! carry changes come in together.

use std::collections::BTreeSet;

use super::Exchange;
use super::carried::CarriedFile;
use crate::ops::shared::refused::refused_from;
use crate::ops::shared::sync::hear::hear;
use crate::ops::shared::sync::{Collected, LeftAlone};
use crate::ops::{Command, Error, Result};
use crate::store::carry::CarryNotes;
use crate::store::door::{
    Arrival, Candidate, EntryOutcome, EntryRules, Lack, MergeStep, Refused, StateSource,
};
use crate::store::{Mailbox, Oid};

/// What came with a fetch, or is named by the request.
#[derive(Default)]
pub(super) struct Received {
    pub(super) candidates: Vec<Candidate>,
    pub(super) files: Vec<CarriedFile>,
    /// The error about files that can't be looked at. It keeps nothing else out.
    pub(super) failed: Option<Error>,
}

impl Exchange<'_> {
    /// Joins the carry files that the request names, without a remote.
    pub(in crate::ops::shared::sync) fn collect(&mut self) -> Result<()> {
        let received = self.received(None, None)?;
        let mut made = self.stage(received, None)?;
        let refused = made.refused.take();
        self.adopt(made)?;
        refused.map_or(Ok(()), Err)
    }

    /// Returns what the remote has and what it once had and has lost, the mailboxes that the last fetch has brought, the carry
    /// files that are new in its branches, and those that the request names.
    pub(super) fn received(&mut self, theirs: Option<Oid>, seen: Option<Oid>) -> Result<Received> {
        let mut candidates = self.candidates_of_remote(theirs, seen)?;
        candidates.extend(self.mailbox_candidates(theirs)?);
        // What is not checked yet is not read.
        let checked = theirs.filter(|tip| self.is_checked(*tip));
        let (files, failed) = match self.carried_files(checked) {
            Ok(files) => (files, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        candidates.extend(files.iter().map(CarriedFile::candidate));
        Ok(Received {
            candidates,
            files,
            failed,
        })
    }

    /// Keeps which files were looked at, once what they brought is here.
    pub(super) fn keep_notes(&self) -> Result<()> {
        // Another command can have written a file since they were read.
        let known = CarryNotes::of(self.store);
        let mut notes = known.clone();
        notes.learn(&self.notes);
        notes.forget_gone(self.store)?;
        if notes != known {
            notes.keep(self.store);
        }
        Ok(())
    }

    /// Returns what the remote has, after what it had before, where it was set back: what that had must not be lost.
    fn candidates_of_remote(
        &mut self,
        theirs: Option<Oid>,
        seen: Option<Oid>,
    ) -> Result<Vec<Candidate>> {
        let mut candidates = Vec::new();
        let former = || StateSource::Former(self.remote.to_owned());
        // What the last fetch, or one before, has found to be gone.
        let unmerged = match self.remote {
            "" => None,
            remote => self.store.remotes().unmerged_tip(remote)?,
        };
        if let Some(unmerged) = unmerged {
            self.synced.remarks.push(format!(
                "{} was set back; what it dropped is kept here",
                self.remote
            ));
            candidates.push(Candidate::of(unmerged, former()));
        }
        if let Some(seen) = seen {
            let is_kept = theirs.map_or(Ok(false), |theirs| self.has_all_of(theirs, seen))?;
            if !is_kept {
                self.synced.remarks.push(match theirs {
                    None => self.missing(seen),
                    Some(_) => {
                        format!("{} was set back; what it dropped remains here", self.remote)
                    }
                });
                candidates.push(self.candidate(seen, former()));
            }
        }
        if let Some(theirs) = theirs {
            candidates.push(self.candidate(theirs, StateSource::Tracked(self.remote.to_owned())));
        }
        Ok(candidates)
    }

    /// Returns a state of the remote, which is checked if the last fetch has brought it.
    fn candidate(&self, tip: Oid, source: StateSource) -> Candidate {
        Candidate::of(tip, source).checked(self.is_checked(tip))
    }

    /// Returns true if the last fetch has brought a state, and with that checked all of it.
    fn is_checked(&self, tip: Oid) -> bool {
        self.fetched == Some(tip) && !self.remotes().is_partial()
    }

    /// Returns true if a tip holds every operation of another: a remote that is a clone may take a greater merge of the
    /// same.
    fn has_all_of(&self, tip: Oid, seen: Oid) -> Result<bool> {
        let distance = self.store.ancestry().distance(tip, seen)?;
        Ok(distance.behind == 0)
    }

    /// Says that a remote has no issues any more, or hides them.
    fn missing(&self, seen: Oid) -> String {
        let (remote, asks) = (self.remote, self.request.push && !self.pushes_elsewhere);
        let is_hidden = || self.remotes().is_hidden(remote, seen, self.cancel);
        match asks && is_hidden().unwrap_or(false) {
            true => format!(
                "{remote} has {}, and shows it to no fetch (uploadpack.hideRefs): what others send arrives once its \
                 owner shows it",
                self.route.at
            ),
            false => format!("{remote} has lost its issues; its former issues remain here"),
        }
    }

    /// Calls something with the rules by which states of the remote enter.
    pub(super) fn with_rules<T>(
        &self,
        call: impl FnOnce(&EntryRules<'_>) -> Result<T>,
    ) -> Result<T> {
        let (remotes, remote, cancel) = (self.remotes(), self.remote, self.cancel);
        let bring = |it: &Candidate, lack: Lack| match remote.is_empty() {
            true => Ok(false),
            false => remotes.bring_missing(remote, it.tip, lack, cancel),
        };
        call(&EntryRules {
            adopt: self.request.adopt,
            dry_run: self.request.dry_run,
            bring: &bring,
            cancel,
        })
    }

    /// Names the mailboxes that were left alone, and returns the error about what the remote has, where that was.
    pub(super) fn refused(&mut self, arrivals: &[Arrival]) -> Option<Error> {
        let mut failed = None;
        for Arrival { candidate, outcome } in arrivals {
            let EntryOutcome::Refused(refused) = outcome else {
                continue;
            };
            match &candidate.source {
                // Before anything is sent: it can be the one that this clone sends to.
                StateSource::Mailbox(branch) => {
                    let why = self.refusal(refused.clone()).message;
                    self.leave_alone(branch, &why);
                }
                StateSource::File(_) | StateSource::Former(_) => {}
                _ => failed = Some(self.refusal(refused.clone())),
            }
        }
        failed
    }

    /// Reports what has become of a candidate.
    pub(super) fn report(&mut self, arrival: Arrival, files: &[CarriedFile]) -> Result<()> {
        let tip = arrival.candidate.tip;
        if let EntryOutcome::Joined(step) = arrival.outcome {
            self.hear(step)?;
        }
        match arrival.candidate.source {
            StateSource::Mailbox(branch) => {
                self.report_mailbox(Mailbox { branch, tip }, &arrival.outcome)
            }
            StateSource::File(from) => match files.iter().find(|file| file.is_from(&from, tip)) {
                Some(file) => self.report_file(file, arrival.outcome),
                None => Ok(()),
            },
            source => {
                match arrival.outcome {
                    EntryOutcome::Here => {}
                    EntryOutcome::Joined(step) => self.synced.received += self.count(step)?,
                    EntryOutcome::Refused(refused) => {
                        // What it has now is the error of the exchange.
                        if let StateSource::Former(remote) = source {
                            let why = self.refusal(refused).message;
                            let line = format!("what {remote} had before was left alone: {why}");
                            self.synced.remarks.push(line);
                        }
                    }
                }
                Ok(())
            }
        }
    }

    /// Tells what a merge has brought for agents here.
    fn hear(&mut self, step: MergeStep) -> Result<()> {
        match step.ours {
            Some(ours) if !self.request.dry_run => {
                let news = (ours, step.theirs);
                hear(self.tracker, self.request, &mut self.synced, news)
            }
            _ => Ok(()),
        }
    }

    /// Counts the operations that a merge has brought.
    fn count(&mut self, step: MergeStep) -> Result<usize> {
        let Some(ours) = step.ours else {
            return Ok(self.store.snapshot_at(step.theirs)?.operations()?);
        };
        let distance = self.store.ancestry().distance(ours, step.theirs)?;
        self.synced.merged |= distance.ahead > 0 && distance.behind > 0;
        Ok(distance.behind)
    }

    fn report_mailbox(&mut self, mailbox: Mailbox, outcome: &EntryOutcome) -> Result<()> {
        match outcome {
            EntryOutcome::Here => {}
            EntryOutcome::Refused(_) => return Ok(()),
            // A clone that sends to a mailbox itself has only heard of it.
            EntryOutcome::Joined(step) => {
                let changes = self.count(*step)?;
                match self.is_collecting(&mailbox) {
                    true => self.note_collected(&mailbox, *step, changes)?,
                    false => self.synced.received += changes,
                }
            }
        }
        self.merged.push(mailbox);
        Ok(())
    }

    fn report_file(&mut self, file: &CarriedFile, outcome: EntryOutcome) -> Result<()> {
        match outcome {
            EntryOutcome::Here => {}
            EntryOutcome::Refused(refused) => {
                let named_before = self.synced.left.len();
                let why = self.refusal(refused).message;
                self.leave_alone(&file.collected.from, &why);
                if let Some(blob) = file.blob.filter(|_| !file.is_named) {
                    self.name_once(named_before, blob);
                }
                return Ok(());
            }
            EntryOutcome::Joined(step) => {
                let changes = self.count(step)?;
                if !self.sends_to_store() {
                    self.synced.received += changes;
                }
                // What another file had brought before is counted there.
                let changes = file.brought(changes);
                self.synced.collected.push(Collected {
                    changes,
                    ..file.collected.clone()
                });
            }
        }
        if let Some(blob) = file.blob {
            self.notes.done(blob);
        }
        Ok(())
    }

    /// Notes a mailbox whose merge has brought something.
    fn note_collected(&mut self, mailbox: &Mailbox, step: MergeStep, changes: usize) -> Result<()> {
        if changes == 0 {
            return Ok(());
        }
        let commits = self.store.snapshot_at(mailbox.tip)?.history(step.ours)?;
        let listed = commits.iter().filter_map(|commit| commit.trailer("Issues"));
        let issues: BTreeSet<&str> = listed.flat_map(str::split_whitespace).collect();
        self.synced.collected.push(Collected {
            from: mailbox.branch.clone(),
            changes,
            issues: issues.len(),
            deleted: false,
            shown: Vec::new(),
        });
        Ok(())
    }

    /// Returns the error about a state that was left alone.
    fn refusal(&self, refused: Refused) -> Error {
        let join = Command::of("sync").flag("--adopt").flag("--remote");
        let join = join
            .word(self.remote)
            .then(" joins them, and loses nothing");
        refused_from(self.remote, refused, vec![join])
    }

    pub(super) fn leave_alone(&mut self, from: &str, why: &str) {
        self.note_left(LeftAlone {
            from: from.to_owned(),
            why: why.to_owned(),
            code: None,
        });
    }

    /// Notes what was left alone, once.
    pub(super) fn note_left(&mut self, left: LeftAlone) {
        if !self.synced.left.contains(&left) {
            self.synced.left.push(left);
        }
    }
}
