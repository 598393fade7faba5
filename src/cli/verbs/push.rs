//! `push`: sends what the remote lacks.

use clap::Args;

use crate::cli::options::exchange::ExchangeOptions;
use crate::cli::schema::Schema;
use crate::cli::text::exchange::exchange;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::sync::{Sync, Synced};

#[derive(Debug, Args)]
pub(super) struct PushArgs {
    #[command(flatten)]
    exchange: ExchangeOptions,
}

impl Verb for PushArgs {
    const NAME: &'static str = "push";
    const ABOUT: &'static str = "Send changes to a remote";
    const GROUP: Group = Group::Exchange;
    const EXAMPLES: &'static str = r"To the default remote:

$ git beads push
";
    type Answer = Synced;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let request = Sync {
            merge: false,
            ..Sync::default()
        };
        exchange(cli, &self.exchange.request(request))
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        // The list of all schemas has it as `sync`.
        Vec::new()
    }
}
