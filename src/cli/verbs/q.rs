//! `q`: an issue, of which only the id is printed.

use clap::Args;

use crate::cli::options::fields::{FieldOptions, QuickFields, WaitOptions};
use crate::cli::text::issue::{created, created_ids};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::create::{Created, create};

#[derive(Debug, Args)]
pub(super) struct QuickArgs {
    /// What is to be done
    title: String,
    #[command(flatten)]
    fields: FieldOptions<QuickFields>,
    #[command(flatten)]
    waits: WaitOptions,
}

impl Verb for QuickArgs {
    const NAME: &'static str = "q";
    const ABOUT: &'static str = "Create an issue and print only its id";
    const GROUP: Group = Group::Work;
    const EXAMPLES: &'static str = r#"In a script:

$ id=$(git beads q "Uploads time out" -t bug) && git beads start "$id"
"#;
    type Answer = Created;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let request = self.fields.create(self.title, self.waits);
        let answer = create(cli.tracker()?, &request)?;
        cli.ui.quiet = true;
        cli.answer(answer, created_ids, created);
        Ok(Exit::OK)
    }
}
