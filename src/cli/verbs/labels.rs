//! `labels`: the labels of issues, with counts.

use clap::Args;

use crate::cli::text::table::{usage_names, usage_table};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::labels::{LabelList, labels};

/// Most used first; labels of closed issues alone are listed too.
#[derive(Debug, Args)]
pub(super) struct LabelsArgs {
    /// Only labels of open issues
    #[arg(long)]
    open: bool,
}

impl Verb for LabelsArgs {
    const NAME: &'static str = "labels";
    const ABOUT: &'static str = "List labels and how many issues have each";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"All labels; those of open issues; the names alone:

$ git beads labels
$ git beads labels --open
$ git beads labels -q
";
    type Answer = LabelList;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = labels(cli.tracker()?, self.open)?;
        cli.page();
        cli.answer(answer, |list| usage_names(&list.labels), text);
        Ok(Exit::OK)
    }
}

fn text(ui: &mut Ui, list: &LabelList) {
    match list.labels.is_empty() {
        true => ui.line("no labels; git beads label ID LABEL adds one"),
        false => usage_table(ui, "label", &list.labels),
    }
}
