//! `defer`: issues that rest on purpose.

use clap::Args;

use crate::cli::options::ids::ForceOption;
use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::completion::IdGroup;
use crate::ops::verbs::defer::defer;

#[derive(Debug, Args)]
pub(super) struct DeferArgs {
    /// Ids
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Hide until this date (2026-11-20, 3d, 2w, tomorrow)
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    #[command(flatten)]
    force: ForceOption,
}

impl Verb for DeferArgs {
    const NAME: &'static str = "defer";
    const ABOUT: &'static str = "Defer issues, until a date or for now";
    const GROUP: Group = Group::Change;
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Open];
    const EXAMPLES: &'static str = r"Out of sight for three days:

$ git beads defer bd-a1b2 --until 3d
";
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = defer(cli.forced(&self.force)?, &self.ids, self.until.as_deref())?;
        Ok(answer_updated(cli, answer, "deferred"))
    }
}
