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
    /// Keep the value with this number (0 is the one that is shown)
    #[arg(long, value_name = "N", required_unless_present = "value")]
    take: Option<usize>,
    /// Set this value instead
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
    const ABOUT: &'static str = "Resolve a conflict";
    const GROUP: Group = Group::Exchange;
    const EXAMPLES: &'static str = r"Keep the value that is shown; take another one:

$ git beads resolve bd-a1b2 title --take 0
$ git beads resolve bd-a1b2 title --take 1
";
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
