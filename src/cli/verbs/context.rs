//! `context`: what a session should know.

use clap::Args;

use crate::cli::text::session::{ready_ids, text};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::context::{ContextOptions, Session, context};

#[derive(Debug, Args)]
pub(super) struct ContextArgs {
    /// Findings and decisions at most [default: 20]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    limit: Option<String>,
    /// Leave out their texts
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    compact: Option<String>,
}

impl Verb for ContextArgs {
    const NAME: &'static str = "context";
    const ABOUT: &'static str = "Tell what a session should know: counts, work, memory";
    const GROUP: Group = Group::Look;
    type Answer = Session;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let options = ContextOptions::read(self.limit.as_deref(), self.compact.as_deref());
        let answer = context(cli.tracker()?, options)?;
        cli.answer(answer, ready_ids, text);
        Ok(Exit::OK)
    }
}
