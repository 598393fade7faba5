//! `accept`: a person confirms that issues are done.

use clap::Args;

use crate::cli::options::ids::IdsOption;
use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::accept::accept;
use crate::ops::verbs::completion::IdGroup;

/// Issues that an agent has closed leave your inbox. One that is open and has the label `review` is closed with that. `reopen
/// ID -r REASON` sends an issue back. An agent cannot accept.
#[derive(Debug, Args)]
pub(super) struct AcceptArgs {
    #[command(flatten)]
    issues: IdsOption,
}

impl Verb for AcceptArgs {
    const NAME: &'static str = "accept";
    const ABOUT: &'static str = "Accept that issues are done";
    const GROUP: Group = Group::Change;
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Closed, IdGroup::Open];
    const EXAMPLES: &'static str = r"What agents have closed, and that one is done well:

$ git beads list -w is:review
$ git beads --agent worker done bd-a1b2 -r ported && git beads accept bd-a1b2
";
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = accept(cli.tracker()?, &self.issues.ids)?;
        Ok(answer_updated(cli, answer, "accepted"))
    }
}
