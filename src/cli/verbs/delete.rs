//! `delete`: issues that no list shows any more.

use clap::Args;

use crate::cli::options::ids::ReasonOptions;
use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::delete::delete;

#[derive(Debug, Args)]
pub(super) struct DeleteArgs {
    #[command(flatten)]
    issues: ReasonOptions,
}

impl Verb for DeleteArgs {
    const NAME: &'static str = "delete";
    const ABOUT: &'static str = "Delete issues (they can be restored)";
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r#"With the reason; it can be restored:

$ git beads delete bd-a1b2 -r "filed twice"
$ git beads restore bd-a1b2
"#;
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = delete(
            cli.tracker()?,
            &self.issues.ids,
            self.issues.reason.as_deref(),
        )?;
        Ok(answer_updated(cli, answer, "deleted"))
    }
}
