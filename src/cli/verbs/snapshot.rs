//! `snapshot`: for one release, the answer to those who still call it.

use clap::Args;

use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::ops::Result;

#[derive(Debug, Args)]
pub(super) struct SnapshotArgs {
    /// Does nothing any more
    #[arg(long)]
    all: bool,
    /// Does nothing any more
    #[arg(long)]
    write: bool,
}

impl Verb for SnapshotArgs {
    const NAME: &'static str = "snapshot";
    const ABOUT: &'static str = "Snapshot files are not written any more";
    const GROUP: Group = Group::Exchange;
    const HIDDEN: bool = true;
    type Answer = NoAnswer;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        tracing::debug!(
            all = self.all,
            write = self.write,
            "a snapshot was asked for"
        );
        cli.ui.line(
            "snapshot files are not written any more: a clone begins with git beads init --from URL, or from a file of \
             git beads carry --full",
        );
        Ok(Exit::OK)
    }
}
