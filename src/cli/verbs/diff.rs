//! `diff`: what happened between two states.

use clap::Args;

use crate::cli::text::diff::{short, show_issue};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::issue_diff::{ChangeKind, DiffDetail};
use crate::ops::verbs::diff::{Diff, diff};
use crate::text::line::line;
use crate::text::style::YELLOW;

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// Two states: a commit, a date, a remote or @~N (`3d..@`); one alone is compared with now
    #[arg(value_name = "A..B")]
    range: String,
}

impl Verb for DiffArgs {
    const NAME: &'static str = "diff";
    const ABOUT: &'static str = "Show the changes between two states";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"The last operation, and the last two:

$ git beads diff @~1
$ git beads diff @~2..@
";
    type Answer = Diff;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let detail = if cli.globals.json.is_some() {
            DiffDetail::All
        } else {
            DiffDetail::Changed
        };
        let answer = diff(cli.tracker()?, &self.range, detail)?;
        cli.page();
        cli.answer(answer, ids, text);
        Ok(Exit::OK)
    }
}

fn ids(diff: &Diff) -> Vec<String> {
    diff.issues.iter().map(|issue| issue.id.clone()).collect()
}

fn text(ui: &mut Ui, diff: &Diff) {
    let mut counts: Vec<(ChangeKind, usize)> = Vec::new();
    for issue in &diff.issues {
        match counts.iter_mut().find(|(what, _)| *what == issue.what) {
            Some((_, n)) => *n += 1,
            None => counts.push((issue.what, 1)),
        }
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(what, n)| format!("{n} {}", what.as_str()))
        .collect();
    let counts = if counts.is_empty() {
        "no issue differs".to_owned()
    } else {
        counts.join(", ")
    };
    let range = ui.paint(
        YELLOW,
        format!("{}..{}", short(&diff.from), short(&diff.to)),
    );
    ui.row(&line![range, " ", counts]);
    for issue in &diff.issues {
        show_issue(ui, issue);
    }
}
