//! `update`: fields of issues.

use clap::Args;

use crate::cli::options::fields::{FieldOptions, UpdateFields};
use crate::cli::options::ids::ForceOption;
use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::current_branch;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::update::{Update, update};

#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    /// Ids [default: the issue of the current branch]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    #[command(flatten)]
    options: FieldOptions<UpdateFields>,
    /// Add lines below the notes
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "notes",
        allow_hyphen_values = true
    )]
    append_notes: Option<String>,
    #[command(flatten)]
    force: ForceOption,
}

impl Verb for UpdateArgs {
    const NAME: &'static str = "update";
    const ABOUT: &'static str = "Change fields of issues ('' clears one)";
    const GROUP: Group = Group::Work;
    const EXAMPLES: &'static str = r"Several fields of several issues; no assignee any more:

$ git beads update bd-a1b2 bd-c3d4 -p 0 --add-label urgent
$ git beads update bd-a1b2 -a ''
";
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.forced(&self.force)?;
        let ids = current_branch::or_current(tracker, Self::NAME, self.ids)?;
        let request = Update {
            ids,
            fields: self.options.fields,
            remove_labels: self.options.remove_labels,
            append_notes: self.append_notes,
        };
        let answer = update(tracker, &request)?;
        Ok(answer_updated(cli, answer, "updated"))
    }
}
