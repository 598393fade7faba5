//! `reopen`: closed issues are open again.

use clap::Args;

use crate::cli::options::ids::ReasonOptions;
use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::completion::IdGroup;
use crate::ops::verbs::reopen::reopen;

#[derive(Debug, Args)]
pub(super) struct ReopenArgs {
    #[command(flatten)]
    issues: ReasonOptions,
}

impl Verb for ReopenArgs {
    const NAME: &'static str = "reopen";
    const ABOUT: &'static str = "Reopen closed issues";
    const GROUP: Group = Group::Change;
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Closed];
    const EXAMPLES: &'static str = r#"With the reason:

$ git beads done bd-a1b2 -r fixed && git beads reopen bd-a1b2 -r "it happens again"
"#;
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = reopen(
            cli.tracker()?,
            &self.issues.ids,
            self.issues.reason.as_deref(),
        )?;
        Ok(answer_updated(cli, answer, "reopened"))
    }
}
