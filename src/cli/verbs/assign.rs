//! `assign`: who works on an issue.

use clap::Args;

use crate::cli::options::ids::ForceOption;
use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::Field;
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::update::{Update, update};

#[derive(Debug, Args)]
pub(super) struct AssignArgs {
    /// Id
    id: String,
    /// More ids, then the assignee (`me`, `none`)
    #[arg(required = true, value_name = "NAME")]
    words: Vec<String>,
    #[command(flatten)]
    force: ForceOption,
}

impl Verb for AssignArgs {
    const NAME: &'static str = "assign";
    const ABOUT: &'static str = "Assign issues ('' or `none` removes the assignee)";
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r"Two issues to Bob; to yourself; to no one:

$ git beads assign bd-a1b2 bd-c3d4 bob
$ git beads assign bd-a1b2 me
$ git beads assign bd-a1b2 none
";
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let (mut ids, mut words) = (vec![self.id], self.words);
        let name = words.pop();
        ids.extend(words);
        let request = Update {
            ids,
            fields: [(Field::Assignee, name)].into(),
            ..Update::default()
        };
        let answer = update(cli.forced(&self.force)?, &request)?;
        Ok(answer_updated(cli, answer, "updated"))
    }
}
