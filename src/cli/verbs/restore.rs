//! `restore`: deleted issues come back.

use clap::Args;

use crate::cli::options::ids::IdsOption;
use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::completion::IdGroup;
use crate::ops::verbs::restore::restore;

#[derive(Debug, Args)]
pub(super) struct RestoreArgs {
    #[command(flatten)]
    issues: IdsOption,
}

impl Verb for RestoreArgs {
    const NAME: &'static str = "restore";
    const ABOUT: &'static str = "Restore deleted issues";
    const GROUP: Group = Group::Change;
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Deleted];
    const EXAMPLES: &'static str = r"A deleted issue:

$ git beads delete bd-a1b2 && git beads restore bd-a1b2
";
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = restore(cli.tracker()?, &self.issues.ids)?;
        Ok(answer_updated(cli, answer, "restored"))
    }
}
