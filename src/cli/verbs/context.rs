//! `context`: what a session should know.

use clap::Args;

use crate::cli::text::session::{ready_ids, text};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::context::{ContextOptions, Session, context};

#[derive(Debug, Args)]
pub(super) struct ContextArgs {
    /// Show at most this many findings and decisions [default: 20]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    limit: Option<String>,
    /// Leave out the texts of findings and decisions
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    compact: Option<String>,
}

impl Verb for ContextArgs {
    const NAME: &'static str = "context";
    const ABOUT: &'static str = "Print the context of a session: counts, work and memory";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"For a person; for a program:

$ git beads context
$ git beads context --json
";
    type Answer = Session;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let options = ContextOptions::read(self.limit.as_deref(), self.compact.as_deref());
        let answer = context(cli.tracker()?, options)?;
        cli.answer(answer, ready_ids, text);
        Ok(Exit::OK)
    }
}
