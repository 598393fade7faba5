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
    /// Join a store that was begun apart
    #[arg(long)]
    adopt: bool,
    /// Forget where the remote takes the issues, and find it again
    #[arg(long)]
    probe: bool,
}

impl Verb for SyncArgs {
    const NAME: &'static str = "sync";
    const ABOUT: &'static str = "Exchange with a remote: fetch, merge, push";
    const GROUP: Group = Group::Exchange;
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
