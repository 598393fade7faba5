//! What is on its way: carry files of this work tree, mailboxes and a second store of a remote, and a history that is cut.

use std::slice;

use super::Visit;
use crate::model::time;
use crate::ops::Command;
use crate::ops::shared::carry;
use crate::ops::shared::user_file::Uncommitted;
use crate::store::carry::{CarryBlob, CarryNotes, carried_in};
use crate::store::{BRANCH, Oid, REF};

impl Visit<'_> {
    /// Notes what others have not yet, and what is no longer needed. What can't be read is a finding of its own already.
    pub(super) fn reach(&mut self) {
        let waiting = carry::uncommitted(self.store).unwrap_or_default();
        for file in waiting {
            let Some(top) = self.store.work_tree() else {
                continue;
            };
            let mut uncommitted = Uncommitted::of(self.store, &top, slice::from_ref(&file.path));
            if file.is_in_place {
                uncommitted.in_place.push(file.path.clone());
            }
            let mut said = vec![format!("{} is in this work tree alone", file.path)];
            said.extend(uncommitted.remarks());
            let next = uncommitted.commands(&file.path);
            self.found
                .notes
                .push(format!("{}: {next}", said.join("; ")));
        }
        let done = self.taken_over();
        if done > 0 {
            let files = match done {
                1 => "1 carry file that was".to_owned(),
                n => format!("{n} carry files that were"),
            };
            self.found.notes.push(format!(
                "HEAD has {files} collected: git beads carry --clean removes those that the remote has"
            ));
        }
        let tip = self.store.tip().ok().flatten();
        let cut = tip.map(|tip| self.store.ancestry().is_cut(tip));
        if matches!(cut, Some(Ok(true))) {
            let note =
                "the history of the issues is cut: git beads fetch --unshallow brings the rest";
            self.found.notes.push(note.to_owned());
        }
    }

    /// Counts the carry files of HEAD that others have written and that are part of the history here.
    fn taken_over(&self) -> usize {
        let head = carry::head(self.store);
        let files = head.and_then(|head| carried_in(self.store, head).ok());
        let notes = CarryNotes::of(self.store);
        let files = files.unwrap_or_default().into_iter();
        let is_taken =
            |file: &CarryBlob| notes.is_done(file.oid) && !notes.has_written_name(&file.name);
        files.filter(is_taken).count()
    }

    /// Returns the refs of the branches of a remote that can hold issues by their names; none where it does not answer, which
    /// is said of the fetch.
    pub(super) fn branches_at(&self, remote: &str) -> Vec<String> {
        let mailboxes = self.store.remotes().mailboxes(remote);
        mailboxes.list(self.tracker.cancel()).unwrap_or_default()
    }

    /// Names what waits at a remote beside its store, which was just fetched with its mailboxes.
    pub(super) fn waiting_at(&mut self, remote: &str, branches: &[String]) {
        let remotes = self.store.remotes();
        let at = remotes.addresses(remote).of_store();
        if at == REF && branches.iter().any(|name| name == BRANCH) && self.has_store(remote) {
            let hint = collect(remote);
            let note = format!(
                "{remote} has a branch beads beside its store at {REF}, where some may send: {hint} merges it"
            );
            self.found.notes.push(note);
        }
        if at != REF && !remotes.addresses(remote).is_ref_named() && !self.has_store(remote) {
            let probe = Command::of("sync").flag("--probe").flag("--remote");
            let note = format!(
                "{remote} has no issues at {at}, where this clone looks for them: {}",
                probe.word(remote)
            );
            self.found.notes.push(note);
        }
        // A branch of code can be named like a mailbox.
        for mailbox in remotes.mailboxes(remote).known().unwrap_or_default() {
            if !self.is_merged(remote, mailbox.tip) {
                let (branch, age, hint) = (mailbox.branch, self.age(mailbox.tip), collect(remote));
                let note = format!("the mailbox {branch} waits at {remote}{age}: {hint}");
                self.found.notes.push(note);
            }
        }
        if self.store.reach_notes().has_refused(remote) {
            let note = format!(
                "{remote} has refused {REF} within an hour: git beads sync --probe asks again"
            );
            self.found.notes.push(note);
        }
    }

    fn has_store(&self, remote: &str) -> bool {
        matches!(self.store.remotes().remote_tip(remote), Ok(Some(_)))
    }

    /// Returns whether the store of a remote has all of a mailbox, which may not be deleted there.
    fn is_merged(&self, remote: &str, tip: Oid) -> bool {
        let there = self.store.remotes().remote_tip(remote).ok().flatten();
        there.is_some_and(|there| self.store.merging().contains(there, tip).unwrap_or(false))
    }

    /// Returns the words for the age of a mailbox.
    fn age(&self, tip: Oid) -> String {
        let at = self.store.snapshot_at(tip).and_then(|it| it.time());
        at.map_or_else(
            |_| String::new(),
            |at| match time::ago(at, self.tracker.now()).as_str() {
                "now" => ", last written just now".to_owned(),
                ago => format!(", last written {ago} ago"),
            },
        )
    }
}

fn collect(remote: &str) -> Command {
    Command::of("collect").flag("--remote").word(remote)
}

/// Returns the refs of branches that can be mailboxes by their names.
pub(super) fn mailboxes_among(branches: &[String]) -> Vec<String> {
    let named = branches.iter().filter(|name| *name != BRANCH);
    named.cloned().collect()
}
