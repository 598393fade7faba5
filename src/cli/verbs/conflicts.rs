//! `conflicts`: what was written at the same time.

use clap::Args;

use crate::cli::text::conflicts::{ids, text};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::conflicts::{Conflicts, conflicts};

#[derive(Debug, Args)]
pub(super) struct ConflictsArgs {
    /// Id; without one, all issues
    id: Option<String>,
}

impl Verb for ConflictsArgs {
    const NAME: &'static str = "conflicts";
    const ABOUT: &'static str = "List conflicts: fields that two clones changed concurrently";
    const GROUP: Group = Group::Exchange;
    const EXAMPLES: &'static str = r"All conflicts; those of an issue:

$ git beads conflicts
$ git beads conflicts bd-a1b2
";
    type Answer = Conflicts;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = conflicts(cli.tracker()?, self.id.as_deref())?;
        cli.answer(answer, ids, text);
        Ok(Exit::OK)
    }
}
