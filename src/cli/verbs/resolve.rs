//! `resolve`: settles a field that was written at the same time.

use clap::Args;

use crate::cli::schema::Schema;
use crate::cli::text::conflicts::{ids, text};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::conflicts::conflicts;
use crate::ops::verbs::resolve::{Resolve, resolve};

#[derive(Debug, Args)]
pub(super) struct ResolveArgs {
    /// Id; without FIELD and a value, the choice is shown
    id: Option<String>,
    /// The field, as `conflicts` names it
    field: Option<String>,
    /// Keep the value with this number (0 is the one that is shown)
    #[arg(long, value_name = "N", requires = "field")]
    take: Option<usize>,
    /// Set this value instead
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "take",
        requires = "field",
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
        let is_chosen = self.take.is_some() || self.value.is_some();
        let (Some(id), Some(field), true) = (&self.id, &self.field, is_chosen) else {
            return self.show_choice(cli);
        };
        let request = Resolve {
            id: id.clone(),
            field: field.clone(),
            take: self.take,
            value: self.value,
        };
        let answer = resolve(cli.tracker()?, &request)?;
        let id = |answer: &Updated| vec![answer.id.clone()];
        cli.answer(answer, id, |ui, updated| {
            ui.line(&format!("{} {}: settled", updated.id, request.field));
        });
        Ok(Exit::OK)
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        // The list of all schemas has it as `block`.
        Vec::new()
    }
}

impl ResolveArgs {
    /// Shows what there is to choose from.
    fn show_choice(&self, cli: &mut Cli) -> Result<Exit> {
        let mut answer = conflicts(cli.tracker()?, self.id.as_deref())?;
        let is_meant = |field: &String| self.field.as_ref().is_none_or(|asked| asked == field);
        answer.conflicts.retain(|entry| is_meant(&entry.field));
        cli.answer(answer, ids, text);
        Ok(Exit::OK)
    }
}
