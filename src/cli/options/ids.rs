//! The issues that a verb is about.

use clap::Args;

use crate::ops::{ClaimPolicy, parse_lease};

#[derive(Debug, Args)]
pub(in crate::cli) struct IdsOption {
    /// Ids
    #[arg(required = true, value_name = "ID")]
    pub(in crate::cli) ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ReasonOptions {
    /// Ids
    #[arg(required = true, value_name = "ID")]
    pub(in crate::cli) ids: Vec<String>,
    /// Why
    #[arg(short, long, allow_hyphen_values = true)]
    pub(in crate::cli) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ForceOption {
    /// Even if another agent works on it
    #[arg(long)]
    pub(in crate::cli) force: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct LeaseOption {
    /// Let others take it over after this agent was idle for this long: 30m, 2h
    #[arg(long, value_name = "TIME", value_parser = lease)]
    pub(in crate::cli) lease: Option<u32>,
}

// Not for the help, which would begin with it: the lease of a claim, and the place that decides on it.
#[derive(Debug, Args)]
pub(in crate::cli) struct ClaimOptions {
    #[command(flatten)]
    pub(in crate::cli) lease: LeaseOption,
    /// Confirm the claim with the remote, if it answers (beads.claims)
    #[arg(long, conflicts_with_all = ["local", "strict"])]
    remote: bool,
    /// Start in this clone only
    #[arg(long, conflicts_with = "strict")]
    local: bool,
    /// Start only if the remote confirms the claim
    #[arg(long)]
    strict: bool,
}

impl ClaimOptions {
    /// Returns where the claim is asked for, if that is said.
    pub(in crate::cli) fn policy(&self) -> Option<ClaimPolicy> {
        let asked = [
            (self.remote, ClaimPolicy::Remote),
            (self.local, ClaimPolicy::Local),
            (self.strict, ClaimPolicy::Strict),
        ];
        let asked = asked.into_iter().find(|(is_asked, _)| *is_asked);
        asked.map(|(_, policy)| policy)
    }
}

/// Parses the minutes of a lease.
pub(in crate::cli) fn lease(text: &str) -> Result<u32, String> {
    parse_lease(text).ok_or_else(|| "a lease is 1m to 24h, as in 30m or 2h".to_owned())
}

#[derive(Debug, Args)]
pub(in crate::cli) struct IdOption {
    /// Id
    pub(in crate::cli) id: String,
}
