//! `priority`: how urgent an issue is.

use clap::Args;

use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::Field;
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::update::{Update, update};

#[derive(Debug, Args)]
pub(super) struct PriorityArgs {
    /// Id
    id: String,
    /// More ids, then the priority: 0 (most urgent) to 4, or P0 to P4
    #[arg(required = true, value_name = "PRIORITY")]
    words: Vec<String>,
}

impl Verb for PriorityArgs {
    const NAME: &'static str = "priority";
    const ABOUT: &'static str = "Set the priority, P0 to P4";
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r"One issue; several:

$ git beads priority bd-a1b2 P0
$ git beads priority bd-a1b2 bd-c3d4 1
";
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let (mut ids, mut words) = (vec![self.id], self.words);
        let priority = words.pop();
        ids.extend(words);
        let request = Update {
            ids,
            fields: [(Field::Priority, priority)].into(),
            ..Update::default()
        };
        let answer = update(cli.tracker()?, &request)?;
        Ok(answer_updated(cli, answer, "updated"))
    }
}
