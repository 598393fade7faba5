//! `types`: the types of issues, with counts.

use clap::Args;

use crate::cli::text::table::{usage_names, usage_table};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::types::{TypeList, types};
use crate::text::line::line;
use crate::text::style::DIM;

/// Most used first.
#[derive(Debug, Args)]
pub(super) struct TypesArgs {}

impl Verb for TypesArgs {
    const NAME: &'static str = "types";
    const ABOUT: &'static str = "List types and how many issues have each";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"All types; for a program:

$ git beads types
$ git beads types --json
";
    type Answer = TypeList;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = types(cli.tracker()?)?;
        cli.page();
        cli.answer(answer, |list| usage_names(&list.types), text);
        Ok(Exit::OK)
    }
}

fn text(ui: &mut Ui, list: &TypeList) {
    match list.types.is_empty() {
        true => ui.line("no issues yet"),
        false => usage_table(ui, "type", &list.types),
    }
    // They answer the question which types there are, but are no rows: no issue has them.
    if !list.unused.is_empty() {
        let text = format!("(not used: {})", list.unused.join(", "));
        ui.row(&line![ui.paint(DIM, text)]);
    }
}
