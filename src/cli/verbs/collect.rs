//! `collect`: merges what others could not send to the store.

use clap::Args;

use crate::cli::options::exchange::ExchangeOptions;
use crate::cli::schema::Schema;
use crate::cli::text::exchange::exchange;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::sync::{Sync, Synced};

#[derive(Debug, Args)]
pub(super) struct CollectArgs {
    #[command(flatten)]
    exchange: ExchangeOptions,
    /// Leave the mailboxes at the remote
    #[arg(long)]
    no_delete: bool,
}

impl Verb for CollectArgs {
    const NAME: &'static str = "collect";
    const ABOUT: &'static str = "Merge what others left in mailboxes at a remote, and send it";
    const GROUP: Group = Group::Exchange;
    type Answer = Synced;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let request = Sync {
            all_mailboxes: true,
            keep_mailboxes: self.no_delete,
            ..Sync::default()
        };
        exchange(cli, &self.exchange.request(request))
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        // The list of all schemas has it as `sync`.
        Vec::new()
    }
}
