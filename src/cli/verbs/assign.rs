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
    /// Who works on it (`me`, `none`)
    name: String,
    #[command(flatten)]
    force: ForceOption,
}

impl Verb for AssignArgs {
    const NAME: &'static str = "assign";
    const ABOUT: &'static str = "Assign an issue ('' or `none`: nobody)";
    const GROUP: Group = Group::Change;
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let request = Update {
            ids: vec![self.id],
            fields: [(Field::Assignee, Some(self.name))].into(),
            ..Update::default()
        };
        let answer = update(cli.forced(&self.force)?, &request)?;
        Ok(answer_updated(cli, answer, "updated"))
    }
}
