//! `link`: one issue waits for others.

use clap::Args;

use crate::cli::options::link::LinkOptions;
use crate::cli::text::issue::{linked, linked_ids};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::dep::{Linked, add};

#[derive(Debug, Args)]
pub(super) struct LinkArgs {
    #[command(flatten)]
    link: LinkOptions,
}

impl Verb for LinkArgs {
    const NAME: &'static str = "link";
    const ABOUT: &'static str = "Add dependencies to an issue (as `dep add`)";
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r"One issue is blocked by another:

$ git beads link bd-a1b2 --on bd-c3d4
";
    type Answer = Linked;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = add(cli.tracker()?, &self.link.request())?;
        cli.answer(answer, linked_ids, |ui, answer| linked(ui, answer, true));
        Ok(Exit::OK)
    }
}
