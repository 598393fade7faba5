//! Conflicts, as they are listed and chosen from.

use super::next;
use super::value::value_text;
use crate::cli::ui::Ui;
use crate::ops::Command;
use crate::ops::verbs::conflicts::Conflicts;

/// Returns the ids of the issues that have conflicts.
pub(in crate::cli) fn ids(answer: &Conflicts) -> Vec<String> {
    let ids = answer.conflicts.iter().map(|entry| entry.id.clone());
    let mut ids: Vec<String> = ids.collect();
    ids.dedup();
    ids
}

/// Prints values to choose from, each with its number.
pub(in crate::cli) fn text(ui: &mut Ui, answer: &Conflicts) {
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
        ui.line(&format!("{} {}{held}", entry.id, ui.one_line(&entry.field)));
        ui.line(&format!("  0 {current_by}: {current}"));
        let at = ui.dates.minute(&entry.at);
        ui.line(&format!("  {} {by} ({at}): {value}", entry.n));
    }
    if let Some(entry) = answer.conflicts.first() {
        let resolve = Command::of("resolve").id(&entry.id).word(&entry.field);
        next(ui, resolve.flag("--take").placeholder("N"));
    }
}
