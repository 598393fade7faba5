//! `stop`: issues are given back.

use clap::Args;

use crate::cli::options::ids::ForceOption;
use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::completion::IdGroup;
use crate::ops::verbs::stop::stop;

#[derive(Debug, Args)]
pub(super) struct StopArgs {
    /// Ids [default: all that you work on]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    #[command(flatten)]
    force: ForceOption,
}

impl Verb for StopArgs {
    const NAME: &'static str = "stop";
    const ABOUT: &'static str = "Stop work on issues and release their claims";
    const GROUP: Group = Group::Work;
    const ALIASES: &'static [&'static str] = &["release", "unclaim", "unstart"];
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Open];
    const EXAMPLES: &'static str = r"Give back all that you have started:

$ git beads start bd-a1b2
$ git beads stop
";
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = stop(cli.forced(&self.force)?, &self.ids)?;
        Ok(answer_updated(cli, answer, "opened"))
    }
}
