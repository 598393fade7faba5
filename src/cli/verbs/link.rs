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
    const ABOUT: &'static str = "Make one issue wait for others (`dep add`)";
    const GROUP: Group = Group::Change;
    type Answer = Linked;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = add(cli.tracker()?, &self.link.request())?;
        cli.answer(answer, linked_ids, |ui, answer| linked(ui, answer, true));
        Ok(Exit::OK)
    }
}
