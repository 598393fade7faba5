//! The part of an exchange that is about mailboxes: what sandboxes have left there is merged, and once the remote has it at
//! the ref of the store, the mailboxes are removed.
//!
//! The order makes a kill harmless: a mailbox is removed only after a push was accepted that has all of it, so at any
//! moment what it held is in the mailbox or in the store, or in both.

use super::Exchange;
use crate::ops::shared::sync::LeftAlone;
use crate::ops::{Code, Command, Error, Result};
use crate::store::door::{Candidate, StateSource};
use crate::store::{Destination, Mailbox, Oid, Removal, Store, short};

/// So many mailboxes are merged by one exchange.
const MOST: usize = 64;

impl Exchange<'_> {
    /// Returns the patterns of the mailboxes to ask for, with the one of this clone.
    pub(super) fn mailbox_patterns(&self) -> Result<Vec<String>> {
        let mailboxes = self.store.remotes().mailboxes(self.remote);
        let mut patterns = mailboxes.patterns()?;
        if self.request.all_mailboxes {
            let listed = mailboxes.list(self.cancel)?.into_iter();
            patterns.extend(listed.filter(|reference| *reference != self.route.at));
        }
        if let Some(own) = self.route.own_mailbox() {
            // As a pattern: an exact name that is not there fails the fetch. What else begins like it is no mailbox.
            patterns.push(format!("{own}*"));
        }
        Ok(patterns)
    }

    /// Returns the mailboxes that the last fetch has brought, the oldest first.
    pub(super) fn mailbox_candidates(&mut self, theirs: Option<Oid>) -> Result<Vec<Candidate>> {
        // Another attempt looks at all of them again.
        self.merged.clear();
        let mut waiting = Vec::new();
        for mailbox in std::mem::take(&mut self.brought) {
            if is_contained(self.store, &mailbox, theirs)? {
                self.merged.push(mailbox);
                continue;
            }
            let at = self.store.ancestry().commit(mailbox.tip)?.at;
            waiting.push((at, mailbox));
        }
        waiting.sort_by(|one, other| (one.0, &one.1.branch).cmp(&(other.0, &other.1.branch)));
        let is_checked = !self.remotes().is_partial();
        let oldest = waiting.into_iter().take(MOST);
        let candidates = oldest.map(|(_, mailbox)| {
            Candidate::of(mailbox.tip, StateSource::Mailbox(mailbox.branch)).checked(is_checked)
        });
        Ok(candidates.collect())
    }

    /// Refuses to go on where the mailbox of this clone can't be had, or holds something else: a push to it would be refused
    /// again and again.
    pub(super) fn check_mailbox_is_free(&self) -> Result<()> {
        let Destination::Mailbox(own) = &self.route.to else {
            return Ok(());
        };
        let branch = short(own);
        // One that was not there was removed by who collected it: then a push begins it again.
        let Some(why) = obstacle(&self.synced.left, &self.others, branch) else {
            return Ok(());
        };
        let message = format!("{branch} at {} can't be sent to: {why}", self.remote);
        let hint = Command::line("git config")
            .word(format!("remote.{}.beadsPush", self.remote))
            .placeholder("refs/heads/ANOTHER");
        Err(Error::new(Code::RemoteRefused, message).hinted(hint))
    }

    pub(super) fn is_collecting(&self, mailbox: &Mailbox) -> bool {
        self.sends_to_store() && self.route.target() != mailbox.reference()
    }

    /// Returns true if what came is sent on to the store: where that was refused it is only here.
    pub(super) fn sends_to_store(&self) -> bool {
        let is_refused = self.route.has_refused(self.route.target());
        self.route.to == Destination::Store && !is_refused
    }

    /// Removes the mailboxes that the remote has all of at its store, after the push that brought it there.
    pub(super) fn remove_merged(&mut self, sent: Oid) -> Result<()> {
        let may_remove = self.route.to == Destination::Store && !self.request.dry_run;
        let stays = self.request.keep_mailboxes || self.pushes_elsewhere;
        if !may_remove || stays || self.merged.is_empty() {
            return Ok(());
        }
        let notes = self.store.reach_notes();
        let mut gone = Vec::new();
        for mailbox in std::mem::take(&mut self.merged) {
            let is_kept = notes.is_kept(self.remote, mailbox.tip);
            if !is_kept && self.store.merging().contains(sent, mailbox.tip)? {
                gone.push(mailbox);
            }
        }
        if gone.is_empty() {
            return Ok(());
        }
        let mailboxes = self.store.remotes().mailboxes(self.remote);
        // What is merged is safe: a mailbox that stays is removed with the next exchange.
        let mut removals = mailboxes.remove(&gone, self.cancel).unwrap_or_default();
        let is_refused = |(_, it): &(Mailbox, Removal)| *it == Removal::Refused;
        if removals.len() > 1 && removals.iter().all(is_refused) {
            // A host can refuse all for one of them.
            let alone = |it| mailboxes.remove(std::slice::from_ref(it), self.cancel);
            removals = gone
                .iter()
                .filter_map(|it| alone(it).ok())
                .flatten()
                .collect();
        }
        for (mailbox, removal) in removals {
            match removal {
                Removal::Removed => self.note_removed(&mailbox.branch),
                Removal::Changed | Removal::Unknown => {}
                Removal::Refused => self.note_kept(&mailbox),
            }
        }
        Ok(())
    }

    fn note_removed(&mut self, branch: &str) {
        let mut collected = self.synced.collected.iter_mut();
        if let Some(collected) = collected.find(|collected| collected.from == branch) {
            collected.deleted = true;
        }
    }

    /// Notes a mailbox that the remote keeps, so that it is not asked again to remove it as it is.
    fn note_kept(&mut self, mailbox: &Mailbox) {
        self.store
            .note_reach(|notes| notes.keep(self.remote, mailbox.tip));
        let line = format!("{} stays: it may not be deleted from here", mailbox.branch);
        self.synced.remarks.push(line);
    }
}

/// Returns what keeps a branch from being a mailbox, of what was left alone and of branches that hold anything else.
fn obstacle(left: &[LeftAlone], others: &[String], branch: &str) -> Option<String> {
    if let Some(left) = left.iter().find(|left| left.from == branch) {
        return Some(left.why.clone());
    }
    let is_in_the_way = |other: &&String| {
        let rest = other.strip_prefix(branch);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match others.iter().find(is_in_the_way)? {
        other if other == branch => Some("it holds something else".to_owned()),
        other => Some(format!("there is a branch {other}")),
    }
}

/// Returns true if the remote has at its store all that is in a mailbox.
fn is_contained(store: &Store, mailbox: &Mailbox, theirs: Option<Oid>) -> Result<bool> {
    match theirs {
        Some(theirs) => Ok(store.merging().contains(theirs, mailbox.tip)?),
        None => Ok(false),
    }
}
