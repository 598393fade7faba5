//! `unblock`: issues that were blocked or deferred are open.

use clap::Args;

use crate::cli::options::ids::IdsOption;
use crate::cli::schema::Schema;
use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::completion::IdGroup;
use crate::ops::verbs::unblock::unblock;

#[derive(Debug, Args)]
pub(super) struct UnblockArgs {
    #[command(flatten)]
    issues: IdsOption,
}

impl Verb for UnblockArgs {
    const NAME: &'static str = "unblock";
    const ABOUT: &'static str = "Set blocked or deferred issues back to open";
    const GROUP: Group = Group::Change;
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Open];
    const EXAMPLES: &'static str = r#"An issue that was blocked:

$ git beads block bd-a1b2 -r "no answer yet" && git beads unblock bd-a1b2
"#;
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = unblock(cli.tracker()?, &self.issues.ids)?;
        Ok(answer_updated(cli, answer, "unblocked"))
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        // The list of all schemas has it as `block`.
        Vec::new()
    }
}
