//! `start`: an issue is taken.

use clap::Args;

use crate::cli::options::ids::ClaimOptions;
use crate::cli::schema::{self, Schema};
use crate::cli::text::issue::{started, started_ids};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::completion::IdGroup;
use crate::ops::verbs::start::{Start, Started, start};

#[derive(Debug, Args)]
pub(super) struct StartArgs {
    /// Id
    id: String,
    /// Take it over from someone else
    #[arg(long)]
    force: bool,
    /// Switch to a branch that is linked to the issue
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    branch: Option<Option<String>>,
    #[command(flatten)]
    claim: ClaimOptions,
}

impl Verb for StartArgs {
    const NAME: &'static str = "start";
    const ABOUT: &'static str = "Start work on an issue: in progress, assigned to you";
    const GROUP: Group = Group::Work;
    const ALIASES: &'static [&'static str] = &["claim"];
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Open];
    const EXAMPLES: &'static str = r"Take an issue:

$ git beads start bd-a1b2
";
    type Answer = Started;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let request = Start {
            id: self.id,
            force: self.force,
            branch: self.branch,
        };
        let answer = start(cli.claiming(&self.claim)?, &request)?;
        cli.answer(answer, started_ids, started);
        Ok(Exit::OK)
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        let started: Schema = schema::of::<Started>;
        vec![(Self::NAME, started), ("claim", started)]
    }
}
