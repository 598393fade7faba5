//! The part of an exchange that sends: to the store of the remote, and on other ways where that is refused.

use std::collections::HashSet;

use super::super::{DeliveryKind, carry_out};
use super::Exchange;
use super::sendable::Sendable;
use crate::ops::shared::refused::without_rest;
use crate::ops::{Code, Command, Error, Hint, Result};
use crate::store::push_url::pushed_tip;
use crate::store::{BRANCH, Commit, Destination, Oid, Push, REF, Store};

/// Operations that wait to be sent.
struct Waiting {
    /// How many the remote lacks.
    ahead: usize,
    /// The tip of the remote at which it may be sent, and at no other.
    after: Option<Oid>,
}

impl Exchange<'_> {
    /// Sends a tip on the first way that the remote takes, and remembers that. A refusal leads to the next way, any other
    /// failure ends the exchange.
    pub(super) fn send_on_a_way(
        &mut self,
        ours: Option<Oid>,
        theirs: Option<Oid>,
        is_leased: bool,
    ) -> Result<Push> {
        if self.is_closed(ours, theirs)? {
            let message = format!("{} has just refused changes from here", self.remote);
            let again = Command::of("sync").flag("--probe").then(" asks it again");
            self.synced.remarks.push(format!(
                "{} has refused changes within an hour and was not asked: git beads sync --probe asks it now",
                self.remote
            ));
            return Err(Error::new(Code::RemoteRefused, message).hinted(again));
        }
        loop {
            let sent = match self.route.to.clone() {
                Destination::Store => self.send(ours, theirs, is_leased),
                Destination::Mailbox(_) | Destination::Nowhere if self.on_top.is_some() => {
                    let message = format!("{} takes no claims from here", self.remote);
                    let config = Command::line("git config beads.claims remote");
                    let tentative = config.then(" starts issues here; those who collect decide");
                    return Err(Error::new(Code::RemoteRefused, message).hinted(tentative));
                }
                Destination::Mailbox(mailbox) => self.send_to_mailbox(&mailbox, ours, theirs),
                Destination::Nowhere => return self.send_nothing(ours, theirs),
            };
            match sent {
                Err(error) if error.is(Code::RemoteRefused) => self.next_way(error, theirs)?,
                Err(error) if error.is(Code::RemoteContent) => {
                    return Err(refused_content(self.store, self.remote, ours, error));
                }
                Ok(pushed) if !matches!(pushed, Push::Behind) => {
                    self.remember_way()?;
                    return Ok(pushed);
                }
                other => return other,
            }
        }
    }

    /// Returns true if something waits that the remote has refused on every way not long ago, and that a file takes.
    fn is_closed(&self, ours: Option<Oid>, theirs: Option<Oid>) -> Result<bool> {
        let (Some(ours), false) = (ours, self.request.probe || self.request.dry_run) else {
            return Ok(false);
        };
        let notes = self.store.reach_notes();
        Ok(notes.is_closed(self.remote)
            && carry_out::is_open(self.tracker, self.request)
            && self.waiting(ours, theirs)?.is_some())
    }

    /// Goes on to the next way, or ends with what the remote has said to the last one.
    fn next_way(&mut self, error: Error, theirs: Option<Oid>) -> Result<()> {
        let has_store = theirs.is_some();
        if self.route.take_next(has_store) {
            return Ok(());
        }
        // Where the store is at its ref no one would read another one, and what was refused is not to be named.
        let error = match has_store || self.route.has_refused(BRANCH) {
            true => Error {
                hints: vec![
                    Hint::text("everything is safe here"),
                    Hint::text(format!(
                        "ask its owner for the right to push {}",
                        self.route.at
                    )),
                ],
                ..error
            },
            false => error,
        };
        if self.route.refused.len() < 2 {
            return Err(error);
        }
        let names = self.route.refused_names();
        Err(Error {
            message: format!(
                "{} refuses {names}; it says: {}",
                self.remote, error.message
            ),
            ..error
        })
    }

    /// Goes on to the next way where the branch that was tried holds something else.
    pub(super) fn leave_branch(&mut self) -> Result<()> {
        if self.route.take_next(false) {
            return Ok(());
        }
        let (remote, names) = (self.remote, self.route.refused_names());
        let message = format!("{remote} refuses {names}: its branch beads holds something else");
        let hint = Command::line("git config beads.remoteRef refs/heads/git-beads");
        let others = Hint::text("everybody who exchanges with it sets the same branch");
        Err(Error::new(Code::RemoteRefused, message)
            .hinted(hint)
            .also(others))
    }

    /// Sends nothing, as the user has said, and says what waits, or writes it into a file where that is welcome.
    fn send_nothing(&mut self, ours: Option<Oid>, theirs: Option<Oid>) -> Result<Push> {
        let waits = match ours {
            Some(ours) => self.waiting(ours, theirs)?.is_some(),
            None => false,
        };
        if waits && carry_out::is_open(self.tracker, self.request) {
            // Once what gave way is here.
            self.is_for_file = true;
        } else if waits {
            let remote = self.remote;
            let line = format!("nothing is sent to {remote}: remote.{remote}.beadsPush is none");
            self.synced.remarks.push(line);
        }
        Ok(Push::Done(Vec::new()))
    }

    /// Remembers a way that the remote has taken, and says so the first time.
    fn remember_way(&mut self) -> Result<()> {
        if self.request.dry_run {
            return Ok(());
        }
        self.synced.delivery = self.route.delivery();
        self.synced.via = self.synced.delivery.map(|_| self.route.target().to_owned());
        if self.route.has_refused(REF) {
            self.store.note_reach(|notes| notes.refuse(self.remote));
        }
        if self.route.is_new() {
            self.note_way()?;
            self.say_way()?;
        }
        Ok(())
    }

    /// Says how a way that is new here goes on.
    fn say_way(&mut self) -> Result<()> {
        let (remote, target) = (self.remote, self.route.target());
        let mut lines = Vec::new();
        match self.synced.delivery {
            Some(DeliveryKind::Branch) => lines.push(format!(
                "{remote} takes branches only; this clone remembers (remote.{remote}.beadsRef)"
            )),
            Some(DeliveryKind::Mailbox) => {
                lines.push("the next git beads sync with full rights collects it".to_owned());
                if !self.is_looked_for(target)? {
                    let add = Command::line("git config --add beads.mailbox");
                    lines.push(format!(
                        "others see it after: {}",
                        add.word(pattern_of(target))
                    ));
                }
            }
            Some(DeliveryKind::Carried) | None => {}
        }
        self.synced.remarks.extend(lines);
        Ok(())
    }

    /// Remembers a way that is not the one that is remembered; where that can't be written it holds for this process.
    pub(super) fn note_way(&mut self) -> Result<()> {
        if self.request.dry_run || !self.route.is_new() {
            return Ok(());
        }
        if let Err(error) = self.route.remember(self.store, self.remote) {
            let (remote, target) = (self.remote, self.route.target());
            let text = format!("it can't be remembered that {remote} takes {target}: {error}");
            self.tracker.warn(text);
        }
        Ok(())
    }

    /// Returns true if others look for mailboxes where this one is, without a word of the user.
    fn is_looked_for(&self, target: &str) -> Result<bool> {
        let patterns = self.store.remotes().mailboxes(self.remote).patterns()?;
        Ok(patterns.iter().any(|pattern| {
            let (begin, end) = pattern.split_once('*').unwrap_or((pattern, ""));
            target.starts_with(begin) && target.ends_with(end)
        }))
    }

    /// Returns how many operations wait to be sent, and the tip of the remote that they follow; none where the remote has
    /// all that is here. Where a push goes elsewhere only the push itself can tell.
    fn waiting(&self, ours: Oid, theirs: Option<Oid>) -> Result<Option<Waiting>> {
        let known = match self.pushes_elsewhere {
            true => pushed_tip(self.store, self.remote)?,
            false if theirs == Some(ours) => return Ok(None),
            false => theirs,
        };
        let Some(known) = known else {
            let ahead = self.store.snapshot_at(ours)?.operations()?;
            return Ok(Some(Waiting { ahead, after: None }));
        };
        let distance = self.store.ancestry().distance(ours, known)?;
        let waits = self.pushes_elsewhere || distance.is_news();
        Ok(waits.then_some(Waiting {
            ahead: distance.ahead,
            // With a lease git would take a commit that does not follow: then none is given.
            after: Some(known).filter(|_| distance.theirs_is_ancestor),
        }))
    }

    /// Brings the rest of a history that is cut: a repository that has nothing of it takes it whole only.
    fn complete(&self, ours: Oid) -> Result<()> {
        let is_whole = || Ok(!self.store.ancestry().is_cut(ours)?);
        let remote = self.remote;
        let remotes = self.remotes();
        match remotes.bring_rest(remote, &is_whole, self.cancel)? {
            true => Ok(()),
            false => {
                let message = format!("{remote} takes the whole history only, and here it is cut");
                Err(without_rest(message))
            }
        }
    }

    fn send(&mut self, ours: Option<Oid>, theirs: Option<Oid>, is_leased: bool) -> Result<Push> {
        let nothing = || Ok(Push::Done(Vec::new()));
        let Some(ours) = ours else {
            return nothing();
        };
        let Some(Waiting { ahead, after }) = self.waiting(ours, theirs)? else {
            return nothing();
        };
        if self.request.dry_run {
            self.synced.sent = ahead;
            return nothing();
        }
        if theirs.is_none() {
            self.complete(ours)?;
        }
        let remotes = self.remotes();
        let after = after.filter(|_| is_leased);
        let pushed = remotes.push(self.remote, ours, after, self.cancel)?;
        if matches!(pushed, Push::Done(_)) {
            self.synced.sent = ahead;
        }
        self.taken = Some(ours).filter(|_| !matches!(pushed, Push::Behind));
        Ok(pushed)
    }

    /// Sends to a mailbox what neither the store of the remote nor the mailbox has.
    fn send_to_mailbox(
        &mut self,
        mailbox: &str,
        ours: Option<Oid>,
        theirs: Option<Oid>,
    ) -> Result<Push> {
        let nothing = || Ok(Push::Done(Vec::new()));
        let Some(ours) = ours else {
            return nothing();
        };
        let ahead = self.unsent(ours, theirs)?;
        if ahead == 0 {
            return nothing();
        }
        self.synced.sent = ahead;
        if self.request.dry_run {
            return nothing();
        }
        let remotes = self.store.remotes();
        let pushed = remotes.push_to_mailbox(self.remote, ours, mailbox, self.cancel)?;
        if !matches!(pushed, Push::Done(_)) {
            self.synced.sent = 0;
        }
        self.taken = Some(ours).filter(|_| !matches!(pushed, Push::Behind));
        Ok(pushed)
    }

    /// Counts the operations that are neither in the store of the remote nor in any mailbox.
    fn unsent(&self, ours: Oid, theirs: Option<Oid>) -> Result<usize> {
        let here = self.store.snapshot_at(ours)?.history(theirs)?;
        let mut known = HashSet::new();
        for mailbox in self.store.remotes().mailboxes(self.remote).known()? {
            let there = self.store.snapshot_at(mailbox.tip)?.history(theirs)?;
            known.extend(there.into_iter().map(|commit| commit.oid));
        }
        let is_new = |commit: &&Commit| commit.is_operation() && !known.contains(&commit.oid);
        Ok(here.iter().filter(is_new).count())
    }

    /// Sends what was made to be sent, where the request sends anything.
    pub(super) fn send_staged(
        &mut self,
        made: &Sendable,
        theirs: Option<Oid>,
        is_leased: bool,
    ) -> Result<Push> {
        if !self.request.push {
            // What was not judged is judged before it is sent.
            self.note_way()?;
            return Ok(Push::Same);
        }
        if made.is_outdated {
            return Ok(Push::Behind);
        }
        if let (Some(tip), false) = (made.staged.sendable(), self.request.dry_run) {
            self.kept.keep(self.store, tip)?;
        }
        let mut pushed = self.send_on_a_way(made.staged.tip(), theirs, is_leased)?;
        if let Push::Done(said) = &mut pushed {
            self.synced.remarks.append(said);
        }
        Ok(pushed)
    }

    /// Ends an exchange whose push was taken: the mailboxes that the store has now are removed.
    pub(super) fn end(&mut self, sent: Option<Oid>) -> Result<()> {
        let Some(sent) = sent else { return Ok(()) };
        if self.request.dry_run && self.route.to == Destination::Store {
            // What is collected would be sent along.
            let collected = self.synced.collected.iter().map(|it| it.changes);
            self.synced.sent += collected.sum::<usize>();
        }
        if self.is_for_file {
            carry_out::write_out(self.tracker, self.request, &mut self.synced)?;
        }
        if let (Destination::Mailbox(_), false) = (&self.route.to, self.request.dry_run) {
            // What waits to be sent is counted from here.
            self.store.remotes().note_sent(self.remote, sent)?;
        }
        self.remove_merged(sent)
    }
}

/// Notes what a remote has said of the content of a commit, and returns it. On any other way it would be the same commit.
fn refused_content(store: &Store, remote: &str, ours: Option<Oid>, error: Error) -> Error {
    if let Some(tip) = ours {
        store.note_reach(|notes| notes.refuse_content(remote, tip));
    }
    let message = format!(
        "{remote} refuses the content of an unsent change, such as a secret; it says: {}",
        error.message
    );
    Error { message, ..error }
}

/// Returns the pattern of the mailboxes in the folder of one.
fn pattern_of(mailbox: &str) -> String {
    let folder = mailbox
        .rsplit_once('/')
        .map_or(mailbox, |(folder, _)| folder);
    format!("{folder}/git-beads-*")
}
