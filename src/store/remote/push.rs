//! Push: our tip is sent, and nothing is ever forced.

use super::super::failure::{Reason, lasting, reason, refusal};
use super::super::push_url::{pushed_ref, pushed_tip, pushes_elsewhere};
use super::super::{Cancel, Oid, Result};
use super::{Remotes, check_remote_name};

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
        // What a remote has must never be lost here, so it is durable before it is sent.
        self.store.journals().sync_journal()?;
        let pushed = self
            .run_push(remote, tip, &options, cancel)
            .or_else(|error| {
                // Git can't send what a `git gc` has taken. Where the journal had it, another try is worth while.
                match self.store.replay().write_missing_again()? {
                    0 => Err(error),
                    _ => self.run_push(remote, tip, &options, cancel),
                }
            })?;
        match pushed {
            Push::Done(_) | Push::Same if pushes_elsewhere(self.store, remote) => {
                self.point(&pushed_ref(remote), tip)?;
            }
            Push::Done(_) | Push::Same => {
                // Pushes went elsewhere before: what is left to send must not be counted from that old tip.
                if pushed_tip(self.store, remote)?.is_some() {
                    self.point(&pushed_ref(remote), tip)?;
                }
                self.point(&Self::tracking(remote), tip)?;
                self.note_merged_tip(remote, tip)?;
            }
            Push::Behind => {}
        }
        Ok(pushed)
    }

    /// Asks a remote whether it would take our tip, and sends nothing.
    pub(crate) fn try_push(self, remote: &str, tip: Oid, cancel: &Cancel) -> Result<Push> {
        self.run_push(remote, tip, &["--dry-run"], cancel)
    }

    fn run_push(self, remote: &str, tip: Oid, options: &[&str], cancel: &Cancel) -> Result<Push> {
        check_remote_name(remote)?;
        let mut command = self.exchanging(remote)?;
        command
            .args(["push", "--porcelain", "--progress", "--no-verify"])
            .args(["--no-follow-tags", "--no-recurse-submodules", "--no-signed"])
            .args(options)
            .args(["--end-of-options", remote])
            .arg(format!("{tip}:{}", self.remote_ref(remote)));
        let output = self.exchange(remote, &mut command, cancel)?;
        let lines = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() && refusal(&lines).map(reason) == Some(Reason::Race) {
            return Ok(Push::Behind);
        }
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

/// Returns true for the line of a ref that a push left as it was.
fn is_same(line: &str) -> bool {
    line.starts_with("=\t")
}
