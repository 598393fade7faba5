//! `redact`: hides an entry of the memory.

use clap::Args;

use crate::cli::text::next;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::verbs::redact::{Redact, Redacted, redact};
use crate::ops::{Command, Result};

#[derive(Debug, Args)]
pub(super) struct RedactArgs {
    /// Id
    id: String,
    /// Id of the entry, or the end of it (`show --json` names them)
    entry: String,
    /// Show a hidden entry again
    #[arg(long)]
    restore: bool,
}

impl Verb for RedactArgs {
    const NAME: &'static str = "redact";
    const ABOUT: &'static str = "Hide a wrong finding, decision or comment";
    const GROUP: Group = Group::Work;
    const EXAMPLES: &'static str = r"The entry whose id ends so, as `show --json` prints it:

$ git beads redact bd-a1b2 7QZK
";
    type Answer = Redacted;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let request = Redact {
            id: self.id,
            entry: self.entry,
            restore: self.restore,
        };
        let answer = redact(cli.tracker()?, &request)?;
        cli.answer(answer, |redacted| vec![redacted.entry.clone()], text);
        Ok(Exit::OK)
    }
}

fn text(ui: &mut Ui, redacted: &Redacted) {
    let what = if redacted.hidden {
        "hidden"
    } else {
        "shown again"
    };
    ui.line(&format!("{} of {} is {what}", redacted.entry, redacted.id));
    next(ui, Command::of("show").id(&redacted.id));
}
