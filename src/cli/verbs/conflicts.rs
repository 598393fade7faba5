//! `conflicts`: what was written at the same time.

use clap::Args;

use crate::cli::text::next;
use crate::cli::text::value::value_text;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::verbs::conflicts::{Conflicts, conflicts};
use crate::ops::{Command, Result};

#[derive(Debug, Args)]
pub(super) struct ConflictsArgs {
    /// Id; without one, all issues
    id: Option<String>,
}

impl Verb for ConflictsArgs {
    const NAME: &'static str = "conflicts";
    const ABOUT: &'static str = "List conflicts: fields that two clones changed concurrently";
    const GROUP: Group = Group::Exchange;
    const EXAMPLES: &'static str = r"All conflicts; those of an issue:

$ git beads conflicts
$ git beads conflicts bd-a1b2
";
    type Answer = Conflicts;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = conflicts(cli.tracker()?, self.id.as_deref())?;
        cli.answer(answer, ids, text);
        Ok(Exit::OK)
    }
}

fn ids(answer: &Conflicts) -> Vec<String> {
    let ids = answer.conflicts.iter().map(|entry| entry.id.clone());
    let mut ids: Vec<String> = ids.collect();
    ids.dedup();
    ids
}

fn text(ui: &mut Ui, answer: &Conflicts) {
    if answer.conflicts.is_empty() {
        ui.line("no conflicts");
    }
    for entry in &answer.conflicts {
        let (by, current_by) = (ui.one_line(&entry.by), ui.one_line(&entry.current_by));
        let current = ui.one_line(&value_text(ui, &entry.field, &entry.current));
        let value = if entry.missing {
            "(can't be read here)".to_owned()
        } else {
            ui.one_line(&value_text(ui, &entry.field, &entry.value))
        };
        let held = if entry.field == "assignee" {
            format!(" ({current} holds it)")
        } else {
            String::new()
        };
        ui.line(&format!("{} {}{held}", entry.id, entry.field));
        ui.line(&format!("  0 {current_by}: {current}"));
        let at = ui.dates.minute(&entry.at);
        ui.line(&format!("  {} {by} ({at}): {value}", entry.n));
    }
    if let Some(entry) = answer.conflicts.first() {
        let resolve = Command::of("resolve").id(&entry.id).word(&entry.field);
        next(ui, resolve.flag("--take").placeholder("N"));
    }
}
