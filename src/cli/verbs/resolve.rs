//! `resolve`: settles a field that was written at the same time.

use clap::Args;

use crate::cli::schema::Schema;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::resolve::{Resolve, resolve};

#[derive(Debug, Args)]
pub(super) struct ResolveArgs {
    /// Id
    id: String,
    /// The field, as `conflicts` names it
    field: String,
    /// Take the value with this number; 0 keeps the one that is shown
    #[arg(long, value_name = "N", required_unless_present = "value")]
    take: Option<usize>,
    /// Write this instead
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "take",
        allow_hyphen_values = true
    )]
    value: Option<String>,
}

impl Verb for ResolveArgs {
    const NAME: &'static str = "resolve";
    const ABOUT: &'static str = "Settle a field that was written at the same time";
    const GROUP: Group = Group::Exchange;
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let request = Resolve {
            id: self.id,
            field: self.field,
            take: self.take,
            value: self.value,
        };
        let answer = resolve(cli.tracker()?, &request)?;
        let ids = |answer: &Updated| vec![answer.id.clone()];
        cli.answer(answer, ids, |ui, updated| {
            ui.line(&format!("{} {}: settled", updated.id, request.field));
        });
        Ok(Exit::OK)
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        // The list of all schemas has it as `block`.
        Vec::new()
    }
}
