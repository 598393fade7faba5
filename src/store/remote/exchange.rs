//! Commands that exchange with a remote: what they are not to heed, how long they may take, and what they answer.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use gix::refs::FullName;

use super::super::child::{Ended, Limits, TIMEOUT, patience, run};
use super::super::failure::{
    Failure, Reason, lasting, of_push, reason, refusal, says_disk_is_full, without_line,
};
use super::super::git::{UNATTENDED, checked};
use super::super::{Cancel, Result, StoreError, io};
use super::Remotes;

impl Remotes<'_> {
    /// Returns a command that exchanges with a remote: none of the user's settings makes it fail, or carry more than
    /// the refs that it names. Without a terminal it asks nothing.
    pub(super) fn exchanging(self, remote: &str) -> Result<Command> {
        self.check_named_ref()?;
        let mut command = self.store.git().command();
        let of_remote = |key: &str| format!("remote.{remote}.{key}");
        self.store.git().configure(
            &mut command,
            &[
                (of_remote("mirror"), "false"),
                (of_remote("followRemoteHEAD"), "never"),
                ("push.pushOption".to_owned(), ""),
                ("push.negotiate".to_owned(), "false"),
                ("push.useForceIfIncludes".to_owned(), "false"),
                // A larger push is sent in parts, after one that names no ref: a host that looks for the ref finds none.
                ("http.postBuffer".to_owned(), "64m"),
            ],
        );
        if let Some(url) = self.url {
            // Not as an argument: it can hold a password, and others see those of a running program.
            let address = [(of_remote("url"), url)];
            self.store.git().configure(&mut command, &address);
        }
        if self.is_unattended {
            command.envs(UNATTENDED);
        } else if !self.store.env().error_is_terminal() {
            command.env("GIT_TERMINAL_PROMPT", "0");
        }
        if let Some(time) = self.patience()? {
            let seconds = time.as_secs();
            command.args(["-c", "http.lowSpeedLimit=100", "-c"]);
            command.arg(format!("http.lowSpeedTime={seconds}"));
            if self.has_plain_ssh() {
                // Four questions without an answer make up the whole time.
                let alive = (seconds / 4).max(1);
                let batch = match self.is_unattended {
                    true => " -o BatchMode=yes",
                    false => "",
                };
                let ssh = format!(
                    "ssh{batch} -o ConnectTimeout={seconds} -o ServerAliveInterval={alive} -o ServerAliveCountMax=4"
                );
                command.env("GIT_SSH_COMMAND", ssh);
            }
        }
        Ok(command)
    }

    /// Refuses a ref of the user's that is no full name of one: git would take it for another, or for an option.
    fn check_named_ref(self) -> Result<()> {
        let key = "beads.remoteRef";
        let named = self.store.config(key);
        let is_name =
            |name: &String| name.starts_with("refs/") && FullName::try_from(&**name).is_ok();
        match named.filter(|name| !is_name(name)) {
            None => Ok(()),
            Some(value) => Err(StoreError::Setting {
                key: key.to_owned(),
                value,
                example: "refs/heads/beads",
            }),
        }
    }

    /// Returns true if ssh is run as git runs it by default.
    fn has_plain_ssh(self) -> bool {
        let variables = ["GIT_SSH_COMMAND", "GIT_SSH", "GIT_SSH_VARIANT"];
        let keys = ["core.sshCommand", "ssh.variant"];
        variables
            .iter()
            .all(|name| self.store.env().var_os(name).is_none())
            && keys.iter().all(|key| self.store.config(key).is_none())
    }

    /// Returns the time that a remote may say nothing; none where it is waited for without end.
    fn patience(self) -> Result<Option<Duration>> {
        let usual = patience(TIMEOUT, self.store.config(TIMEOUT.0))?;
        Ok(match (usual, self.limit) {
            (Some(usual), Some(limit)) => Some(usual.min(limit)),
            (usual, limit) => usual.or(limit),
        })
    }

    /// Returns true if git, or what it runs, may wait for a word of the user: no time is counted then.
    fn may_ask(self, remote: &str) -> bool {
        if self.is_unattended {
            return false;
        }
        let named = || self.store.config(&format!("remote.{remote}.url"));
        let url = self.url.map(str::to_owned).or_else(named);
        if url.is_some_and(|url| url.starts_with("git://")) {
            return false;
        }
        let programs = ["GIT_ASKPASS", "SSH_ASKPASS"];
        self.store.env().has_terminal()
            || programs
                .iter()
                .any(|name| self.store.env().var(name).is_some())
            || self.store.config("core.askPass").is_some()
    }

    /// Runs a command that exchanges, for as long as the remote says something and someone waits.
    pub(super) fn exchange(
        self,
        remote: &str,
        command: &mut Command,
        cancel: &Cancel,
    ) -> Result<Output> {
        let silence = self.patience()?;
        let limits = Limits {
            silence,
            asks: self.may_ask(remote),
            cancel: cancel.clone(),
            shown: self.store.env().error_is_terminal(),
            env: self.store.env().clone(),
        };
        let began = Instant::now();
        let ended = run(command, &limits).map_err(io("can't run git"))?;
        // Ended by a signal, no matter whose: it may have left a lock of the reftable.
        if !matches!(&ended, Ended::Itself(output) if output.status.code().is_some()) {
            self.store.refs().clean_after_child(began);
        }
        let (said, failure) = match ended {
            Ended::Itself(output) => return Ok(output),
            Ended::Silent => {
                let seconds = silence.unwrap_or_default().as_secs();
                (
                    format!("no answer for {seconds} s"),
                    Failure::Silent(seconds),
                )
            }
            Ended::GivenUp => ("the call was cancelled".to_owned(), Failure::Outage),
        };
        Err(self.failed(remote, said, failure))
    }

    pub(super) fn failed(self, remote: &str, said: String, failure: Failure) -> StoreError {
        StoreError::Remote {
            remote: remote.to_owned(),
            reference: self.remote_ref(remote),
            said,
            failure,
        }
    }

    /// Turns a failed exchange into what was said, and why that was.
    pub(super) fn transport(self, what: &str, remote: &str, output: &Output) -> Result<()> {
        let stderr = lasting(&output.stderr);
        match checked(what, output.status.success(), stderr.as_bytes()) {
            // A fetch writes here alone: a disk that takes nothing is no matter of the remote.
            Err(StoreError::Git {
                command, stderr, ..
            }) if what == "fetch" && says_disk_is_full(&stderr) => {
                Err(StoreError::Git { command, stderr })
            }
            Err(StoreError::Git { stderr, .. }) => {
                let porcelain = String::from_utf8_lossy(&output.stdout);
                let line = refusal(&porcelain);
                let failure = match line.map(|line| reason(line, &stderr)) {
                    Some(Reason::Refused) => Failure::Refused,
                    Some(Reason::Content) => Failure::Content,
                    // Without a report it may have taken it.
                    Some(_) if line.is_some_and(|line| line.contains("[remote rejected]")) => {
                        Failure::NotTaken
                    }
                    Some(_) => Failure::Outage,
                    None if what == "push" => of_push(&stderr),
                    None => without_line(&stderr),
                };
                // On a terminal git has said the rest.
                let shown = if self.store.env().error_is_terminal() {
                    ""
                } else {
                    &stderr
                };
                let line = line.unwrap_or_default().replace('\t', " ");
                Err(self.failed(remote, format!("{shown} {line}").trim().to_owned(), failure))
            }
            other => other,
        }
    }
}
