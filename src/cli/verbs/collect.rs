//! `collect`: merges what others could not send to the store.

use std::path::PathBuf;

use clap::Args;

use crate::cli::files::read_bytes;
use crate::cli::options::exchange::ExchangeOptions;
use crate::cli::schema::Schema;
use crate::cli::text::exchange::exchange;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::carry::LARGEST_FILE;
use crate::ops::verbs::sync::{CarrySources, NamedFile, Sync, Synced};

#[derive(Debug, Args)]
pub(super) struct CollectArgs {
    #[command(flatten)]
    exchange: ExchangeOptions,
    /// Do not delete the mailboxes at the remote
    #[arg(long)]
    no_delete: bool,
    /// Also the carry files of HEAD
    #[arg(long)]
    head: bool,
    /// Also the carry files of a branch
    #[arg(long, value_name = "NAME")]
    branch: Vec<String>,
    /// Also this carry file (`-` is standard input)
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Also files that change over 200 issues, or delete over 20
    #[arg(long)]
    large: bool,
}

impl Verb for CollectArgs {
    const NAME: &'static str = "collect";
    const ABOUT: &'static str = "Merge mailboxes and carry files of others, and send the result";
    const GROUP: Group = Group::Exchange;
    const EXAMPLES: &'static str = r"See what there is; merge and send it:

$ git beads collect --dry-run
$ git beads collect
";
    type Answer = Synced;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let mut files = Vec::new();
        for path in self.file {
            let bytes = read_bytes(cli.env(), &cli.ui.path(&path), LARGEST_FILE)?;
            files.push(NamedFile { path, bytes });
        }
        let request = Sync {
            all_mailboxes: true,
            keep_mailboxes: self.no_delete,
            sources: CarrySources {
                head: self.head,
                branches: self.branch,
                files,
                large: self.large,
            },
            ..Sync::default()
        };
        exchange(cli, &self.exchange.request(request))
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        // The list of all schemas has it as `sync`.
        Vec::new()
    }
}
