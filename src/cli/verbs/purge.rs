//! `purge`: an issue gives way to a mark, for good.

use clap::Args;

use crate::cli::text::count;
use crate::cli::ui::{self, Ui};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::verbs::completion::IdGroup;
use crate::ops::verbs::purge::{Purged, plan, purge};
use crate::ops::{Code, Command, Error, Result};

#[derive(Debug, Args)]
pub(super) struct PurgeArgs {
    /// Id
    id: String,
    /// Do not ask for confirmation; required without a terminal
    #[arg(short, long)]
    yes: bool,
    /// Print what would be erased or rewritten, and what the history still contains
    #[arg(long)]
    dry_run: bool,
}

impl Verb for PurgeArgs {
    const NAME: &'static str = "purge";
    const ABOUT: &'static str = "Erase an issue for good, to remove leaked text";
    const GROUP: Group = Group::Exchange;
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Open, IdGroup::Closed, IdGroup::Deleted];
    const EXAMPLES: &'static str = r"See what would be erased; erase it:

$ git beads purge bd-a1b2 --dry-run
$ git beads purge bd-a1b2 --yes
";
    type Answer = Purged;

    fn reads(&self) -> bool {
        self.dry_run
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let (tracker, ui) = cli.open()?;
        let answer = if self.dry_run {
            plan(tracker, &self.id)?
        } else {
            if !self.yes {
                agreed(ui, &plan(tracker, &self.id)?)?;
            }
            purge(tracker, &self.id)?
        };
        cli.answer(answer, |answer| vec![answer.id.clone()], text);
        Ok(Exit::OK)
    }
}

/// Asks a person, after showing what goes; it can't be taken back.
fn agreed(ui: &Ui, plan: &Purged) -> Result<()> {
    let id = &plan.id;
    if !ui.env.is_interactive() {
        let message =
            "a purge can't be undone, and there is no terminal to ask on; nothing was purged";
        return Err(Error::new(Code::Unconfirmed, message)
            .hinted(Command::of("purge").id(id).flag("--yes")));
    }
    for line in lines(plan) {
        ui::talk(&ui.env, "note", &ui.one_line(&line));
    }
    if ui::asked(&ui.env, &format!("Purge {id} for good?")) {
        return Ok(());
    }
    let hint = Command::of("purge").id(id).flag("--dry-run");
    Err(Error::new(Code::Declined, "nothing was purged").hinted(hint))
}

fn text(ui: &mut Ui, purged: &Purged) {
    for line in lines(purged) {
        let line = ui.one_line(&line);
        ui.line(&line);
    }
}

/// Returns the lines that say what goes, or has gone; a dry run and the question name each file.
fn lines(purged: &Purged) -> Vec<String> {
    let memory = count(purged.memory, "entry", "entries");
    let history = history(purged);
    if !purged.dry_run {
        return vec![
            format!("{} is purged, with {memory} of memory", purged.id),
            history,
        ];
    }
    let files = purged
        .files
        .iter()
        .map(|file| format!("would clear {file}"));
    std::iter::once(format!(
        "would purge {}, with {memory} of memory",
        purged.id
    ))
    .chain(files)
    .chain([history])
    .collect()
}

/// Returns the line about the history.
fn history(purged: &Purged) -> String {
    let held_by = count(purged.held_by, "commit", "commits");
    let rewritten = count(purged.rewritten, "commit", "commits");
    match (purged.rewritten, purged.held_by) {
        (0, 0) => "no commit of the history holds the text".to_owned(),
        (0, _) => format!(
            "{held_by} of the history still hold the text, which has left this clone or may have: here and in every clone that has them"
        ),
        _ if purged.dry_run => format!(
            "would rewrite {rewritten} without the text, none of which was sent; a clone that has fetched from here keeps it"
        ),
        _ => format!(
            "{rewritten} of the history, none of which was sent, {} rewritten without the text; a clone that has fetched from here keeps it",
            if purged.rewritten == 1 { "is" } else { "are" }
        ),
    }
}
