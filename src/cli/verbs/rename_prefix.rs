//! `rename-prefix`: the prefix of new ids.

use clap::Args;

use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::rename_prefix::{PrefixRenamed, rename_prefix};

#[derive(Debug, Args)]
pub(super) struct RenamePrefixArgs {
    /// The new prefix; existing ids stay
    prefix: String,
}

impl Verb for RenamePrefixArgs {
    const NAME: &'static str = "rename-prefix";
    const ABOUT: &'static str = "Change the prefix of new ids in all clones";
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r"New ids begin with web-; those that are there stay:

$ git beads rename-prefix web
";
    type Answer = PrefixRenamed;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = rename_prefix(cli.tracker()?, &self.prefix)?;
        cli.answer(answer, |_| Vec::new(), text);
        Ok(Exit::OK)
    }
}

fn text(ui: &mut Ui, renamed: &PrefixRenamed) {
    let PrefixRenamed { prefix, was } = renamed;
    let before = if prefix == was {
        String::new()
    } else {
        format!(" (was {was}-)")
    };
    ui.line(&format!(
        "new ids begin with {prefix}-{before}; existing ids stay"
    ));
}
