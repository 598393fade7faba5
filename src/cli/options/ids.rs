//! The issues that a verb is about.

use clap::Args;

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
    /// Also what another agent works on
    #[arg(long)]
    pub(in crate::cli) force: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct IdOption {
    /// Id
    pub(in crate::cli) id: String,
}
