//! `--at`: an earlier state.

use clap::Args;

#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct AtOptions {
    /// Show the state at REV: a date (2026-11-20, 3d), a commit of `log`, a remote, or @~3
    #[arg(long, value_name = "REV")]
    pub(in crate::cli) at: Option<String>,
}
