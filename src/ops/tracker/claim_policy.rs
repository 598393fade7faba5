//! The place that decides on a claim: this clone alone, or the remote as well.

use super::Tracker;
use crate::ops::{Command, Error, Result};

const KEY: &str = "beads.claims";

/// The place that decides on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaimPolicy {
    /// This clone; the remote decides at the next exchange.
    Local,
    /// The remote, where it answers.
    Remote,
    /// The remote, or nothing is started.
    Strict,
}

impl ClaimPolicy {
    fn parse(text: &str) -> Option<Self> {
        Some(match text.trim() {
            "" | "local" => Self::Local,
            "remote" => Self::Remote,
            "strict" => Self::Strict,
            _ => return None,
        })
    }
}

impl Tracker {
    /// Returns the option by which the caller has said where claims are asked for.
    pub(crate) fn claim_flag(&self) -> Option<&'static str> {
        Some(match self.caller.claims? {
            ClaimPolicy::Local => "--local",
            ClaimPolicy::Remote => "--remote",
            ClaimPolicy::Strict => "--strict",
        })
    }

    /// Returns where claims are asked for: as the caller says, else as `beads.claims` does.
    /// Errors: a value of `beads.claims` that is none: what must not happen twice is not started on a guess.
    pub(crate) fn claim_policy(&self) -> Result<ClaimPolicy> {
        if let Some(asked) = self.caller.claims {
            return Ok(asked);
        }
        let text = self.store.config(KEY).unwrap_or_default();
        ClaimPolicy::parse(&text).ok_or_else(|| {
            let message = format!("{KEY} is `{text}`; it can be local, remote or strict");
            Error::invalid(message).hinted(Command::line("git config").word(KEY).word("local"))
        })
    }
}
