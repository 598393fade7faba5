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
    /// 0 (most urgent) to 4, or P0 to P4
    priority: String,
}

impl Verb for PriorityArgs {
    const NAME: &'static str = "priority";
    const ABOUT: &'static str = "Set the priority, P0 to P4";
    const GROUP: Group = Group::Change;
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let request = Update {
            ids: vec![self.id],
            fields: [(Field::Priority, Some(self.priority))].into(),
            ..Update::default()
        };
        let answer = update(cli.tracker()?, &request)?;
        Ok(answer_updated(cli, answer, "updated"))
    }
}
