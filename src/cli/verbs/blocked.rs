//! `blocked`: what waits, and for what.

use clap::Args;

use crate::cli::options::filter::{FilterOptions, LIST_LIMIT};
use crate::cli::text::rows::{footer, rows, waits_for};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::blockers::BlockedRow;
use crate::ops::verbs::blocked::{Blocked, blocked};

#[derive(Debug, Args)]
pub(super) struct BlockedArgs {
    #[command(flatten)]
    filter: FilterOptions,
}

impl Verb for BlockedArgs {
    const NAME: &'static str = "blocked";
    const ABOUT: &'static str = "List blocked issues and what blocks them";
    const GROUP: Group = Group::Work;
    const EXAMPLES: &'static str = r"All blocked issues; those of an epic:

$ git beads blocked
$ git beads blocked --parent bd-a1b2
";
    type Answer = Blocked;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let answer = blocked(tracker, &self.filter.query(tracker, LIST_LIMIT)?)?;
        let empty = answer.issues.is_empty();
        cli.answer(answer, ids, text);
        Ok(Exit::one_if(empty && self.filter.exit_code))
    }
}

fn ids(answer: &Blocked) -> Vec<String> {
    let ids = answer
        .issues
        .iter()
        .map(|waiting| waiting.summary.id.clone());
    ids.collect()
}

fn text(ui: &mut Ui, blocked: &Blocked) {
    if blocked.issues.is_empty() {
        ui.line("nothing is blocked");
        return;
    }
    let tail = |it: &BlockedRow| waits_for(ui, &it.blocked_by, it.reason.as_deref());
    let table: Vec<_> = blocked
        .issues
        .iter()
        .map(|waiting| (&waiting.summary, 0, tail(waiting)))
        .collect();
    rows(ui, table);
    footer(
        ui,
        blocked.returned,
        blocked.total_count,
        blocked.hint.as_ref(),
    );
}
