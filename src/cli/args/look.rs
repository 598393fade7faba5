//! Arguments of the verbs for somebody who looks on.

use clap::Args;

use super::{AtArgs, FilterArgs};

#[derive(Debug, Args)]
pub(in crate::cli) struct BoardArgs {
    #[command(flatten)]
    pub(in crate::cli) filter: FilterArgs,
    #[command(flatten)]
    pub(in crate::cli) at: AtArgs,
    /// Draw it again whenever something changes, on a terminal
    #[arg(short, long, conflicts_with = "at")]
    pub(in crate::cli) watch: bool,
}

/// It begins with now, or with `--since`; `-n N` ends it after N operations.
#[derive(Debug, Args)]
pub(in crate::cli) struct WatchArgs {
    #[command(flatten)]
    pub(in crate::cli) filter: FilterArgs,
}
