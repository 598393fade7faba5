//! `rename`: another id.

use clap::Args;

use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::rename::rename;

#[derive(Debug, Args)]
pub(super) struct RenameArgs {
    /// Id
    id: String,
    /// The new id
    new: String,
}

impl Verb for RenameArgs {
    const NAME: &'static str = "rename";
    const ABOUT: &'static str = "Change the id of an issue";
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r"The former id keeps working:

$ git beads rename bd-a1b2 bd-upload
";
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = rename(cli.tracker()?, &self.id, &self.new)?;
        Ok(answer_updated(cli, answer, "renamed"))
    }
}
