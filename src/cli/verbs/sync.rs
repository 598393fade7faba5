//! `sync`: fetch, merge and push.

use clap::Args;

use crate::cli::options::exchange::ExchangeOptions;
use crate::cli::text::exchange::exchange;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::sync::{Sync, Synced};

#[derive(Debug, Args)]
pub(super) struct SyncArgs {
    #[command(flatten)]
    exchange: ExchangeOptions,
    /// Join a store that was created separately
    #[arg(long)]
    adopt: bool,
    /// Search again for a ref that the remote accepts
    #[arg(long)]
    probe: bool,
}

impl Verb for SyncArgs {
    const NAME: &'static str = "sync";
    const ABOUT: &'static str = "Exchange with a remote: fetch, merge, push";
    const GROUP: Group = Group::Exchange;
    const EXAMPLES: &'static str = r"With the default remote; see what would happen:

$ git beads sync
$ git beads sync --dry-run
";
    type Answer = Synced;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let request = Sync {
            adopt: self.adopt,
            probe: self.probe,
            ..Sync::default()
        };
        exchange(cli, &self.exchange.request(request))
    }
}
