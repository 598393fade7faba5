//! Push: our tip is sent, and nothing is ever forced.

use std::process::{Command, Output};
use std::time::Duration;

use super::super::failure::{Reason, lasting, reason, refusal};
use super::super::push_url::{pushed_ref, pushed_tip, pushes_elsewhere};
use super::super::refs::{Expected, RefUpdate};
use super::super::{Cancel, Oid, Result};
use super::{Remotes, check_remote_name};

/// So often a push is tried again after a fault of the server.
const FAULTS: u32 = 2;
/// The end of the name of the ref of what is being sent to a remote.
pub(super) const SENDING: &str = "/sending";

/// A note of what is being sent.
#[derive(Clone, Copy)]
struct Sending {
    /// The state here, which what is sent is made of: that is durable.
    noted: Oid,
    /// What was noted before, and still may have left.
    before: Option<Oid>,
}

/// The result of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Push {
    /// The remote has our tip now, and said this.
    Done(Vec<String>),
    /// It had our tip already.
    Same,
    /// It has commits that we lack.
    Behind,
}

impl Remotes<'_> {
    /// Sends our tip. Nothing is ever forced. With `after`, which our tip follows, it is sent only if the remote still has
    /// that: this is narrower than a push without it.
    ///
    /// # Errors
    /// `StoreError::Remote` with what the remote said.
    pub(crate) fn push(
        self,
        remote: &str,
        tip: Oid,
        after: Option<Oid>,
        cancel: &Cancel,
    ) -> Result<Push> {
        let lease =
            after.map(|after| format!("--force-with-lease={}:{after}", self.remote_ref(remote)));
        let options: Vec<&str> = lease.as_deref().into_iter().collect();
        let reference = self.remote_ref(remote);
        self.push_whole((remote, &reference), tip, &options, cancel)
    }

    /// Sends our tip to a mailbox. Nothing is ever forced.
    /// Errors: as [`Remotes::push`].
    pub(crate) fn push_to_mailbox(
        self,
        remote: &str,
        tip: Oid,
        mailbox: &str,
        cancel: &Cancel,
    ) -> Result<Push> {
        self.push_whole((remote, mailbox), tip, &[], cancel)
    }

    /// Notes that a remote has taken a tip, which is the state here by now, or part of it: until then its objects are not
    /// durable, and no ref may lead to them.
    pub(crate) fn note_taken(self, remote: &str, tip: Oid) -> Result<()> {
        self.note_pushed(remote, tip)?;
        self.note_arrived(remote, tip)
    }

    /// Notes that a mailbox has taken a tip, as [`Remotes::note_taken`].
    pub(crate) fn note_taken_by(self, mailbox: &str, remote: &str, tip: Oid) -> Result<()> {
        self.note_sent(remote, tip)?;
        self.mailboxes(remote).note_sent(mailbox, tip)?;
        self.note_arrived(remote, tip)
    }

    /// Forgets that something is being sent, once all of it has arrived.
    fn note_arrived(self, remote: &str, tip: Oid) -> Result<()> {
        let name = sending_ref(remote);
        let Some(sent) = self.resolve(&name)? else {
            return Ok(());
        };
        if self.store.is_commit(sent)? && !self.store.merging().contains(tip, sent)? {
            return Ok(());
        }
        self.forget_sending(&name)
    }

    /// Notes that a tip, which was made of `noted` and is part of the state here by now, may have left, where its push had no
    /// answer.
    pub(crate) fn note_unanswered(self, remote: &str, noted: Oid, tip: Oid) -> Result<()> {
        let name = sending_ref(remote);
        if noted == tip || self.resolve(&name)? != Some(noted) {
            return Ok(());
        }
        self.note_sending(&name, tip)
    }

    /// A power cut does not take the note.
    fn note_sending(self, name: &str, tip: Oid) -> Result<()> {
        let lock = self.store.lock()?;
        let update = RefUpdate::new(name, Expected::Any, tip).durable();
        self.store.refs().update(&lock, &update).map(|_| ())
    }

    fn forget_sending(self, name: &str) -> Result<()> {
        let lock = self.store.lock()?;
        self.store.refs().delete(&lock, name)?;
        self.store.refs().remove_folders_of(name);
        Ok(())
    }

    /// Notes that what is here is being sent, before it is: the answer can be lost, and then it may have left.
    fn begin_sending(self, remote: &str, tip: Oid) -> Result<Sending> {
        let name = sending_ref(remote);
        let before = self.resolve(&name)?;
        // What is made of it to be sent is not durable yet.
        let noted = self.store.tip()?.unwrap_or(tip);
        if before != Some(noted) {
            self.note_sending(&name, noted)?;
        }
        Ok(Sending { noted, before })
    }

    /// Takes the note back of what was to be sent and was refused, unless another push has made its own.
    fn take_back(self, remote: &str, sending: Sending) -> Result<()> {
        let name = sending_ref(remote);
        if self.resolve(&name)? != Some(sending.noted) {
            return Ok(());
        }
        match sending.before {
            Some(before) => self.point(&name, before),
            None => self.forget_sending(&name),
        }
    }

    /// Returns true if something was sent to a remote that has not answered for it.
    pub(crate) fn is_unanswered(self, remote: &str) -> Result<bool> {
        Ok(self.resolve(&sending_ref(remote))?.is_some())
    }

    /// Notes that a remote has, or has merged, all that led to a tip.
    pub(crate) fn note_sent(self, remote: &str, tip: Oid) -> Result<()> {
        self.point(&pushed_ref(remote), tip)
    }

    /// Sends a tip to a ref of a remote, with all that it leads to.
    fn push_whole(
        self,
        to: (&str, &str),
        tip: Oid,
        options: &[&str],
        cancel: &Cancel,
    ) -> Result<Push> {
        // What a remote has must never be lost here, so it is durable before it is sent.
        self.store.journals().sync_journal()?;
        let sending = self.begin_sending(to.0, tip)?;
        let push = || self.run_push(to, tip, options, cancel);
        let pushed = push().or_else(|error| {
            // Git can't send what a `git gc` has taken. Where the journal had it, another try is worth while.
            match error.is_answer() || self.store.replay().write_missing_again()? == 0 {
                true => Err(error),
                false => push(),
            }
        });
        let is_refused = match &pushed {
            Ok(pushed) => *pushed == Push::Behind,
            Err(error) => error.has_taken_nothing(),
        };
        if is_refused {
            self.take_back(to.0, sending)?;
        }
        pushed
    }

    /// Notes what a remote has now.
    fn note_pushed(self, remote: &str, tip: Oid) -> Result<()> {
        if pushes_elsewhere(self.store, remote) {
            return self.point(&pushed_ref(remote), tip);
        }
        // Pushes went elsewhere before: what is left to send must not be counted from that old tip.
        if pushed_tip(self.store, remote)?.is_some() {
            self.point(&pushed_ref(remote), tip)?;
        }
        self.point(&Self::tracking(remote), tip)?;
        self.note_merged_tip(remote, tip)
    }

    /// Asks a remote whether it would take our tip, and sends nothing.
    pub(crate) fn try_push(self, remote: &str, tip: Oid, cancel: &Cancel) -> Result<Push> {
        let reference = self.remote_ref(remote);
        self.run_push((remote, &reference), tip, &["--dry-run"], cancel)
    }

    /// Returns true if a remote has a ref for our tip that it shows to no fetch: a push meets it.
    pub(crate) fn is_hidden(self, remote: &str, tip: Oid, cancel: &Cancel) -> Result<bool> {
        let spec = format!("{tip}:{}", self.remote_ref(remote));
        let mut command = self.pushing(remote)?;
        command.args(["--dry-run", "--end-of-options", remote, &spec]);
        let output = self.exchange(remote, &mut command, cancel)?;
        let lines = String::from_utf8_lossy(&output.stdout);
        let mut updates = lines.lines().filter(|line| line.contains(":refs/"));
        Ok(updates.any(|line| !line.starts_with("*\t")))
    }

    /// Returns the command of a push, to be completed with what it sends.
    pub(super) fn pushing(self, remote: &str) -> Result<Command> {
        check_remote_name(remote)?;
        let mut command = self.exchanging(remote)?;
        command
            .args(["push", "--porcelain", "--progress", "--no-verify"])
            .args(["--no-follow-tags", "--no-recurse-submodules", "--no-signed"]);
        Ok(command)
    }

    fn run_push(
        self,
        (remote, reference): (&str, &str),
        tip: Oid,
        options: &[&str],
        cancel: &Cancel,
    ) -> Result<Push> {
        let mut faults = 0;
        let output = loop {
            let mut command = self.pushing(remote)?;
            command
                .args(options)
                .args(["--end-of-options", remote])
                .arg(format!("{tip}:{reference}"));
            let output = self.exchange(remote, &mut command, cancel)?;
            match reason_of(&output) {
                Some(Reason::Race) => return Ok(Push::Behind),
                Some(Reason::Fault) if faults < FAULTS => {
                    faults += 1;
                    let pause = self.store.env().random() as u64 % (100 << faults);
                    std::thread::sleep(Duration::from_millis(pause));
                }
                _ => break output,
            }
        };
        let lines = String::from_utf8_lossy(&output.stdout);
        self.transport("push", remote, &output)?;
        let mut updates = lines.lines().filter(|line| line.contains(":refs/"));
        if updates.next().is_some_and(is_same) && updates.all(is_same) {
            return Ok(Push::Same);
        }
        let said = lasting(&output.stderr);
        let said = said
            .lines()
            .filter_map(|line| line.strip_prefix("remote: "))
            .map(|line| line.trim().to_owned());
        Ok(Push::Done(said.filter(|line| !line.is_empty()).collect()))
    }
}

/// Returns the ref of what is being sent to a remote.
fn sending_ref(remote: &str) -> String {
    format!("refs/beads-seen/{remote}{SENDING}")
}

/// Returns the reason why a push has left the ref as it was, where a line says it.
fn reason_of(output: &Output) -> Option<Reason> {
    let lines = String::from_utf8_lossy(&output.stdout);
    let line = refusal(&lines).filter(|_| !output.status.success())?;
    Some(reason(line, &lasting(&output.stderr)))
}

/// Returns true for the line of a ref that a push left as it was.
fn is_same(line: &str) -> bool {
    line.starts_with("=\t")
}
