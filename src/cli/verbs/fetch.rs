//! `fetch`: asks the remote what it has.

use clap::Args;

use crate::cli::options::exchange::ExchangeOptions;
use crate::cli::schema::Schema;
use crate::cli::text::exchange::exchange;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::sync::{Sync, Synced};

#[derive(Debug, Args)]
pub(super) struct FetchArgs {
    #[command(flatten)]
    exchange: ExchangeOptions,
    /// Fetch the rest of a shallow history
    #[arg(long)]
    unshallow: bool,
}

impl Verb for FetchArgs {
    const NAME: &'static str = "fetch";
    const ABOUT: &'static str = "Fetch changes from a remote without merging them";
    const GROUP: Group = Group::Exchange;
    const EXAMPLES: &'static str = r"See what a remote has, then merge it:

$ git beads fetch
$ git beads status
$ git beads pull
";
    type Answer = Synced;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let request = Sync {
            merge: false,
            push: false,
            whole: self.unshallow,
            ..Sync::default()
        };
        exchange(cli, &self.exchange.request(request))
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        // The list of all schemas has it as `sync`.
        Vec::new()
    }
}
