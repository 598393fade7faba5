//! `undo`: takes operations back.

use clap::Args;

use crate::cli::text::diff::{MOST_ISSUES, short, show_issues, text_of};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::verbs::undo::{Left, Skipped, Undo, Undone, undo};
use crate::ops::{Command, Result};
use crate::text::line::line;
use crate::text::style::YELLOW;

#[derive(Debug, Args)]
pub(super) struct UndoArgs {
    /// How many of your own operations, or the commit of one [default: your last]
    #[arg(value_name = "N|OP")]
    what: Option<String>,
    /// Also undo values that were changed since
    #[arg(long)]
    force: bool,
    /// Print what would happen, write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Verb for UndoArgs {
    const NAME: &'static str = "undo";
    const ABOUT: &'static str = "Undo your last operations, or any operation by its commit";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"What you did last; the last two; what that would be:

$ git beads undo
$ git beads undo 2
$ git beads undo --dry-run
";
    type Answer = Undone;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let request = Undo {
            what: self.what,
            id: None,
            only_last: false,
            force: self.force,
            dry_run: self.dry_run,
        };
        let answer = undo(cli.tracker()?, &request)?;
        cli.answer(answer, ids, text);
        Ok(Exit::OK)
    }
}

fn ids(undone: &Undone) -> Vec<String> {
    undone.issues.iter().map(|issue| issue.id.clone()).collect()
}

fn text(ui: &mut Ui, undone: &Undone) {
    show_skipped(ui, &undone.skipped);
    for operation in &undone.operations {
        let what = if undone.dry_run {
            "would undo"
        } else {
            "undid"
        };
        let line = line![
            what,
            " ",
            ui.paint(YELLOW, short(&operation.commit)),
            " ",
            ui.one_line(&operation.subject),
        ];
        ui.row(&line);
    }
    show_issues(ui, &undone.issues, 0);
    for left in &undone.left {
        let text = format!("left alone, {}", left_text(ui, left));
        ui.row(&text);
    }
    match &undone.commit {
        // To undo the undo brings it all back.
        Some(commit) => {
            let redo = ui.led(Command::of("undo").word(short(commit)));
            ui.row(&format!("redo: {redo}"));
        }
        None => ui.line("nothing was written"),
    }
}

/// Prints the operations of which nothing is left, and why.
fn show_skipped(ui: &mut Ui, skipped: &[Skipped]) {
    for operation in skipped.iter().take(MOST_ISSUES) {
        let commit = ui.paint(YELLOW, short(&operation.commit));
        let subject = ui.one_line(&operation.subject);
        ui.row(&line!["skipped ", commit, " ", subject]);
        let why: Vec<String> = operation
            .left
            .iter()
            .map(|left| left_text(ui, left))
            .collect();
        let gone = || vec!["nothing of it is left".to_owned()];
        for line in if why.is_empty() { gone() } else { why } {
            ui.row(&format!("  {line}"));
        }
    }
    let more = skipped.len().saturating_sub(MOST_ISSUES);
    if more > 0 {
        ui.row(&format!("... and {more} more operations (--json has them)"));
    }
}

/// Returns the reason why something was not taken back, and its value now.
fn left_text(ui: &Ui, left: &Left) -> String {
    let value = text_of(ui, &left.field, &left.value);
    let value = value
        .lines()
        .next()
        .map(|line| format!(": {}", ui.one_line(line)))
        .unwrap_or_default();
    let by = if left.by.is_empty() {
        String::new()
    } else {
        format!(
            " (by {}, {})",
            ui.one_line(&left.by),
            ui.dates.minute(&left.at)
        )
    };
    let what = format!("{} {}", left.id, ui.one_line(&left.field));
    format!("{}: {}{value}{by}", ui.one_line(&left.why), what.trim_end())
}
