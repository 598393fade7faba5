//! `block`: issues wait for something outside.

use clap::Args;

use crate::cli::options::ids::{ForceOption, ReasonOptions};
use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::block::block;
use crate::ops::verbs::completion::IdGroup;

#[derive(Debug, Args)]
pub(super) struct BlockArgs {
    #[command(flatten)]
    issues: ReasonOptions,
    #[command(flatten)]
    force: ForceOption,
}

impl Verb for BlockArgs {
    const NAME: &'static str = "block";
    const ABOUT: &'static str = "Mark issues as blocked by something outside the tracker";
    const GROUP: Group = Group::Change;
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Open];
    const EXAMPLES: &'static str = r#"With the reason:

$ git beads block bd-a1b2 -r "waiting for the vendor"
"#;
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = block(
            cli.forced(&self.force)?,
            &self.issues.ids,
            self.issues.reason.as_deref(),
        )?;
        Ok(answer_updated(cli, answer, "blocked"))
    }
}
