//! `pull`: takes over what the remote has.

use clap::Args;

use crate::cli::options::exchange::ExchangeOptions;
use crate::cli::schema::Schema;
use crate::cli::text::exchange::exchange;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::sync::{Sync, Synced};

#[derive(Debug, Args)]
pub(super) struct PullArgs {
    #[command(flatten)]
    exchange: ExchangeOptions,
    /// Join a store that was created separately
    #[arg(long)]
    adopt: bool,
}

impl Verb for PullArgs {
    const NAME: &'static str = "pull";
    const ABOUT: &'static str = "Fetch changes from a remote and merge them";
    const GROUP: Group = Group::Exchange;
    const EXAMPLES: &'static str = r"From the default remote; from another one:

$ git beads pull
$ git beads pull --remote origin
";
    type Answer = Synced;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let request = Sync {
            adopt: self.adopt,
            push: false,
            ..Sync::default()
        };
        exchange(cli, &self.exchange.request(request))
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        // The list of all schemas has it as `sync`.
        Vec::new()
    }
}
