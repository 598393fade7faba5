//! `__complete`: what can follow on a command line, for the completion scripts.

use clap::Args;

use crate::cli::completion::complete;
use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::ops::Result;

#[derive(Debug, Args)]
pub(super) struct CompleteArgs {
    /// The words are as bash has them, quotes and all; PART of the last one is replaced
    #[arg(long, value_name = "PART", require_equals = true)]
    bash: Option<String>,
    /// The words of the command line, up to the cursor
    #[arg(last = true)]
    words: Vec<String>,
}

impl Verb for CompleteArgs {
    const NAME: &'static str = "__complete";
    const ABOUT: &'static str = "What can follow on a command line, for the completion scripts";
    const GROUP: Group = Group::Other;
    const HIDDEN: bool = true;
    type Answer = NoAnswer;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let dir = cli.globals.dir.as_deref();
        let found = complete(cli.env(), cli.verbs, &self.words, self.bash.as_deref(), dir);
        cli.ui.text(&found);
        Ok(Exit::OK)
    }
}
